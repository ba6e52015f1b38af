/* Tasks with dependences from one creator: depend SHAPE TASKS.
 *   chain        each follows the one before: inout on one address
 *   independent  each its own address
 *   wavefront    a square grid, each follows its upper and left neighbour
 * Bodies are empty, so that what is measured is the dependences. Wall time by tasks. */
#include "measure.h"
#include <string.h>

static char *cells;
static int tasks, side;
static char shape;

static double once(void) {
  double start = now_ns();
#pragma omp parallel
#pragma omp single
  switch (shape) {
    case 'c':
      for (int i = 0; i < tasks; i++) {
#pragma omp task depend(inout : cells[0])
        KEEP();
      }
      break;
    case 'i':
      for (int i = 0; i < tasks; i++) {
#pragma omp task depend(inout : cells[i])
        KEEP();
      }
      break;
    default:
      for (int i = 1; i <= side; i++)
        for (int j = 1; j <= side; j++) {
          __attribute__((unused)) char *here = cells + i * (side + 1) + j;
#pragma omp task depend(in : here[-side - 1], here[-1]) depend(out : here[0])
          KEEP();
        }
  }
  return (now_ns() - start) / tasks;
}

int main(int argc, char **argv) {
  if (argc != 3 || !strchr("ciw", argv[1][0]) || (tasks = atoi(argv[2])) < 1) {
    fprintf(stderr, "usage: %s chain|independent|wavefront TASKS\n", argv[0]);
    return 2;
  }
  shape = argv[1][0];
  if (shape == 'w') {
    while ((side + 1) * (side + 1) <= tasks) side++;
    tasks = side * side;
  }
  cells = calloc((size_t)tasks + 2 * (size_t)side + 1, 1);
  return cells ? measure(once, "ns/task") : 2;
}
