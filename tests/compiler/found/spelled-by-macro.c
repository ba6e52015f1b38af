/* Macros that make strings of their arguments: these spelled the codelets' text. */
#include <stdio.h>
#include <assert.h>
#define SHOW(v) printf(#v "=%d\n", (int)(v))
#define CHECK(c) do { if (!(c)) printf("failed: %s\n", #c); } while (0)
int main(void){ int x = 1, y[3] = {1,2,3}; struct { int a; } const z = {3}; int w = 9; (void)z;
#pragma omp parallel shared(x) firstprivate(w) 
 { int l = 4, a[2] = {5, 6}; 
   #pragma omp single
   x = 3;
   #pragma omp master
   { SHOW(x); SHOW(l); SHOW(a[1]); SHOW(y[2]); SHOW(w + x); CHECK(x == 4); CHECK(a[0] > l); CHECK(a[0] == l); }
   w++; 
 }
 return 0; }
