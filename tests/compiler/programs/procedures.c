// Tasks that are calls, and functions that wait for them: recursion, mutual recursion, all forms of calls, a depth that
// no stack has room for.
// regions: 11 of 11
#include "check.h"
#include <string.h>

static long fib(int n) {
  if (n < 2) return n;
  long x, y;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y) untied
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

/* Values in elements; a struct that is copied; what is changed after it was handed over. */
typedef struct { signed char column[12]; } Board;

static int fits(const Board *b, int row, int column) {
  for (int r = 0; r < row; r++) {
    const int d = b->column[r] - column;
    if (d == 0 || d == row - r || d == r - row) return 0;
  }
  return 1;
}

static long queens(Board board, int row, int n) {
  long found[12] = {0}, sum = 0;
  if (row == n) return 1;
  for (int column = 0; column < n; column++)
    if (fits(&board, row, column)) {
      board.column[row] = (signed char)column;
#pragma omp task shared(found) firstprivate(board, row, column)
      found[column] = queens(board, row + 1, n);
    }
#pragma omp taskwait
  for (int column = 0; column < n; column++) sum += found[column];
  return sum;
}

/* Calls of all forms, by functions that are invoked; sync points in loops and branches. */
static long twice(int n) {
  long first = fib(n);
  if (n % 2) return fib(n);
  first += 0;
  return first;
}
static void into(int n, long *to) {
  long at_home[2];
  at_home[1] = twice(n);
  *to = twice(n + 1);
  *to += at_home[1];
}
static long levels(int depth, int width) {
  long sum[4] = {0}, all = 1;
  if (depth == 0) return width;
  for (int round = 0; round < 3; round++) {
    int repeat = round;
    for (int k = 0; k < width; k++) {
#pragma omp task shared(sum)
      sum[k] = levels(depth - 1, width);
    }
    if (repeat > 0) {
#pragma omp taskwait
    } else {
#pragma omp taskwait
      all++;
    }
    for (int k = 0; k < width; k++) all += sum[k] * (repeat + 1);
    if (all > 1000000) break;
  }
  return all;
}
static long levels_serial(int depth, int width) {
  long all = 1;
  if (depth == 0) return width;
  for (int round = 0; round < 3; round++) {
    if (round == 0) all++;
    all += levels_serial(depth - 1, width) * width * (round + 1);
    if (all > 1000000) break;
  }
  return all;
}

/* Mutual recursion, the prototype first, one by tasks and one by a call; nothing is returned. */
typedef struct tree { struct tree *left, *right; long value, below; } Tree;
static void visit(Tree *t);
static void descend(Tree *t, Tree *into_right) {
  long before = t->value;
  visit(t);
  t->value = before + (into_right != NULL);
}
static void visit(Tree *t) {
  t->below = 1;
  if (t->left) {
#pragma omp task
    descend(t->left, t->right);
  }
  if (t->right) {
#pragma omp task
    descend(t->right, NULL);
  }
#pragma omp taskwait
  if (t->left) t->below += t->left->below;
  if (t->right) t->below += t->right->below;
}
static void visit_all(Tree *t) {
  visit(t);
}
static Tree *grow(int depth) {
  if (depth == 0) return NULL;
  Tree *t = calloc(1, sizeof *t);
  CHECK(t);
  t->left = grow(depth - 1), t->right = grow(depth - 2 > 0 ? depth - 2 : 0);
  return t;
}

/* A sort in place: by tasks that nobody waits for but the region, and by calls below a limit. */
static void sort_part(int *a, int n, int limit) {
  while (n > 1) {
    int pivot = a[n / 2], low = 0, high = n - 1;
    while (low <= high) {
      while (a[low] < pivot) low++;
      while (a[high] > pivot) high--;
      if (low <= high) {
        int t = a[low];
        a[low++] = a[high];
        a[high--] = t;
      }
    }
    if (n > limit) {
#pragma omp task firstprivate(a, high)
      sort_part(a, high + 1, limit);
    } else {
      sort_part(a, high + 1, limit);
    }
    a += low, n -= low;
  }
}

/* What would be over at once is not invoked: by a macro, with a comment, without a value; with a value that is converted; with parameters
   that do not matter for it. */
