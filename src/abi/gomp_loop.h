// What gcc's worksharing entry points share. Values of unsigned long long loops travel as the same bits in long.
#pragma once
#include "abi/abi.h"
#include "runtime/loop/share.h"

namespace einkorn::abi {

inline uint32_t gomp_site(Worker* w, record::Construct c, const void* ra) {
  return w->stream ? w->stream->site(c, 0, nullptr, ra) : 0;
}

inline LoopSpec loop_spec(LoopKind kind, bool ordered, long start, long end, long incr, long chunk, const void* ra) {
  LoopSpec spec;
  spec.kind = kind;
  spec.ordered = ordered;
  spec.lower = start;
  spec.upper = end;
  spec.increment = incr;
  spec.iterations = trip_count(start, end, incr);
  spec.chunk = chunk > 0 ? uint64_t(chunk) : 0;
  spec.caller = ra;
  return spec;
}

inline LoopSpec unsigned_loop_spec(LoopKind kind, bool ordered, bool up, unsigned long long start,
                                   unsigned long long end, unsigned long long incr, unsigned long long chunk,
                                   const void* ra) {
  LoopSpec spec = loop_spec(kind, ordered, long(start), long(end), long(incr), 0, ra);
  spec.iterations = trip_count_unsigned(up, start, end, incr);
  spec.chunk = chunk;
  return spec;
}

// The `sched` argument of the later start routines (gcc 12, omp-expand.c): omp_sched_t, 0 for schedule(runtime), 4 for
// schedule(nonmonotonic: runtime); bit 31: monotonic.
void set_schedule(Worker* w, LoopSpec& spec, long sched);

// The thread's next chunk in the user's values. The last one ends at the user's bound, so that nothing can overflow.
bool give_chunk(Worker* w, long* istart, long* iend);

// *mem is the number of bytes that the team shares during the construct, and becomes their address. May be nullptr.
inline size_t asked_memory(void** mem) { return mem ? size_t(*mem) : 0; }
inline void give_memory(const WorkShare* s, void** mem) {
  if (mem) *mem = s->memory;
}

}  // namespace einkorn::abi
