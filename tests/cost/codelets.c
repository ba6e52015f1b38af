/* The cost of codelets in instructions, counted as instructions.c does it: procedures, stretches and free regions of them, graphs,
 * and tasks that are taken down as a graph, and replayed. The compiler's code in this file is included in the counts. */
#include <omp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <einkorn/codelet.h>
#include <einkorn/taskgraph.h>

#define KEEP() __asm__ volatile("" ::: "memory")

/* How often a thread looks whether others should help goes by the clock, and callgrind makes codelets some fifty times longer than
 * they are, from run to run differently. So the library finds this clock, which goes by the looks while something is counted. */
static int by_looks;
int clock_gettime(clockid_t clock, struct timespec *t) {
  static struct timespec last;
  if (!by_looks) {
    long error = syscall(SYS_clock_gettime, clock, t);
    if (clock == CLOCK_MONOTONIC) last = *t;
    return (int)error;
  }
  last.tv_nsec += 500;
  if (last.tv_nsec >= 1000000000) last.tv_sec++, last.tv_nsec -= 1000000000;
  *t = last;
  return 0;
}

enum { kFib = 16, kCodelets = 2000, kSide = 40, kLargeSide = 256, kStretches = 1000, kRegions = 200 };

/* ---- procedures ---- */
struct fib { int n, x, y, *result; };
static ek_next fib_run(ek_self *me);
static const ek_proc fib = {"fib", __FILE__, fib_run, sizeof(struct fib), 0, NULL, 0, EK_FREE};
static ek_next fib_run(ek_self *me) {
  struct fib *f = (struct fib *)me->frame;
  switch (me->at) { case 1: goto c1; }
  if (f->n < 2) {
    *f->result = f->n;
    return EK_END;
  }
  struct fib left = {f->n - 1, 0, 0, &f->x}, right = {f->n - 2, 0, 0, &f->y};
  ek_invoke(me, &fib, &left);
  ek_invoke(me, &fib, &right);
  EK_YIELD(me, 1, EK_WAIT);
c1:
  *f->result = f->x + f->y;
  return EK_END;
}
static long procedures(void) {
  int result;
  ek_launch(&fib, &(struct fib){kFib, 0, 0, &result});
  if (result != 987) _exit(1);
  return 2 * 1597 - 1; /* fib(n) is called 2 F(n + 1) - 1 times */
}

/* From each codelet to the next of the same instance: nothing is there to be waited for. */
struct steps { int left; };
static ek_next steps_run(ek_self *me) {
  struct steps *f = (struct steps *)me->frame;
  if (--f->left <= 0) return EK_END;
  EK_YIELD(me, 1, EK_WAIT);
}
static const ek_proc steps = {"steps", __FILE__, steps_run, sizeof(struct steps), 0, NULL, 0, EK_FREE};
static long stretches(void) {
  ek_launch(&steps, &(struct steps){kStretches});
  return kStretches;
}

/* ---- a codelet by hand, of which the last signal does not come ---- */
static void by_hand(ek_codelet *c) { (void)c; }
static long signals(void) {
  ek_codelet c;
  ek_codelet_init(&c, by_hand, NULL, kCodelets + 1, 1, 1);
  for (int i = 0; i < kCodelets; i++) ek_dec(&c);
  return kCodelets;
}

/* ---- regions of two instances, which the caller runs alone (EINKORN_CODELETS=alone) ---- */
static ek_next nothing_run(ek_self *me) {
  (void)me;
  return EK_END;
}
static const ek_proc nothing = {"nothing", __FILE__, nothing_run, 0, 0, NULL, 0, EK_FREE};
static long regions(void) {
  for (int i = 0; i < kRegions; i++) ek_run(&nothing, NULL, 2);
  return kRegions;
}

static ek_next region_steps_run(ek_self *me) {
  int *left = (int *)me->own;
  if (me->at == 0) *left = kStretches;
  if (--*left <= 0) return EK_END;
  EK_YIELD(me, 1, EK_WAIT);
}
static const ek_proc region_steps = {"region_steps", __FILE__, region_steps_run, 0, sizeof(int), NULL, 0, EK_FREE};
static long stretches_of_region(void) {
  ek_run(&region_steps, NULL, 2);
  return 2 * kStretches;
}

static ek_next syncs_run(ek_self *me) {
  int *left = (int *)me->own;
  if (me->at == 0) *left = kStretches;
  if (--*left <= 0) return EK_END;
  EK_YIELD(me, 1, EK_SYNC);
}
static const ek_proc syncs = {"syncs", __FILE__, syncs_run, 0, sizeof(int), NULL, 0, EK_FREE};
static long stretches_to_sync(void) {
  ek_run(&syncs, NULL, 2);
  return 2 * kStretches;
}

