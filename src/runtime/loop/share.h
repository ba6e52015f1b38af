// Worksharing: loops, sections, single. Iterations are logical, 0 .. n-1; the entry points translate to the user's
// values.
#pragma once
#include "base/clock.h"
#include "runtime/loop/spec.h"
#include "runtime/observe/work.h"
#include "runtime/sync/halted.h"
#include "runtime/team/team.h"
#include "runtime/types.h"
#include "schedule/loops.h"

namespace einkorn::runtime {

// The thread waits for another one's iteration, and may sleep meanwhile: for who hears of it, and for who waits for its
// tasks.
struct Blocked {
  Halted halted;
  observe::Blocked told;
  Blocked(Worker* w, const void* return_address, uint16_t site_flags)
      : halted(w), told(w, return_address, site_flags) {}
};

// Number of iterations of `for (i = lower; i < upper; i += increment)` (or >, for a negative increment), exact up to
// 2^64-1.
inline uint64_t trip_count(int64_t lower, int64_t upper, int64_t increment) {
  if (increment > 0) return lower < upper ? (uint64_t(upper) - uint64_t(lower) - 1) / uint64_t(increment) + 1 : 0;
  return lower > upper ? (uint64_t(lower) - uint64_t(upper) - 1) / (0 - uint64_t(increment)) + 1 : 0;
}
inline uint64_t trip_count_unsigned(bool up, uint64_t lower, uint64_t upper, uint64_t increment) {
  if (up) return lower < upper ? (upper - lower - 1) / increment + 1 : 0;
  return lower > upper ? (lower - upper - 1) / (0 - increment) + 1 : 0;
}

// Enters a construct of the team: the first thread sets it up, and is told so. Must be left once by every thread, by
// leave_share(), or, with the loop that it takes chunks of, by share_leave() or share_leave_to_barrier().
WorkShare* join_share(Worker* w, const LoopSpec& spec, uint32_t site, bool* set_up_here = nullptr);
void leave_share(Worker* w, WorkShare* s);

// The same for the loop whose chunks the thread takes next.
void share_enter(Worker* w, const LoopSpec& spec, uint32_t site);
// The thread's next chunk into w->view.first, count; false: no more.
bool share_next(Worker* w);
void share_leave(Worker* w);
// Before the barrier at the construct's end, where every thread of the team comes next.
void share_leave_to_barrier(Worker* w);

// ordered: until it is the turn of the chunk in hand.
void ordered_wait(Worker* w, const void* return_address, uint16_t site_flags);
// The same with a tool's events, for the entry points.
void ordered_begin(Worker* w, const void* return_address, uint16_t site_flags);
void ordered_end(Worker* w, const void* return_address);

void reset_shares(Team* team);  // by the primary thread, before a region starts
void set_up_first_share(Team* team, const FirstLoop& loop, uint32_t site, const void* return_address);
void open_first_share(Worker* w);  // each thread, when it enters the team

// True for the one thread that gets the single construct.
bool single_enter(Worker* w);

// Static schedules without shared state (clang's __kmpc_for_static_init).
using schedule::static_part;

}  // namespace einkorn::runtime
