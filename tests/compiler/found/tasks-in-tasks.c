/* A task in a task takes a copy of what the outer one shares: both once named it through a pointer. */
#include <stdio.h>
int main(void){ int tot=0;
#pragma omp parallel
 { int x = 1, y = 2; 
   #pragma omp task shared(x) 
   { x = 5; 
     #pragma omp task 
     x = x * 2 + y;
     #pragma omp taskwait
   }
   #pragma omp taskwait
   #pragma omp atomic
   tot += x;
 }
 printf("%d\n", tot); 
return 0; }
