// What lives over a sync point: objects of every type, reached by name or only through a pointer, hidden by others.
// regions: 17 of 18
#include "check.h"
#include <complex.h>
#include <string.h>

struct point { double x, y; int part[3]; };
struct fixed { const int k; int v; };
union either { int i; float f; unsigned char bytes[8]; };
struct bits { unsigned a : 3, b : 7; int c : 5; };
typedef int alias;
static int minus(int a, int b) { return a - b; }
static int plus(int a, int b) { return a + b; }

static int arrays(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int id = omp_get_thread_num(), one[4], two[2][3], copied[4];
    for (int i = 0; i < 4; i++) one[i] = id + i;
    two[1][2] = id;
    *copied = 7;
    memset(copied + 1, 0, 3 * sizeof copied[0]);
    char text[8] = "grain";
    const short table[] = {1, 2, 3}, *second = table + 1;
#pragma omp barrier
    wrong += one[3] != id + 3 || two[1][2] != id || copied[0] != 7 || copied[3] || strcmp(text, "grain");
    wrong += *second != 2 || table[2] != 3 || second != &table[1];
    text[0] = (char)('0' + id);
#pragma omp for
    for (int i = 0; i < 10; i++) one[0]++;
    wrong += text[0] != '0' + id || one[0] < id + 3;
  }
  return wrong;
}

static int aggregates(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int id = omp_get_thread_num();
    struct point p, q = {1, 2, {3, 4, 5}}, pair[2];
    union either e;
    struct bits b;
    struct fixed f = {id, 1};
    p.x = id;
    p.part[1] = id + 1;
    pair[1] = q;
    *pair = p;
    e.bytes[0] = 5;
    e.bytes[1] = e.bytes[2] = e.bytes[3] = 0;
    b.a = 5, b.b = 100, b.c = -3;
    f.v = 4;
#pragma omp barrier
    wrong += p.x != id || p.part[1] != id + 1 || q.part[2] != 5 || pair[0].x != id || pair[1].y != 2;
    wrong += e.i != 5 || b.a != 5 || b.b != 100 || b.c != -3 || f.k != id || f.v != 4;
  }
  return wrong;
}

static int scalars(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int id = omp_get_thread_num();
    _Bool yes = id > 0, perhaps;
    double complex z = 1 + 2 * I;
    long double wide = id;
    int (*operation)(int, int) = id ? plus : minus;
    volatile int looked = id;
    const int fixed = id + 2;
    if (id) perhaps = 1;
#pragma omp barrier
    __real__ z += 1;
    wrong += yes != (id > 0) || z != 2 + 2 * I || wide != id || operation(5, 3) != (id ? 8 : 2) || looked != id;
    wrong += fixed != id + 2 || (id && !perhaps);
  }
  return wrong;
}

static int addresses(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int id = omp_get_thread_num(), target = id, *to = &target, **to_that = &to;
    struct point p = {id, 2, {0}};
    double *x = &p.x;
    int *part = p.part;
    {
      int inner = 1, *last = &inner;
#pragma omp barrier
      ++*last;
      wrong += inner != 2;
    }
#pragma omp barrier
    **to_that += 1;
    part[2] = 9;
    wrong += target != id + 1 || *x != id || p.part[2] != 9;
    for (int i = 0, *counter = &i; i < 3; i++) {
#pragma omp barrier
      wrong += *counter != i;
    }
  }
  return wrong;
}

static int others_see_it(void) {
  int wrong = 0, *seen[3] = {0};
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int id = omp_get_thread_num(), n = omp_get_num_threads(), mine = 10 + id;
    if (id < 3) seen[id] = &mine;
#pragma omp barrier
    wrong += *seen[(id + 1) % n] != 10 + (id + 1) % n;
#pragma omp barrier
    *seen[(id + 1) % n] += 5;
#pragma omp barrier
    wrong += mine != 15 + id;
  }
  return wrong;
}

/* The barrier at the region's end keeps a thread's local alive for the others: it is not the region's own end. */
static int until_the_end(void) {
  int wrong = 0;
  long *seen[3] = {0}, sum = 0, *by_single = NULL;
#pragma omp parallel num_threads(3)
  {
    int id = omp_get_thread_num(), n = omp_get_num_threads();
    long mine[4] = {id, id, id, id};
    seen[id] = mine;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 3000; i++)
#pragma omp atomic
      sum += seen[i % n][i % 4] == i % n;
  }
  wrong += sum != 3000;
#pragma omp parallel num_threads(3)
  {
    long k, *p;
#pragma omp single copyprivate(p)
    {
      k = 77;
      p = &k;
    }
#pragma omp critical
    wrong += *p != 77;
#pragma omp barrier
  }
  return wrong + (by_single != NULL);
}

static int hidden_by_variables(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int t = 1, u = 2;
    {
      int t = 20, *u = &t;
#pragma omp barrier
      wrong += t != 20 || *u != 20;
    }
    {
      int u = 30;
#pragma omp barrier
      wrong += u != 30;
    }
    wrong += t != 1 || u != 2;
  }
  return wrong;
}

static int jumps(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int round = 0, sum[2] = {0, 0}, *to = &sum[0], late = 0;
  again:;
    int kept = round * 2;
#pragma omp barrier
    if (round > 0) late += sum[1];
    sum[1] = 7;
    *to += kept;
    switch (round) {
      int none;
      case 0:
        none = 1;
#pragma omp barrier
        wrong += none != 1;
        break;
      case 1:
      default:
        none = round++;
#pragma omp barrier
        wrong += none + 1 != round;
    }
    if (++round < 4) goto again;
    wrong += sum[0] != 0 + 2 + 6 || late != 14;
  }
  return wrong;
}

