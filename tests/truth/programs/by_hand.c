/* Codelets by hand, signalled by tasks, by threads of a team, in loops, by firings and outside of regions: stages that wait for
 * two of the stage before, and fire again and again; and a pair of threads. */
#include <einkorn/codelet.h>
#include <omp.h>
#include <stdio.h>
#include "busy.h"

enum { kWide = 6, kStages = 4 };
struct cell { ek_codelet codelet; int stage, at; };
static struct cell cells[kStages][kWide], pair;
static int fired;

static void tell_next(const struct cell *c) {
  if (c->stage + 1 == kStages) return;
  ek_dec(&cells[c->stage + 1][c->at].codelet);
  busy_ms(0.02);
  ek_dec(&cells[c->stage + 1][(c->at + 1) % kWide].codelet);
}
static void fire(ek_codelet *codelet) {
  const struct cell *c = (const struct cell *)codelet->frame;
  ek_reset(codelet);
  __atomic_fetch_add(&fired, 1, __ATOMIC_RELAXED);
  busy_ms(0.03 * (1 + (c->at + c->stage) % 3));
  tell_next(c);
  busy_ms(0.01);
}
static void init(void) {
  pair = (struct cell){.stage = kStages - 1};
  ek_codelet_init(&pair.codelet, fire, &pair, 2, 2, 100);
  for (int s = 0; s < kStages; ++s)
    for (int i = 0; i < kWide; ++i) {
      cells[s][i] = (struct cell){.stage = s, .at = i};
      ek_codelet_init(&cells[s][i].codelet, fire, &cells[s][i], 2, 2, (uint32_t)(s * kWide + i));
    }
}

int main(void) {
  if (!ek_on()) return printf("no codelets\n"), 1;
  init();
  for (int repeat = 0; repeat < 3; ++repeat) {
    #pragma omp parallel
    {
      #pragma omp single
      for (int i = 0; i < kWide; ++i) {
        #pragma omp task firstprivate(i)
        {
          busy_ms(0.05 * (1 + i % 2));
          ek_dec(&cells[0][i].codelet);
          busy_ms(0.01);
          ek_dec(&cells[0][(i + 1) % kWide].codelet);
        }
      }
      /* The same by iterations. */
      #pragma omp for schedule(dynamic)
      for (int i = 0; i < 2 * kWide; ++i) {
        busy_ms(0.04);
        ek_dec(&cells[0][i % kWide].codelet);
        busy_ms(0.01);
      }
      if (omp_get_thread_num() == 0) ek_dec(&pair.codelet);
      busy_ms(0.03);
      if (omp_get_thread_num() == omp_get_num_threads() - 1) ek_dec(&pair.codelet);
    }
  }
  ek_dec(&pair.codelet);
  busy_ms(0.05);
  ek_dec(&pair.codelet);
  printf("fired %d\n", fired);
  return 0;
}
