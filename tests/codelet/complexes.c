/* Complexes: codelets in a table, each with its successor. A successor that computes is run at once, by the same thread; one that
 * synchronises comes when all instances have named it; and where codelets lie on locales, who has nothing takes what is ready up the
 * tree. Usage: complexes ROUNDS COUNT; complexes tree: under swarm,amm=2x2, all threads but one are kept away; complexes tasks: what
 * must not be. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
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

enum { kMost = 64, kPhases = 20 };

/* ---- successors ---- */
struct context {
  int n, phases, in_phase[kMost], inside[kMost];
  long begun, chained, chunks, singles, ended;
};
struct part {
  int phase;
  pthread_t last;
};
static ek_successor begins(ek_self *me), goes_on(ek_self *me), loops(ek_self *me), ends(ek_self *me);
enum { kBegins, kGoesOn, kAll, kLoops, kAllAgain, kEnds };
static const ek_complex_codelet codelets[] = {{begins, 1}, {goes_on, 2}, {NULL, 3}, {loops, 4}, {NULL, 5}, {ends, 6}};

static struct context *of(ek_self *me) { return *(struct context **)me->frame; }
static void work(int loops) {
  for (volatile int i = 0; i < loops; i++) {}
}

static ek_successor begins(ek_self *me) {
  struct part *const own = (struct part *)me->own;
  own->phase = 0;
  own->last = pthread_self();
  CHECK(__atomic_load_n(&of(me)->ended, __ATOMIC_RELAXED) == 0);
  __atomic_fetch_add(&of(me)->begun, 1, __ATOMIC_RELAXED);
  EK_THEN(me, &codelets[kGoesOn]);
}
/* Chained: nothing has come between. */
static ek_successor goes_on(ek_self *me) {
  struct part *const own = (struct part *)me->own;
  CHECK(pthread_equal(own->last, pthread_self()) && omp_get_thread_num() == (int)me->id);
  __atomic_fetch_add(&of(me)->chained, 1, __ATOMIC_RELAXED);
  EK_THEN(me, &codelets[kAll]);
}
/* The sync codelet in front of it is named again: a loop. */
static ek_successor loops(ek_self *me) {
  struct context *const s = of(me);
  struct part *const own = (struct part *)me->own;
  const int id = (int)me->id;
  CHECK(omp_get_thread_num() == id && omp_get_num_threads() == s->n && me->n == (uint32_t)s->n);
  CHECK(s->begun == s->n && s->chained == s->n && own->phase == s->in_phase[id]);
  for (int i = 0; i < s->n; i++) {
    const int there = __atomic_load_n(&s->in_phase[i], __ATOMIC_RELAXED);
    CHECK(there == own->phase || there == own->phase + 1);
  }
  CHECK(__atomic_fetch_add(&s->inside[id], 1, __ATOMIC_ACQ_REL) == 0); /* nobody else is under its number */
  work((own->phase * 7 + id) % 5 == 0 ? 2000 : 20);
  CHECK(__atomic_fetch_sub(&s->inside[id], 1, __ATOMIC_ACQ_REL) == 1);
  if (ek_single(me)) __atomic_fetch_add(&s->singles, 1, __ATOMIC_RELAXED);
  if (own->phase % 3 == 1) {
    #pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < 10; i++) __atomic_fetch_add(&s->chunks, 1, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&s->in_phase[id], ++own->phase, __ATOMIC_RELAXED);
  EK_THEN(me, &codelets[own->phase < s->phases ? kAll : kAllAgain]);
}
static ek_successor ends(ek_self *me) {
  struct context *const s = of(me);
  for (int i = 0; i < s->n; i++) CHECK(s->in_phase[i] == s->phases);
  __atomic_fetch_add(&s->ended, 1, __ATOMIC_RELAXED);
  EK_THEN(me, NULL);
}
static ek_next run(ek_self *me) { return ek_chain(me, codelets); }
static const ek_cbb cbbs[] = {{1, 1, 0}, {2, 1, 0}, {3, 2, 0}, {4, 1, 0}, {5, 2, 0}, {6, 1, 0}};
static const ek_proc pinned = {"pinned", __FILE__, run, sizeof(struct context *), sizeof(struct part), cbbs, 6, EK_PINNED};
static const ek_proc free_ = {"free", __FILE__, run, sizeof(struct context *), sizeof(struct part), cbbs, 6, EK_FREE | EK_LOCALES};

static void see(const ek_proc *p, int n, int phases) {
  struct context s = {.n = n, .phases = phases}, *at = &s;
  CHECK(ek_run(p, &at, n) == 0);
  CHECK(s.ended == n && s.singles == phases && s.chunks == 10 * ((phases + 1) / 3));
}

/* ---- locales ---- */
static int order[4 * kPhases], count;
static int gate[2], shut;
static ek_successor notes(ek_self *me);
static const ek_complex_codelet noted[] = {{notes, 1}, {NULL, 2}, {notes, 2}};
static ek_successor notes(ek_self *me) {
  int *const phase = (int *)me->own;
  *phase = me->at == 0 ? 0 : *phase + 1;
  order[count++] = (int)me->id; /* all others are away */
  if (*phase + 1 < kPhases) EK_THEN(me, &noted[1]);
  if (count == 4 * kPhases) CHECK(write(gate[1], "123", 3) == 3); /* they come to the region's end */
  EK_THEN(me, NULL);
}
static ek_next note(ek_self *me) { return ek_chain(me, noted); }
static const ek_proc tree = {"tree", __FILE__, note, 0, sizeof(int), NULL, 0, EK_FREE | EK_LOCALES};
static void stay_away(int signal) {
  char byte;
  (void)signal;
  __atomic_fetch_add(&shut, 1, __ATOMIC_RELEASE);
  while (read(gate[0], &byte, 1) != 1) {}
}
static void up_the_tree(void) {
  static pthread_t threads[4];
  static const int expected[] = {0, 1, 3, 2}; /* its sibling, and what is in the other cluster */
  struct sigaction action = {.sa_handler = stay_away};
  CHECK(pipe(gate) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
  #pragma omp parallel num_threads(4)
  threads[omp_get_thread_num()] = pthread_self();
  for (int i = 1; i < 4; i++) CHECK(pthread_kill(threads[i], SIGUSR1) == 0);
  while (__atomic_load_n(&shut, __ATOMIC_ACQUIRE) < 3) usleep(100);
  CHECK(ek_run(&tree, NULL, 4) == 0);
  CHECK(count == 4 * kPhases);
  for (int i = 0; i < count; i++) CHECK(order[i] == expected[i % 4]);
}

/* ---- what must not be ---- */
static ek_successor makes_task(ek_self *me);
static const ek_complex_codelet with_task[] = {{makes_task, 1}, {NULL, 2}, {ends, 3}};
static ek_successor makes_task(ek_self *me) {
  #pragma omp task
  work(10);
  EK_THEN(me, &with_task[1]);
}
static ek_next make(ek_self *me) { return ek_chain(me, with_task); }
static const ek_proc tasks = {"tasks", __FILE__, make, sizeof(struct context *), 0, NULL, 0, EK_FREE | EK_LOCALES};

int main(int argc, char **argv) {
  if (!ek_on()) return puts("another runtime"), 0;
  if (argc == 2 && strcmp(argv[1], "tree") == 0) return up_the_tree(), puts("ok"), 0;
  if (argc == 2) {
    static struct context s, *at = &s;
    return ek_run(&tasks, &at, 4), puts("still there"), 0;
  }
  if (argc != 3) return 2;
  const int most = omp_get_max_threads();
  for (int round = 0; round < atoi(argv[1]) * atoi(argv[2]); round++)
    for (int n = 1; n <= most && n <= kMost; n += n < 4 ? 1 : 3) {
      see(&free_, n, 1 + round % kPhases);
      if (round % 4 == 0) see(&pinned, n, 1 + round % kPhases);
    }
  return puts("ok"), 0;
}
