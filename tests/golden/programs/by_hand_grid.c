// A grid of codelets by hand, each after those above and to the left: by the schedule either of these comes last. Each
// creates a task.
#include <omp.h>
#include "../../../include/einkorn/codelet.h"

enum { kSide = 12 };
static ek_codelet grid[kSide][kSide];
static int done[kSide][kSide];

static void work(int turns) {
  for (volatile int i = 0; i < turns; ++i) {}
}

static void fire(ek_codelet *c) {
  const int at = (int)c->id, row = at / kSide, column = at % kSide;
  work(2000 + 3000 * (at % 3));
  #pragma omp task firstprivate(row, column)
  {
    work(1000);
    done[row][column]++;
  }
  if (row + 1 < kSide) ek_dec(&grid[row + 1][column]);
  if (column + 1 < kSide) ek_dec(&grid[row][column + 1]);
}

int main(void) {
  for (int i = 0; i < kSide * kSide; ++i)
    ek_codelet_init(&grid[i / kSide][i % kSide], fire, NULL, i == 0 || (i >= kSide && i % kSide != 0) ? 2 : 1, 2, i);
  #pragma omp parallel num_threads(2)
  {
    ek_dec(&grid[0][0]);  // two signals, one of each thread
    #pragma omp task
    work(1000);
  }
  for (int i = 0; i < kSide * kSide; ++i)
    if (done[i / kSide][i % kSide] != 1) return 1;
  return 0;
}
