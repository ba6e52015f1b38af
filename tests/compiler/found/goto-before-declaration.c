/* A goto leads back, and a barrier stands before a declaration in the same block: the local was saved where it is not declared. */
#include <stdio.h>
int main(void){ long tot = 0; int mode = 3, n = 0;
#pragma omp parallel reduction(+:tot)
 {
#pragma omp barrier
   tot += n;
   int i = 0;
again: ;
   int fresh = i * 2;
#pragma omp barrier
   tot += i + fresh;
   if (++i < 4) goto again;
 }
 printf("%ld %d\n", tot, n); return 0; }
