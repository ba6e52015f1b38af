/* Codelet graphs as a program uses them: results against a sequential execution, in regions and outside, again and again, and
 * what is wrong. On another OpenMP library it says so and does nothing. Usage: graphs [SEED [GRAPHS]] */
#include <assert.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <einkorn/codelet.h>

#undef NDEBUG
#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

/* A wavefront: cell (i, j) needs the one above and the one to the left. */
enum { kSide = 61 };
static long cell[kSide][kSide];
static long cell_of(int i, int j) { return (i ? cell[i - 1][j] : 1) + (j ? cell[i][j - 1] : 1); }
static void fire_cell(void *context, uint32_t n) {
  (void)context;
  cell[n / kSide][n % kSide] = cell_of(n / kSide, n % kSide) % 1000003;
}
static int next_cell(void *context, uint32_t n, uint32_t *out) {
  int count = 0;
  (void)context;
  if (n / kSide + 1 < kSide) out[count++] = n + kSide;
  if (n % kSide + 1 < kSide) out[count++] = n + 1;
  return count;
}
static int asked;
static int next_asked(void *context, uint32_t n, uint32_t *out) {
  __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
  return next_cell(context, n, out);
}
static void fire_nothing(void *context, uint32_t n) { (void)context, (void)n; }
static int right_wavefront(void) {
  static long want[kSide][kSide];
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) want[i][j] = ((i ? want[i - 1][j] : 1) + (j ? want[i][j - 1] : 1)) % 1000003;
  int right = memcmp(want, cell, sizeof want) == 0;
  memset(cell, 0, sizeof cell);
  return right;
}

static void wavefronts(void) {
  ek_graph *rule = ek_graph_new("wavefront by rule"), *list = ek_graph_new("wavefront by list"),
           *large = ek_graph_new("wavefront by rule, asked in each run");
  int a = ek_graph_class(rule, fire_cell, NULL, kSide * kSide, __LINE__);
  ek_graph_rule(rule, a, a, next_cell);
  int b = ek_graph_class(list, fire_cell, NULL, kSide * kSide, __LINE__);
  for (uint32_t n = 0; n < kSide * kSide; ++n) {
    uint32_t out[EK_MOST_NEXT];
    for (int k = next_cell(NULL, n, out); k-- > 0;) ek_graph_arc(list, b, n, b, out[k]);
  }
  int c = ek_graph_class(large, fire_cell, NULL, kSide * kSide, __LINE__);
  ek_graph_rule(large, c, c, next_asked);
  ek_graph_class(large, fire_nothing, NULL, 131072, __LINE__);
  ek_graph *all[] = {rule, list, large};
  for (int g = 0; g < 3; ++g) {
    CHECK(ek_graph_close(all[g]) == 0);
    int before = asked;
    for (int repeat = 0; repeat < (g == 2 ? 3 : 20); ++repeat) {
      CHECK(ek_graph_run(all[g]) == 0);
      CHECK(right_wavefront());
      #pragma omp parallel
      {
        #pragma omp single
        CHECK(ek_graph_run(all[g]) == 0);
        #pragma omp master
        CHECK(right_wavefront());
        #pragma omp barrier
        #pragma omp single nowait
        #pragma omp task
        CHECK(ek_graph_run(all[g]) == 0);
      }
      CHECK(right_wavefront());
    }
    CHECK(g == 2 ? asked - before >= 9 * kSide * kSide : asked == before); /* a recording asks, too */
    ek_graph_free(all[g]);
  }
}

