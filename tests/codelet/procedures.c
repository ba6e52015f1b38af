/* Procedures as a program uses them: results against a sequential execution, waits that hold no stack, regions in both modes, and
 * with OpenMP's tasks, groups, loops and locks inside and around them. On another OpenMP library it says so and does nothing.
 * Usage: procedures [SEED [TREES]], or procedures KIND to do something wrong: it ends with a message. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <einkorn/codelet.h>
#include <einkorn/taskgraph.h>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

/* ---- a recursion ---- */
struct fib { int n, x, y, *result; };
static ek_next fib_run(ek_self *me);
static const ek_proc fib = {"fib", __FILE__, fib_run, sizeof(struct fib), 0, NULL, 0, EK_FREE};
static ek_next fib_run(ek_self *me) {
  struct fib *f = (struct fib *)me->frame;
  switch (me->at) { case 1: goto c1; }
  if (f->n < 2) { *f->result = f->n; return EK_END; }
  struct fib left = {f->n - 1, 0, 0, &f->x}, right = {f->n - 2, 0, 0, &f->y};
  ek_invoke(me, &fib, &left);
  ek_invoke(me, &fib, &right);
  if (ek_children(me)) EK_YIELD(me, 1, EK_WAIT);
c1:
  *f->result = f->x + f->y;
  return EK_END;
}

static void fibs(void) {
  int got[8];
  for (int n = 0; n < 20; n++) {
    struct fib f = {n, 0, 0, &got[0]};
    int want = 0, next = 1;
    for (int i = 0; i < n; i++) { int sum = want + next; want = next; next = sum; }
    CHECK(ek_launch(&fib, &f) == 0 && got[0] == want);
  }
  /* Several at once, from each thread of a region; from a task that waits for them; in a group. */
  for (int repeat = 0; repeat < 20; repeat++) {
    memset(got, 0, sizeof got);
    #pragma omp parallel num_threads(4)
    {
      struct fib f = {15, 0, 0, &got[omp_get_thread_num()]};
      ek_launch(&fib, &f);
      CHECK(got[omp_get_thread_num()] == 610);
      #pragma omp barrier
      #pragma omp single
      {
        #pragma omp task
        {
          struct fib g = {12, 0, 0, &got[4]}, h = {13, 0, 0, &got[5]};
          ek_invoke(NULL, &fib, &g);
          ek_invoke(NULL, &fib, &h);
          #pragma omp taskwait
          CHECK(got[4] == 144 && got[5] == 233);
        }
        #pragma omp taskgroup
        {
          struct fib g = {11, 0, 0, &got[6]};
          ek_invoke(NULL, &fib, &g);
        }
        CHECK(got[6] == 89);
        struct fib g = {10, 0, 0, &got[7]};
        ek_invoke(NULL, &fib, &g); /* its end is the region's */
      }
    }
    CHECK(got[7] == 55);
  }
  /* They are no tasks that a taskgraph could take down: it says so, and all of them run each time. */
  static ompx_taskgraph graph;
  for (int repeat = 0; repeat < 3; repeat++) {
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
      got[0] = got[1] = 0;
      OMPX_TASKGRAPH(&graph, 0, 0) {
        #pragma omp task shared(got)
        got[1] = 7;
        struct fib g = {12, 0, 0, &got[0]};
        ek_invoke(NULL, &fib, &g);
      }
      CHECK(got[0] == 144 && got[1] == 7);
    }
  }
  ompx_taskgraph_free(&graph);
  struct fib f = {10, 0, 0, &got[0]};
  ek_invoke(NULL, &fib, &f); /* outside of regions it is over when it is back */
  CHECK(got[0] == 55);
}

/* ---- a chain: each waits for the next, and nobody holds a stack ---- */
#ifdef __SANITIZE_THREAD__
enum { kDeep = 20000 };
#else
enum { kDeep = 200000 };
#endif
static long deep = kDeep;
static char *lowest, *highest;
struct chain { long n, got, *sum; };
static ek_next chain_run(ek_self *me);
static const ek_proc chain = {"chain", __FILE__, chain_run, sizeof(struct chain), 0, NULL, 0, EK_FREE};
static ek_next chain_run(ek_self *me) {
  struct chain *f = (struct chain *)me->frame;
  char here;
  char *volatile at = &here;
  switch (me->at) { case 1: goto c1; }
  if (omp_get_thread_num() == 0) {
    if (!lowest || at < lowest) lowest = at;
    if (at > highest) highest = at;
  }
  if (f->n == 0) { *f->sum = 0; return EK_END; }
  struct chain next = {f->n - 1, 0, &f->got};
  ek_invoke(me, &chain, &next);
  EK_YIELD(me, 1, EK_WAIT);
c1:
  *f->sum = f->got + 1;
  return EK_END;
}
static void chains(int recorded) {
  for (int repeat = 0; repeat < 2; repeat++) {
    long sum = -1;
    struct chain f = {recorded ? 1000 : deep, 0, &sum};
    lowest = highest = NULL;
    CHECK(ek_launch(&chain, &f) == 0 && sum == f.n);
    if (!recorded) CHECK(highest - lowest < (deep > kDeep ? 0x20000 : 20 * kDeep)); /* bytes; with the sanitizers' frames, too */
  }
}

