// Waits of the current task for other tasks. What its thread does meanwhile: help.h. Barriers: barrier.h.
#pragma once
#include "flow/event.h"
#include "runtime/task/task.h"

namespace einkorn::runtime {

// Short waits for another thread of the team that runs, never for tasks.
using flow::awake_until;
using flow::signal;
using flow::wait_event;

void wait_for_children(Worker* w);  // of the current task: taskwait
void wait_for_group(Worker* w, Taskgroup* g);
void wait_for_predecessors(Worker* w, TaskExtra* x);  // depend.h
bool run_one(Worker* w);                              // taskyield: at most one task; false: there was none

}  // namespace einkorn::runtime
