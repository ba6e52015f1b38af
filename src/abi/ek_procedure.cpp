// Procedures: include/einkorn/codelet.h.
#include "abi/abi.h"
#include "codelet/loop.h"
#include "codelet/region.h"
#include "codelet/stretches.h"
#include "runtime/loop/share.h"
#include "runtime/team/placed.h"

using namespace einkorn::abi;
using einkorn::codelet::Codelet;

// Needs no frame: what is rare is reached by jumps.
EK_EXPORT void ek_invoke(Instance* self, const Procedure* p, const void* frame) {
  Worker* w = t_worker;
  Task* t = einkorn::codelet::take_spare(w, self, p, frame);
  if (EK_UNLIKELY(t == nullptr)) return einkorn::codelet::invoke(self, p, frame, EK_CALLER);
  einkorn::codelet::begin_again(w, t, p, frame);
  submit_short(w, t);
}

EK_EXPORT void ek_invoke_at(Instance* self, const Procedure* p, const void* frame, int cluster) {
  einkorn::codelet::invoke_at(self, p, frame, EK_CALLER, cluster);
}

// A thread that is not the runtime's stays so: codelets are made by any, and its ek_dec() is to be told that.
EK_EXPORT int ek_clusters(int* own) {
  int unused;
  if (!own) own = &unused;
  if (const Worker* w = t_worker) return clusters(w, own);
  return *own = 0, 1;
}

EK_EXPORT int ek_launch(const Procedure* p, const void* frame) {
  einkorn::codelet::launch(p, frame, EK_CALLER);
  return 0;
}

EK_EXPORT int ek_children(Instance* self) { return einkorn::codelet::has_children(self); }

EK_EXPORT int ek_run(const Procedure* p, const void* frame, int instances) {
  einkorn::codelet::run(p, frame, instances, EK_CALLER);
  return 0;
}

EK_EXPORT int ek_run_loop(const Procedure* p, const void* frame, int instances, int64_t iterations,
                          einkorn::codelet::LoopWord* loop) {
  einkorn::codelet::run_loop(p, frame, instances, iterations, loop, EK_CALLER);
  return 0;
}

EK_EXPORT int ek_most_codelets(int threads) { return einkorn::codelet::most_codelets(threads); }

EK_EXPORT void ek_dec(Codelet* c) { einkorn::codelet::signal(c, EK_CALLER); }

EK_EXPORT void ek_post(Instance* self) { einkorn::codelet::post(*self); }

EK_EXPORT int ek_single(Instance*) { return single_enter(self()); }

EK_EXPORT int ek_static(Instance* self, int64_t begin, int64_t end, int64_t* from, int64_t* to) {
  return einkorn::codelet::static_part_of(*self, begin, end, from, to);
}
