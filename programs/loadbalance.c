/* Load balancing against locality (Schmidl 2016, 4.1.1): packages of linearly growing length, each the sum of two
   vectors, laid out by first touch in equal numbers per thread. A schedule that keeps this mapping (static) has all data at
   home, but the last thread works twice the mean; one that balances (dynamic, guided) takes packages away from their memory.
   These are the yardstick for schedules that know both (EINKORN_LOOP=nearest, tasks created by the owner of the data).
     static, dynamic, guided, runtime   a work-sharing loop over the packages with that schedule
     task      one task per package, created by the thread that touched its data first
     single    the same, created by one thread
   --report says for each thread how long it worked on packages of its own, of its memory node's others, and of other nodes. */
#include "common.h"

#include <omp.h>
#include <ompx_locality.h>

enum { kStatic, kDynamic, kGuided, kRuntime, kTask, kSingle };
enum { kMine, kNode, kRemote, kClasses };

typedef struct {
  double *a, *b, *sum;
  long length;
  int owner, home; /* thread and memory node that touched it first */
  int runs;        /* how often it was processed */
} Package;

typedef struct {
  _Alignas(128) double seconds[kClasses]; /* by whose the package was */
  long packages[kClasses];
} Thread;

static long count = 960, length = 8000, repeat = 10, version = kStatic, chunk = 1, report = 0;
static Package *package;
static Thread *thread;

/* Whole numbers, so that sums are exact. */
static double first(long p, long i) { return (double)(p + i % 1000); }
static double second(long p, long i) { return (double)(2 * p + i % 77); }

/* The block of a thread as with schedule(static), so that task and loop forms share one mapping. */
static void touch(long p) {
  Package *k = &package[p];
  k->length = (p + 1) * length / count;
  if (k->length == 0) k->length = 1;
  const size_t bytes = (size_t)k->length * sizeof(double);
  k->a = allocate(bytes), k->b = allocate(bytes), k->sum = allocate(bytes);
  for (long i = 0; i < k->length; i++) k->a[i] = first(p, i), k->b[i] = second(p, i), k->sum[i] = 0;
  k->owner = omp_get_thread_num();
  k->home = ompx_get_domain_num();
  k->runs = 0;
}

static void work(long p) {
  Package *k = &package[p];
  const double begin = report ? now_seconds() : 0;
  double *restrict sum = k->sum;
  const double *restrict a = k->a, *restrict b = k->b;
  for (long i = 0; i < k->length; i++) sum[i] = a[i] + b[i];
#pragma omp atomic
  k->runs++;
  if (!report) return;
  const int me = omp_get_thread_num();
  const int class = k->owner == me ? kMine : k->home == ompx_get_domain_num() ? kNode : kRemote;
  thread[me].seconds[class] += now_seconds() - begin;
  thread[me].packages[class]++;
}

static void one_pass(void) {
  switch (version) {
    case kStatic:
#pragma omp for schedule(static)
      for (long p = 0; p < count; p++) work(p);
      break;
    case kDynamic:
#pragma omp for schedule(dynamic, chunk)
      for (long p = 0; p < count; p++) work(p);
      break;
    case kGuided:
#pragma omp for schedule(guided, chunk)
      for (long p = 0; p < count; p++) work(p);
      break;
    case kRuntime:
#pragma omp for schedule(runtime)
      for (long p = 0; p < count; p++) work(p);
      break;
    case kTask:
#pragma omp for schedule(static)
      for (long p = 0; p < count; p++) {
        count_tasks(1);
#pragma omp task firstprivate(p)
        work(p);
      }
      break;
    default:
#pragma omp single
      for (long p = 0; p < count; p++) {
        count_tasks(1);
#pragma omp task firstprivate(p)
        work(p);
      }
  }
}

/* Every element, and every package as often as there were passes. */
static int is_right(double *total) {
  int ok = 1;
  *total = 0;
  for (long p = 0; p < count; p++) {
    const Package *k = &package[p];
    ok &= k->runs == repeat;
    for (long i = 0; i < k->length; i++) {
      ok &= k->sum[i] == first(p, i) + second(p, i);
      *total += k->sum[i];
    }
  }
  return ok;
}

static void print_report(int threads) {
  fprintf(stderr, "thread  seconds     own packages     of the same node     of other nodes\n");
  for (int t = 0; t < threads; t++) {
    const double *s = thread[t].seconds;
    const long *n = thread[t].packages;
    fprintf(stderr, "%6d %8.4f  %8.4f (%6ld)    %8.4f (%6ld)  %8.4f (%6ld)\n", t, s[kMine] + s[kNode] + s[kRemote], s[kMine],
            n[kMine], s[kNode], n[kNode], s[kRemote], n[kRemote]);
  }
}

int main(int argc, char **argv) {
  const Option options[] = {
      {"--size", kLong, "N", &count, 1, 1000000, "packages"},
      {"--length", kLong, "N", &length, 1, 100000000, "numbers in each vector of the longest package"},
      {"--repeat", kLong, "N", &repeat, 1, 1000000, "passes over all packages"},
      {"--version", kChoice, "static|dynamic|guided|runtime|task|single", &version, 0, 0, "how packages are handed out"},
      {"--chunk", kLong, "N", &chunk, 1, 1000000, "packages per chunk, for dynamic and guided"},
      {"--report", kSwitch, "", &report, 1, 0, "each thread's times, by the owners of the packages, on stderr"},
  };
  parse_options(argc, argv, "loadbalance",
                "Packages of growing size: load balance against locality (Schmidl 2016, 4.1.1).", options,
                OPTION_COUNT(options));
  package = allocate((size_t)count * sizeof *package);
  const int most = omp_get_max_threads();
  thread = aligned_alloc(128, (size_t)most * sizeof *thread);
  if (!thread) return 2;
  memset(thread, 0, (size_t)most * sizeof *thread);
#pragma omp parallel for schedule(static)
  for (long p = 0; p < count; p++) touch(p);

  const double begin = begin_timed_part();
#pragma omp parallel
  {
    for (long r = 0; r < repeat; r++) {
      one_pass();
      /* The tasks of a pass end before the next begins, as the loops do. */
#pragma omp barrier
    }
    flush_task_count();
  }
  const double seconds = end_timed_part(begin);

  double total;
  const int ok = is_right(&total) && (version < kTask || tasks_made == count * repeat);
  if (report) print_report(most);
  char size[64], result[64];
  snprintf(size, sizeof size, "%ldx%ld", count, length);
  snprintf(result, sizeof result, "%.0f", total);
  for (long p = 0; p < count; p++) free(package[p].a), free(package[p].b), free(package[p].sum);
  free(package);
  free(thread);
  return finish("loadbalance", size, result, version < kTask ? -1 : tasks_made, seconds, ok);
}
