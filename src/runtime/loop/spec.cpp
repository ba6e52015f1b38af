#include "runtime/loop/spec.h"

#include "runtime/settings/icv.h"
#include "schedule/loops.h"

namespace einkorn::runtime {

void resolve_runtime_schedule(Worker* w, LoopSpec& spec) {
  const LoopSchedule& r = icv(w).run_schedule;
  spec.nonmonotonic = spec.nonmonotonic && !r.monotonic;
  spec.kind = r.kind;
  spec.chunk = r.chunk > 0 ? uint64_t(r.chunk) : 0;
}

void resolve_simd_schedule(Worker* w, LoopSpec& spec) {
  const uint64_t width = spec.chunk;
  resolve_runtime_schedule(w, spec);
  if (spec.kind == LoopKind::automatic || (spec.kind == LoopKind::static_ && spec.chunk == 0)) {
    spec.kind = LoopKind::static_;
    spec.chunk = schedule::vectors_of_a_part(spec.iterations, uint64_t(w->team->n), width);
  } else {
    spec.chunk = (spec.chunk ? spec.chunk : 1) * width;
    spec.whole_chunks = true;
  }
}

void resolve_as_libomp(const Worker* w, LoopSpec& spec) {
  if (spec.kind == LoopKind::automatic) spec.kind = LoopKind::guided, spec.chunk = 1;
  if (spec.kind == LoopKind::guided && !spec.whole_chunks && w->team->n.load(std::memory_order_relaxed) == 1)
    spec.kind = LoopKind::static_, spec.chunk = 0;
}

}  // namespace einkorn::runtime
