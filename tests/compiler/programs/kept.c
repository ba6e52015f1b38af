// Directives that stay in a codelet, with clauses that name what is shared, or lives in the instance's memory.
// regions: 10 of 10
#include "check.h"

static int total, threads;

// What is put there has an address that stays over barriers.
static int *where[64];

static void task_reductions(void) {
  long r = 5, product = 1;
  int through = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : r)
    for (int i = 0; i < 100; i++)
#pragma omp task in_reduction(+ : r) firstprivate(i)
      r += i;
    through = r == 5 + 4950;
#pragma omp taskgroup task_reduction(+ : r) task_reduction(* : product)
    {
      r += 1000;  // the group's, before any task has its own
      for (int i = 1; i < 5; i++)
#pragma omp task in_reduction(* : product) in_reduction(+ : r) firstprivate(i)
      {
        product *= i;
#pragma omp task in_reduction(+ : r)
        r += 1;
      }
#pragma omp taskloop in_reduction(+ : r) nogroup
      for (int i = 0; i < 10; i++) r += i;
    }
  }
  CHECK(through && r == 5 + 4950 + 1000 + 4 + 45 && product == 24);
}

// Each thread its own, in its memory over a barrier.
static void task_reductions_of_locals(void) {
  int good = 0;
#pragma omp parallel reduction(+ : good)
  {
    long mine[2] = {omp_get_thread_num(), 1}, sum = 0;
    long *p = &sum;
    where[omp_get_thread_num()] = (int *)p;
#pragma omp barrier
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 10; i++)
#pragma omp task in_reduction(+ : sum) shared(mine) firstprivate(i)
      sum += mine[0] + i * mine[1];
#pragma omp barrier
    good += *p == 10 * omp_get_thread_num() + 45 && where[omp_get_thread_num()] == (int *)&sum;
#pragma omp atomic
    threads++;
  }
  CHECK(good == threads);
  threads = 0;
}

static void linear_of_locals(void) {
  int good = 0, team = 1;
#pragma omp parallel reduction(+ : good)
  {
    int st = 2, kept = 7, *p = &kept;
    where[omp_get_thread_num()] = p;
#pragma omp for linear(st)
    for (int i = 0; i < 40; i++) {
      good += st != 2 + i;
      st++;
    }
#pragma omp for linear(kept : 3) schedule(dynamic, 2)
    for (int i = 0; i < 40; i++) {
      good += kept != 7 + 3 * i;
      kept += 3;
    }
#pragma omp single
    team = omp_get_num_threads();
    // The thread of the last iteration has what came of it; others have what they had.
    good += !(*p == 7 + 120 || (team > 1 && *p == 7)) || p != &kept;
    good += !(st == 42 || (team > 1 && st == 2));
  }
  CHECK(good == 0);
}

static void vectors(void) {
  enum { n = 64 };
  float a[n], shared_sum = 0;
  int count = -1, last = -1, step = 1;
#pragma omp parallel
  {
    float own_sum = 1, *p = &own_sum;
    int i, j = 3, *q = &j;
    where[omp_get_thread_num()] = (int *)p;
#pragma omp for
    for (i = 0; i < n; i++) a[i] = i;
#pragma omp simd reduction(+ : own_sum) aligned(q : 4) linear(j : 2) safelen(8)
    for (i = 0; i < n; i++) {
      own_sum += a[i];
      j += 2;
    }
#pragma omp barrier
#pragma omp critical
    CHECK(*p == 1 + 2016 && *q == 3 + 128 && where[omp_get_thread_num()] == (int *)p);
#pragma omp single
    {
#pragma omp simd reduction(+ : shared_sum) lastprivate(last) linear(step : 2)
      for (count = 0; count < n; count++) {
        shared_sum += a[count];
        last = count * step;
        step += 2;
      }
#pragma omp simd collapse(2) lastprivate(last)
      for (int k = 0; k < 0; k++)
        for (int l = 0; l < 3; l++) last = k;
    }
  }
  CHECK(shared_sum == 2016 && count == n && last == 63 * 127 && step == 1 + 2 * n);
}

