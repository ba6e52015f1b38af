// Undeferred and included tasks one within the other, which a runtime may run as mere calls: what each of them sets,
// creates and waits for is its own all the same.
// run plain:
// run adaptive: EINKORN_SCHEDULE=ws-adaptive
// run cancellation: OMP_CANCELLATION=true
// peer clang: nest locks of libomp 19 are threads', not tasks'
#include "check.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static int late, members, siblings, awaited;

// ---- control variables --------------------------------------------------------------------------------------------
static void settings(int depth, int threads) {
  CHECK_EQUAL(omp_get_max_threads(), threads);
#pragma omp task if (0)
  {
    CHECK_EQUAL(omp_get_max_threads(), threads);
    omp_set_num_threads(threads + 1);
    CHECK_EQUAL(omp_get_max_threads(), threads + 1);
    if (depth > 0) settings(depth - 1, threads + 1);
    CHECK_EQUAL(omp_get_max_threads(), threads + 1);
  }
  CHECK_EQUAL(omp_get_max_threads(), threads);
#pragma omp task final(1)
  {
    omp_set_num_threads(threads + 2);
    if (depth > 0) settings(depth - 1, threads + 2);
    CHECK(omp_in_final());
    CHECK_EQUAL(omp_get_max_threads(), threads + 2);
  }
#pragma omp taskwait
  CHECK_EQUAL(omp_get_max_threads(), threads);
}

// ---- final --------------------------------------------------------------------------------------------------------
// In a task that is not final one that is: its children are over when their construct is.
static void finals(int depth) {
  CHECK(!omp_in_final());
#pragma omp task if (0) final(depth % 2)
  {
    CHECK_EQUAL(omp_in_final(), depth % 2);
    int x = 0, y = 0;
#pragma omp task shared(x, y)
    {
#pragma omp task shared(x)
      {
        nap_us(100);
        set_to(&x, 1);
      }
      if (omp_in_final()) CHECK_EQUAL(value_of(&x), 1);
#pragma omp taskwait
      set_to(&y, 1);
    }
    if (omp_in_final()) CHECK_EQUAL(value_of(&y), 1);
#pragma omp taskwait
    CHECK_EQUAL(value_of(&y), 1);
    if (depth > 0 && !omp_in_final()) finals(depth - 1);
  }
  CHECK(!omp_in_final());
  if (depth > 0) {
#pragma omp task if (0)
    finals(depth - 1);
  }
}

// ---- children that are deferred -----------------------------------------------------------------------------------
static void slow(int *done) {
  nap_us(200);
  add_one(done);
}

// Waits for its own, and only for them.
static void waits(int depth) {
  if (depth == 0) {
    int done = 0;
    for (int i = 0; i < 3; ++i)
#pragma omp task shared(done)
      slow(&done);
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), 3);
#pragma omp task
    slow(&late);  // for the end of the region, or of the group
    return;
  }
#pragma omp task if (0)
  waits(depth - 1);
#pragma omp taskwait
#pragma omp task if (0)
  {
#pragma omp taskyield
#pragma omp task if (0)
    waits(depth - 1);
#pragma omp taskwait
  }
}

// A task that waits with a lock held starts none that is not its descendant: such might need the lock.
static void wants_lock(void) {
  omp_set_lock(&lock);
  ++siblings;
  omp_unset_lock(&lock);
}
static void waits_locked(void) {
  for (int i = 0; i < 10; ++i)
#pragma omp task
    wants_lock();
#pragma omp task if (0)
  {
#pragma omp task if (0)
    for (int i = 0; i < 10; ++i)
#pragma omp task
      wants_lock();
#pragma omp task if (0)
    {
      omp_set_lock(&lock);
#pragma omp task if (0)
      add_one(&late);
#pragma omp taskwait
#pragma omp taskyield
      omp_unset_lock(&lock);
    }
  }
}

// ---- groups, dependences, events, teams, loops --------------------------------------------------------------------
static void groups(int depth) {
#pragma omp task if (0)
  {
    int inside = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(inside)
      {
#pragma omp task shared(inside)
        slow(&inside);
      }
#pragma omp task if (0) shared(inside)
      {
#pragma omp task shared(inside)
        slow(&inside);
      }
    }
    CHECK_EQUAL(value_of(&inside), 2);
    if (depth > 0) groups(depth - 1);
#pragma omp task
    slow(&members);
  }
}

