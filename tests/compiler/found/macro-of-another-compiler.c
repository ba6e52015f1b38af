/* A macro that compilers read differently: only gcc's sets the variable, which was held for not set. */
#include <stdio.h>
#if defined(__GNUC__) && __GNUC__ >= 9
#define SET(x) x = 5
#else
#define SET(x) (void)(x)
#endif
int main(void){ int bad = 0;
#pragma omp parallel reduction(+: bad)
 { int k;
   SET(k);
   #pragma omp barrier
   bad += k != 5;
 }
 printf("%d\n", bad); return 0; }
