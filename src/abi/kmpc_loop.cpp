// clang's loops. LLVM 19: kmp_sched.cpp, kmp_dispatch.cpp. Bounds are inclusive and in the user's values.
#include <type_traits>

#include "abi/kmpc_schedule.h"
#include "record/clock.h"
#include "runtime/share.h"
#include "runtime/tool.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace {


// What the program says about the construct: ident_t's flags.
ompt_work_t static_work(const Ident* loc, bool distribute) {
  int flags = loc ? loc->flags : 0;
  if (flags & kIdentWorkSections) return ompt_work_sections;
  return distribute || (flags & kIdentWorkDistribute) ? ompt_work_distribute : ompt_work_loop_static;
}

template <class Int>
void static_init(const Ident* loc, int32_t schedule, int32_t* last, Int* lower, Int* upper, std::make_signed_t<Int>* stride,
                 std::make_signed_t<Int> incr, std::make_signed_t<Int> chunk, const void* ra) {
  using U = std::make_unsigned_t<Int>;
  using S = std::make_signed_t<Int>;
  Worker* w = self();
  schedule &= ~kModifiers;
  bool distribute = schedule == kDistribute || schedule == kDistributeChunked;
  const ContentionGroup* league = w->team->group;
  uint32_t n = uint32_t(distribute ? league->num_teams : w->team->n.load(std::memory_order_relaxed));
  uint32_t num = uint32_t(distribute ? league->team_num : w->thread_num);
  uint64_t iterations = inclusive_trip_count(*lower, *upper, incr);
  if (EK_UNLIKELY(w->view.pending_doacross != nullptr)) open_doacross(w, iterations);
  bool chunked = schedule == kStaticChunked || schedule == kDistributeChunked || schedule == kStaticBalancedChunked;
  Int whole_lower = *lower;
  uint64_t first = 0, count = 0;  // this thread's iterations
  if (iterations == 0) {
    *last = 0;
    *stride = incr;
  } else if (chunked) {
    U span = U(U(chunk < 1 ? 1 : chunk) * U(incr));
    uint64_t size = chunk < 1 ? 1 : uint64_t(chunk);
    *stride = S(U(span * U(n)));
    *lower = Int(U(*lower) + U(span * U(num)));
    *upper = Int(U(*lower) + span - U(incr));
    uint64_t chunks = (iterations - 1) / size + 1;
    *last = num == (chunks - 1) % n;
    first = num * size;
    count = chunks > num ? ((chunks - 1 - num) / n + 1) * size : 0;
    if (*last) count -= chunks * size - iterations;
  } else {
    static_part(iterations, num, n, first, count);
    *last = count > 0 && first + count == iterations;
    *stride = S(U(U(incr) * U(iterations)));
    if (count > 0) {
      *lower = Int(U(*lower) + U(U(first) * U(incr)));
      *upper = Int(U(*lower) + U(U(count - 1) * U(incr)));
    } else {
      make_empty(lower, upper, whole_lower, incr);
    }
  }
  if (einkorn::record::Stream* s = w->stream) {
    using einkorn::record::Schedule;
    uint64_t now = einkorn::record::now();
    s->loop_begin(now, kmp_site(w, Construct::loop, 0, nullptr, ra, loc), int64_t(whole_lower), iterations, int64_t(incr),
                  chunked ? uint32_t(chunk) : 0,
                  distribute ? Schedule::distribute : chunked ? Schedule::static_chunked : Schedule::static_);
    // Of a chunked schedule the bounds of all this thread's chunks are known, their times are not: one record for all.
    if (count > 0) s->chunk_begin(einkorn::record::now(), first, count);
    w->view.in_chunk = count > 0;
    if (w->tool) {
      ompt_work_t type = static_work(loc, distribute);
      tool::work_event(w, type, ompt_scope_begin, iterations, ra);
      if (type == ompt_work_sections) {
        for (uint64_t i = 0; i < count; ++i) tool::dispatch_section(w, ra);
      } else if (count > 0) {
        // One event for all chunks, as none of them passes here: the first one's bounds, and for who knows the extension all.
        uint64_t size = chunked ? uint64_t(chunk < 1 ? 1 : chunk) : count;
        ompt_dispatch_t kind = distribute ? ompt_dispatch_distribute_chunk : ompt_dispatch_ws_loop_chunk;
        tool::dispatch(w, kind, first, size < count ? size : count);
        if (chunked) tool::dispatch_strided(w, {first, size, size * n, (count + size - 1) / size, count});
      }
    }
  }
}

