// clang's cancellation. LLVM 19: kmp_cancel.cpp.
#include "abi/kmpc.h"
#include "runtime/task/cancel.h"
#include "runtime/loop/share.h"
#include "runtime/observe/tool_only.h"
#include "runtime/sync/barrier.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace {

// kmp.h: 1 parallel, 2 loop, 3 sections, 4 taskgroup
int construct_of(int32_t kind) { return 1 << (kind - 1); }

// The compiler branches out of the construct without the calls that end it (but __kmpc_for_static_fini).
void leave_construct(Worker* w, int construct, Caller ra) {
  if (construct == kCancelTaskgroup) return;
  if (construct != kCancelParallel && w->view.share) share_leave(w);
  while (Taskgroup* g = w->current->group) {
    if (g->scope == Taskgroup::of_program || (construct != kCancelParallel && g->scope == Taskgroup::of_region)) break;
    end_kmp_group(w, ra);
  }
}

}  // namespace

EK_EXPORT int32_t __kmpc_cancel(const Ident*, int32_t, int32_t kind) {
  Worker* w = self();
  if (EK_LIKELY(!cancel(w, construct_of(kind)))) return 0;
  observe::cancelled(w, construct_of(kind), true, EK_CALLER);
  leave_construct(w, construct_of(kind), EK_CALLER);
  return 1;
}

EK_EXPORT int32_t __kmpc_cancellationpoint(const Ident*, int32_t, int32_t kind) {
  Worker* w = self();
  if (EK_LIKELY(!cancellation_point(w, construct_of(kind)))) return 0;
  observe::cancelled(w, construct_of(kind), false, EK_CALLER);
  leave_construct(w, construct_of(kind), EK_CALLER);
  return 1;
}

EK_EXPORT int32_t __kmpc_cancel_barrier(const Ident* loc, int32_t) {
  Worker* w = self();
  bool explicit_one = !(loc && (loc->flags & kIdentBarrierImplicit));
  if (!cancellable_barrier(w, explicit_one ? Construct::barrier : Construct::barrier_workshare, EK_CALLER,
                           einkorn::record::kSiteClang))
    return 0;
  leave_construct(w, kCancelParallel, EK_CALLER);
  return 1;
}
