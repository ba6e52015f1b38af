// What has to hold of a run of tasks with depend (runs.h) for a replay to be what the program says. A wrong proof makes
// a wrong program without a word, so tests/compiler/runs.py has a wrong copy of each, and a program that it breaks.
#pragma once

#include <string>
#include <vector>

#include "compiler/runs.h"

namespace einkorn::compiler {

// A replay leaves out nothing but the making of tasks.
bool makes_tasks_alone(const TaskRun& r);
// Which tasks there are, and the addresses in depend, follow from what is compared, for nothing else is looked at.
bool is_steered_by_values(const TaskRun& r);
// Nobody asks for a loop's counter before it is set again, and no task shares it.
bool ends_with_its_counters(const TaskRun& r);
// The tasks have no clause but those that a replay keeps to.
bool repeats_its_clauses(const TaskRun& r);
// No directive is in a task but atomic, critical and simd: no task makes tasks or waits for any, as far as is seen.
bool has_single_tasks(const TaskRun& r);
// A task's data are numbers and pointers: copied as bytes, and their values are all that there is to compare.
bool has_plain_data(const TaskRun& r);
// Whoever makes the tasks waits for them before it does anything else that they could notice: so it may wait at once.
bool is_waited_for(const TaskRun& r);

// Its values, all of which have to be the same for a replay.
std::vector<RunValue> compared(const TaskRun& r);

// Why it stays as it is; "": all of that holds.
std::string why_no_run(const TaskRun& r);

}  // namespace einkorn::compiler
