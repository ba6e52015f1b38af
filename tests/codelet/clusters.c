/* Procedures in clusters: where they begin if the program names a cluster, and that they go on where they have begun, whoever
 * ends what they wait for. Under schedules without clusters there is one, and nothing to be seen but the sums.
 * Usage: clusters [SEED [TREES]] */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <einkorn/codelet.h>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

static int cluster(void) {
  int own = -1;
  const int all = ek_clusters(&own);
  CHECK(all >= 1 && own >= 0 && own < all);
  return own;
}

/* Nobody but those of a cluster takes what is named there; what has begun may leave (swarm). */
static int strict, leaves_it;

struct leaf { int named; long *sum; };
static ek_next leaf_run(ek_self *me) {
  struct leaf *f = (struct leaf *)me->frame;
  const int all = ek_clusters(NULL), here = cluster();
  if (strict && f->named >= 0) CHECK(here == f->named % all);
  volatile double x = 1;
  for (int i = 0; i < 2000; i++) x = x * 0.999 + 1e-9;
  __atomic_fetch_add(f->sum, 1 + here % all, __ATOMIC_RELAXED);
  __atomic_fetch_sub(f->sum, here % all, __ATOMIC_RELAXED);
  return EK_END;
}
static const ek_proc leaf = {"leaf", __FILE__, leaf_run, sizeof(struct leaf), 0, NULL, 0, EK_FREE};

/* Gives way for leaves in all other clusters, several times: whoever ends the last of them is elsewhere. */
enum { kWaits = 5 };
struct home { int named, begun, waits, leaves; long *sum; };
static ek_next home_run(ek_self *me) {
  struct home *f = (struct home *)me->frame;
  switch (me->at) { case 1: goto c1; }
  f->begun = cluster();
  if (strict && f->named >= 0) CHECK(f->begun == f->named % ek_clusters(NULL));
  for (f->waits = 0; f->waits < kWaits; f->waits++) {
    for (int i = 1; i <= f->leaves; i++) {
      struct leaf l = {f->begun + i, f->sum};
      ek_invoke_at(me, &leaf, &l, l.named);
    }
    EK_YIELD(me, 1, EK_WAIT);
  c1:
    CHECK(!ek_children(me));
    CHECK(leaves_it || cluster() == f->begun);
  }
  return EK_END;
}
static const ek_proc home = {"home", __FILE__, home_run, sizeof(struct home), 0, NULL, 0, EK_FREE};

/* Codelets by hand are fired where they were made, whoever gives the last signal. */
struct gate { ek_codelet codelet; int made; long *sum; };
static void passed(ek_codelet *c) {
  struct gate *g = (struct gate *)c->frame;
  CHECK(leaves_it || cluster() == g->made);
  __atomic_fetch_add(g->sum, 1, __ATOMIC_RELAXED);
}

static void gates(int count) {
  enum { kMost = 64 };
  static struct gate all[kMost];
  long sum = 0, want = 0;
  for (int repeat = 0; repeat < count; repeat++) {
    #pragma omp parallel
    {
      const int n = omp_get_num_threads() < kMost ? omp_get_num_threads() : kMost, me = omp_get_thread_num();
      if (me < n) {
        all[me].made = cluster();
        all[me].sum = &sum;
        ek_codelet_init(&all[me].codelet, passed, &all[me], 2, 2, (uint32_t)me);
      }
      #pragma omp barrier
      if (me < n) {
        ek_dec(&all[(me + 1) % n].codelet);
        ek_dec(&all[(me + n - 1) % n].codelet);
      }
      #pragma omp single
      want += n;
    }
    CHECK(sum == want);
  }
}

/* What is named for another cluster, or was made there, waits for those who are there, however long they are at work: the thread
 * that waits for it, and has nothing else to do, leaves it to them. */
static int begun;
static ek_next slow_run(ek_self *me) {
  const struct leaf *f = (const struct leaf *)me->frame;
  if (strict) CHECK(cluster() == f->named % ek_clusters(NULL));
  __atomic_store_n(&begun, 1, __ATOMIC_RELAXED);
  usleep(120000);
  __atomic_fetch_add(f->sum, 1, __ATOMIC_RELAXED);
  return EK_END;
}
static const ek_proc slow = {"slow", __FILE__, slow_run, sizeof(struct leaf), 0, NULL, 0, EK_FREE};

static void long_waits(void) {
  enum { kMost = 64, kSlow = 3 };
  static struct gate all[kMost];
  long sum = 0, want = 0;
  begun = 0;
  #pragma omp parallel
  {
    const int n = omp_get_num_threads() < kMost ? omp_get_num_threads() : kMost, me = omp_get_thread_num();
    if (me < n) {
      all[me].made = cluster();
      all[me].sum = &sum;
      ek_codelet_init(&all[me].codelet, passed, &all[me], 1, 1, (uint32_t)me);
    }
    #pragma omp barrier
    #pragma omp single
    if (ek_clusters(NULL) > 1) {
      struct leaf l = {cluster() + 1, &sum};
      for (int i = 0; i < kSlow; i++) ek_invoke_at(NULL, &slow, &l, l.named);
      while (!__atomic_load_n(&begun, __ATOMIC_RELAXED)) usleep(1000);
      for (int i = 0; i < n; i++) ek_dec(&all[i].codelet);
      want = kSlow + n;
      #pragma omp taskwait
      CHECK(sum == want);
    }
  }
}

static void trees(int count, int leaves) {
  for (int tree = 0; tree < count; tree++) {
    long sum = 0;
    const int homes = 1 + tree % 7;
    #pragma omp parallel
    {
      const int all = ek_clusters(NULL);
      CHECK(cluster() < all);
      #pragma omp single
      for (int i = 0; i < homes; i++) {
        struct home h = {tree % 2 ? i : -1, 0, 0, leaves, &sum};
        if (tree % 2) ek_invoke_at(NULL, &home, &h, i);
        else ek_invoke(NULL, &home, &h);
      }
    }
    CHECK(sum == (long)homes * kWaits * leaves);
  }
}

/* Who is where: a digit for each thread of a team. */
static void threads_are_in(const char *want) {
  #pragma omp parallel
  {
    CHECK((int)strlen(want) == omp_get_num_threads());
    CHECK(cluster() == want[omp_get_thread_num()] - '0');
  }
}

int main(int argc, char **argv) {
  if (!ek_on()) return puts("another runtime"), 0;
  const int count = argc > 2 ? atoi(argv[2]) : 50;
  strict = getenv("STRICT") != NULL; /* tp-reach=cluster */
  const char *schedule = getenv("EINKORN_SCHEDULE");
  leaves_it = schedule && strstr(schedule, "swarm");
  int own = -1;
  CHECK(ek_clusters(&own) == 1 && own == 0); /* outside of regions */
  const char *want = getenv("CLUSTERS");
  #pragma omp parallel
  if (want) CHECK(ek_clusters(NULL) == atoi(want));
  const char *where = getenv("WHERE");
  if (where) threads_are_in(where);
  trees(count, 1);
  trees(count, 6);
  gates(count);
  long_waits();
  long sum = 0;
  struct leaf l = {3, &sum};
  strict = 0;
  ek_invoke_at(NULL, &leaf, &l, 3); /* outside of regions: here */
  ek_invoke_at(NULL, &leaf, &l, -1);
  #pragma omp taskwait
  CHECK(sum == 2);
  return 0;
}
