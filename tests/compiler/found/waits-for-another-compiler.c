/* A function that waits in one compiler's reading only: its region may not run on one thread. */
#include <stdio.h>
#include <omp.h>
static int flag;
#if defined(__GNUC__) && __GNUC__ >= 9
#define LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define WAIT_FOR(p) while (!LOAD(p)) ;
#else
#define WAIT_FOR(p) (void)(p);
#endif
static void wait_(void) { WAIT_FOR(&flag) }
int main(void){ for (int r = 0; r < 100; r++) { flag = 0;
#pragma omp parallel
 { int id = omp_get_thread_num(), n = omp_get_num_threads();
   if (id < n - 1) wait_();
   else __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
 }
 }
 puts("ok"); return 0; }
