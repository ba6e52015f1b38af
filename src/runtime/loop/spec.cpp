#include "runtime/loop/spec.h"

#include "runtime/settings/icv.h"
#include "runtime/tuned/tuned.h"
#include "schedule/loops.h"

namespace einkorn::runtime {

void resolve_runtime_schedule(Worker* w, LoopSpec& spec) {
  const LoopSchedule& r = icv(w).run_schedule;
  spec.nonmonotonic = spec.nonmonotonic && !r.monotonic;
  spec.kind = r.kind;
  spec.chunk = r.chunk > 0 ? uint64_t(r.chunk) : 0;
  spec.is_free = true;
}

void resolve_simd_schedule(Worker* w, LoopSpec& spec) {
  const uint64_t width = spec.chunk;
  resolve_runtime_schedule(w, spec);
  spec.is_free = false;  // chunks are multiples of the width
  if (spec.kind == LoopKind::automatic || (spec.kind == LoopKind::static_ && spec.chunk == 0)) {
    spec.kind = LoopKind::static_;
    spec.chunk = schedule::vectors_of_a_part(spec.iterations, uint64_t(w->team->n), width);
  } else {
    spec.chunk = (spec.chunk ? spec.chunk : 1) * width;
    spec.whole_chunks = true;
  }
}

void resolve_as_libomp(const Worker* w, LoopSpec& spec) {
  if (spec.kind == LoopKind::automatic) spec.kind = LoopKind::guided, spec.chunk = 1, spec.is_free = true;
  if (spec.kind == LoopKind::guided && !spec.whole_chunks && w->team->n == 1)
    spec.kind = LoopKind::static_, spec.chunk = 0;
}

// OpenMP 5.1, 2.11.4: runtime and auto leave schedule and chunk to us (run-sched-var is the user's, and so are hints).
// Under dynamic and guided each thread executes a chunk and requests another one. Chunks that it gets one after the
// other and without a gap are one larger chunk: so a larger one is an outcome that the program has to expect. A chunk
// of 1 is what compilers pass where the program gives none. Larger ones, a monotonic modifier and an ordered clause are
// the program's word on how iterations go to threads.
void take_advice(const LoopSpec& spec, LoopKind& kind, uint64_t& chunk) {
  if (spec.sections || spec.silent || spec.doacross || spec.whole_chunks) return;
  // The call is before its return address.
  const void* code = spec.function ? spec.function : static_cast<const char*>(spec.caller) - 1;
  const hints::Hint* h = hint_for(hints::Construct::loop, code);
  if (h == nullptr) return;
  constexpr LoopKind kKinds[] = {LoopKind::dynamic, LoopKind::static_, LoopKind::dynamic, LoopKind::guided};
  const LoopKind wanted = h->kind == hints::Kind::unchanged ? kind : kKinds[size_t(h->kind)];
  const bool is_ours = spec.is_free || h->bold;
  if (spec.ordered && !h->bold) return hint_is_refused(h, "the loop has an ordered clause");
  if (wanted != kind && !is_ours)
    return hint_is_refused(h, "the program itself says which schedule the loop has; bold in its line overrules that");
  if (wanted != kind) {
    kind = wanted;
    chunk = h->chunk;
  } else if (h->chunk != 0 && chunk != h->chunk) {
    if (!is_ours && chunk > 1)
      return hint_is_refused(h, "the program itself says how large chunks are; bold in its line overrules that");
    if (!is_ours && !spec.nonmonotonic)
      return hint_is_refused(h, "the loop is monotonic; bold in its line overrules that");
    chunk = h->chunk;
  }
}

}  // namespace einkorn::runtime
