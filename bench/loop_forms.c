/* One parallel loop as codelets (ek_run_loop()), again and again: loop_forms ITERATIONS. An iteration computes for some
 * 40 ns and touches one number. In which form the loop runs is up to EINKORN_TPLOOP: loop_forms.py. Wall time per loop. */
#include <einkorn/codelet.h>
#include "measure.h"

enum { kMost = 1 << 20, kSteps = 32 };
static double values[kMost];
static int64_t iterations;

struct frame {
  double *values;
};
static ek_next loop_run(ek_self *me) {
  struct frame *F = (struct frame *)me->frame;
  int64_t from, to;
  if (ek_static(me, 0, iterations, &from, &to))
    for (int64_t i = from; i < to; i++) {
      double v = F->values[i];
      for (int k = 0; k < kSteps; k++) v = v * 0.999 + 1e-3;
      F->values[i] = v;
    }
  return EK_END;
}
static const ek_proc loop = {.name = "loop", .file = "loop_forms.c", .run = loop_run, .frame_bytes = sizeof(struct frame), .count = 1,
                             .flags = EK_FREE | EK_LOOP | EK_WHOLE};

static double once(void) {
  static ek_loop known;
  struct frame F = {values};
  const double start = now_ns();
  int loops = 0;
  do
    for (int i = 0; i < 8; i++, loops++) ek_run_loop(&loop, &F, 0, iterations, &known);
  while (now_ns() - start < 5e6);
  return (now_ns() - start) / loops;
}

int main(int argc, char **argv) {
  iterations = argc == 2 ? atoll(argv[1]) : 0;
  if (iterations < 1 || iterations > kMost) {
    fprintf(stderr, "usage: %s ITERATIONS, up to %d\n", argv[0], kMost);
    return 2;
  }
  if (!ek_on()) {
    fprintf(stderr, "%s: runs on Einkorn's library only\n", argv[0]);
    return 1;
  }
  for (int i = 0; i < kMost; i++) values[i] = i;
  return measure(once, "ns/loop");
}
