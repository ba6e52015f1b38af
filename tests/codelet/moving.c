/* Free regions on several threads: which thread goes on with an instance is nobody's business, but each is gone on with once a phase,
 * by one thread, under its own number; what it meets and makes is its own; and a thread that the system keeps away holds up nobody.
 * Usage: moving ROUNDS COUNT; moving away: a thread is kept away, whatever the machine does. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <einkorn/codelet.h>

#define CHECK(what)                                          \
  do {                                                       \
    if (!(what)) {                                           \
      printf("line %d: %s does not hold\n", __LINE__, #what); \
      exit(1);                                               \
    }                                                        \
  } while (0)

enum { kMost = 64, kPhases = 40 };

/* ---- what an instance sees ---- */
struct shared {
  int n, phases;
  int in_phase[kMost]; /* that each has been through */
  int inside[kMost];   /* by number: threads under it */
  long sum, tasks, chunks, singles, late;
};
struct own {
  int phase;
  unsigned seed;
};

static void work(int loops) {
  for (volatile int i = 0; i < loops; i++) {}
}

/* Under its number nobody else is. */
static void alone_under(struct shared *s, int number, int loops) {
  CHECK(number >= 0 && number < s->n);
  CHECK(__atomic_fetch_add(&s->inside[number], 1, __ATOMIC_ACQ_REL) == 0);
  work(loops);
  CHECK(__atomic_fetch_sub(&s->inside[number], 1, __ATOMIC_ACQ_REL) == 1);
}