/* Each ends and leaves a child, while one that nobody has run yet keeps its parent waiting: what is at hand is not the
 * children of who waits, but theirs. */
static ek_next left_run(ek_self *me) {
  struct chain *f = (struct chain *)me->frame;
  char here;
  char *volatile at = &here;
  switch (me->at) { case 1: return EK_END; }
  if (omp_get_thread_num() == 0) {
    if (!lowest || at < lowest) lowest = at;
    if (at > highest) highest = at;
  }
  #pragma omp atomic
  ++*f->sum;
  if (f->n == 0) return EK_END;
  struct chain idle = {0, 0, f->sum}, next = {f->n - 1, 1 - f->got, f->sum};
  if (f->got) { /* leaves it */
    ek_invoke(me, me->proc, &next);
    return EK_END;
  }
  ek_invoke(me, me->proc, &idle);
  ek_invoke(me, me->proc, &next);
  EK_YIELD(me, 1, EK_WAIT);
}
static const ek_proc left = {"left", __FILE__, left_run, sizeof(struct chain), 0, NULL, 0, EK_FREE};
static void left_children(int recorded) {
  for (int repeat = 0; repeat < 2; repeat++) {
    long sum = 0;
    struct chain f = {recorded ? 1000 : kDeep / 2, 0, &sum};
    lowest = highest = NULL;
    CHECK(ek_launch(&left, &f) == 0 && sum == f.n + f.n / 2 + 1);
    if (!recorded) CHECK(highest - lowest < 20 * kDeep);
  }
}

/* ---- trees by chance: procedures that invoke, wait, make tasks and take locks, as often as their number says; some own more than a block ---- */
static omp_lock_t lock;
static long locked;
static uint64_t mixed(uint64_t x) {
  x ^= x >> 33; x *= 0xff51afd7ed558ccdull; x ^= x >> 29; x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 32;
}
enum { kMost = 4 };
struct tree { uint64_t seed; int depth; uint64_t *out; };
struct tree_frame { struct tree in; uint64_t value, part[kMost]; int round; };
static int rounds_of(uint64_t seed) { return 1 + (int)(mixed(seed) % 3); }
static int children_of(uint64_t seed, int round, int depth) { return depth == 0 ? 0 : (int)(mixed(seed + 17 * (uint64_t)round) % (kMost + 1)); }
static uint64_t leaf(uint64_t seed) { return mixed(seed ^ 99); }
static uint64_t value_of(uint64_t seed, int depth) {
  uint64_t value = leaf(seed);
  for (int round = 0; round < rounds_of(seed); round++) {
    uint64_t part[kMost] = {0};
    for (int c = 0; c < children_of(seed, round, depth); c++) {
      uint64_t child = mixed(seed * 5 + 31 * (uint64_t)round + (uint64_t)c + value);
      part[c] = child % 5 == 0 ? leaf(child) : value_of(child, depth - 1);
    }
    for (int c = 0; c < kMost; c++) value = mixed(value + part[c]);
  }
  return value;
}
static ek_next tree_run(ek_self *me);
#define TREE(own) {"tree", __FILE__, tree_run, sizeof(struct tree_frame), own, NULL, 0, EK_FREE}
static const ek_proc tree_with[] = {TREE(8), TREE(200), TREE(3000), TREE(9000)};
static ek_next tree_run(ek_self *me) {
  struct tree_frame *f = (struct tree_frame *)me->frame;
  uint64_t *own = (uint64_t *)me->own;
  if (me->at == 1) goto c1;
  CHECK(((uintptr_t)f & 15) == 0 && me->n == 1 && me->id == 0);
  f->value = leaf(f->in.seed);
  *own = own[me->proc->own_bytes / 8 - 1] = f->in.seed;
  for (f->round = 0; f->round < rounds_of(f->in.seed); f->round++) {
    memset(f->part, 0, sizeof f->part);
    for (int c = 0; c < children_of(f->in.seed, f->round, f->in.depth); c++) {
      uint64_t child = mixed(f->in.seed * 5 + 31 * (uint64_t)f->round + (uint64_t)c + f->value), *out = &f->part[c];
      if (child % 5 == 0) {
        #pragma omp task
        {
          if (child % 2) {
            omp_set_lock(&lock);
            locked++;
            omp_unset_lock(&lock);
          }
          *out = leaf(child);
        }
      } else {
        struct tree_frame next = {{child, f->in.depth - 1, out}, 0, {0}, 0};
        ek_invoke(me, &tree_with[child % 4], &next);
      }
    }
    EK_YIELD(me, 1, EK_WAIT);
  c1:
    CHECK(*own == f->in.seed && own[me->proc->own_bytes / 8 - 1] == f->in.seed && !ek_children(me));
    for (int c = 0; c < kMost; c++) f->value = mixed(f->value + f->part[c]);
  }
  *f->in.out = f->value;
  return EK_END;
}
static void trees(unsigned seed, int count) {
  for (int i = 0; i < count; i++) {
    uint64_t root = mixed(seed * 1000003ull + (uint64_t)i), got = 0;
    struct tree_frame f = {{root, i % 7, &got}, 0, {0}, 0};
    if (i % 2) {
      ek_launch(&tree_with[0], &f);
    } else {
      #pragma omp parallel
      #pragma omp master
      ek_invoke(NULL, &tree_with[i / 2 % 4], &f);
    }
    CHECK(got == value_of(root, i % 7));
  }
}