static void dependences(void) {
  for (int k = 0; k < 3; ++k)
#pragma omp task if (0) firstprivate(k)
  {
#pragma omp task if (0) firstprivate(k)
    {
      int x = 0;
      for (int i = 0; i < 10; ++i)
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
      {
        CHECK_EQUAL(x, i);
        x = i + 1;
      }
#pragma omp task depend(in : x) if (0) shared(x)
      CHECK_EQUAL(x, 10);
#pragma omp taskwait
      CHECK_EQUAL(x, 10);
    }
  }
}

// Who creates it fulfils its event later, behind waits of others.
static void events(void) {
  omp_event_handle_t event = (omp_event_handle_t)0;
  const int before = value_of(&awaited);
#pragma omp task if (0) shared(event)
  {
#pragma omp task if (0) shared(event)
    {
#pragma omp task detach(event)
      add_one(&awaited);
    }
#pragma omp taskwait
#pragma omp task if (0)
    {
#pragma omp taskwait
    }
  }
  CHECK(omp_get_num_threads() == 1 || wait_until(&awaited, before + 1));
  omp_fulfill_event(event);
}

static void teams(void) {
  int threads = 0, ran = 0;
#pragma omp task if (0) shared(threads, ran)
  {
#pragma omp task if (0) shared(threads, ran)
    {
#pragma omp parallel num_threads(2) reduction(+ : threads)
      {
        threads += 1;
#pragma omp task shared(ran)
        add_one(&ran);
      }
      CHECK(ran == threads);
#pragma omp taskloop num_tasks(7) shared(ran)
      for (int i = 0; i < 21; ++i) add_one(&ran);
      CHECK_EQUAL(value_of(&ran), threads + 21);
#pragma omp taskloop nogroup num_tasks(7) shared(ran)
      for (int i = 0; i < 21; ++i) add_one(&ran);
#pragma omp taskwait
      CHECK_EQUAL(value_of(&ran), threads + 42);
    }
  }
}

static void nested_locks(void) {
#pragma omp task if (0)
  {
#pragma omp task if (0)
    {
      omp_set_nest_lock(&nest_lock);
#pragma omp task if (0)
      CHECK_EQUAL(omp_test_nest_lock(&nest_lock), 0);  // another task's
#pragma omp task
      add_one(&late);
      CHECK_EQUAL(omp_test_nest_lock(&nest_lock), 2);
      omp_unset_nest_lock(&nest_lock);
      omp_unset_nest_lock(&nest_lock);
    }
  }
}

// ---- data ---------------------------------------------------------------------------------------------------------
struct board {
  int row[6];
};
static int search(struct board b, int depth) {
  if (depth == 6) return b.row[0] + b.row[5];
  int sums[2] = {0, 0}, before = b.row[depth];
  for (int i = 0; i < 2; ++i) {
    b.row[depth] = i;
#pragma omp task firstprivate(b) shared(sums) if (depth % 3)
    {
      CHECK_EQUAL(b.row[depth], i);
      sums[i] = search(b, depth + 1);
      b.row[depth] = 100;
    }
    CHECK_EQUAL(b.row[depth], i);
  }
#pragma omp taskwait
  CHECK_EQUAL(before, 7);
  return sums[0] + sums[1];
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  const int n = omp_get_max_threads();
  enum { kTimes = 20 };
  for (int k = 0; k < kTimes; ++k) {
    late = members = siblings = awaited = 0;
#pragma omp parallel
#pragma omp single
    {
      settings(3, n);
      finals(4);
      dependences();
      teams();
      events();
      nested_locks();
      waits_locked();
      const int before = value_of(&late);
#pragma omp taskgroup
      {
        waits(3);
#pragma omp task final(1)
        groups(2);
      }
      CHECK(value_of(&late) >= before + 8);
      CHECK_EQUAL(value_of(&members), 3);
      groups(3);
      CHECK_EQUAL(search((struct board){{7, 7, 7, 7, 7, 7}}, 0), 64);
#pragma omp task final(1)
      CHECK_EQUAL(search((struct board){{7, 7, 7, 7, 7, 7}}, 0), 64);
    }
    CHECK_EQUAL(late, 8 + 1 + 1);
    CHECK_EQUAL(members, 4 + 3);
    CHECK_EQUAL(siblings, 20);
    CHECK_EQUAL(awaited, 1);
  }
  // Outside of all regions.
  late = members = siblings = awaited = 0;
  settings(3, n);
  finals(4);
  dependences();
  nested_locks();
  waits(3);
  groups(3);
  CHECK_EQUAL(search((struct board){{7, 7, 7, 7, 7, 7}}, 0), 64);
  CHECK_EQUAL(late, 8 + 1);
  CHECK_EQUAL(members, 4);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest_lock);
  return check_end();
}
