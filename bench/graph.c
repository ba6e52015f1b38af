/* The graphs of depend.c as codelets, built once and run again: graph SHAPE CODELETS. Empty bodies, arcs by rules; the run is called
 * by one thread of a region. Wall time of a run by codelets. Only on Einkorn's runtime. */
#include "measure.h"
#include <string.h>

#include <einkorn/codelet.h>

static uint32_t codelets, side = 0;
static ek_graph *graph;

static void fire(void *context, uint32_t i) {
  (void)context, (void)i;
  KEEP();
}
static int next_in_chain(void *context, uint32_t i, uint32_t *out) {
  (void)context;
  out[0] = i + 1;
  return i + 1 < codelets;
}
static int next_in_grid(void *context, uint32_t i, uint32_t *out) {
  int count = 0;
  (void)context;
  if (i + side < codelets) out[count++] = i + side;
  if (i % side + 1 < side) out[count++] = i + 1;
  return count;
}

static double once(void) {
  double time;
#pragma omp parallel
#pragma omp single
  {
    double start = now_ns();
    ek_graph_run(graph);
    time = now_ns() - start;
  }
  return time / codelets;
}

int main(int argc, char **argv) {
  if (argc != 3 || !strchr("ciw", argv[1][0]) || (codelets = (uint32_t)atoi(argv[2])) < 1) {
    fprintf(stderr, "usage: %s chain|independent|wavefront CODELETS\n", argv[0]);
    return 2;
  }
  if (argv[1][0] == 'w') {
    while ((side + 1) * (side + 1) <= codelets) side++;
    codelets = side * side;
  }
  graph = ek_graph_new(argv[1]);
  int c = ek_graph_class(graph, fire, NULL, codelets, __LINE__);
  if (argv[1][0] == 'c') ek_graph_rule(graph, c, c, next_in_chain);
  if (argv[1][0] == 'w') ek_graph_rule(graph, c, c, next_in_grid);
  if (ek_graph_close(graph) != 0) return fputs("graph: another runtime than Einkorn's\n", stderr), 1;
  return measure(once, "ns/codelet");
}
