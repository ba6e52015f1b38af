// The replay: workers run tasks, wait, look for others, as the runtime's do; time passes by the costs alone.
//
// A worker has a stack of tasks. In a wait it looks for tasks: in a barrier for any, in a task's wait for descendants
// of that task (tied tasks). Queues belong to places; where a task goes and where a worker looks is asked of
// src/schedule with a view that is never stale. A worker that finds nothing that it may take idles until a push wakes
// it (Costs::wake).
#pragma once
#include "simulate/types.h"

namespace einkorn::simulate {

// Precondition: check(program) is empty, and no region outside others has more members than there are workers.
// trace: Outcome::trace and stays are filled, too.
Outcome simulate(const Program& program, const Setup& setup, bool trace = false);

}  // namespace einkorn::simulate
