#include "report/findings/findings.h"

namespace einkorn::report {

const char* tune_tries(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::tasks_too_fine: return "cut-offs of these tasks by their depth";
    case ProblemKind::chunks_too_fine: return "larger chunks";
    case ProblemKind::load_imbalance:
    case ProblemKind::too_coarse: return "dynamic chunks, of loops that leave their schedule to the runtime";
    case ProblemKind::short_regions:
    case ProblemKind::many_barriers:
    case ProblemKind::lock: return "fewer threads for the region";
    default: return nullptr;
  }
}

}  // namespace einkorn::report
