/* Functions that wait are procedures; tasks that only call one are invocations of it. */
#include <stddef.h>

static long fib(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y; /* both are there */
}

/* Called where nobody makes a task of it: the frame lies in the caller's memory. */
static void two(int n, long *to) {
  long sum = fib(n);
  *to = sum;
}

struct node { struct node *left, *right; long sum; };

/* Of a task that does more, its statement is a procedure. Below the depth it stays calls: a recursion without tasks. */
static long add(struct node *t, int depth) {
  if (t == NULL) return 0;
  long part[2] = {0, 0};
  if (depth == 0) return t->sum + add(t->left, 0) + add(t->right, 0);
#pragma omp task shared(part) firstprivate(t)
  {
    struct node *next = t->left;
    part[0] = add(next, depth - 1);
  }
#pragma omp task shared(part) firstprivate(t)
  part[1] = add(t->right, depth - 1);
#pragma omp taskwait
  return t->sum + part[0] + part[1];
}

void all(struct node *t, int n, long *to) {
#pragma omp parallel
#pragma omp single
  {
    to[0] = fib(n);
#pragma omp task
    two(n, &to[1]);
    to[2] = add(t, n);
  }
}
