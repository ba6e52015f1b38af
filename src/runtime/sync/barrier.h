// Barriers. A team has one (Team::barrier), in whose word a thread counts that it has arrived; who completes it, the
// last one or, where there are tasks, whoever finds that all have ended, writes the next generation. Where cancellation
// is enabled, those inside a region have a word of their own (Team::inner_barrier), since threads may leave it. A
// thread that waits runs tasks: help.h.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// So many groups gather where `all` arrive; the last ones of these gather again, and so on (Team::groups).
inline int groups_of(int all) { return (all - 1) / g_arrivals_a_line + 1; }

// Barrier of the whole team, in which all its tasks end.
void barrier(Worker* w);
// Until all tasks of the team have ended: of a team that only this thread is in (enter_region()).
void wait_for_tasks(Worker* w);
// The region's end: the same where cancellation is not enabled.
void last_barrier(Worker* w);
// A barrier that is a cancellation point. True: the region is cancelled, go to its end.
bool cancellable_barrier(Worker* w, record::Construct construct, Caller caller, uint16_t site_flags);
// The same, with the recorder's events.
void barrier(Worker* w, record::Construct construct, Caller caller, uint16_t site_flags);

}  // namespace einkorn::runtime
