// Tasks and chunks that were not recorded one by one, by source line.
#pragma once
#include <array>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct SourceAggregate {
  uint32_t source = profile::kNone;
  bool chunks = false;
  uint64_t created = 0, executed = 0;
  int64_t exec = 0, least = 0, most = 0;  // ns, as in profile::Aggregate
  std::array<uint64_t, 16> histogram{};
};

// The one with most work first.
std::vector<SourceAggregate> aggregates_by_source(const profile::Profile&);

}  // namespace einkorn::report
