// gcc's other worksharing: scope, single, ordered. libgomp 12: single.c.
#include "abi/abi.h"
#include "runtime/loop/share.h"
#include "runtime/observe/tool_only.h"
#include "runtime/sync/barrier.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

// scope with reduction(task, ...): the threads meet in a construct only to find each other's copies. The program calls
// GOMP_workshare_task_reduction_unregister and the barrier.
EK_EXPORT void GOMP_scope_start(uintptr_t* reductions) {
  Worker* w = self();
  LoopSpec spec;
  spec.silent = true;
  spec.reductions = reductions;
  spec.caller = EK_CALLER;
  leave_share(w, join_share(w, spec, 0));
  observe::scope_met(w, EK_CALLER);
}

EK_EXPORT bool GOMP_single_start() {
  Worker* w = self();
  bool mine = single_enter(w);
  observe::single_met(w, mine, false, EK_CALLER);
  return mine;
}

// copyprivate: nullptr for the thread that runs the block, which then calls GOMP_single_copy_end with its data; the
// others come back from here with that. Two barriers: the data must be there, and must stay until all have copied it;
// the second is the one that gcc places after the construct.
EK_EXPORT void* GOMP_single_copy_start() {
  Worker* w = self();
  bool mine = single_enter(w);
  observe::single_met(w, mine, false, EK_CALLER);
  if (mine) return nullptr;
  barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
  return w->team->copyprivate;
}

EK_EXPORT void GOMP_single_copy_end(void* data) {
  Worker* w = self();
  w->team->copyprivate = data;
  barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}

EK_EXPORT void GOMP_ordered_start() { ordered_begin(self(), EK_CALLER, 0); }
EK_EXPORT void GOMP_ordered_end() { ordered_end(self(), EK_CALLER); }
