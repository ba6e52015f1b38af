// clang's loops whose threads ask for each chunk. LLVM 19: kmp_dispatch.cpp. Bounds are inclusive and in the user's
// values.
#include "abi/kmpc_schedule.h"
#include "runtime/loop/share.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace {

LoopSpec spec_of(Worker* w, int32_t schedule, int64_t lower, int64_t upper, int64_t incr, uint64_t iterations,
                 int64_t chunk) {
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
    case kStaticChunked:
    case kStaticBalancedChunked:
    case kStaticSteal: spec.kind = LoopKind::static_; break;
    case kStatic:
    case kStaticGreedy:
    case kStaticBalanced: spec.kind = LoopKind::static_, spec.chunk = 0; break;
    case kGuided:
    case kGuidedIterative:
    case kGuidedAnalytical:
    case kGuidedSimd:
      spec.kind = LoopKind::guided;
      spec.whole_chunks = schedule == kGuidedSimd;
      break;
    case kTrapezoidal: spec.kind = LoopKind::trapezoidal; break;
    case kAuto: spec.kind = LoopKind::automatic; break;
    case kRuntime: resolve_runtime_schedule(w, spec); break;
    case kRuntimeSimd: resolve_simd_schedule(w, spec); break;
    default: spec.kind = LoopKind::dynamic; break;
  }
  resolve_as_libomp(w, spec);
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
  const WorkShareView& v = w->view;
  const WorkShare* s = v.share;
  U incr = U(s->increment);
  *lower = Int(U(s->lower) + U(v.first) * incr);
  *upper = Int(U(*lower) + U(v.count - 1) * incr);
  if (stride) *stride = std::make_signed_t<Int>(incr);
  if (last) *last = v.first + v.count == s->iterations;
  return 1;
}

}  // namespace

#define EK_KMP_LOOP(suffix, Int, Signed)                                                                          \
  EK_EXPORT void __kmpc_dispatch_init_##suffix(const Ident* loc, int32_t, int32_t schedule, Int lower, Int upper, \
                                               Signed incr, Signed chunk) {                                       \
    dispatch_init<Int>(loc, schedule, lower, upper, incr, chunk, EK_CALLER);                                      \
  }                                                                                                               \
  /* The team's part of the loop, under any schedule. */                                                          \
  EK_EXPORT void __kmpc_dist_dispatch_init_##suffix(const Ident* loc, int32_t, int32_t schedule, int32_t* last,   \
                                                    Int lower, Int upper, Signed incr, Signed chunk) {            \
    uint64_t iterations = inclusive_trip_count(lower, upper, incr), first, count;                                 \
    team_part(self(), iterations, first, count);                                                                  \
    if (last) *last = count > 0 && first + count == iterations;                                                   \
    set_bounds(&lower, &upper, lower, incr, first, count);                                                        \
    dispatch_init<Int>(loc, schedule, lower, upper, incr, chunk, EK_CALLER);                                      \
  }                                                                                                               \
  EK_EXPORT int __kmpc_dispatch_next_##suffix(const Ident*, int32_t, int32_t* last, Int* lower, Int* upper,       \
                                              Signed* stride) {                                                   \
    return dispatch_next<Int>(last, lower, upper, stride);                                                        \
  }                                                                                                               \
  /* End of one ordered iteration: chunks are passed on whole, when the next one is asked for. */                 \
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
