// Runs of tasks with depend whose arcs are the same whenever the run is met with the same values: a list of tasks,
// loops that count, and conditions. Such a run is taken down once and replayed as a graph (einkorn/taskgraph.h).
//
// runs.cpp reads what there is to be known of a run; run_proofs.cpp says whether that is enough.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/types.h"

namespace einkorn::compiler {

// Runs that are replayed, and those that are not, with the reason.
struct ChosenRuns {
  std::vector<const TaskRun*> replayed;
  std::vector<std::pair<const TaskRun*, std::string>> left;
};
ChosenRuns choose_runs(const Unit& unit, const std::vector<std::pair<std::string, std::string>>& refused);

// The text with these runs as EK_TASKS(): no line moves.
std::string with_runs(const Unit& unit, const ChosenRuns& chosen);

}  // namespace einkorn::compiler