/* Frames larger than any block of the runtime's lists. */
struct big { int left, *sum; unsigned char bytes[70000]; };
struct big_own { unsigned char bytes[300000]; };
static ek_next big_run(ek_self *me) {
  struct big *f = (struct big *)me->frame;
  struct big_own *own = (struct big_own *)me->own;
  if (me->at == 0) {
    memset(own->bytes, f->left + (int)me->id + 1, sizeof own->bytes);
    for (size_t i = 0; i < sizeof f->bytes; i++) CHECK(f->bytes[i] == (unsigned char)(i * 7 + (size_t)f->left));
    if (me->n == 1 && f->left > 0) {
      struct big *next = (struct big *)malloc(sizeof *next);
      *next = *f;
      next->left--;
      for (size_t i = 0; i < sizeof f->bytes; i++) next->bytes[i]--;
      for (int c = 0; c < 2; c++) ek_invoke(me, me->proc, next);
      free(next);
    }
    EK_YIELD(me, 1, me->n == 1 ? EK_WAIT : EK_SYNC);
  }
  for (size_t i = 0; i < sizeof own->bytes; i++) CHECK(own->bytes[i] == f->left + (int)me->id + 1);
  #pragma omp atomic
  ++*f->sum;
  return EK_END;
}
static const ek_proc big = {"big", __FILE__, big_run, sizeof(struct big), sizeof(struct big_own), NULL, 0, EK_FREE};
static void big_frames(void) {
  struct big *f = (struct big *)malloc(sizeof *f);
  int sum = 0;
  *f = (struct big){3, &sum, {0}};
  for (size_t i = 0; i < sizeof f->bytes; i++) f->bytes[i] = (unsigned char)(i * 7 + 3);
  ek_launch(&big, f);
  CHECK(sum == 15);
  #pragma omp parallel num_threads(1)
  ek_invoke(NULL, &big, f);
  CHECK(sum == 30);
  ek_run(&big, f, 1);
  CHECK(sum == 45);
  ek_run(&big, f, 3);
  CHECK(sum > 45 && sum <= 48);
  free(f);
}

