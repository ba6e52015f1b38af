// gcc's worksharing: loops over long and unsigned long long, sections, single. libgomp 12: loop.c, loop_ull.c, sections.c,
// single.c. `next` and `start` answer whether there is a chunk, and give it as [*istart, *iend) in the user's values.
#include "abi/abi.h"
#include "record/clock.h"
#include "runtime/share.h"
#include "runtime/wait.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace {

uint32_t site_of(Worker* w, Construct c, const void* ra) { return w->stream ? w->stream->site(c, 0, nullptr, ra) : 0; }

// The chunk in hand in the user's values. The last one ends at the user's bound, so that nothing can overflow.
bool give(Worker* w, long* istart, long* iend) {
  if (!share_next(w)) return false;
  const ShareView& v = w->view;
  const Share* s = v.share;
  uint64_t incr = uint64_t(s->increment);
  *istart = long(uint64_t(s->lower) + v.first * incr);
  *iend = v.first + v.count == s->iterations ? long(s->upper) : long(uint64_t(s->lower) + (v.first + v.count) * incr);
  return true;
}

LoopSpec spec_of(LoopKind kind, bool ordered, long start, long end, long incr, long chunk) {
  LoopSpec spec;
  spec.kind = kind;
  spec.ordered = ordered;
  spec.lower = start;
  spec.upper = end;
  spec.increment = incr;
  spec.iterations = trip_count(start, end, incr);
  spec.chunk = chunk > 0 ? uint64_t(chunk) : 0;
  return spec;
}

LoopSpec spec_of_unsigned(LoopKind kind, bool ordered, bool up, unsigned long long start, unsigned long long end,
                          unsigned long long incr, unsigned long long chunk) {
  LoopSpec spec;
  spec.kind = kind;
  spec.ordered = ordered;
  spec.lower = int64_t(start);
  spec.upper = int64_t(end);
  spec.increment = int64_t(incr);
  spec.iterations = trip_count_unsigned(up, start, end, incr);
  spec.chunk = chunk;
  return spec;
}

bool start(LoopSpec spec, bool from_icv, long* istart, long* iend, const void* ra) {
  Worker* w = self();
  if (from_icv) resolve_runtime_schedule(w, spec);
  share_enter(w, spec, site_of(w, Construct::loop, ra));
  return give(w, istart, iend);
}

bool next(long* istart, long* iend) { return give(self(), istart, iend); }

}  // namespace

// Every flavour of a schedule is served by the same code: chunks are always handed out in increasing order.
#define EK_LOOP(name, kind, ordered)                                                                                \
  EK_EXPORT bool GOMP_loop_##name##_start(long b, long e, long incr, long chunk, long* istart, long* iend) {        \
    return start(spec_of(kind, ordered, b, e, incr, chunk), false, istart, iend, EK_CALLER);                        \
  }                                                                                                                 \
  EK_EXPORT bool GOMP_loop_##name##_next(long* istart, long* iend) { return next(istart, iend); }                   \
  EK_EXPORT bool GOMP_loop_ull_##name##_start(bool up, unsigned long long b, unsigned long long e,                  \
                                              unsigned long long incr, unsigned long long chunk,                    \
                                              unsigned long long* istart, unsigned long long* iend) {               \
    return start(spec_of_unsigned(kind, ordered, up, b, e, incr, chunk), false, reinterpret_cast<long*>(istart),    \
                 reinterpret_cast<long*>(iend), EK_CALLER);                                                         \
  }                                                                                                                 \
  EK_EXPORT bool GOMP_loop_ull_##name##_next(unsigned long long* istart, unsigned long long* iend) {                \
    return next(reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend));                                    \
  }
EK_LOOP(static, LoopKind::static_, false)
EK_LOOP(dynamic, LoopKind::dynamic, false)
EK_LOOP(guided, LoopKind::guided, false)
EK_LOOP(nonmonotonic_dynamic, LoopKind::dynamic, false)
EK_LOOP(nonmonotonic_guided, LoopKind::guided, false)
EK_LOOP(ordered_static, LoopKind::static_, true)
EK_LOOP(ordered_dynamic, LoopKind::dynamic, true)
EK_LOOP(ordered_guided, LoopKind::guided, true)

#define EK_LOOP_RUNTIME(name, ordered)                                                                              \
  EK_EXPORT bool GOMP_loop_##name##_start(long b, long e, long incr, long* istart, long* iend) {                    \
    return start(spec_of(LoopKind::dynamic, ordered, b, e, incr, 0), true, istart, iend, EK_CALLER);                \
  }                                                                                                                 \
  EK_EXPORT bool GOMP_loop_##name##_next(long* istart, long* iend) { return next(istart, iend); }                   \
  EK_EXPORT bool GOMP_loop_ull_##name##_start(bool up, unsigned long long b, unsigned long long e,                  \
                                              unsigned long long incr, unsigned long long* istart,                  \
                                              unsigned long long* iend) {                                           \
    return start(spec_of_unsigned(LoopKind::dynamic, ordered, up, b, e, incr, 0), true,                             \
                 reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend), EK_CALLER);                        \
  }                                                                                                                 \
  EK_EXPORT bool GOMP_loop_ull_##name##_next(unsigned long long* istart, unsigned long long* iend) {                \
    return next(reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend));                                    \
  }
EK_LOOP_RUNTIME(runtime, false)
EK_LOOP_RUNTIME(nonmonotonic_runtime, false)
EK_LOOP_RUNTIME(maybe_nonmonotonic_runtime, false)
EK_LOOP_RUNTIME(ordered_runtime, true)

EK_EXPORT void GOMP_loop_end() {
  Worker* w = self();
  share_leave(w);
  barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}

EK_EXPORT void GOMP_loop_end_nowait() { share_leave(self()); }

EK_EXPORT unsigned GOMP_sections_next() {
  long section, end;
  return next(&section, &end) ? unsigned(section) : 0;
}

EK_EXPORT unsigned GOMP_sections_start(unsigned count) {
  Worker* w = self();
  share_enter(w, spec_of(LoopKind::dynamic, false, 1, long(count) + 1, 1, 1), site_of(w, Construct::sections, EK_CALLER));
  return GOMP_sections_next();
}

EK_EXPORT void GOMP_sections_end() {
  Worker* w = self();
  share_leave(w);
  barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}

EK_EXPORT void GOMP_sections_end_nowait() { share_leave(self()); }

EK_EXPORT bool GOMP_single_start() { return single_enter(self()); }

// copyprivate: nullptr for the thread that runs the block, which then calls GOMP_single_copy_end with its data; the others
// come back from here with that. Two barriers: the data must be there, and must stay until all have copied it; the second
// is the one that gcc places after the construct.
EK_EXPORT void* GOMP_single_copy_start() {
  Worker* w = self();
  if (single_enter(w)) return nullptr;
  barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
  return w->team->copyprivate;
}

EK_EXPORT void GOMP_single_copy_end(void* data) {
  Worker* w = self();
  w->team->copyprivate = data;
  barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}

EK_EXPORT void GOMP_ordered_start() { ordered_wait(self()); }
EK_EXPORT void GOMP_ordered_end() {}
