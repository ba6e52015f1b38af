// Codelet graphs: include/einkorn/codelet.h.
#include <cerrno>
#include <new>

#include "abi/abi.h"
#include "codelet/team_run.h"

using einkorn::codelet::Fire;
using einkorn::codelet::NextOf;
using einkorn::codelet::RunnableGraph;

EK_EXPORT int ek_on() {
  einkorn::runtime::self();  // the settings are read
  return einkorn::runtime::g_config.codelets != einkorn::runtime::Codelets::off;
}

EK_EXPORT int ek_on_for_region() {
  using namespace einkorn::runtime;
  const Worker* w = self();  // the settings are read
  // What a tool is told, and what is displayed, is what happens in OpenMP's own form; and what a program has asked of
  // the next region by a call of its own (__kmpc_push_*) is that form's.
  if (EK_UNLIKELY(w->tool != nullptr || g_config.display_affinity || w->pushed_threads != 0 ||
                  w->pushed_list != nullptr || w->pushed_bind != ProcBind::off))
    return 0;
  return g_config.codelets != Codelets::off;
}

EK_EXPORT RunnableGraph* ek_graph_new(const char* name) { return new (std::nothrow) RunnableGraph(name); }

EK_EXPORT int ek_graph_class(RunnableGraph* g, Fire fire, void* context, uint32_t count, uint32_t line) {
  return g ? g->graph.add_class(fire, context, count, line, EK_CALLER) : -1;
}

EK_EXPORT void ek_graph_arc(RunnableGraph* g, int from, uint32_t i, int to, uint32_t j) {
  if (g) g->graph.add_arc(from, i, to, j);
}

EK_EXPORT void ek_graph_rule(RunnableGraph* g, int from, int to, NextOf next) {
  if (g) g->graph.add_rule(from, to, next);
}

EK_EXPORT int ek_graph_close(RunnableGraph* g) {
  if (!g) return ENOSYS;
  std::string why;
  const int error = g->graph.close(&why);
  if (error) einkorn::warn("%s", why.c_str());
  return error;
}

EK_EXPORT int ek_graph_run(RunnableGraph* g) { return g ? g->run(EK_CALLER) : ENOSYS; }

EK_EXPORT void ek_graph_free(RunnableGraph* g) { RunnableGraph::free(g); }