/* A graph of random arcs, from lower to higher numbers: each node's value by those of its predecessors. */
enum { kMost = 400 };
static struct random_graph {
  int nodes, first_of_second;
  unsigned long value[kMost], want[kMost];
  int preds[kMost], pred[kMost][kMost];
  int spin;
} r;
static unsigned long value_of(const unsigned long *values, int n) {
  unsigned long v = (unsigned long)n * 2654435761u + 1;
  for (int k = 0; k < r.preds[n]; ++k) v = v * 31 + values[r.pred[n][k]];
  return v;
}
static void fire_node(void *context, uint32_t i) {
  int n = (int)(size_t)context + (int)i;
  for (volatile int k = 0; k < r.spin; ++k) ;
  r.value[n] = value_of(r.value, n);
}
static void random_graphs(unsigned seed, int graphs) {
  srand(seed);
  for (int g = 0; g < graphs; ++g) {
    r.nodes = 1 + rand() % kMost;
    r.first_of_second = rand() % r.nodes;
    r.spin = rand() % 4 == 0 ? 2000 : 0;
    ek_graph *graph = ek_graph_new("random");
    int classes[2] = {ek_graph_class(graph, fire_node, NULL, (uint32_t)r.first_of_second, 1),
                      ek_graph_class(graph, fire_node, (void *)(size_t)r.first_of_second, (uint32_t)(r.nodes - r.first_of_second), 2)};
    int dense = 1 + rand() % 20;
    for (int n = 0; n < r.nodes; ++n) {
      r.preds[n] = 0;
      for (int p = 0; p < n; ++p) {
        if (rand() % dense || r.preds[n] == 12) continue;
        r.pred[n][r.preds[n]++] = p;
        int c = p >= r.first_of_second, d = n >= r.first_of_second;
        ek_graph_arc(graph, classes[c], (uint32_t)(p - c * r.first_of_second), classes[d], (uint32_t)(n - d * r.first_of_second));
      }
    }
    for (int n = 0; n < r.nodes; ++n) r.want[n] = value_of(r.want, n);
    CHECK(ek_graph_close(graph) == 0);
    for (int repeat = 0; repeat < 3; ++repeat) {
      memset(r.value, 0, sizeof r.value);
      if (repeat == 1) {
        CHECK(ek_graph_run(graph) == 0);
      } else {
        #pragma omp parallel
        #pragma omp single
        CHECK(ek_graph_run(graph) == 0);
      }
      CHECK(memcmp(r.value, r.want, sizeof r.value[0] * (size_t)r.nodes) == 0);
    }
    ek_graph_free(graph);
  }
}

/* More than one item of a queue holds, and more predecessors than sixteen bits count. */
enum { kMany = 200000 };
static unsigned char hit[kMany];
static int sums;
static void fire_many(void *context, uint32_t i) { (void)context; ++hit[i]; }
static void fire_sum(void *context, uint32_t i) {
  (void)context, (void)i;
  for (int k = 0; k < kMany; ++k) sums += hit[k];
}
static int to_sum(void *context, uint32_t i, uint32_t *out) { (void)context, (void)i; out[0] = 0; return 1; }
static void many(void) {
  ek_graph *g = ek_graph_new("many");
  int all = ek_graph_class(g, fire_many, NULL, kMany, __LINE__), sum = ek_graph_class(g, fire_sum, NULL, 1, __LINE__);
  ek_graph_rule(g, all, sum, to_sum);
  CHECK(ek_graph_close(g) == 0);
  for (int repeat = 1; repeat <= 5; ++repeat) {
    sums = 0;
    CHECK(ek_graph_run(g) == 0);
    CHECK(sums == repeat * kMany);
  }
  ek_graph_free(g);
}

/* Do others surely help? With more threads than CPUs some are left asleep. */
static int shared(void) { return omp_get_max_threads() > 1 && omp_get_max_threads() <= (int)sysconf(_SC_NPROCESSORS_ONLN); }

/* Long codelets: other threads of the team take part, whoever waits for the graph's end. Tasks in codelets end before it does. */
static int by_thread[1024], tasks_done, fired;
static void fire_long(void *context, uint32_t i) {
  double end = omp_get_wtime() + 60;
  int others;
  (void)context, (void)i;
  #pragma omp atomic
  ++by_thread[omp_get_thread_num()];
  #pragma omp atomic
  ++fired;
  do { /* until another one fires, beside this one */
    #pragma omp atomic read
    others = fired;
  } while (others < 2 && shared() && omp_get_wtime() < end);
  #pragma omp task
  {
    #pragma omp atomic
    ++tasks_done;
  }
}
static void long_ones(void) {
  int threads = omp_get_max_threads(), codelets = 8 * threads;
  ek_graph *g = ek_graph_new("long");
  ek_graph_class(g, fire_long, NULL, (uint32_t)codelets, __LINE__);
  CHECK(ek_graph_close(g) == 0);
  for (int outside = 0; outside < 2; ++outside) {
    memset(by_thread, 0, sizeof by_thread);
    tasks_done = fired = 0;
    if (outside) {
      CHECK(ek_graph_run(g) == 0);
      CHECK(tasks_done == codelets);
    } else {
      #pragma omp parallel
      #pragma omp single
      {
        CHECK(ek_graph_run(g) == 0);
        CHECK(tasks_done == codelets);
      }
    }
    int sum = 0, took_part = 0;
    for (int t = 0; t < threads; ++t) sum += by_thread[t], took_part += by_thread[t] > 0;
    CHECK(sum == codelets);
    CHECK(!shared() || took_part > 1);
  }
  ek_graph_free(g);
}

