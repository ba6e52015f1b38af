// What the grains of each source line cost, taken together.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

// Its creator ran it at once, as the runtime found tasks of its line too short to be handed over (schedule/tiny.h),
// though there were others who could have run it.
inline bool kept_from_others(const profile::Profile& p, const profile::Grain& g) {
  return g.kind == profile::GrainKind::task && (g.flags & profile::kInlined) && g.iterations < 0 &&
         g.region < p.regions.size() && p.regions[g.region].team > 1;
}

struct SourceCost {
  uint32_t source = profile::kNone;  // kNone: of the grains whose place is not known
  profile::GrainKind kind{};         // of its first grain: a construct has one kind
  uint64_t grains = 0;
  uint64_t perturbed = 0;             // of them: too short for their own time to be trusted
  uint64_t deferred = 0;              // of them: went through a queue
  uint64_t kept = 0;                  // of them: kept_from_others()
  int64_t exec = 0;                   // sum
  int64_t median = -1, longest = -1;  // of one grain's exec; -1 where no grain's execution was recorded
  uint64_t executed = 0;              // grains whose execution was recorded
  uint64_t created = 0;               // grains whose creation was timed
  int64_t create_cost = 0;            // sum over those; chunks: book-keeping

  int64_t mean() const { return executed ? exec / int64_t(executed) : -1; }
  int64_t mean_create_cost() const { return created ? create_cost / int64_t(created) : -1; }
};

// Tasks, chunks and shares by source, the one with the most execution time first.
std::vector<SourceCost> source_costs(const profile::Profile&);

}  // namespace einkorn::report