static int declared_between(void) {
  int wrong = 0, mode = 3;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
#pragma omp barrier
    wrong += mode != 3;
    int i = 0, sum = 0, *seen = NULL;
  again:;
    if (seen) sum += *seen;
#pragma omp barrier
    int fresh = i * 2, *to = &fresh;
    seen = to;
#pragma omp barrier
    sum += *to;
    if (++i < 4) goto again;
    wrong += sum != 0 + 2 + 4 + 6 + 0 + 2 + 4;
  }
  return wrong;
}

static int loops(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int before[2], turn = 0, carried;
    double sum = 0;
    do {
      if (turn == 0) before[0] = before[1] = carried = 0;
      int step[2];
      step[turn % 2] = turn;
#pragma omp barrier
      before[turn % 2] += step[turn % 2];
      carried += turn;
      while (sum < turn) {
        sum += 1;
#pragma omp barrier
      }
    } while (++turn < 5);
    wrong += before[0] != 0 + 2 + 4 || before[1] != 1 + 3 || carried != 10 || sum != 4;
  }
  return wrong;
}

static int clauses(void) {
  int a[3] = {1, 2, 3}, x = 5, wrong = 0, r = 0, w[2], unset;
  struct point p = {1, 2, {3, 4, 5}};
  struct fixed f = {3, 4};
  double complex z = 2;
#pragma omp parallel num_threads(3) firstprivate(a, x, p, f, z) private(w, unset) reduction(+ : wrong, r)
  {
    int id = omp_get_thread_num(), *to = &x, *sum = &r;
    a[id % 3] += 10;
    w[1] = id;
    p.part[0] = id;
    f.v += id;
    if (id == 1) unset = 4;
    z += id;
    *sum += 2;
#pragma omp barrier
    *to += id;
    wrong += a[id % 3] != 11 + id % 3 || w[1] != id || p.part[0] != id || p.part[2] != 5 || f.k != 3 || f.v != 4 + id;
    wrong += x != 5 + id || z != 2 + id || (id == 1 && unset != 4);
#pragma omp barrier
    *sum += 1;
  }
  return wrong + (r % 3 != 0) + (r < 3) + (x != 5);
}

/* The sync point is the last thing in the loop, without braces: the loop's end is the construct's. */
static int without_braces(void) {
  static int a[100];
  int turns = 0;
#pragma omp parallel num_threads(3)
  {
    int left = 0;
    for (int k = 0; k < 5; k++)
#pragma omp for
      for (int i = 0; i < 100; i++) a[i] += k;
    while (left++ < 5)
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; i++) a[i] += left;
    for (int k = 0, *to = &k; *to < 3; k++)
#pragma omp single
      turns += *to;
  }
  for (int i = 0; i < 100; i++)
    if (a[i] != 25) return 1;
  return turns != 3;
}

/* What has no place in the instance's memory stays OpenMP's: a literal that a pointer reaches. One that is only read
 * may be there. */
static int literals(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int *to = (int[]){1, 2};
#pragma omp barrier
    wrong += to[1] != 2;
  }
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    struct point p = (struct point){1, 2, {3}};
    p = (struct point){.y = 3};
#pragma omp barrier
    wrong += p.x != 0 || p.y != 3;
  }
  return wrong;
}

static int of_tasks(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    int done[4] = {0}, one = 0;
    for (int i = 0; i < 4; i++) {
      int here = i, *to = &here;
#pragma omp task shared(done) firstprivate(to, i) depend(out : done[i])
      done[i] = i + 1;
#pragma omp task shared(one)
#pragma omp atomic
      one++;
#pragma omp taskwait
      wrong += *to != i || done[i] != i + 1;
    }
    wrong += one != 4;
  }
  return wrong;
}

static void wait(int n, int *into) {
  int left[2], whole = n;
  struct point p;
  int *last = &left[1];
  if (n < 2) {
    *into += n;
    return;
  }
  p.part[0] = n;
  left[0] = left[1] = 0;
#pragma omp task shared(left)
  wait(n - 1, &left[0]);
#pragma omp task shared(left)
  wait(n - 2, &left[1]);
#pragma omp taskwait
  {
    int whole = 3;
    p.part[0] += whole;
  }
#pragma omp taskwait
  *into += left[0] + *last + (whole != n || p.part[0] != n + 3) * 1000;
}

static int procedures(void) {
  int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    int here[1] = {0};
    int *to = here;
#pragma omp task shared(here)
    wait(12, here);
#pragma omp taskwait
    sum = *to;
  }
  return sum != 144;
}

/* Each variable's own place, also where a barrier follows its declaration at once, and a use the sync point. */
static int neighbours(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int a = 3;
#pragma omp barrier
    a++;
#pragma omp single
    ;
    int b = a, c;
#pragma omp barrier
    c = b;wrong += c != 4;
    (void)a;
  }
  return wrong;
}

int main(void) {
  CHECK(arrays() == 0);
  CHECK(aggregates() == 0);
  CHECK(scalars() == 0);
  CHECK(addresses() == 0);
  CHECK(others_see_it() == 0);
  for (int i = 0; i < 200; i++) CHECK(until_the_end() == 0);
  CHECK(hidden_by_variables() == 0);
  CHECK(jumps() == 0);
  CHECK(declared_between() == 0);
  CHECK(loops() == 0);
  CHECK(clauses() == 0);
  CHECK(without_braces() == 0);
  CHECK(literals() == 0);
  CHECK(of_tasks() == 0);
  CHECK(procedures() == 0);
  CHECK(neighbours() == 0);
  return 0;
}
