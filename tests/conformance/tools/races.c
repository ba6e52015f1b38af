// Programs in pairs, of the kinds that collections of data races have: with one race, and the same without. Which one
// is chosen on the command line: KIND race|free. Nothing is checked but what ThreadSanitizer says.
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };
static int race, x, y, z, a[N + 1], b[N + 1];
static __thread volatile int sink;
static int counter;
#pragma omp threadprivate(counter)

static void spin(int times) {
  for (volatile int i = 0; i < times; ++i) sink = i;
}

// ---- tasks ----------------------------------------------------------------------------------------------------------
static void two_tasks(void) {
  int* second = race ? &x : &y;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp task
    *second = 2;
  }
}

static void depend_missing(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
    if (race) {
#pragma omp task
      y = x;
    } else {
#pragma omp task depend(in : x)
      y = x;
    }
  }
}

static void depend_of_another(void) {
  int* named = race ? &z : &x;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    {
      spin(100);
      x = 1;
    }
#pragma omp task depend(in : *named)
    y = x;
  }
}

static void taskwait_missing(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
    if (!race) {
#pragma omp taskwait
    }
#pragma omp task
    y = x;
  }
}

static void taskwait_too_early(void) {  // it does not wait for grandchildren
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      x = 1;
      if (!race) {
#pragma omp taskwait
      }
    }
#pragma omp taskwait
#pragma omp task
    y = x;
#pragma omp taskwait
  }
}

static void taskgroup_missing(void) {
#pragma omp parallel
#pragma omp single
  {
    if (race) {
#pragma omp task
      {
#pragma omp task
        x = 1;
      }
#pragma omp taskwait
    } else {
#pragma omp taskgroup
      {
#pragma omp task
        {
#pragma omp task
          x = 1;
        }
      }
    }
#pragma omp task
    x = 2;
  }
}

static void parent_and_child(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      spin(100);
      x = 1;
    }
    if (!race) {
#pragma omp taskwait
    }
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      sink = x + i;
#pragma omp taskwait
    }
  }
}

static int fib(int n) {
  if (n < 2) return n;
  int i = 0, j = 0;
#pragma omp task shared(i)
  i = fib(n - 1);
#pragma omp task shared(j)
  j = fib(n - 2);
#pragma omp taskwait
  if (race) x = n;
  return i + j;
}
static void recursive(void) {
#pragma omp parallel
#pragma omp single
  y = fib(8);
}

static void recursive_siblings_walk(int depth) {
  if (depth == 0) {
    if (race) ++x;
    else {
#pragma omp atomic
      ++x;
    }
    return;
  }
  for (int i = 0; i < 2; ++i) {
#pragma omp task
    recursive_siblings_walk(depth - 1);
  }
}
static void recursive_siblings(void) {
#pragma omp parallel
#pragma omp single
  recursive_siblings_walk(4);
}

static void taskloop_carried(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < N; ++i) a[i] = race ? a[i + 1] + 1 : a[i] + 1;
}

static void taskloop_nogroup(void) {
#pragma omp parallel
#pragma omp single
  {
    if (race) {
#pragma omp taskloop grainsize(8) nogroup
      for (int i = 0; i < N; ++i) a[i] = i;
    } else {
#pragma omp taskloop grainsize(8)
      for (int i = 0; i < N; ++i) a[i] = i;
    }
#pragma omp taskloop grainsize(8)
    for (int i = 0; i < N; ++i) b[i] = a[N - 1 - i];
  }
}

static void firstprivate_missing(void) {
#pragma omp parallel
#pragma omp single
  {
    static int i;
    for (i = 0; i < 8; ++i) {
      if (race) {
#pragma omp task shared(i)
        sink = i;
      } else {
        const int mine = i;
#pragma omp task firstprivate(mine)
        sink = mine;
      }
    }
  }
}

static void mutexinoutset(void) {
#pragma omp parallel
#pragma omp single
  {
    int* second = race ? &z : &x;
#pragma omp task depend(mutexinoutset : x)
    ++x;
#pragma omp task depend(mutexinoutset : *second)
    ++x;
  }
}

static void pipeline(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task depend(out : a[i]) firstprivate(i)
    a[i] = i;
    if (race) {
#pragma omp task depend(in : b[i]) firstprivate(i)
      y = a[i];
    } else {
#pragma omp task depend(in : a[i]) depend(inout : y) firstprivate(i)
      y = a[i];
    }
  }
}

static void undeferred_child(void) {  // if(0) orders the child with its parent, and not with its siblings
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      spin(100);
      x = 1;
    }
    if (!race) {
#pragma omp taskwait
    }
#pragma omp task if (0)
    x = 2;
  }
}

static void reduction_outside(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : x)
    for (int i = 0; i < 8; ++i) {
      if (race) {
#pragma omp task shared(z)
        ++z;
      } else {
#pragma omp task in_reduction(+ : x)
        ++x;
      }
    }
  }
}

static void all_threads_create(void) {
#pragma omp parallel num_threads(2)
  {
    const int me = race ? 0 : omp_get_thread_num();
#pragma omp task firstprivate(me)
    ++a[me * 8];
  }
}

static void threadprivate_in_task(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
    if (race) y = i;
    else {
#pragma omp critical
      y = i;
    }
  }
}

// ---- what is not a task ---------------------------------------------------------------------------------------------
static void loop_carried(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < N; ++i) a[i] = race ? a[i + 1] + 1 : a[i] + 1;
}

