// Barriers. A team has one (Team::barrier), in whose word a thread counts that it has arrived; who completes it, the
// last one or, where there are tasks, whoever finds that all have ended, writes the next generation. Where cancellation
// is enabled, those inside a region have a word of their own (Team::inner_barrier), since threads may leave it. A
// thread that waits runs tasks: help.h.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// So many groups gather where `all` arrive; the last ones of these gather again, and so on (Team::groups).
inline int groups_of(int all) { return (all - 1) / g_arrivals_a_line + 1; }

// All tasks of the team have ended, as those of its n threads say for which is_there(i): the others have created and
// ended none. Asked when all have arrived at the barrier: then none makes tasks but from within a task. Executed first:
// a task that is counted there had counted its children as created before, so equal sums mean that at the time between
// the two readings nothing was outstanding (Mattern 1987, four-counter method with monotone counters). Acquire,
// throughout: of has_tasks and executed, whose writers release, so that what the tasks did, and what they had counted
// as created, is visible here; created is read behind them.
template <class IsThere>
bool no_tasks(const Team* team, int n, IsThere&& is_there) {
  if (!team->has_tasks.load(std::memory_order_acquire)) return true;
  uint64_t executed = team->executed_elsewhere.load(std::memory_order_acquire), created = 0;
  for (int i = 0; i < n; ++i)
    if (is_there(i)) executed += team->slots[i].executed.load(std::memory_order_acquire);
  for (int i = 0; i < n; ++i)
    if (is_there(i)) created += team->slots[i].created.load(std::memory_order_acquire);
  return executed == created;
}

// Barrier of the whole team, in which all its tasks end.
void barrier(Worker* w);
// The values of a reduction that a thread has, and how the second's become part of the first's. (As clang's code has
// them: a list of pointers to its variables, on its stack.)
struct Values {
  void* list;
  void (*combine)(void* list, void* other);
};
// The same, of a team that has groups, each thread with its values: behind it those of thread 0 are all of them,
// combined in an order that depends on the team's size alone. It waits for all threads, not for their tasks, unless the
// program is recorded. Not where cancellation is enabled.
void reducing_barrier(Worker* w, const Values& values, record::Construct construct, Caller caller, uint16_t site_flags);
// Until all tasks of the team have ended: of a team that only this thread is in (enter_region()).
void wait_for_tasks(Worker* w);
// The region's end: the same where cancellation is not enabled.
void last_barrier(Worker* w);
// A barrier that is a cancellation point. True: the region is cancelled, go to its end.
bool cancellable_barrier(Worker* w, record::Construct construct, Caller caller, uint16_t site_flags);
// The same, with the recorder's events.
void barrier(Worker* w, record::Construct construct, Caller caller, uint16_t site_flags);

}  // namespace einkorn::runtime
