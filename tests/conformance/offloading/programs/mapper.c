// A mapper of the program's own (gcc 12 has none: mapped by hand there).
#include <stdio.h>
#include <stdlib.h>
typedef struct {
  int n;
  int *values;
} list;
#ifdef __clang__
#pragma omp declare mapper(list l) map(l) map(l.values[0 : l.n])
#define MAPPED(l) map(tofrom : l)
#else
#define MAPPED(l) map(tofrom : l.values[0 : l.n])
#endif
int main(void) {
  list l = {30, malloc(30 * sizeof(int))};
  for (int i = 0; i < 30; ++i) l.values[i] = i;
#pragma omp target MAPPED(l)
  for (int i = 0; i < l.n; ++i) l.values[i] *= l.n;
  int sum = 0;
  for (int i = 0; i < 30; ++i) sum += l.values[i];
  printf("%d\n", sum);
}
