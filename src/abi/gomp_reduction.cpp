// gcc's task reductions. libgomp 12: task.c, parallel.c. Worksharing constructs with a reductions argument register in
// gomp_loop.cpp. The program combines the copies itself.
#include "abi/abi.h"
#include "runtime/sync/reduction.h"
#include "runtime/team/team.h"
#include "runtime/sync/barrier.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

EK_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t* descriptor) {
  Worker* w = self();
  if (!w->current->group) fatal("GOMP_taskgroup_reduction_register outside a taskgroup");
  register_reductions(w, descriptor);
}

EK_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t* descriptor) { unregister_reductions(descriptor); }

// Replaces each of `count` addresses by that of the calling thread's copy; of the first `originals` ones the address of
// the original is given too, behind all of them.
EK_EXPORT void GOMP_task_reduction_remap(size_t count, size_t originals, void** addresses) {
  Worker* w = self();
  Reductions* set = reductions_of(w);
  for (size_t i = 0; i < count; ++i) {
    void* copy = reduction_copy(w, set, addresses[i], i < originals ? &addresses[count + i] : nullptr);
    if (!copy)
      fatal("in_reduction: no enclosing task_reduction, or reduction with the task modifier, has the variable at %p",
            addresses[i]);
    addresses[i] = copy;
  }
}

// The descriptor is the first word of the data.
EK_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void*), void* data, unsigned threads, unsigned flags) {
  Worker* w = self();
  push_bind(w, flags);
  return unsigned(parallel(w, fn, data, int(threads), reinterpret_cast<const void*>(fn), EK_CALLER, 0, nullptr,
                           *static_cast<uintptr_t**>(data)));
}

EK_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  Worker* w = self();
  workshare_reductions_end(w, EK_CALLER);
  if (!cancelled) barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}
