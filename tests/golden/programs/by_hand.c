// signals() in golden_by_hand.h: a codelet by hand that waits for both threads, of which the first one comes last.
#include <stdio.h>
#include <omp.h>
#include "../../../include/einkorn/codelet.h"

static int fired, one;
static void fire(ek_codelet *c) { (void)c, fired++; }

int main(void) {
  ek_codelet x;
  ek_codelet_init(&x, fire, NULL, 2, 2, 1);
  #pragma omp parallel num_threads(2) shared(x)
  if (omp_get_thread_num() == 1) {
    ek_dec(&x);
    __atomic_store_n(&one, 1, __ATOMIC_RELEASE);
  } else {
    while (!__atomic_load_n(&one, __ATOMIC_ACQUIRE)) {}
    ek_dec(&x);
  }
  return fired != 1;
}