/* A short codelet and one that others wait for: who finds nothing to do meanwhile leaves, and is asked again. */
static void fire_first(void *context, uint32_t i) {
  struct timespec t = {0, 30000000};
  (void)context;
  if (i == 1) nanosleep(&t, NULL);
}
static int to_all(void *context, uint32_t i, uint32_t *out) {
  (void)context;
  for (int k = 0; k < EK_MOST_NEXT; ++k) out[k] = (uint32_t)k;
  return i == 1 ? EK_MOST_NEXT : 0;
}
static void comes_back(void) {
  ek_graph *g = ek_graph_new("comes back");
  int first = ek_graph_class(g, fire_first, NULL, 2, __LINE__), then = ek_graph_class(g, fire_long, NULL, EK_MOST_NEXT, __LINE__);
  ek_graph_rule(g, first, then, to_all);
  CHECK(ek_graph_close(g) == 0);
  for (int repeat = 0; repeat < 3; ++repeat) {
    int threads = omp_get_max_threads(), took_part = 0;
    memset(by_thread, 0, sizeof by_thread);
    fired = 0;
    #pragma omp parallel
    #pragma omp single
    CHECK(ek_graph_run(g) == 0);
    for (int t = 0; t < threads; ++t) took_part += by_thread[t] > 0;
    CHECK(!shared() || took_part > 1);
  }
  ek_graph_free(g);
}

/* Many short ones, then long ones of another class: these are shared all the same. */
static int to_long(void *context, uint32_t i, uint32_t *out) {
  (void)context;
  out[0] = i % 16;
  return 1;
}
static void long_after_short(void) {
  ek_graph *g = ek_graph_new("long after short");
  int shorts = ek_graph_class(g, fire_many, NULL, 4096, __LINE__), longs = ek_graph_class(g, fire_long, NULL, 16, __LINE__);
  ek_graph_rule(g, shorts, longs, to_long);
  CHECK(ek_graph_close(g) == 0);
  for (int outside = 0; outside < 2; ++outside) {
    int threads = omp_get_max_threads(), took_part = 0;
    memset(by_thread, 0, sizeof by_thread);
    fired = 0;
    if (outside) {
      CHECK(ek_graph_run(g) == 0);
    } else {
      #pragma omp parallel
      #pragma omp single
      CHECK(ek_graph_run(g) == 0);
    }
    for (int t = 0; t < threads; ++t) took_part += by_thread[t] > 0;
    CHECK(!shared() || took_part > 1);
  }
  ek_graph_free(g);
}

/* Freed while it runs, by a codelet of it or by another thread: it is gone when the run is over, which is as any other. */
static ek_graph *doomed;
static int begun, freed;
static void fire_free(void *context, uint32_t i) {
  if (context && i == 1) ek_graph_free(doomed);
  if (!context && i == 0) {
    int is_freed = 0;
    #pragma omp atomic write
    begun = 1;
    while (!is_freed) {
      #pragma omp atomic read
      is_freed = freed;
    }
  }
  #pragma omp atomic
  ++fired;
}
static void freed_in_run(int by_codelet) {
  enum { kCodelets = 300 };
  begun = freed = fired = 0;
  doomed = ek_graph_new("doomed");
  int c = ek_graph_class(doomed, fire_free, by_codelet ? &doomed : NULL, kCodelets, __LINE__);
  for (uint32_t i = 0; i + 3 < kCodelets; ++i) ek_graph_arc(doomed, c, i, c, i + 3);
  CHECK(ek_graph_close(doomed) == 0 && ek_graph_run(by_codelet ? doomed : NULL) == (by_codelet ? 0 : ENOSYS));
  if (!by_codelet) {
    #pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
        if (omp_get_num_threads() == 1) freed = 1, ek_graph_free(NULL);
        CHECK(ek_graph_run(doomed) == 0);
        if (omp_get_num_threads() == 1) ek_graph_free(doomed);
      } else {
        for (int runs = 0; !runs;) {
          #pragma omp atomic read
          runs = begun;
        }
        ek_graph_free(doomed);
        #pragma omp atomic write
        freed = 1;
      }
    }
  }
  CHECK(fired == kCodelets);
}