#define IS_LEAF(n) ((n) < 2)
static void fill(int n, int *to) {
  if (IS_LEAF(n) // leaf?
  ) return;
  to[0] = n;
#pragma omp task
  fill(n / 2, to + 1);
#pragma omp task
  fill(n - n / 2 - 1, to + 1 + n / 2);
#pragma omp taskwait
}
static unsigned char odd(int n, const int *to, double unused) {
  if (n == 0) { return n + 259; }
  unsigned char a, b;
#pragma omp task shared(a)
  a = odd(n - 1, to + 1, unused);
#pragma omp task shared(b)
  b = odd(0, NULL, 0);
#pragma omp taskwait
  return a + b + (to[0] != 0);
}

/* It is told on its own line; a parameter may have any name. */
enum { kLineBefore = __LINE__ };
static int line_of_end(int n, int ek_value) {
  if (n == ek_value) return __LINE__;
  int a;
#pragma omp task shared(a)
  a = line_of_end(n - 1, ek_value);
#pragma omp taskwait
  return a;
}
/* A macro that changes behind a function which is needed by one that comes later. */
#define STEP 2
static long later(int n);
static long sooner(int n) {
  if (n < STEP) return 1;
  long a;
#pragma omp task shared(a)
  a = later(n - STEP);
#pragma omp taskwait
  return a + STEP;
}
#undef STEP
#define STEP 3
static long later(int n) {
  if (n < STEP) return 1;
  long a;
#pragma omp task shared(a)
  a = sooner(n - STEP);
#pragma omp taskwait
  return a + STEP;
}

/* Each level waits for the next: what waits holds neither a thread nor a stack. */
static long global_depth;
static long deep(long n) {
  long below = 0;
  if (n == 0) return 0;
#pragma omp task shared(below)
  below = deep(n - 1);
#pragma omp taskwait
  return below + 1;
}

int main(void) {
  long result = 0, other = 0;
  const char *how = getenv("EINKORN_CODELETS");
#pragma omp parallel
#pragma omp single
  result = fib(18);
  CHECK(result == 2584);

  Board empty;
  memset(&empty, 0, sizeof empty);
#pragma omp parallel
  {
#pragma omp single
    {
      const long here = queens(empty, 0, 7);
      other = here;
    }
#pragma omp single
    result = queens(empty, 0, 6);
  }
  CHECK(other == 40 && result == 4);

  /* Tasks of the region itself, by all its threads. */
  long of_thread[16] = {0};
#pragma omp parallel num_threads(4)
  {
    int id = omp_get_thread_num();
#pragma omp task shared(of_thread) firstprivate(id)
    into(id, &of_thread[id]);
#pragma omp task shared(of_thread)
    of_thread[id + 8] = twice(id);
  }
  const long expected[] = {0, 1, 1, 2, 3, 5};
  for (int i = 0; i < 4; i++) CHECK(of_thread[i] == 0 || (of_thread[i] == expected[i + 2] && of_thread[i + 8] == expected[i]));
  CHECK(of_thread[0] == 1);

#pragma omp parallel
#pragma omp master
  result = levels(4, 3);
  CHECK(result == levels_serial(4, 3));

  static int filled[1000];
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    fill(999, filled);
#pragma omp taskwait
    result = odd(100, filled, 1.0);
#pragma omp task shared(other)
    other = line_of_end(9, -1) - kLineBefore;
#pragma omp taskwait
  }
  CHECK(other == 2);
#pragma omp parallel
#pragma omp single
  other = sooner(100);
  CHECK(other == 101);
  long sum = 0;
  for (int i = 0; i < 1000; i++) sum = (sum * 3 + filled[i]) % 1000003;
  CHECK(sum == 235211 && result == 101);

  Tree *root = grow(12);
#pragma omp parallel
#pragma omp single
  visit_all(root);
  CHECK(root->below > 2 && root->left->value == 1 && root->right->value == 0);

  int *a = malloc(20000 * sizeof *a);
  CHECK(a);
  for (int i = 0; i < 20000; i++) a[i] = (i * 7919) % 20000;
#pragma omp parallel
#pragma omp single
  sort_part(a, 20000, 100);
  for (int i = 0; i < 20000; i++) CHECK(a[i] == i);

  const long depth = how && !strcmp(how, "on") ? 1000000 : 1000;
#pragma omp parallel
#pragma omp single
  global_depth = deep(depth);
  CHECK(global_depth == depth);

  /* Of one thread; in a loop; in a region within. */
  for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(1)
    result = fib(i);
    long again = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
      {
#pragma omp task shared(again) firstprivate(i)
        again = fib(i);
#pragma omp taskwait
        again -= result;
      }
    }
    CHECK(again == 0);
  }
  return 0;
}
