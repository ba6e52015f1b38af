/* Tasks with dependences from one creator: depend SHAPE TASKS [record|replay].
 *   chain        each follows the previous one: inout on one address
 *   independent  each its own address
 *   wavefront    a square grid, each follows its upper and left neighbour
 * Bodies are empty, so that the dependences are measured. Wall time per task. With a third word the same tasks are a
 * taskgraph, taken down each time or once. */
#include "measure.h"
#include <string.h>

#include <einkorn/taskgraph.h>

static char *cells;
static int tasks, side;
static char shape;
static int graph;
static unsigned flags;

static void create(void) {
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
}

static double once(void) {
  static ompx_taskgraph all;
  double start = now_ns(), time = 0;
#pragma omp parallel
#pragma omp single
  if (!graph) {
    create();
  } else { /* as graph.c: without the region, which replays share */
    start = now_ns();
    OMPX_TASKGRAPH(&all, 0, flags) create();
    time = now_ns() - start;
  }
  return (graph ? time : now_ns() - start) / tasks;
}

int main(int argc, char **argv) {
  graph = argc == 4;
  if (argc < 3 || argc > 4 || !strchr("ciw", argv[1][0]) || (tasks = atoi(argv[2])) < 1 || (graph && argv[3][0] != 'r')) {
    fprintf(stderr, "usage: %s chain|independent|wavefront TASKS [record|replay]\n", argv[0]);
    return 2;
  }
  if (graph && strcmp(argv[3], "record") == 0) flags = OMPX_TASKGRAPH_RESET;
  shape = argv[1][0];
  if (shape == 'w') {
    while ((side + 1) * (side + 1) <= tasks) side++;
    tasks = side * side;
  }
  cells = calloc((size_t)tasks + 2 * (size_t)side + 1, 1);
  return cells ? measure(once, "ns/task") : 2;
}
