/* a local with a const member in a procedure, and a procedure that returns one: no procedure of the file compiled */
#include <stdio.h>

struct k {
  const int fixed;
  int v;
};

static int walk(int depth, int id) {
  struct k value = {id, depth};
  if (depth <= 0) return id;
  int t;
#pragma omp task shared(t)
  t = walk(depth - 1, id + 1);
#pragma omp taskwait
  return t * 3 + value.fixed * 5 + value.v;
}

static struct k made(int id) {
  int t = 0;
#pragma omp task shared(t)
  t = walk(2, id);
#pragma omp taskwait
  struct k it = {t, id};
  return it;
}

int main(void) {
  int got = 0, more = 0;
#pragma omp parallel
#pragma omp single
  {
    got = walk(4, 7);
    struct k it = made(5);
    more = it.fixed + it.v;
  }
  printf("%d %d\n", got, more);
  return 0;
}
