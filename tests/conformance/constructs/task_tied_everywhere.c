// The rule of tied tasks at every wait: each start of a tied task is checked against all tied tasks suspended on its thread, in
// taskwait, taskgroup, taskwait depend, taskyield, an undeferred task that waits for its dependences, and taskloop (OpenMP
// 5.1, 2.12.6). Barriers are excepted: what is suspended there does not count. All threads create, so that there is much to
// steal that must be left to others.
// peer gcc: starts tasks in its waits that the rule forbids
// peer clang.priorities: hangs
// run default:
// run passive: OMP_WAIT_POLICY=passive
// run priorities: OMP_MAX_TASK_PRIORITY=3
#include "check.h"

typedef struct node {
  struct node *parent;
} node;

enum { kDeep = 64 };
// Explicit tied tasks that are suspended on this thread below the task that runs, and implicit ones but for a barrier.
static __thread node *suspended[kDeep];
static __thread int depth;
static int starts;

static int descends(const node *n, const node *ancestor) {
  while (n && n != ancestor) n = n->parent;
  return n == ancestor;
}

static void starting(const node *me) {
  add_one(&starts);
  for (int i = 0; i < depth; ++i) CHECK(descends(me, suspended[i]));
}
static void suspend(node *me) {
  CHECK(depth < kDeep);
  suspended[depth++] = me;
}
static void resume(node *me) {
  --depth;
  CHECK(suspended[depth] == me);
}

static unsigned mix(unsigned x) {
  x = (x ^ 61) ^ (x >> 16);
  x *= 9;
  x ^= x >> 4;
  x *= 0x27d4eb2d;
  return x ^ x >> 15;
}

static void work(node *me, unsigned seed, int levels);

static void child(node *parent, unsigned seed, int levels) {
  node *me = malloc(sizeof *me);  // lives as long as its descendants may look at it: to the end
  me->parent = parent;
  starting(me);
  work(me, seed, levels);
}

static void work(node *me, unsigned seed, int levels) {
  if (levels == 0) return;
  seed = mix(seed);
  int count = 1 + (int)(seed % 4), cell = 0;
  switch (seed >> 8 & 7) {
    case 0:  // nobody waits for them but a barrier
      for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(me, seed, levels, i)
        child(me, seed + (unsigned)i, levels - 1);
      }
      break;
    case 1:
      suspend(me);
#pragma omp taskgroup
      for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(me, seed, levels, i) priority(i)
        child(me, seed + (unsigned)i, levels - 1);
      }
      resume(me);
      break;
    case 2:
      for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(me, seed, levels, i) depend(inout : cell)
        child(me, seed + (unsigned)i, levels - 1);
      }
      suspend(me);
#pragma omp taskwait depend(in : cell)
      resume(me);
      break;
    case 3:
      for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(me, seed, levels, i) depend(out : cell)
        child(me, seed + (unsigned)i, levels - 1);
      }
      suspend(me);
#pragma omp task if (0) depend(in : cell)
      {
      }
      resume(me);
      break;
    case 4:
      suspend(me);
#pragma omp taskloop grainsize(1) firstprivate(me, seed, levels)
      for (int i = 0; i < count; ++i) child(me, seed + (unsigned)i, levels - 1);
      resume(me);
      break;
    default:
      for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(me, seed, levels, i)
        child(me, seed + (unsigned)i, levels - 1);
      }
      suspend(me);
#pragma omp taskyield
#pragma omp taskwait
      resume(me);
  }
}

int main(void) {
  int before = 0;
  for (int round = 0; round < 12; ++round) {
#pragma omp parallel
    {
      node *me = malloc(sizeof *me);
      me->parent = NULL;
      work(me, (unsigned)(round * 1000 + omp_get_thread_num()), 6);
      CHECK_EQUAL(depth, 0);
    }
    CHECK(starts > before);
    before = starts;
  }
  return check_end();
}
