// gcc's cancellation. libgomp 12: parallel.c, barrier.c, loop.c, sections.c.
#include "abi/abi.h"
#include "runtime/task/cancel.h"
#include "runtime/loop/share.h"
#include "runtime/observe/tool_only.h"
#include "runtime/sync/barrier.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

// do_cancel: the value of the if clause; without it the construct is a cancellation point all the same.
EK_EXPORT bool GOMP_cancel(int construct, bool do_cancel) {
  Worker* w = self();
  bool leaves = do_cancel ? cancel(w, construct) : cancellation_point(w, construct);
  if (EK_UNLIKELY(leaves)) observe::cancelled(w, construct, do_cancel, EK_CALLER);
  return leaves;
}

EK_EXPORT bool GOMP_cancellation_point(int construct) {
  Worker* w = self();
  if (EK_LIKELY(!cancellation_point(w, construct))) return false;
  observe::cancelled(w, construct, false, EK_CALLER);
  return true;
}

EK_EXPORT bool GOMP_barrier_cancel() { return cancellable_barrier(self(), Construct::barrier, EK_CALLER, 0); }

// The end of loops and sections in a region that has a cancel of its own: true sends the thread to the region's end.
EK_EXPORT bool GOMP_loop_end_cancel() {
  Worker* w = self();
  share_leave(w);
  return cancellable_barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}

EK_EXPORT bool GOMP_sections_end_cancel() {
  Worker* w = self();
  share_leave(w);
  return cancellable_barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}
