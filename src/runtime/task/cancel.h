// Cancellation (OpenMP 5.1, 2.20): cancel and cancellation point on parallel, for, sections, taskgroup.
//
// Only where OMP_CANCELLATION is true; else g_config.cancellation is false, and that is all anybody asks.
//
//   parallel   Team::cancelled. Threads leave at cancellation points and cancellable barriers and go to the barrier at the
//              region's end, which is a word of its own then (types.h, Team::inner_barrier)
//   for,       Team::share_cancelled, which holds until the next barrier: a cancelled construct ends with one
//   sections   always. What a dynamic or guided schedule has not given out is taken away
//   taskgroup  Taskgroup::cancelled, for the groups inside it too
//
// A task that is cancelled before it started ends without running its body (run_task()): everything else that comes
// with the end of a task happens, whether it was queued, waited for others, or was stolen meanwhile.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// Values of gcc's entry points.
enum Cancelled : int { kCancelParallel = 1, kCancelLoop = 2, kCancelSections = 4, kCancelTaskgroup = 8 };

// true: the calling thread goes to the end of the construct (taskgroup: of its task).
bool cancel(Worker* w, int construct);
bool cancellation_point(Worker* w, int construct);

// Acquire: what the thread that cancelled it had done; pairs with cancel().
inline bool region_cancelled(const Team* team) { return team->cancelled.load(std::memory_order_acquire); }

// Who waits for another thread's iteration, or for it to leave a construct, waits in vain when that went to the
// region's end.
inline bool waits_in_vain(const Team* team) { return EK_UNLIKELY(g_config.cancellation) && region_cancelled(team); }

// Was this group cancelled, or one around it?
bool group_cancelled(const Taskgroup* g);

// Would a task that is created now never run?
bool tasks_cancelled(const Worker* w);
// For run_task(), when cancellation is enabled: t, which is about to start, does not run.
bool discards(Worker* w, Task* t);

// Of the thread's implicit task, which ended: cancelled constructs are left without a word.
void drop_open_groups(Worker* w);
// By the primary thread, before a region starts.
void reset_cancellation(Team* team);

}  // namespace einkorn::runtime
