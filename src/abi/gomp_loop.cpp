// gcc's worksharing: loops over long and unsigned long long, sections. libgomp 12: loop.c, loop_ull.c, sections.c.
// `next` and `start` answer whether there is a chunk, and give it as [*istart, *iend) in the user's values.
#include "abi/gomp_loop.h"
#include "runtime/sync/barrier.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace einkorn::abi {

bool give_chunk(Worker* w, long* istart, long* iend) {
  if (!share_next(w)) return false;
  const WorkShareView& v = w->view;
  const WorkShare* s = v.share;
  uint64_t incr = uint64_t(s->increment);
  *istart = long(uint64_t(s->lower) + v.first * incr);
  *iend = v.first + v.count == s->iterations ? long(s->upper) : long(uint64_t(s->lower) + (v.first + v.count) * incr);
  return true;
}

void set_schedule(Worker* w, LoopSpec& spec, long sched) {
  spec.nonmonotonic = !(sched & long(kMonotonic));
  sched &= ~long(kMonotonic);
  if (sched >= long(LoopKind::static_) && sched <= long(LoopKind::guided)) spec.kind = LoopKind(sched);
  else resolve_runtime_schedule(w, spec);
}

}  // namespace einkorn::abi

namespace {

bool start(LoopSpec spec, bool nonmonotonic, bool from_icv, long* istart, long* iend) {
  Worker* w = self();
  spec.nonmonotonic = nonmonotonic;
  if (from_icv) resolve_runtime_schedule(w, spec);
  share_enter(w, spec, gomp_site(w, Construct::loop, spec.caller));
  return give_chunk(w, istart, iend);
}

// With shared memory or task reductions. No istart: the program splits the iterations itself (scan) and only needs
// those.
bool start_with(LoopSpec spec, long sched, long* istart, long* iend, uintptr_t* reductions, void** mem) {
  Worker* w = self();
  set_schedule(w, spec, sched);
  spec.reductions = reductions;
  spec.memory = asked_memory(mem);
  spec.silent = istart == nullptr;
  share_enter(w, spec, spec.silent ? 0 : gomp_site(w, Construct::loop, spec.caller));
  give_memory(w->view.share, mem);
  return !istart || give_chunk(w, istart, iend);
}

bool next(long* istart, long* iend) { return give_chunk(self(), istart, iend); }

unsigned next_section(Worker* w) {
  long section, end;
  return give_chunk(w, &section, &end) ? unsigned(section) : 0;
}

LoopSpec sections_spec(unsigned count, const void* ra) {
  LoopSpec spec = loop_spec(LoopKind::dynamic, false, 1, long(count) + 1, 1, 1, ra);
  spec.sections = true;
  return spec;
}

}  // namespace

enum Order { monotonic, nonmonotonic };  // may a thread's chunks come in another order than the iterations?

#define EK_LOOP(name, kind, ordered, order)                                                                  \
  EK_EXPORT bool GOMP_loop_##name##_start(long b, long e, long incr, long chunk, long* istart, long* iend) { \
    return start(loop_spec(kind, ordered, b, e, incr, chunk, EK_CALLER), order, false, istart, iend);        \
  }                                                                                                          \
  EK_EXPORT bool GOMP_loop_##name##_next(long* istart, long* iend) { return next(istart, iend); }            \
  EK_EXPORT bool GOMP_loop_ull_##name##_start(bool up, unsigned long long b, unsigned long long e,           \
                                              unsigned long long incr, unsigned long long chunk,             \
                                              unsigned long long* istart, unsigned long long* iend) {        \
    return start(unsigned_loop_spec(kind, ordered, up, b, e, incr, chunk, EK_CALLER), order, false,          \
                 reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend));                            \
  }                                                                                                          \
  EK_EXPORT bool GOMP_loop_ull_##name##_next(unsigned long long* istart, unsigned long long* iend) {         \
    return next(reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend));                             \
  }
EK_LOOP(static, LoopKind::static_, false, monotonic)
EK_LOOP(dynamic, LoopKind::dynamic, false, monotonic)
EK_LOOP(guided, LoopKind::guided, false, monotonic)
EK_LOOP(nonmonotonic_dynamic, LoopKind::dynamic, false, nonmonotonic)
EK_LOOP(nonmonotonic_guided, LoopKind::guided, false, nonmonotonic)
EK_LOOP(ordered_static, LoopKind::static_, true, monotonic)
EK_LOOP(ordered_dynamic, LoopKind::dynamic, true, monotonic)
EK_LOOP(ordered_guided, LoopKind::guided, true, monotonic)

