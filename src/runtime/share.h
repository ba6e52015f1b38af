// Worksharing: loops, sections, single. Iterations are logical, 0 .. n-1; the entry points translate to the user's values.
#pragma once
#include "record/clock.h"
#include "runtime/doacross.h"
#include "runtime/team.h"
#include "runtime/types.h"

namespace einkorn::runtime {

struct LoopSpec {
  LoopKind kind = LoopKind::dynamic;
  bool ordered = false;      // has an ordered clause: chunks must be handed out, and finished, in order
  int64_t lower = 0, upper = 0, increment = 1;
  uint64_t iterations = 0;
  uint64_t chunk = 0;        // 0: none given
  const void* caller = nullptr;          // for recording: where in the program, and how it came (record::SiteFlags)
  uint16_t site_flags = 0;
  bool whole_chunks = false;             // guided: multiples of the chunk
  bool silent = false;                   // not a loop of the program's: no events
  bool sections = false;
  bool nonmonotonic = false;             // dynamic: a thread's chunks need not come in order
  size_t memory = 0;                     // bytes, zeroed, that the team shares during the construct
  uintptr_t* reductions = nullptr;       // gcc's descriptor of reduction(task, ...), see reduction.h
  const DoacrossSpec* doacross = nullptr;
};

// The thread waits for another one's iteration, and may sleep meanwhile: for the recorder, and for who waits for its tasks.
struct Blocked {
  Halted halted;
  record::Stream* stream;
  uint64_t begin = 0;
  Blocked(Worker* w, const void* return_address, uint16_t site_flags) : halted(w), stream(w->stream) {
    if (EK_LIKELY(stream == nullptr)) return;
    begin = record::now();
    stream->wait_begin(begin, stream->site(record::Construct::ordered, site_flags, nullptr, return_address));
  }
  ~Blocked() {
    if (EK_LIKELY(stream == nullptr)) return;
    uint64_t end = record::now();
    stream->parked(end - begin);  // blocked, whether it slept or not: no off-CPU time
    stream->wait_end(end);
  }
  Blocked(const Blocked&) = delete;
};

// Number of iterations of `for (i = lower; i < upper; i += increment)` (or >, for a negative increment), exact up to 2^64-1.
inline uint64_t trip_count(int64_t lower, int64_t upper, int64_t increment) {
  if (increment > 0) return lower < upper ? (uint64_t(upper) - uint64_t(lower) - 1) / uint64_t(increment) + 1 : 0;
  return lower > upper ? (uint64_t(lower) - uint64_t(upper) - 1) / (0 - uint64_t(increment)) + 1 : 0;
}
inline uint64_t trip_count_unsigned(bool up, uint64_t lower, uint64_t upper, uint64_t increment) {
  if (up) return lower < upper ? (upper - lower - 1) / increment + 1 : 0;
  return lower > upper ? (lower - upper - 1) / (0 - increment) + 1 : 0;
}

// schedule(runtime): kind and chunk from the control variables.
void resolve_runtime_schedule(Worker* w, LoopSpec& spec);

// Enters a construct of the team: the first thread sets it up. Must be left once by every thread.
Share* join_share(Worker* w, const LoopSpec& spec, uint32_t site);
void leave_share(Worker* w, Share* s);

// The same for the loop whose chunks the thread takes next.
void share_enter(Worker* w, const LoopSpec& spec, uint32_t site);
// The thread's next chunk into w->view.first, count; false: no more.
bool share_next(Worker* w);
void share_leave(Worker* w);

// ordered: until it is the turn of the chunk in hand.
void ordered_wait(Worker* w, const void* return_address, uint16_t site_flags);
// The same with a tool's events, for the entry points.
void ordered_begin(Worker* w, const void* return_address, uint16_t site_flags);
void ordered_end(Worker* w, const void* return_address);

void reset_shares(Team* team);                 // by the primary thread, before a region starts
void set_up_first_share(Team* team, const FirstLoop& loop, uint32_t site, const void* return_address);
void open_first_share(Worker* w);              // each thread, when it enters the team

// True for the one thread that gets the single construct.
bool single_enter(Worker* w);

// Static schedules without shared state (clang's __kmpc_for_static_init): iterations [first, first+count) of thread num of
// n when all are split into n contiguous parts that differ by at most one.
inline void static_part(uint64_t iterations, uint32_t num, uint32_t n, uint64_t& first, uint64_t& count) {
  uint64_t each = iterations / n, more = iterations % n;
  count = each + (num < more);
  first = each * num + (num < more ? num : more);
}

}  // namespace einkorn::runtime