/* ---- regions ---- */
enum { kN = 60 };
struct sweep { int *seen; long *sum; int n, singles; };
struct sweep_own { long part; int round; };
static ek_next sweep_run(ek_self *me) {
  struct sweep *f = (struct sweep *)me->frame;
  struct sweep_own *own = (struct sweep_own *)me->own;
  switch (me->at) { case 1: goto c1; case 2: goto c2; case 3: goto c3; }
  CHECK((int)me->id == omp_get_thread_num() && (int)me->n == omp_get_num_threads());
  CHECK(omp_get_level() == 1 && omp_get_ancestor_thread_num(1) == (int)me->id);
  own->part = 0;
  for (own->round = 0; own->round < 3; own->round++) {
    int64_t from, end;
    if (ek_static(me, 0, f->n, &from, &end))
      for (; from < end; from++) {
        int64_t i = from;
        #pragma omp task firstprivate(i)
        {
          #pragma omp atomic
          f->seen[i]++;
        }
        own->part += i;
      }
    if (own->round == 1) EK_YIELD(me, 3, EK_WAIT);
  c3:
    if (ek_single(me)) {
      *f->sum = 0;
      #pragma omp atomic
      f->singles++;
    }
    EK_YIELD(me, 1, EK_SYNC);
  c1:
    for (int i = 0; i < f->n; i++) CHECK(f->seen[i] == own->round + 1);
    CHECK(f->singles == own->round + 1);
    EK_YIELD(me, 2, EK_SYNC);
  c2:;
  }
  #pragma omp atomic
  *f->sum += own->part;
  return EK_END;
}
static const ek_proc sweep_free = {"sweep", __FILE__, sweep_run, sizeof(struct sweep), sizeof(struct sweep_own), NULL, 0, EK_FREE};
static const ek_proc sweep_pinned = {"sweep", __FILE__, sweep_run, sizeof(struct sweep), sizeof(struct sweep_own), NULL, 0, EK_PINNED};
static ek_next nothing_run(ek_self *me) { (void)me; return EK_END; }
static const ek_proc nothing = {"nothing", __FILE__, nothing_run, 0, 0, NULL, 0, EK_FREE};

static void regions(int count) {
  for (int repeat = 0; repeat < count; repeat++) {
    int seen[kN] = {0};
    long sum = -1;
    struct sweep f = {seen, &sum, repeat % 4 ? repeat % 8 : kN, 0};
    CHECK(ek_run(repeat % 2 ? &sweep_free : &sweep_pinned, &f, repeat % 3 * 2) == 0);
    CHECK(sum == 3l * f.n * (f.n - 1) / 2);
    for (int i = 0; i < 8; i++) ek_run(&nothing, NULL, 3);
  }
  /* In a region: nested, of one instance here, as nesting is off. */
  #pragma omp parallel num_threads(3)
  {
    int before = omp_get_thread_num();
    for (int repeat = 0; repeat < 50; repeat++) ek_run(&nothing, NULL, 0);
    CHECK(omp_get_thread_num() == before && omp_get_level() == 1);
    #pragma omp barrier
  }
}

/* Run by its caller alone it has one thread; and all that may be in it works. */
struct mixed { pthread_t seen[4]; long sum, chunks, critical; int order; };
static ek_next mixed_run(ek_self *me) {
  struct mixed *f = *(struct mixed **)me->frame;
  switch (me->at) { case 1: goto c1; case 2: goto c2; }
  f->seen[me->id] = pthread_self();
  #pragma omp for schedule(dynamic, 3) nowait
  for (int i = 0; i < 100; i++) {
    #pragma omp atomic
    f->chunks += i;
  }
  for (int i = 0; i < 5; i++) {
    #pragma omp task
    {
      #pragma omp atomic
      f->order++;
    }
  }
  #pragma omp critical
  f->critical++;
  EK_YIELD(me, 1, EK_SYNC);
c1:
  CHECK(f->chunks == 4950 && f->critical == (long)me->n && f->order == 5 * (int)me->n);
  #pragma omp taskgroup
  for (int i = 0; i < 7; i++) {
    #pragma omp task
    {
      #pragma omp atomic
      f->sum++;
    }
  }
  #pragma omp parallel num_threads(2)
  {
    #pragma omp atomic
    f->sum++;
  }
  EK_YIELD(me, 2, EK_SYNC);
c2:
  CHECK(f->sum >= 8 * (long)me->n && omp_get_thread_num() == (int)me->id);
  return EK_END;
}
static const ek_proc mixed_free = {"mixed", __FILE__, mixed_run, sizeof(struct mixed *), 0, NULL, 0, EK_FREE};
static void mixed_regions(void) {
  const char *how = getenv("EINKORN_CODELETS");
  for (int repeat = 0; repeat < 50; repeat++) {
    struct mixed m = {.sum = 0}, *at = &m;
    ek_run(&mixed_free, &at, 4);
    /* On threads any may go on with any. */
    if (how && !strcmp(how, "alone"))
      CHECK(pthread_equal(m.seen[0], m.seen[1]) && pthread_equal(m.seen[0], m.seen[3]));
  }
}

