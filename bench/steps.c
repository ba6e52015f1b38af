/* A region that goes step by step: steps HOW NS [PERCENT]. Each instance, one a thread, works so many nanoseconds a step, and in PERCENT
 * of its steps four times as long. Then it waits: HOW is
 *   barrier  for all, in OpenMP's barrier
 *   sync     for all, where it gives way (EK_SYNC), instance i on thread i
 *   free     the same, and any thread goes on with any instance
 *   near     for the two beside it (EK_NEAR), who may go on when it has done a tenth of its work
 * Wall time of a step. Only on Einkorn's runtime. */
#include "measure.h"
#include <omp.h>
#include <string.h>

#include <einkorn/codelet.h>

enum { kSteps = 2000, kMost = 1024 };
static double loops_a_ns, work_ns;
static long percent;
static struct { uint32_t random; char apart[124]; } state[kMost];

static void spin(double ns) {
  for (long i = (long)(ns * loops_a_ns); i > 0; i--) KEEP();
}
/* Of this step. */
static double take(uint32_t id) {
  uint32_t *r = &state[id].random;
  *r = *r * 1664525u + 1013904223u;
  return (*r >> 8) % 100 < (uint32_t)percent ? 4 * work_ns : work_ns;
}
static void calibrate(void) {
  double best = 0;
  for (int i = 0; i < 20; i++) {
    double start = now_ns();
    for (long k = 0; k < 100000; k++) KEEP();
    double rate = 100000 / (now_ns() - start);
    if (rate > best) best = rate;
  }
  loops_a_ns = best;
}

static ek_next sync_run(ek_self *me) {
  if (me->at == kSteps) return EK_END;
  if (work_ns > 0) spin(take(me->id));
  EK_YIELD(me, me->at + 1, EK_SYNC);
}
static ek_next near_run(ek_self *me) {
  if (me->at == kSteps) return EK_END;
  if (work_ns > 0) {
    const double all = take(me->id);
    spin(all / 10);
    ek_post(me);
    spin(all - all / 10);
  }
  EK_YIELD(me, me->at + 1, EK_NEAR);
}
static const ek_proc kSync = {"sync", __FILE__, sync_run, 0, 0, NULL, 0, EK_PINNED},
                     kFree = {"free", __FILE__, sync_run, 0, 0, NULL, 0, EK_FREE},
                     kNear = {"near", __FILE__, near_run, 0, 0, NULL, 0, EK_RING};
static const ek_proc *procedure;

static double once(void) {
  const double start = now_ns();
  if (procedure) {
    ek_run(procedure, NULL, 0);
  } else {
    #pragma omp parallel
    {
      const uint32_t id = (uint32_t)omp_get_thread_num();
      for (int i = 0; i < kSteps; i++) {
        if (work_ns > 0) spin(take(id));
        #pragma omp barrier
      }
    }
  }
  return (now_ns() - start) / kSteps;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4 || !strchr("bsfn", argv[1][0])) {
    fprintf(stderr, "usage: %s barrier|sync|free|near NS [PERCENT]\n", argv[0]);
    return 2;
  }
  procedure = argv[1][0] == 's' ? &kSync : argv[1][0] == 'f' ? &kFree : argv[1][0] == 'n' ? &kNear : NULL;
  work_ns = atof(argv[2]);
  percent = argc > 3 ? atol(argv[3]) : 0;
  for (uint32_t i = 0; i < kMost; i++) state[i].random = i * 2654435761u + 1;
  calibrate();
  if (!ek_on()) return fputs("steps: another runtime than Einkorn's\n", stderr), 1;
  return measure(once, "ns/step");
}