static void sections_of_depend(void) {
  int grid[4][8] = {{0}}, flat[8] = {0}, *p = flat, good = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int k = 0; k < 4; k++) {
#pragma omp task depend(out : flat[k]) shared(flat) firstprivate(k)
      flat[k] = k + 1;
#pragma omp task depend(in : flat[k : 1]) depend(out : grid[k][0 : 8], p[4]) firstprivate(k)
      for (int i = 0; i < 8; i++) grid[k][i] = flat[k] * 10 + i;
#pragma omp task depend(in : grid[k][0 : 8]) depend(inout : p[0 : 8]) firstprivate(k)
      good += grid[k][7] == 10 * (k + 1) + 7;
    }
    p = flat + 1;
    p = flat;
  }
  CHECK(good == 4);
#pragma omp parallel reduction(+ : good)
  {
    int own[8], *to = own;
    own[0] = 1;
    where[omp_get_thread_num()] = own;
#pragma omp barrier
    for (int k = 1; k < 8; k++)
#pragma omp task depend(in : own[k - 1 : 1]) depend(out : to[k : 1]) shared(own) firstprivate(k)
      own[k] = own[k - 1] * 2;
#pragma omp taskwait
#pragma omp barrier
    good += to[7] == 128 && where[omp_get_thread_num()] == own;
#pragma omp atomic
    threads++;
  }
  CHECK(good == 4 + threads);
  threads = 0;
}

static void events(void) {
  int done = 0, rounds = 0;
#pragma omp parallel reduction(+ : rounds) shared(done)
  {
    omp_event_handle_t event, *e = &event;
    for (int i = 0; i < 3; i++) {
#pragma omp task detach(event) shared(done)
#pragma omp atomic
      done++;
      where[omp_get_thread_num()] = (int *)e;
      omp_fulfill_event(*e);
#pragma omp taskwait
#pragma omp barrier
      rounds += e == &event;
    }
  }
  CHECK(done == rounds && rounds % 3 == 0 && rounds > 0);
}

struct pair {
  int a;
  double b;
};

static void copies_from_one(void) {
  int good = 0;
#pragma omp parallel reduction(+ : good)
  {
    int x = -1, list[3] = {0}, *p, *at = &x;
    struct pair pair = {0, 0}, *of_pair = &pair;
    where[omp_get_thread_num()] = list;
#pragma omp barrier
#pragma omp single copyprivate(x, list, p, pair)
    {
      *at = 4;
      list[1] = 5;
      p = &total;
      of_pair->a = 6, pair.b = 7;
      CHECK(x == 4 && where[omp_get_thread_num()] == list);
    }
    int *mine = where[omp_get_thread_num()];
    good += *at == 4 && at == &x && mine == list && mine[1] == 5 && p == &total && of_pair->a == 6 && pair.b == 7;
#pragma omp barrier
    if (x == 4)
#pragma omp single copyprivate(x)
      x = 9;
    good += *at == 9;
#pragma omp atomic
    threads++;
  }
  CHECK(good == 2 * threads);
  threads = 0;
}

// What a construct around it has is nearer than the region's.
static void nearer(void) {
  int x = 100, sum = 0, wrong = 0;
#pragma omp parallel
  {
#pragma omp for private(x)
    for (int i = 0; i < 40; i++) {
      x = i;
#pragma omp task firstprivate(x) shared(sum)
#pragma omp atomic
      sum += x;
#pragma omp simd reduction(+ : x)
      for (int k = 0; k < 4; k++) x += k;
      if (x != i + 6)
#pragma omp atomic
        wrong++;
    }
#pragma omp single
    x++;
  }
  CHECK(sum == 780 && x == 101 && wrong == 0);
}

static void affinity_and_hints(void) {
  int a[4] = {1, 2, 3, 4}, sum = 0;
#pragma omp parallel
#pragma omp single
  {
    a[0] = 5;
#pragma omp task affinity(a, sum) shared(a, sum)
    sum = a[0] + a[3];
  }
  CHECK(sum == 9);
}

int main(void) {
  for (int n = 1; n <= 4; n += n == 1 ? 1 : 2) {
    omp_set_num_threads(n);
    task_reductions();
    task_reductions_of_locals();
    linear_of_locals();
    vectors();
    sections_of_depend();
    events();
    copies_from_one();
    nearer();
    affinity_and_hints();
  }
  puts("check=ok");
  return 0;
}