static void loop_dynamic(void) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < N; ++i) {
    spin(200);
    a[i] = race ? a[i + 1] + 1 : a[i] + 1;
  }
}

static void nowait(void) {
#pragma omp parallel num_threads(4)
  {
    if (race) {
#pragma omp for schedule(static) nowait
      for (int i = 0; i < N; ++i) a[i] = i;
    } else {
#pragma omp for schedule(static)
      for (int i = 0; i < N; ++i) a[i] = i;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < N; ++i) b[i] = a[N - 1 - i];
  }
}

static void sections(void) {
  int* second = race ? &x : &y;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      spin(20000);
      x = 1;
    }
#pragma omp section
    {
      spin(20000);
      *second = 2;
    }
  }
}

static void critical_missing(void) {
#pragma omp parallel num_threads(4)
  {
    if (race) ++x;
    else {
#pragma omp critical
      ++x;
    }
  }
}

static void two_names(void) {
#pragma omp parallel num_threads(2)
  {
    if (race && omp_get_thread_num()) {
#pragma omp critical(one)
      ++x;
    } else {
#pragma omp critical(two)
      ++x;
    }
  }
}

static void locks(void) {
  omp_lock_t l[2];
  omp_init_lock(&l[0]);
  omp_init_lock(&l[1]);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t* mine = &l[race ? omp_get_thread_num() : 0];
    omp_set_lock(mine);
    ++x;
    omp_unset_lock(mine);
  }
  omp_destroy_lock(&l[0]);
  omp_destroy_lock(&l[1]);
}

static void private_missing(void) {
  static volatile int t;
#pragma omp parallel for num_threads(4) schedule(static)
  for (int i = 0; i < N; ++i) {
    if (race) {
      t = i;
      b[i] = t;
    } else {
      int mine = i;
      b[i] = mine;
    }
  }
}

static void reduction_missing(void) {
  int sum = 0;
  if (race) {
#pragma omp parallel for num_threads(4) schedule(static) shared(sum)
    for (int i = 0; i < N; ++i) sum += i;
  } else {
#pragma omp parallel for num_threads(4) schedule(static) reduction(+ : sum)
    for (int i = 0; i < N; ++i) sum += i;
  }
  sink = sum;
}

static void single_nowait(void) {
#pragma omp parallel num_threads(4)
  {
    if (race) {
#pragma omp single nowait
      x = 1;
    } else {
#pragma omp single
      x = 1;
    }
    if (x) sink = 1;
  }
}

static void master(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    x = 1;
    if (!race) {
#pragma omp barrier
    }
    if (x) sink = 1;
  }
}

static void ordered_missing(void) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(4)
  for (int i = 0; i < N; ++i) {
    if (race) ++x;
#pragma omp ordered
    if (!race) ++x;
  }
}

static void doacross(void) {
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(4)
  for (int i = 1; i < N; ++i) {
    if (!race) {
#pragma omp ordered depend(sink : i - 1)
    }
    a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
  }
}

static void atomic_half(void) {
#pragma omp parallel num_threads(4)
  {
    if (race && omp_get_thread_num() == 1) x += 1;
    else {
#pragma omp atomic
      x += 1;
    }
  }
}

static void copyprivate(void) {
#pragma omp parallel num_threads(4)
  {
    int mine = 0;
#pragma omp single copyprivate(mine)
    mine = 5;
    if (race) x = mine;
    sink = mine;
  }
}

static void threadprivate_free(void) {
  for (int i = 0; i < 5; ++i) {
#pragma omp parallel num_threads(4)
    {
      ++counter;
      if (race) ++x;
    }
  }
}

static void two_regions(void) {  // the join orders them
#pragma omp parallel num_threads(4)
  a[omp_get_thread_num()] = 1;
#pragma omp parallel num_threads(4)
  {
    b[omp_get_thread_num()] = a[3 - omp_get_thread_num()];
    if (race) a[0] = b[0];
  }
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    ++a[race ? omp_get_thread_num() : 2 * outer + omp_get_thread_num()];
  }
}

// LLVM's library can miss: a race is found where the threads of it happen to meet.
#define KINDS(K)                                                                                                       \
  K(two_tasks) K(depend_missing) K(depend_of_another) K(taskwait_missing) K(taskwait_too_early) K(taskgroup_missing)   \
  K(parent_and_child) K(recursive) K(recursive_siblings) K(taskloop_carried) K(taskloop_nogroup)                       \
  K(firstprivate_missing) K(mutexinoutset) K(pipeline) K(undeferred_child) K(reduction_outside) K(all_threads_create)  \
  K(threadprivate_in_task) K(loop_carried) K(loop_dynamic) K(nowait) K(sections) K(critical_missing) K(two_names)      \
  K(locks) K(private_missing) K(reduction_missing) K(single_nowait) K(master) K(ordered_missing) K(doacross)           \
  K(atomic_half) K(copyprivate) K(threadprivate_free) K(two_regions) K(nested)

int main(int argc, char** argv) {
  if (argc == 2 && !strcmp(argv[1], "list")) {
#define NAME(kind) puts(#kind);
    KINDS(NAME)
    return 0;
  }
  if (argc != 3) return 2;
  race = !strcmp(argv[2], "race");
#define RUN(kind) \
  if (!strcmp(argv[1], #kind)) return kind(), 0;
  KINDS(RUN)
  return 2;
}