static ek_graph *self;
static int said;
static void fire_self(void *context, uint32_t i) { (void)context, (void)i; said = ek_graph_run(self); }
static int bad_next(void *context, uint32_t i, uint32_t *out) { (void)context, (void)i; out[0] = 7; return 1; }
static void what_is_wrong(void) {
  ek_graph *g = ek_graph_new("circle");
  int c = ek_graph_class(g, fire_many, NULL, 5, 30), d = ek_graph_class(g, fire_many, NULL, 2, 40);
  ek_graph_arc(g, c, 0, c, 1);
  ek_graph_arc(g, c, 1, d, 1);
  ek_graph_arc(g, d, 1, c, 3);
  ek_graph_arc(g, c, 3, c, 1);
  ek_graph_arc(g, c, 3, c, 4); /* behind the circle, not in it */
  CHECK(ek_graph_run(g) == EINVAL);
  CHECK(ek_graph_close(g) == ELOOP);
  CHECK(ek_graph_close(g) == ELOOP && ek_graph_run(g) == EINVAL); /* still */
  ek_graph_free(g);
  g = ek_graph_new("arcs");
  c = ek_graph_class(g, fire_many, NULL, 5, 30);
  ek_graph_arc(g, c, 5, c, 0);
  CHECK(ek_graph_close(g) == EINVAL);
  ek_graph_free(g);
  g = ek_graph_new("classes");
  ek_graph_class(g, fire_many, NULL, 5, 30);
  ek_graph_arc(g, 0, 0, 3, 0);
  CHECK(ek_graph_close(g) == EINVAL);
  ek_graph_free(g);
  g = ek_graph_new("nothing to do");
  CHECK(ek_graph_class(g, NULL, NULL, 5, 30) == -1);
  CHECK(ek_graph_close(g) == EINVAL);
  ek_graph_free(g);
  g = ek_graph_new("rule");
  c = ek_graph_class(g, fire_many, NULL, 5, 30);
  ek_graph_rule(g, c, c, bad_next);
  CHECK(ek_graph_close(g) == EINVAL);
  ek_graph_free(g);
  g = ek_graph_new("late");
  c = ek_graph_class(g, fire_many, NULL, 5, 30);
  CHECK(ek_graph_close(g) == 0);
  ek_graph_arc(g, c, 0, c, 1);
  CHECK(ek_graph_class(g, fire_many, NULL, 5, 50) == -1);
  CHECK(ek_graph_close(g) == EINVAL);
  CHECK(ek_graph_run(g) == 0); /* as it was closed */
  ek_graph_free(g);
  self = ek_graph_new("self");
  ek_graph_class(self, fire_self, NULL, 1, 50);
  CHECK(ek_graph_close(self) == 0);
  CHECK(ek_graph_run(self) == 0 && said == EBUSY);
  ek_graph_free(self);
  g = ek_graph_new(NULL); /* empty */
  CHECK(ek_graph_close(g) == 0 && ek_graph_run(g) == 0);
  ek_graph_free(g);
  ek_graph_free(NULL);
}

int main(int argc, char **argv) {
  if (!ek_on()) {
    ek_graph *g = ek_graph_new("elsewhere");
    CHECK(g == NULL && ek_graph_class(g, fire_many, NULL, 1, 1) == -1 && ek_graph_close(g) == ENOSYS && ek_graph_run(g) == ENOSYS);
    ek_graph_arc(g, 0, 0, 0, 0), ek_graph_rule(g, 0, 0, bad_next), ek_graph_free(g);
    puts("another runtime");
    return 0;
  }
  wavefronts();
  random_graphs(argc > 1 ? (unsigned)atoi(argv[1]) : 1, argc > 2 ? atoi(argv[2]) : 200);
  many();
  long_ones();
  comes_back();
  long_after_short();
  for (int repeat = 0; repeat < 20; ++repeat) freed_in_run(repeat % 2);
  what_is_wrong();
  puts("ok");
}
