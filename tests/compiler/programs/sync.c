// Sync points in loops and branches, with all kinds of variables that live over them.
// regions: 7 of 7
#include "check.h"

struct pair { int a, b; };

static int sum_of(const int *x, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}

static void kinds(int steps) {
  int shared_count = 0, outer = 3;
  struct pair p = {1, 2};
#pragma omp parallel private(p) firstprivate(outer)
  {
    const int id = omp_get_thread_num();
    int array[4] = {id, id, id, id}, alias = id, twice = 2 * alias;
    int *to = &alias;
    double scalar = 0.5;
    struct pair q = {id, -id};
    volatile int v = id;
    p.a = id;
    for (int t = 0; t < steps; t++) {
      int local = t + id;
#pragma omp barrier
      array[t % 4]++;
      *to += 1;
      scalar += 1;
      q.a += local - t;
      v++;
      outer++;
#pragma omp barrier
      if (local != t + id) abort();
    }
    if (sum_of(array, 4) != 4 * id + steps || alias != id + steps || twice != 2 * id || scalar != steps + 0.5 || v != id + steps) abort();
    if (q.a != id + steps * id || q.b != -id || p.a != id || outer != 3 + steps) abort();
#pragma omp atomic
    shared_count += id == omp_get_thread_num();
  }
  CHECK(shared_count >= 1);
}

static void branches(int n) {
  int order = 0, phase = 0;
#pragma omp parallel
  {
    int rounds = 0;
    do {
      switch (rounds % 3) {
        case 0: {
#pragma omp barrier
          break;
        }
        case 1: {
          if (rounds > 1000) break;
#pragma omp single
          phase++;
          break;
        }
        default: {
#pragma omp barrier
        }
      }
      if (++rounds == 5) continue;
#pragma omp masked
      order++;
#pragma omp barrier
      if (rounds > n + 50) break;
    } while (rounds < n);
    if (rounds != n) abort();
  }
  CHECK(order == n - 1 && phase == (n + 1) / 3);
}

static void back(int n) {
  int total = 0;
#pragma omp parallel
  {
    int i = 0;
  again:
    i++;
#pragma omp barrier
    if (i < n) goto again;
#pragma omp critical
    total += i == n;
  }
  CHECK(total >= 1);
}

/* One thread's results are seen by all behind a sync point. */
static void exchange(int n) {
  int *left = calloc((size_t)n, sizeof(int)), *right = calloc((size_t)n, sizeof(int));
#pragma omp parallel
  {
    int *from = left, *to = right;
    for (int step = 0; step < 20; step++) {
#pragma omp for
      for (int i = 0; i < n; i++) to[i] = from[(i + 1) % n] + 1;
      int *swap = from;
      from = to;
      to = swap;
    }
    if (from != left) abort();
  }
  for (int i = 0; i < n; i++) CHECK(left[i] == 20);
  free(left);
  free(right);
}

static void tasks(int n) {
  long sum = 0;
#pragma omp parallel
  {
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i) shared(sum)
#pragma omp atomic
      sum += i;
    }
    if (sum != (long)n * (n - 1) / 2) abort();
#pragma omp barrier
#pragma omp master
    {
      int a = 0, b = 0;
#pragma omp task shared(a)
      a = 1;
#pragma omp task shared(b) if (n > 0)
      b = 2;
#pragma omp taskwait
      sum = a + b;
#pragma omp taskgroup
      {
#pragma omp task default(none) shared(sum) depend(inout : sum)
        sum *= 2;
#pragma omp task depend(inout : sum)
        sum += 1;
      }
    }
#pragma omp barrier
    if (sum != 7) abort();
  }
  CHECK(sum == 7);
}

static void own_in_tasks(int n) {
  int bad = 0, value = 4;
#pragma omp parallel
  {
    int mine = omp_get_thread_num(), copy[2] = {mine, mine};
#pragma omp task shared(mine)
    mine += 100;
#pragma omp task firstprivate(copy, value)
    {
      copy[0] = value++;
#pragma omp atomic
      bad += copy[0] != 4;
    }
#pragma omp barrier
    if (mine != omp_get_thread_num() + 100 || copy[1] != omp_get_thread_num()) abort();
    for (int i = 0; i < n; i++) {
#pragma omp barrier
      mine++;
    }
    if (mine != omp_get_thread_num() + 100 + n) abort();
  }
  CHECK(bad == 0 && value == 4);
}

static void nested(int n) {
  int count = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int id = omp_get_thread_num();
#pragma omp parallel num_threads(2) firstprivate(id, n) default(none) shared(count)
    {
      for (int i = 0; i < n; i++) {
#pragma omp barrier
#pragma omp atomic
        count += id < 2;
      }
    }
  }
  CHECK(count >= n);
}

int main(void) {
  kinds(5);
  branches(10);
  back(7);
  exchange(100);
  tasks(50);
  own_in_tasks(3);
  nested(3);
  return 0;
}
