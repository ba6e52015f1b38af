/* An array's bound that depends on the compiler: the instance's memory had clang's number of elements, gcc's code wrote its own. */
#include <stdio.h>
#if defined(__GNUC__) && __GNUC__ >= 9
#define N 400
#else
#define N 10
#endif
int main(void){ int bad = 0; 
#pragma omp parallel reduction(+: bad)
 { int l[N];
   for (int i = 0; i < N; i++) l[i] = i;
   #pragma omp barrier
   for (int i = 0; i < N; i++) bad += l[i] != i;
 }
 printf("%d %d\n", bad, N); return 0; }