// schedule(simd: runtime): spec.chunk is the number of iterations that a vector takes, and chunks are multiples of it.
void resolve_simd_schedule(Worker* w, LoopSpec& spec) {
  uint64_t width = spec.chunk, n = uint64_t(w->team->n);
  resolve_runtime_schedule(w, spec);
  bool parts = spec.kind == LoopKind::automatic || (spec.kind == LoopKind::static_ && spec.chunk == 0);
  if (parts) {
    uint64_t each = spec.iterations / n + (spec.iterations % n != 0);
    spec.kind = LoopKind::static_;
    spec.chunk = each <= width ? width : (each + width - 1) / width * width;
  } else {
    spec.chunk = (spec.chunk ? spec.chunk : 1) * width;
    spec.whole_chunks = true;
  }
}

LoopSpec spec_of(Worker* w, int32_t schedule, int64_t lower, int64_t upper, int64_t incr, uint64_t iterations, int64_t chunk) {
  LoopSpec spec;
  spec.nonmonotonic = schedule & kNonmonotonic;
  schedule &= ~kModifiers;
  if (schedule >= 160) schedule -= 128;
  if (schedule > 64 && schedule < 80) {
    spec.ordered = true;
    schedule -= 32;
  }
  spec.lower = lower;
  spec.upper = upper;
  spec.increment = incr;
  spec.iterations = iterations;
  spec.chunk = chunk > 0 ? uint64_t(chunk) : 1;
  switch (schedule) {
    case kStaticChunked: case kStaticBalancedChunked: case kStaticSteal: spec.kind = LoopKind::static_; break;
    case kStatic: case kStaticGreedy: case kStaticBalanced: spec.kind = LoopKind::static_, spec.chunk = 0; break;
    case kGuided: case kGuidedIterative: case kGuidedAnalytical: case kGuidedSimd:
      spec.kind = LoopKind::guided;
      spec.whole_chunks = schedule == kGuidedSimd;
      break;
    case kTrapezoidal: spec.kind = LoopKind::trapezoidal; break;
    case kAuto: spec.kind = LoopKind::automatic; break;
    case kRuntime: resolve_runtime_schedule(w, spec); break;
    case kRuntimeSimd: resolve_simd_schedule(w, spec); break;
    default: spec.kind = LoopKind::dynamic; break;
  }
  // auto is guided, as in libomp (for gcc's programs static, as in libgomp). One thread takes all of a guided loop at once:
  // a static one then, by libomp's name for it too.
  if (spec.kind == LoopKind::automatic) spec.kind = LoopKind::guided, spec.chunk = 1;
  if (spec.kind == LoopKind::guided && !spec.whole_chunks && w->team->n.load(std::memory_order_relaxed) == 1)
    spec.kind = LoopKind::static_, spec.chunk = 0;
  return spec;
}

template <class Int>
void dispatch_init(const Ident* loc, int32_t schedule, Int lower, Int upper, std::make_signed_t<Int> incr,
                   std::make_signed_t<Int> chunk, const void* ra) {
  Worker* w = self();
  LoopSpec spec = spec_of(w, schedule, int64_t(lower), int64_t(upper), int64_t(incr),
                          inclusive_trip_count(lower, upper, incr), int64_t(chunk));
  spec.caller = ra;
  spec.site_flags = einkorn::record::kSiteClang;
  // In order, where iterations wait for those before.
  if (EK_UNLIKELY(w->view.pending_doacross != nullptr || w->view.doacross != nullptr)) spec.nonmonotonic = false;
  if (EK_UNLIKELY(w->view.pending_doacross != nullptr)) open_doacross(w, spec.iterations);
  share_enter(w, spec, kmp_site(w, Construct::loop, 0, nullptr, ra, loc));
}

