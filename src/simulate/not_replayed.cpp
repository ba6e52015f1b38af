#include "simulate/not_replayed.h"

#include <cmath>

#include "schedule/tiny.h"

namespace einkorn::simulate {

std::vector<std::string> not_replayed(const schedule::Schedule& s, double tiny) {
  constexpr double kWorthAWord = 0.01;
  std::vector<std::string> out;
  // The runtime times tasks, and what the thread creates meanwhile, by the clock (schedule/tiny.h).
  if (s.defer == schedule::Defer::adaptive)
    out.push_back(
        "defer=adaptive: which tasks are fine enough to run at once the runtime tells by its clock; here all are queued");
  else if (s.is_default && tiny > kWorthAWord)
    out.push_back(std::to_string(std::lround(100 * tiny)) + " % of the tasks take less than " +
                  std::to_string(schedule::kTiny) +
                  " ns: such ones the runtime mostly runs at once, by its clock; here all are queued");
  if (s.free != schedule::Free::now)
    out.push_back(
        "free=idle: what it costs to give memory back was not measured; here it costs nothing, whenever it is");
  return out;
}

double tiny_share(const Program& p) {
  uint64_t tasks = 0, tiny = 0;
  for (const Task& t : p.tasks) {
    if (!t.explicit_task || t.undeferred) continue;
    ++tasks;
    double ns = 0;
    bool makes_none = true;
    for (uint32_t i = t.first_step; i < t.first_step + t.steps; ++i) {
      ns += p.steps[i].kind == StepKind::compute ? p.steps[i].ns : 0;
      makes_none &= p.steps[i].kind != StepKind::fork && p.steps[i].kind != StepKind::region;
    }
    tiny += makes_none && ns < double(schedule::kTiny);
  }
  return tasks > 0 ? double(tiny) / double(tasks) : 0;
}

}  // namespace einkorn::simulate