#define EK_LOOP_RUNTIME(name, ordered, order)                                                                 \
  EK_EXPORT bool GOMP_loop_##name##_start(long b, long e, long incr, long* istart, long* iend) {              \
    return start(loop_spec(LoopKind::dynamic, ordered, b, e, incr, 0, EK_CALLER), order, true, istart, iend); \
  }                                                                                                           \
  EK_EXPORT bool GOMP_loop_##name##_next(long* istart, long* iend) { return next(istart, iend); }             \
  EK_EXPORT bool GOMP_loop_ull_##name##_start(bool up, unsigned long long b, unsigned long long e,            \
                                              unsigned long long incr, unsigned long long* istart,            \
                                              unsigned long long* iend) {                                     \
    return start(unsigned_loop_spec(LoopKind::dynamic, ordered, up, b, e, incr, 0, EK_CALLER), order, true,   \
                 reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend));                             \
  }                                                                                                           \
  EK_EXPORT bool GOMP_loop_ull_##name##_next(unsigned long long* istart, unsigned long long* iend) {          \
    return next(reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend));                              \
  }
EK_LOOP_RUNTIME(runtime, false, monotonic)
EK_LOOP_RUNTIME(nonmonotonic_runtime, false, nonmonotonic)
EK_LOOP_RUNTIME(maybe_nonmonotonic_runtime, false, nonmonotonic)
EK_LOOP_RUNTIME(ordered_runtime, true, monotonic)

EK_EXPORT bool GOMP_loop_start(long b, long e, long incr, long sched, long chunk, long* istart, long* iend,
                               uintptr_t* reductions, void** mem) {
  return start_with(loop_spec(LoopKind::dynamic, false, b, e, incr, chunk, EK_CALLER), sched, istart, iend, reductions,
                    mem);
}
EK_EXPORT bool GOMP_loop_ordered_start(long b, long e, long incr, long sched, long chunk, long* istart, long* iend,
                                       uintptr_t* reductions, void** mem) {
  return start_with(loop_spec(LoopKind::dynamic, true, b, e, incr, chunk, EK_CALLER), sched, istart, iend, reductions,
                    mem);
}
EK_EXPORT bool GOMP_loop_ull_start(bool up, unsigned long long b, unsigned long long e, unsigned long long incr,
                                   long sched, unsigned long long chunk, unsigned long long* istart,
                                   unsigned long long* iend, uintptr_t* reductions, void** mem) {
  return start_with(unsigned_loop_spec(LoopKind::dynamic, false, up, b, e, incr, chunk, EK_CALLER), sched,
                    reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend), reductions, mem);
}
EK_EXPORT bool GOMP_loop_ull_ordered_start(bool up, unsigned long long b, unsigned long long e, unsigned long long incr,
                                           long sched, unsigned long long chunk, unsigned long long* istart,
                                           unsigned long long* iend, uintptr_t* reductions, void** mem) {
  return start_with(unsigned_loop_spec(LoopKind::dynamic, true, up, b, e, incr, chunk, EK_CALLER), sched,
                    reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend), reductions, mem);
}

EK_EXPORT void GOMP_loop_end() {
  Worker* w = self();
  share_leave_to_barrier(w);
  barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}

EK_EXPORT void GOMP_loop_end_nowait() { share_leave(self()); }

EK_EXPORT unsigned GOMP_sections_next() { return next_section(self()); }

EK_EXPORT unsigned GOMP_sections_start(unsigned count) {
  Worker* w = self();
  share_enter(w, sections_spec(count, EK_CALLER), gomp_site(w, Construct::sections, EK_CALLER));
  return next_section(w);
}

EK_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** mem) {
  Worker* w = self();
  LoopSpec spec = sections_spec(count, EK_CALLER);
  spec.reductions = reductions;
  spec.memory = asked_memory(mem);
  share_enter(w, spec, gomp_site(w, Construct::sections, EK_CALLER));
  give_memory(w->view.share, mem);
  return next_section(w);
}

EK_EXPORT void GOMP_sections_end() {
  Worker* w = self();
  share_leave_to_barrier(w);
  barrier(w, Construct::barrier_workshare, EK_CALLER, 0);
}

EK_EXPORT void GOMP_sections_end_nowait() { share_leave(self()); }
