/* Instances that wait for those beside them (EK_NEAR, ek_post()): lines and rings of cells against a sequential execution.
 * On another OpenMP library it says so and does nothing. Usage: beside [SEED [RUNS]], or beside fewer|WRONG */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <einkorn/codelet.h>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

enum { kMost = 64 };
static struct {
  int n, ring, posts, syncs, spin;
  int steps[kMost];                       /* of each instance: then it ends */
  unsigned long cell[2][kMost], want[2][kMost];
} r;

static unsigned long value_of(unsigned long cell[2][kMost], int i, int t) {
  unsigned long v = cell[t & 1][i] * 6364136223846793005ul + (unsigned long)(i + t);
  for (int side = -1; side <= 1; side += 2) {
    int j = i + side;
    if (r.ring) j = (j + r.n) % r.n;
    if (j < 0 || j == r.n) continue;
    v = v * 31 + cell[(t < r.steps[j] ? t : r.steps[j]) & 1][j]; /* what it had when it ended */
  }
  return v;
}

struct own { int t; volatile int wasted; };
static ek_next cell_run(ek_self *me) {
  struct own *own = (struct own *)me->own;
  int i = (int)me->id;
  switch (me->at) { case 1: goto near; case 2: goto synced; }
  own->t = 0;
  while (own->t < r.steps[i]) {
    r.cell[(own->t + 1) & 1][i] = value_of(r.cell, i, own->t);
    if (r.posts && (own->t + i) % 3) ek_post(me), ek_post(me);
    if (r.spin) for (int k = (own->t * 7 + i * 13) % r.spin; k > 0; k--) own->wasted = k;
    EK_YIELD(me, 1, EK_NEAR);
  near:
    own->t++;
    if (r.syncs && own->t == r.syncs) EK_YIELD(me, 2, EK_SYNC);
  synced:;
  }
  return EK_END;
}
#define PROCEDURE(flags) {"cell", __FILE__, cell_run, 0, sizeof(struct own), NULL, 0, flags}
static const ek_proc line = PROCEDURE(EK_BESIDE), free_line = PROCEDURE(EK_BESIDE | EK_FREE), ring = PROCEDURE(EK_RING),
                     free_ring = PROCEDURE(EK_RING | EK_FREE);

static void runs(unsigned seed, int count) {
  srand(seed);
  for (int run = 0; run < count; run++) {
    int threads = omp_get_max_threads(), longest = rand() % 60;
    r.n = 1 + rand() % (threads < kMost ? threads : kMost);
    r.ring = rand() % 2;
    r.posts = rand() % 2;
    r.spin = rand() % 3 ? 0 : 3000;
    int even = rand() % 2;
    r.syncs = even && longest > 2 ? 1 + rand() % (longest - 1) : 0;
    for (int i = 0; i < r.n; i++) {
      r.steps[i] = even || longest == 0 ? longest : rand() % longest;
      r.cell[0][i] = r.want[0][i] = (unsigned long)rand();
    }
    for (int t = 0; t < longest; t++)
      for (int i = 0; i < r.n; i++)
        if (t < r.steps[i]) r.want[(t + 1) & 1][i] = value_of(r.want, i, t);
    ek_run(r.ring ? rand() % 2 ? &ring : &free_ring : rand() % 2 ? &line : &free_line, NULL, r.n);
    for (int i = 0; i < r.n; i++) CHECK(r.cell[r.steps[i] & 1][i] == r.want[r.steps[i] & 1][i]);
  }
}

/* One instance has nobody beside it, or itself; and tasks are not waited for. */
static int done;
static ek_next alone_run(ek_self *me) {
  switch (me->at) { case 1: return EK_END; }
  #pragma omp atomic
  ++done;
  ek_post(me);
  EK_YIELD(me, 1, EK_NEAR);
}
static const ek_proc alone = {"alone", __FILE__, alone_run, 0, 0, NULL, 0, EK_RING}, unsaid = {"unsaid", "wrong.c", alone_run, 0, 0, NULL, 0, EK_FREE};

/* Fewer may come than are asked for (limits of threads, nested regions). */
static int fewer_came;
static ek_next fewer_run(ek_self *me) {
  if (me->at == 20) return EK_END;
  if (me->id == 0) fewer_came = (int)me->n;
  if (me->at % 3 == 1) ek_post(me);
  EK_YIELD(me, me->at + 1, EK_NEAR);
}
static const ek_proc fewer[] = {
    {"fewer", __FILE__, fewer_run, 0, 0, NULL, 0, EK_BESIDE}, {"fewer", __FILE__, fewer_run, 0, 0, NULL, 0, EK_RING},
    {"fewer", __FILE__, fewer_run, 0, 0, NULL, 0, EK_BESIDE | EK_FREE}, {"fewer", __FILE__, fewer_run, 0, 0, NULL, 0, EK_RING | EK_FREE}};
static void fewer_than_asked(void) {
  int least = 1000;
  for (int asked = 0; asked < 7; asked++)
    for (int k = 0; k < 4; k++) {
      CHECK(ek_run(&fewer[k], NULL, asked) == 0);
      CHECK(asked == 0 || fewer_came <= asked);
      if (asked == 6 && fewer_came < least) least = fewer_came;
    }
  CHECK(least < 6);
#pragma omp parallel num_threads(2)
  for (int k = 0; k < 4; k++) ek_run(&fewer[k], NULL, 3);
}

static ek_next apart_run(ek_self *me) {
  if (me->at == 1) return EK_END;
  if (me->id == 0) EK_YIELD(me, 1, EK_SYNC);
  EK_YIELD(me, 1, EK_NEAR);
}
static const ek_proc apart = {"apart", "wrong.c", apart_run, 0, 0, NULL, 0, EK_BESIDE | EK_FREE};

int main(int argc, char **argv) {
  if (!ek_on()) {
    CHECK(ek_run(&line, NULL, 2) == ENOSYS);
    puts("another runtime");
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "unsaid")) return ek_run(&unsaid, NULL, 2), puts("nothing was wrong"), 0;
  if (argc > 1 && !strcmp(argv[1], "apart")) return ek_run(&apart, NULL, 2), puts("nothing was wrong"), 0;
  if (argc > 1 && !strcmp(argv[1], "fewer")) return fewer_than_asked(), puts("ok"), 0;
  runs(argc > 1 ? (unsigned)atoi(argv[1]) : 1, argc > 2 ? atoi(argv[2]) : 200);
  CHECK(ek_run(&alone, NULL, 1) == 0 && ek_launch(&alone, NULL) == 0 && done == 2);
  puts("ok");
  return 0;
}