/* In a final task; and one that waits for a detached one. */
static ek_next detaches_run(ek_self *me) {
  struct chain *f = (struct chain *)me->frame;
  if (me->at == 1) { *f->sum = 3; return EK_END; }
  omp_event_handle_t event = (omp_event_handle_t)0;
  #pragma omp task detach(event)
  {
    #pragma omp task firstprivate(event)
    omp_fulfill_event(event);
  }
  EK_YIELD(me, 1, EK_WAIT);
}
static const ek_proc detaches = {"detaches", __FILE__, detaches_run, sizeof(struct chain), 0, NULL, 0, EK_FREE};
static void finals_and_events(void) {
  for (int repeat = 0; repeat < 100; repeat++) {
    int got = 0, x = 0;
    long sum = 0;
    #pragma omp parallel num_threads(4)
    #pragma omp single
    {
      #pragma omp task final(1) shared(got, x)
      {
        #pragma omp task depend(out : x) shared(got)
        {
          struct fib f = {8, 0, 0, &got};
          ek_invoke(NULL, &fib, &f);
        }
      }
      struct chain f = {0, 0, &sum};
      ek_invoke(NULL, &detaches, &f);
    }
    (void)x; /* only its address counts */
    CHECK(got == 21 && sum == 3);
  }
}

/* ---- what is wrong ---- */
static ek_next barrier_run(ek_self *me) {
  (void)me;
  #pragma omp barrier
  return EK_END;
}
static const ek_proc barriers = {"barriers", "wrong.c", barrier_run, 0, 0, NULL, 0, EK_FREE};
static ek_next uneven_run(ek_self *me) { return me->at == 0 && me->id == 0 ? (me->at = 1, EK_SYNC) : EK_END; }
static const ek_proc uneven = {"uneven", "wrong.c", uneven_run, 0, 0, NULL, 0, EK_FREE};
static ek_next at_zero_run(ek_self *me) { (void)me; return EK_WAIT; }
static const ek_proc at_zero = {"at_zero", "wrong.c", at_zero_run, 0, 0, NULL, 0, EK_FREE};
static const ek_proc no_function = {"no_function", "wrong.c", NULL, 0, 0, NULL, 0, EK_FREE};
static ek_self *outer;
static ek_next inner_run(ek_self *me) {
  (void)me;
  ek_invoke(outer, &nothing, NULL); /* which does not run now */
  return EK_END;
}
static const ek_proc inner = {"inner", "wrong.c", inner_run, 0, 0, NULL, 0, EK_FREE};
static ek_next stranger_run(ek_self *me) {
  if (me->at == 1) return EK_END;
  outer = me;
  ek_invoke(me, &inner, NULL);
  EK_YIELD(me, 1, EK_WAIT);
}
static const ek_proc stranger = {"stranger", "wrong.c", stranger_run, 0, 0, NULL, 0, EK_FREE};
static void wrong(const char *kind) {
  if (!strcmp(kind, "zero")) ek_launch(&at_zero, NULL);
  if (!strcmp(kind, "function")) ek_launch(&no_function, NULL);
  if (!strcmp(kind, "barrier")) ek_run(&barriers, NULL, 2);
  if (!strcmp(kind, "uneven")) ek_run(&uneven, NULL, 2);
  if (!strcmp(kind, "frame")) ek_launch(&fib, NULL);
  if (!strcmp(kind, "none")) ek_invoke(NULL, NULL, NULL);
  if (!strcmp(kind, "negative")) ek_run(&nothing, NULL, -2);
  if (!strcmp(kind, "stranger")) ek_launch(&stranger, NULL);
  puts("nothing was wrong");
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "on")) return printf("codelets are %s\n", ek_on() ? "on" : "off"), 0;
  if (!ek_on()) {
    int got = 7;
    struct fib f = {3, 0, 0, &got};
    ek_invoke(NULL, &fib, &f);
    CHECK(ek_launch(&fib, &f) == ENOSYS && ek_run(&nothing, NULL, 2) == ENOSYS && got == 7);
    puts("another runtime");
    return 0;
  }
  omp_init_lock(&lock);
  if (argc > 1 && !strcmp(argv[1], "deep")) return deep = 1000000, chains(0), puts("ok"), 0;
  if (argc > 1 && argv[1][0] > '9') return wrong(argv[1]), 0;
  fibs();
  chains(getenv("EINKORN_RECORD") || getenv("OMP_TOOL_LIBRARIES"));
  left_children(getenv("EINKORN_RECORD") || getenv("OMP_TOOL_LIBRARIES"));
  int count = argc > 2 ? atoi(argv[2]) : 200;
  trees(argc > 1 ? (unsigned)atoi(argv[1]) : 1, count);
  big_frames();
  regions(3 * count);
  mixed_regions();
  finals_and_events();
  puts("ok");
}
