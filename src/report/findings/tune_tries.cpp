#include "report/findings/findings.h"

namespace einkorn::report {

// Is it about a loop that one could give another schedule? A recording has static ones only where the runtime was
// asked.
static bool has_static_loop(const profile::Profile& p, const Finding& f) {
  for (const profile::LoopInstance& l : p.loops) {
    if (!is_static(record::Schedule(l.schedule))) continue;
    for (const uint32_t source : f.sources)
      if (l.source == source && p.sources[source].construct == "loop") return true;
  }
  return false;
}

const char* tune_tries(const profile::Profile& p, const Finding& f) {
  switch (f.kind) {
    case ProblemKind::tasks_too_fine: return "cut-offs of these tasks by their depth";
    case ProblemKind::chunks_too_fine: return "larger chunks";
    case ProblemKind::load_imbalance:
    case ProblemKind::too_coarse:
      return has_static_loop(p, f) ? "dynamic chunks, where the loop leaves its schedule to the runtime" : nullptr;
    case ProblemKind::short_regions:
    case ProblemKind::many_barriers:
    case ProblemKind::lock: return "fewer threads for the region";
    case ProblemKind::late_tasks: return "a priority for these tasks";
    case ProblemKind::remote_data: return "a schedule that runs tasks where their data is";
    default: return nullptr;
  }
}

}  // namespace einkorn::report