static ek_next all_run(ek_self *me) {
  struct shared *const s = *(struct shared **)me->frame;
  struct own *const own = (struct own *)me->own;
  const int id = (int)me->id;
  if (me->at == 0) {
    own->phase = 0;
    own->seed = (unsigned)id * 7919 + 17;
    CHECK(omp_get_num_threads() == (int)me->n && me->n == (uint32_t)s->n);
  }
  CHECK(omp_get_thread_num() == id);
  CHECK(own->phase == s->in_phase[id]);
  /* All are in the same phase: those of the phase before have arrived, nobody is ahead by more than this one. */
  for (int i = 0; i < s->n; i++) {
    int there = __atomic_load_n(&s->in_phase[i], __ATOMIC_RELAXED);
    CHECK(there == own->phase || there == own->phase + 1);
  }
  own->seed = own->seed * 1103515245 + 12345;
  alone_under(s, id, (own->seed >> 16 & 7) == 0 ? 3000 : 20);
  if (ek_single(me)) __atomic_fetch_add(&s->singles, 1, __ATOMIC_RELAXED);
  if (own->phase % 4 == 1) {
    #pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < 10; i++) __atomic_fetch_add(&s->chunks, 1, __ATOMIC_RELAXED);
  }
  if (own->phase % 4 == 2) {
    for (int k = 0; k < 5; k++) {
      #pragma omp task firstprivate(k)
      {
        alone_under(s, omp_get_thread_num(), 50 * k);
        __atomic_fetch_add(&s->tasks, 1, __ATOMIC_RELAXED);
      }
    }
  }
  if (own->phase % 8 == 3) { /* children of its own, waited for */
    int there[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
      #pragma omp task shared(there) firstprivate(k) depend(inout : there[0])
      there[k] = k > 0 ? there[k - 1] + 1 : 1;
    }
    #pragma omp taskwait
    CHECK(there[2] == 3);
    CHECK(omp_get_thread_num() == id);
  }
  if (own->phase % 8 == 7) { /* nobody waits for them but the end of the phase */
    #pragma omp task depend(out : s->in_phase[id])
    __atomic_fetch_add(&s->late, 1, __ATOMIC_RELAXED);
    #pragma omp task depend(in : s->in_phase[id])
    __atomic_fetch_add(&s->late, 1, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&s->in_phase[id], ++own->phase, __ATOMIC_RELAXED);
  __atomic_fetch_add(&s->sum, 1, __ATOMIC_RELAXED);
  if (own->phase == s->phases) return EK_END;
  EK_YIELD(me, 1, EK_SYNC);
}
static const ek_proc all_procedure = {"all", __FILE__, all_run, sizeof(struct shared *), sizeof(struct own), NULL, 0, EK_FREE};

static int of_phases(int phases, int every, int rest) {
  int count = 0;
  for (int p = 0; p < phases; p++) count += p % every == rest;
  return count;
}
static void see(int n, int phases) {
  static struct shared s;
  struct shared *frame = &s;
  memset(&s, 0, sizeof s);
  s.n = n;
  s.phases = phases;
  CHECK(ek_run(&all_procedure, &frame, n) == 0);
  CHECK(s.sum == (long)n * phases);
  CHECK(s.singles == phases);
  CHECK(s.chunks == 10L * of_phases(phases, 4, 1));
  CHECK(s.tasks == 5L * n * of_phases(phases, 4, 2));
  CHECK(s.late == 2L * n * of_phases(phases, 8, 7));
}

/* What an instance has set is its own on whatever thread it goes on, and a thread keeps nothing of it. */
static ek_next settings_run(ek_self *me) {
  int *const wrong = *(int **)me->frame;
  if (me->at == 0) {
    omp_set_num_threads(100 + (int)me->id);
    #pragma omp task if(0)
    omp_set_default_allocator(me->id % 2 ? omp_low_lat_mem_alloc : omp_high_bw_mem_alloc);
  }
  if (omp_get_max_threads() != 100 + (int)me->id ||
      omp_get_default_allocator() != (me->id % 2 ? omp_low_lat_mem_alloc : omp_high_bw_mem_alloc))
    __atomic_fetch_add(wrong, 1, __ATOMIC_RELAXED);
  if (me->at % 8 == 5) { /* a region in it inherits them */
    #pragma omp parallel num_threads(1)
    if (omp_get_max_threads() != 100 + (int)me->id ||
        omp_get_default_allocator() != (me->id % 2 ? omp_low_lat_mem_alloc : omp_high_bw_mem_alloc) ||
        omp_get_ancestor_thread_num(1) != (int)me->id)
      __atomic_fetch_add(wrong, 1, __ATOMIC_RELAXED);
    struct shared s = {.n = 1, .phases = 3}, *frame = &s;
    ek_run(&all_procedure, &frame, 1);
    if (s.sum != 3 || omp_get_thread_num() != (int)me->id) __atomic_fetch_add(wrong, 1, __ATOMIC_RELAXED);
  }
  if (me->at == kPhases) return EK_END;
  EK_YIELD(me, me->at + 1, EK_SYNC);
}
static const ek_proc settings_procedure = {"settings", __FILE__, settings_run, sizeof(int *), 0, NULL, 0, EK_FREE};
static void settings(int n) {
  int wrong = 0, *frame = &wrong, before = omp_get_max_threads();
  omp_allocator_handle_t allocator = omp_get_default_allocator();
  CHECK(ek_run(&settings_procedure, &frame, n) == 0);
  CHECK(wrong == 0 && omp_get_max_threads() == before && omp_get_default_allocator() == allocator);
}

/* ---- a thread that is kept away ---- */
static pthread_t threads[kMost];
static int gate[2];
static int shut;
static void stay_away(int signal) {
  char byte;
  (void)signal;
  __atomic_store_n(&shut, 1, __ATOMIC_RELEASE);
  while (read(gate[0], &byte, 1) != 1) {}
}
static ek_next away_run(ek_self *me) {
  pthread_t *const first = (pthread_t *)me->own;
  if (me->at == 0) *first = pthread_self();
  CHECK(pthread_equal(pthread_self(), threads[0])); /* thread 1 is in its handler */
  CHECK(omp_get_thread_num() == (int)me->id);
  if (me->at < kPhases) EK_YIELD(me, me->at + 1, EK_SYNC);
  if (me->id == 1) CHECK(write(gate[1], "", 1) == 1); /* it comes to the region's end */
  return EK_END;
}
static const ek_proc away_procedure = {"away", __FILE__, away_run, 0, sizeof(pthread_t), NULL, 0, EK_FREE};
static void away(void) {
  struct sigaction action = {.sa_handler = stay_away};
  CHECK(pipe(gate) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
  #pragma omp parallel num_threads(2)
  threads[omp_get_thread_num()] = pthread_self();
  CHECK(pthread_kill(threads[1], SIGUSR1) == 0);
  while (!__atomic_load_n(&shut, __ATOMIC_ACQUIRE)) usleep(100);
  CHECK(ek_run(&away_procedure, NULL, 2) == 0);
}

int main(int argc, char **argv) {
  if (!ek_on()) return puts("another runtime"), 0;
  if (argc == 2 && strcmp(argv[1], "away") == 0) return away(), puts("ok"), 0;
  if (argc != 3) return 2;
  const int most = omp_get_max_threads();
  for (int round = 0; round < atoi(argv[1]) * atoi(argv[2]) / 10; round++)
    for (int n = 1; n <= most && n <= kMost; n += n < 4 ? 1 : 3) {
      see(n, 1 + round % kPhases);
      settings(n);
    }
  return puts("ok"), 0;
}
