// gcc's parallel regions: GOMP_parallel and the combined constructs. libgomp 12: parallel.c, loop.c, sections.c.
#include "abi/abi.h"
#include "runtime/loop/share.h"
#include "runtime/team/team.h"

using namespace einkorn::abi;

namespace {

FirstLoop loop(LoopKind kind, bool monotonic, long start, long end, long incr, long chunk) {
  return {kind, monotonic, start, end, incr, trip_count(start, end, incr), uint64_t(chunk > 0 ? chunk : 0)};
}

void parallel_loop(void (*fn)(void*), void* data, unsigned threads, const FirstLoop& first, Caller ra, unsigned flags) {
  Worker* w = self();
  push_bind(w, flags);
  parallel(w, fn, data, int(threads), reinterpret_cast<const void*>(fn), ra, 0, &first);
}

FirstLoop runtime_loop(bool monotonic, long start, long end, long incr) {
  LoopSpec spec;
  spec.nonmonotonic = !monotonic;
  resolve_runtime_schedule(self(), spec);
  FirstLoop first = loop(spec.kind, !spec.nonmonotonic, start, end, incr, long(spec.chunk));
  first.is_free = true;
  return first;
}

// GOMP_parallel_start ... GOMP_parallel_end (gcc before 4.9).
void open_region(void (*fn)(void*), void* data, unsigned threads, const FirstLoop* first, Caller ra) {
  Worker* w = self();
  region_begin(w, push_region(w), fn, data, int(threads), reinterpret_cast<const void*>(fn), ra, 0, first);
}

}  // namespace

EK_EXPORT void GOMP_parallel(void (*fn)(void*), void* data, unsigned threads, unsigned flags) {
  Worker* w = self();
  push_bind(w, flags);
  parallel(w, fn, data, int(threads), reinterpret_cast<const void*>(fn), EK_CALLER, 0);
}

EK_EXPORT void GOMP_parallel_start(void (*fn)(void*), void* data, unsigned threads) {
  open_region(fn, data, threads, nullptr, EK_CALLER);
}

EK_EXPORT void GOMP_parallel_end() {
  Worker* w = self();
  region_end(w, w->open_regions);
  pop_region(w);
}

#define EK_PARALLEL_LOOP(name, kind, monotonic)                                                                   \
  EK_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void*), void* data, unsigned threads, long start, long end, \
                                           long incr, long chunk, unsigned flags) {                               \
    parallel_loop(fn, data, threads, loop(kind, monotonic, start, end, incr, chunk), EK_CALLER, flags);           \
  }
EK_PARALLEL_LOOP(static, LoopKind::static_, true)
EK_PARALLEL_LOOP(dynamic, LoopKind::dynamic, true)
EK_PARALLEL_LOOP(guided, LoopKind::guided, true)
EK_PARALLEL_LOOP(nonmonotonic_dynamic, LoopKind::dynamic, false)
EK_PARALLEL_LOOP(nonmonotonic_guided, LoopKind::guided, false)

#define EK_PARALLEL_LOOP_RUNTIME(name, monotonic)                                                                 \
  EK_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void*), void* data, unsigned threads, long start, long end, \
                                           long incr, unsigned flags) {                                           \
    parallel_loop(fn, data, threads, runtime_loop(monotonic, start, end, incr), EK_CALLER, flags);                \
  }
EK_PARALLEL_LOOP_RUNTIME(runtime, true)
EK_PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime, false)
EK_PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime, false)

#define EK_PARALLEL_LOOP_START(name, kind)                                                                      \
  EK_EXPORT void GOMP_parallel_loop_##name##_start(void (*fn)(void*), void* data, unsigned threads, long start, \
                                                   long end, long incr, long chunk) {                           \
    FirstLoop first = loop(kind, true, start, end, incr, chunk);                                                \
    open_region(fn, data, threads, &first, EK_CALLER);                                                          \
  }
EK_PARALLEL_LOOP_START(static, LoopKind::static_)
EK_PARALLEL_LOOP_START(dynamic, LoopKind::dynamic)
EK_PARALLEL_LOOP_START(guided, LoopKind::guided)

EK_EXPORT void GOMP_parallel_loop_runtime_start(void (*fn)(void*), void* data, unsigned threads, long start, long end,
                                                long incr) {
  FirstLoop first = runtime_loop(true, start, end, incr);
  open_region(fn, data, threads, &first, EK_CALLER);
}

// Sections are numbered from 1; 0 means no more. To us a loop over them with chunks of one.
static FirstLoop sections(unsigned count) {
  FirstLoop first = loop(LoopKind::dynamic, false, 1, long(count) + 1, 1, 1);
  first.sections = true;
  return first;
}

EK_EXPORT void GOMP_parallel_sections(void (*fn)(void*), void* data, unsigned threads, unsigned count, unsigned flags) {
  parallel_loop(fn, data, threads, sections(count), EK_CALLER, flags);
}

EK_EXPORT void GOMP_parallel_sections_start(void (*fn)(void*), void* data, unsigned threads, unsigned count) {
  FirstLoop first = sections(count);
  open_region(fn, data, threads, &first, EK_CALLER);
}
