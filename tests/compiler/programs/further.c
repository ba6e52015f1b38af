// Directives that came to codelets late: loops in teams, taskloops of one thread, depobj, detach, copyin of a type without a
// name; addresses of labels and of stack frames.
// regions: 9 of 10
// Compilers warn of their own code.
#include "check.h"

static void teams(int n, int *x) {
  int sum = 0, most = -1, last = 0;
#pragma omp teams distribute parallel for num_teams(3) dist_schedule(static, 2) reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < n; i++) {
    sum += i;
    if (most < i) most = i;
  }
  CHECK(sum == n * (n - 1) / 2 && most == n - 1);
#pragma omp teams distribute parallel for simd num_teams(2) collapse(2) schedule(static, 2)
  for (int i = 0; i < n / 4; i++)
    for (int j = 0; j < 4; j++) x[4 * i + j] = i;
#pragma omp teams distribute parallel for firstprivate(sum) lastprivate(last) if (n > 1) num_threads(2)
  for (int i = 0; i < n; i++) {
    x[i] += sum - n * (n - 1) / 2;
    last = i;
  }
  CHECK(x[n - 1] == (n - 1) / 4 && last == n - 1);
#pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < n; i++) x[i] = omp_get_num_teams() > 0;
}

static void of_one_thread(int n) {
  int sum = 0, last = -1, count = 0;
#pragma omp parallel reduction(+ : count)
  {
    count++;
#pragma omp master taskloop reduction(+ : sum) lastprivate(last)
    for (int i = 0; i < n; i++) sum += i, last = i;
#pragma omp barrier
#pragma omp master taskloop simd shared(sum) grainsize(4)
    for (int i = 0; i < n; i++)
#pragma omp atomic
      sum++;
  }
  CHECK(sum == n * (n - 1) / 2 + n && last == n - 1 && count >= 1);
}

static void objects(int *x) {
  omp_depend_t object;
  int first = 0, second = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp depobj(object) depend(inout : x[0])
#pragma omp task depend(depobj : object) shared(first)
    {
      for (volatile int i = 0; i < 1000; i++) continue;
      first = 1;
    }
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) shared(first, second)
    second = first;
#pragma omp taskwait
#pragma omp depobj(object) destroy
  }
  CHECK(second == 1);
}

static void events(void) {
  omp_event_handle_t event, other;
  int done = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event) shared(done)
    done = 1;
    omp_fulfill_event(event);
#pragma omp task detach(other) shared(seen)
    {
      seen = 1;
      omp_fulfill_event(other);
    }
#pragma omp taskwait
    CHECK(done == 1 && seen == 1);
  }
}

static struct {
  int a, b[3];
} record, table[2];
#pragma omp threadprivate(record, table)

static void copies(void) {
  int wrong = 0;
  record.a = 3, record.b[2] = 4, table[1].b[1] = 5;
#pragma omp parallel copyin(record, table) reduction(+ : wrong)
  {
    wrong += record.a != 3 || record.b[2] != 4 || table[1].b[1] != 5;
    record.a = 0;
  }
  CHECK(wrong == 0);
}

__attribute__((noinline)) static void addresses(int n) {
  int good = 0, others = 0;
#pragma omp parallel reduction(+ : good)
  {
    const void *here = &&there, *frame = __builtin_frame_address(0);
  there:
    good += here && frame;
  }
  CHECK(good >= 1);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
#pragma omp atomic
    others += __builtin_return_address(0) != NULL;
  CHECK(others == n);
}

int main(void) {
  int x[100] = {0};
  for (int round = 0; round < 20; round++) {
    teams(100, x);
    of_one_thread(50);
    objects(x);
    events();
    copies();
    addresses(10);
  }
  return 0;
}