template <class Int>
int dispatch_next(int32_t* last, Int* lower, Int* upper, std::make_signed_t<Int>* stride) {
  using U = std::make_unsigned_t<Int>;
  Worker* w = self();
  if (!share_next(w)) {
    share_leave(w);
    return 0;
  }
  const ShareView& v = w->view;
  const Share* s = v.share;
  U incr = U(s->increment);
  *lower = Int(U(s->lower) + U(v.first) * incr);
  *upper = Int(U(*lower) + U(v.count - 1) * incr);
  if (stride) *stride = std::make_signed_t<Int>(incr);
  if (last) *last = v.first + v.count == s->iterations;
  return 1;
}

}  // namespace

#define EK_KMP_LOOP(suffix, Int, Signed)                                                                              \
  EK_EXPORT void __kmpc_for_static_init_##suffix(const Ident* loc, int32_t, int32_t schedule, int32_t* last, Int* lower, \
                                                 Int* upper, Signed* stride, Signed incr, Signed chunk) {              \
    static_init<Int>(loc, schedule, last, lower, upper, stride, incr, chunk, EK_CALLER);                              \
  }                                                                                                                   \
  EK_EXPORT void __kmpc_dispatch_init_##suffix(const Ident* loc, int32_t, int32_t schedule, Int lower, Int upper,     \
                                               Signed incr, Signed chunk) {                                           \
    dispatch_init<Int>(loc, schedule, lower, upper, incr, chunk, EK_CALLER);                                          \
  }                                                                                                                   \
  /* The team's part of the loop, under any schedule. */                                                              \
  EK_EXPORT void __kmpc_dist_dispatch_init_##suffix(const Ident* loc, int32_t, int32_t schedule, int32_t* last,       \
                                                    Int lower, Int upper, Signed incr, Signed chunk) {                \
    uint64_t iterations = inclusive_trip_count(lower, upper, incr), first, count;                                     \
    team_part(self(), iterations, first, count);                                                                      \
    if (last) *last = count > 0 && first + count == iterations;                                                       \
    set_bounds(&lower, &upper, lower, incr, first, count);                                                            \
    dispatch_init<Int>(loc, schedule, lower, upper, incr, chunk, EK_CALLER);                                          \
  }                                                                                                                   \
  EK_EXPORT int __kmpc_dispatch_next_##suffix(const Ident*, int32_t, int32_t* last, Int* lower, Int* upper,           \
                                              Signed* stride) {                                                       \
    return dispatch_next<Int>(last, lower, upper, stride);                                                            \
  }                                                                                                                   \
  /* End of one ordered iteration: chunks are passed on whole, when the next one is asked for. */                     \
  EK_EXPORT void __kmpc_dispatch_fini_##suffix(const Ident*, int32_t) {}
EK_KMP_LOOP(4, int32_t, int32_t)
EK_KMP_LOOP(4u, uint32_t, int32_t)
EK_KMP_LOOP(8, int64_t, int64_t)
EK_KMP_LOOP(8u, uint64_t, int64_t)

// sections, as compilers other than clang ask for them: numbers from 0, `count` when there are no more.
EK_EXPORT int32_t __kmpc_sections_init(const Ident*, int32_t) { return 0; }
EK_EXPORT int32_t __kmpc_next_section(const Ident* loc, int32_t, int32_t count) {
  Worker* w = self();
  if (!w->view.share) {
    LoopSpec spec = spec_of(w, kDynamic, 0, count, 1, uint64_t(count), 1);
    spec.caller = EK_CALLER;
    spec.site_flags = einkorn::record::kSiteClang;
    spec.sections = true;
    share_enter(w, spec, kmp_site(w, Construct::sections, 0, nullptr, EK_CALLER, loc));
  }
  return share_next(w) ? int32_t(w->view.first) : count;
}
EK_EXPORT void __kmpc_end_sections(const Ident*, int32_t) {
  Worker* w = self();
  if (w->view.share) share_leave(w);
}

EK_EXPORT void __kmpc_dispatch_deinit(const Ident*, int32_t) {}

EK_EXPORT void __kmpc_for_static_fini(const Ident* loc, int32_t) {
  Worker* w = self();
  if (einkorn::record::Stream* s = w->stream) {
    uint64_t now = einkorn::record::now();
    if (w->view.in_chunk) s->chunk_end(now);
    w->view.in_chunk = false;
    s->loop_end(now);
    if (w->tool) tool::work_event(w, static_work(loc, false), ompt_scope_end, 0, EK_CALLER);
  }
}
