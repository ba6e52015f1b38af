// OpenMP's taskgraph by calls: include/einkorn/taskgraph.h.
#include "abi/abi.h"
#include "codelet/taskgraph.h"

using einkorn::codelet::OpenTaskGraph;
using einkorn::codelet::TaskGraphHandle;

EK_EXPORT OpenTaskGraph* ompx_taskgraph_begin(TaskGraphHandle* graph, int64_t id, unsigned flags) {
  return einkorn::codelet::taskgraph_begin(*graph, id, flags, EK_CALLER);
}

EK_EXPORT OpenTaskGraph* ek_tasks_begin(TaskGraphHandle* graph, int count, const int64_t* values) {
  return einkorn::codelet::tasks_begin(*graph, values, count, EK_CALLER);
}

EK_EXPORT void ompx_taskgraph_end(OpenTaskGraph* open) {
  if (open) einkorn::codelet::taskgraph_end(open, EK_CALLER);
}

EK_EXPORT const char* ompx_taskgraph_why_not(TaskGraphHandle* graph, int64_t id) {
  return einkorn::codelet::taskgraph_why_not(*graph, id);
}

EK_EXPORT void ompx_taskgraph_free(TaskGraphHandle* graph) { einkorn::codelet::taskgraph_free(*graph); }
