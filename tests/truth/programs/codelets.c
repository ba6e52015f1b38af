/* A graph of codelets, run five times: inside a region, where others may help, in a task, and outside of regions. Most
 * codelets last, some are over at once, one makes tasks and waits for them, one runs a graph itself. */
#include <einkorn/codelet.h>
#include <omp.h>
#include <stdio.h>
#include "busy.h"

enum { kWide = 6, kBrief = 500, kRuns = 3 };

static volatile unsigned sum;
static void fire_first(void *context, uint32_t i) { (void)context, (void)i, busy_ms(0.05); }
static void fire_wide(void *context, uint32_t i) { (void)context, busy_ms(0.05 + 0.01 * i); }
static void fire_brief(void *context, uint32_t i) { (void)context, sum = i; }
static void fire_parent(void *context, uint32_t i) {
  (void)context, (void)i;
  for (int t = 0; t < 3; ++t) {
    #pragma omp task
    busy_ms(0.04);
  }
  #pragma omp taskwait
  busy_ms(0.03);
}
static void fire_inner(void *inner, uint32_t i) { (void)i, ek_graph_run(inner); }
static int to_parent(void *context, uint32_t i, uint32_t *out) { (void)context, (void)i; return out[0] = 0, 1; }

int main(void) {
  ek_graph *inner = ek_graph_new("inner"), *g = ek_graph_new("outer");
  if (!g) return printf("no graphs\n"), 1;
  ek_graph_class(inner, fire_wide, NULL, 2, __LINE__);                  /* inner */
  int first = ek_graph_class(g, fire_first, NULL, 1, __LINE__);       /* first */
  int wide = ek_graph_class(g, fire_wide, NULL, kWide, __LINE__);     /* wide */
  int brief = ek_graph_class(g, fire_brief, NULL, kBrief, __LINE__);  /* brief */
  int parent = ek_graph_class(g, fire_parent, NULL, 1, __LINE__);
  int runs = ek_graph_class(g, fire_inner, inner, 1, __LINE__);
  for (uint32_t i = 0; i < kWide; ++i) ek_graph_arc(g, first, 0, wide, i);
  for (uint32_t i = 0; i < kBrief; ++i) ek_graph_arc(g, wide, i % kWide, brief, i);
  ek_graph_rule(g, brief, parent, to_parent);
  ek_graph_arc(g, parent, 0, runs, 0);
  if (ek_graph_close(inner) || ek_graph_close(g)) return 1;
  ek_graph_run(g);
  #pragma omp parallel
  {
    #pragma omp single
    for (int run = 0; run < kRuns; ++run) ek_graph_run(g);
    #pragma omp single nowait
    #pragma omp task
    ek_graph_run(g);
  }
  ek_graph_free(g);
  ek_graph_free(inner);
  return 0;
}
