// clang's barriers, critical, master, masked, single, ordered, reductions, flush. LLVM 19: kmp_csupport.cpp.
#include "abi/kmpc.h"
#include "runtime/sync/lock.h"
#include "runtime/loop/share.h"
#include "runtime/observe/tool_only.h"
#include "runtime/sync/reduction.h"
#include "runtime/sync/barrier.h"

using namespace einkorn::abi;
using einkorn::record::Construct;
using einkorn::record::kSiteClang;

// 32 zeroed bytes of the program's for each name; our lock lies in the first four.
using CriticalName = int32_t[8];

namespace {

Construct barrier_kind(const Ident* loc) {
  return loc && (loc->flags & kIdentBarrierImplicit) ? Construct::barrier_workshare : Construct::barrier;
}

bool has_atomics(const Ident* loc) { return loc && (loc->flags & kIdentAtomicReduce); }

// What clang's code asks: 1: it adds its values to the program's variables as they are, and says when; 2: by atomics;
// 0: others do it.
int begin_reduction(const Ident* loc, CriticalName* name, const Values& values, Caller ra) {
  Worker* w = self();
  const ReductionMethod method = reduction_method(w, has_atomics(loc), values.combine != nullptr);
  w->slot->reduction = method;
  observe::reduction(w, ompt_scope_begin, ra);
  if (method == ReductionMethod::lock) lock(reinterpret_cast<Mutex*>(name), Construct::reduction, ra, kSiteClang);
  if (method == ReductionMethod::together) {
    reducing_barrier(w, values, Construct::barrier_workshare, ra, kSiteClang);
    return w->thread_num == 0;
  }
  return method == ReductionMethod::atomics ? 2 : 1;
}

void end_reduction(CriticalName* name, Caller ra) {
  Worker* w = self();
  if (w->slot->reduction == ReductionMethod::lock) unlock(reinterpret_cast<Mutex*>(name), Construct::reduction, ra);
  observe::reduction(w, ompt_scope_end, ra);
}

// masked; master is masked with filter 0.
int32_t masked(int32_t filter, Caller ra) {
  Worker* w = self();
  bool mine = w->thread_num == filter;
  if (mine) observe::masked(w, ompt_scope_begin, ra);
  return mine;
}
void end_masked(Caller ra) { observe::masked(self(), ompt_scope_end, ra); }

}  // namespace

EK_EXPORT void __kmpc_barrier(const Ident* loc, int32_t) { barrier(self(), barrier_kind(loc), EK_CALLER, kSiteClang); }

// All wait; the primary thread goes on alone until __kmpc_end_barrier_master lets the others go.
EK_EXPORT int32_t __kmpc_barrier_master_nowait(const Ident*, int32_t) {
  Worker* w = self();
  barrier(w, Construct::barrier, EK_CALLER, kSiteClang);
  return w->thread_num == 0;
}
EK_EXPORT int32_t __kmpc_barrier_master(const Ident*, int32_t) {
  Worker* w = self();
  barrier(w, Construct::barrier, EK_CALLER, kSiteClang);
  if (w->thread_num == 0) return 1;
  barrier(w, Construct::barrier, EK_CALLER, kSiteClang);
  return 0;
}
EK_EXPORT void __kmpc_end_barrier_master(const Ident*, int32_t) {
  barrier(self(), Construct::barrier, EK_CALLER, kSiteClang);
}

EK_EXPORT void __kmpc_critical(const Ident*, int32_t, CriticalName* name) {
  lock(reinterpret_cast<Mutex*>(name), Construct::critical, EK_CALLER, kSiteClang);
}
EK_EXPORT void __kmpc_critical_with_hint(const Ident*, int32_t, CriticalName* name, uint32_t) {
  lock(reinterpret_cast<Mutex*>(name), Construct::critical, EK_CALLER, kSiteClang);
}
EK_EXPORT void __kmpc_end_critical(const Ident*, int32_t, CriticalName* name) {
  unlock(reinterpret_cast<Mutex*>(name), Construct::critical, EK_CALLER);
}

EK_EXPORT int32_t __kmpc_master(const Ident*, int32_t) { return masked(0, EK_CALLER); }
EK_EXPORT void __kmpc_end_master(const Ident*, int32_t) { end_masked(EK_CALLER); }
EK_EXPORT int32_t __kmpc_masked(const Ident*, int32_t, int32_t filter) { return masked(filter, EK_CALLER); }
EK_EXPORT void __kmpc_end_masked(const Ident*, int32_t) { end_masked(EK_CALLER); }

// scope itself does nothing: its reductions and barrier are calls of their own.
EK_EXPORT void __kmpc_scope(const Ident*, int32_t, void*) {}
EK_EXPORT void __kmpc_end_scope(const Ident*, int32_t, void*) {}

EK_EXPORT int32_t __kmpc_single(const Ident*, int32_t) {
  Worker* w = self();
  bool mine = single_enter(w);
  observe::single_met(w, mine, true, EK_CALLER);
  return mine;
}
EK_EXPORT void __kmpc_end_single(const Ident*, int32_t) { observe::single_ends(self(), EK_CALLER); }

// Every thread calls with a list of pointers to its variables; the one that ran the block has done = 1.
EK_EXPORT void __kmpc_copyprivate(const Ident*, int32_t, size_t, void* data, void (*copy)(void*, void*), int32_t done) {
  Worker* w = self();
  Team* team = w->team;
  if (done) team->copyprivate = data;
  barrier(w, Construct::barrier_workshare, EK_CALLER, kSiteClang);
  if (!done) copy(data, team->copyprivate);
  // The source must stay until all have copied.
  barrier(w, Construct::barrier_workshare, EK_CALLER, kSiteClang);
}

EK_EXPORT void* __kmpc_copyprivate_light(const Ident*, int32_t, void* data) {
  Worker* w = self();
  if (data) w->team->copyprivate = data;
  barrier(w, Construct::barrier_workshare, EK_CALLER, kSiteClang);
  return w->team->copyprivate;
}

EK_EXPORT void __kmpc_ordered(const Ident*, int32_t) { ordered_begin(self(), EK_CALLER, kSiteClang); }
EK_EXPORT void __kmpc_end_ordered(const Ident*, int32_t) { ordered_end(self(), EK_CALLER); }

EK_EXPORT int32_t __kmpc_reduce_nowait(const Ident* loc, int32_t, int32_t, size_t, void* list,
                                       void (*combine)(void*, void*), CriticalName* name) {
  return begin_reduction(loc, name, {list, combine}, EK_CALLER);
}
EK_EXPORT void __kmpc_end_reduce_nowait(const Ident*, int32_t, CriticalName* name) { end_reduction(name, EK_CALLER); }

EK_EXPORT int32_t __kmpc_reduce(const Ident* loc, int32_t, int32_t, size_t, void* list, void (*combine)(void*, void*),
                                CriticalName* name) {
  const int how = begin_reduction(loc, name, {list, combine}, EK_CALLER);
  // For who adds them to the program's variables, and says so in __kmpc_end_reduce().
  if (how == 0) barrier(self(), Construct::barrier_workshare, EK_CALLER, kSiteClang);
  return how;
}
EK_EXPORT void __kmpc_end_reduce(const Ident*, int32_t, CriticalName* name) {
  end_reduction(name, EK_CALLER);
  barrier(self(), Construct::barrier_workshare, EK_CALLER, kSiteClang);
}

EK_EXPORT void __kmpc_flush(const Ident*) {
  full_fence();  // the program's: its accesses before it and behind it
  observe::flushed(self(), EK_CALLER);
}