/* ---- graphs ---- */
static void fire(void *context, uint32_t i) {
  (void)context, (void)i;
  KEEP();
}
static int next_in_chain(void *context, uint32_t i, uint32_t *out) {
  (void)context;
  out[0] = i + 1;
  return i + 1 < kCodelets;
}
static inline int next_in(uint32_t side, uint32_t i, uint32_t *out) {
  int count = 0;
  if (i + side < side * side) out[count++] = i + side;
  if (i % side + 1 < side) out[count++] = i + 1;
  return count;
}
static int next_in_grid(void *context, uint32_t i, uint32_t *out) {
  (void)context;
  return next_in(kSide, i, out);
}
static int next_in_large(void *context, uint32_t i, uint32_t *out) {
  (void)context;
  return next_in(kLargeSide, i, out);
}
/* The last one is a grid so large that its rule is asked in each run. */
enum { kChain, kGrid, kLoose, kLarge, kShapes };
static const int size_of[kShapes] = {kCodelets, kSide * kSide, kCodelets, kLargeSide * kLargeSide};
static ek_graph *graphs[kShapes];
static void make_graphs(void) {
  for (int shape = 0; shape < kShapes; shape++) {
    ek_graph *g = graphs[shape] = ek_graph_new("g");
    int c = ek_graph_class(g, fire, NULL, (uint32_t)size_of[shape], 0);
    if (shape != kLoose) ek_graph_rule(g, c, c, shape == kChain ? next_in_chain : shape == kGrid ? next_in_grid : next_in_large);
    if (ek_graph_close(g)) _exit(1);
  }
}
static long run(int shape) {
  ek_graph_run(graphs[shape]);
  return size_of[shape];
}
static long chain(void) { return run(kChain); }
static long wavefront(void) { return run(kGrid); }
static long independent(void) { return run(kLoose); }
static long large_wavefront(void) { return run(kLarge); }

/* ---- taskgraphs ---- */
static char cells[kSide + 1][kSide + 1], loose[kCodelets];
static unsigned how;
static long tasks_in_chain(void) {
  static ompx_taskgraph graph;
  OMPX_TASKGRAPH(&graph, 0, how)
    for (int i = 0; i < kCodelets; i++) {
      #pragma omp task depend(inout : cells[0])
      KEEP();
    }
  return kCodelets;
}
static long tasks_in_grid(void) {
  static ompx_taskgraph graph;
  OMPX_TASKGRAPH(&graph, 0, how)
    for (int i = 1; i <= kSide; i++)
      for (int j = 1; j <= kSide; j++) {
        #pragma omp task depend(in : cells[i - 1][j], cells[i][j - 1]) depend(out : cells[i][j])
        KEEP();
      }
  return kSide * kSide;
}
static long loose_tasks(void) {
  static ompx_taskgraph graph;
  OMPX_TASKGRAPH(&graph, 0, how)
    for (int i = 0; i < kCodelets; i++) {
      #pragma omp task depend(inout : loose[i])
      KEEP();
    }
  return kCodelets;
}

/* The first time is not counted: symbols are looked up, free lists fill. */
#define MEASURE(name, function)                \
  do {                                         \
    by_looks = 1;                              \
    function();                                \
    CALLGRIND_ZERO_STATS;                      \
    long operations_ = function();             \
    CALLGRIND_DUMP_STATS_AT(name);             \
    by_looks = 0;                              \
    printf("%s %ld\n", name, operations_);     \
  } while (0)

int main(void) {
  int there[2], done[2];
  char byte = 0;
  if (pipe(there) || pipe(done)) return 1;
  make_graphs();
  #pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      char mine = 0;
      if (write(there[1], &mine, 1) != 1 || read(done[0], &mine, 1) != 1) _exit(1);
    } else {
      if (read(there[0], &byte, 1) != 1) _exit(1);
      MEASURE("procedure", procedures);
      MEASURE("stretch", stretches);
      MEASURE("signal by hand", signals);
      MEASURE("graph: chain", chain);
      MEASURE("graph: wavefront", wavefront);
      MEASURE("graph: wavefront by a rule that is asked", large_wavefront);
      MEASURE("graph: independent", independent);
      MEASURE("replay: chain", tasks_in_chain);
      MEASURE("replay: wavefront", tasks_in_grid);
      MEASURE("replay: independent", loose_tasks);
      if (write(done[1], &byte, 1) != 1) _exit(1);
    }
  }
  usleep(200000); /* the second thread falls asleep: what it does while it looks for work is not theirs */
  MEASURE("free region of two", regions);
  MEASURE("stretch in a region", stretches_of_region);
  MEASURE("stretch to a sync", stretches_to_sync);
  usleep(200000); /* the second thread falls asleep */
  #pragma omp parallel num_threads(1)
  {
    MEASURE("procedure at once", procedures);
    how = OMPX_TASKGRAPH_RESET;
    MEASURE("taken down: chain", tasks_in_chain);
    MEASURE("taken down: wavefront", tasks_in_grid);
    MEASURE("taken down: independent", loose_tasks);
    how = 0;
    MEASURE("replay alone: chain", tasks_in_chain);
    MEASURE("replay alone: wavefront", tasks_in_grid);
    MEASURE("replay alone: independent", loose_tasks);
    how = OMPX_TASKGRAPH_OFF;
    MEASURE("depend alone: chain", tasks_in_chain);
    MEASURE("depend alone: wavefront", tasks_in_grid);
    MEASURE("depend alone: independent", loose_tasks);
  }
  return 0;
}
