// What threads' counters have seen, by source line, and what is missing of it, in words.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct SourceCounts {
  uint32_t source = profile::kNone;                     // kNone: of the grains whose place is not known
  profile::GrainKind kind{};                            // of its first grain
  uint64_t grains = 0;                                  // executed
  std::array<uint64_t, record::kMostCounters> known{};  // of these, those whose count is known
  profile::Counts sum;                                  // of the known ones; kUncounted: of none

  // The counter's sum, where all grains' counts are known; else kUncounted.
  uint64_t of_all(const profile::CountedEvents&, record::Counter) const;
};

// Tasks, chunks and shares by source: the one with the most execution time first. What is outside of regions (the
// initial grain) is not among them.
std::vector<SourceCounts> counts_by_source(const profile::Profile&);
// All of these together.
SourceCounts all_counts(const profile::Profile&);

// "1,234", "12.3 M"
std::string amount(uint64_t n);

// What was asked for and is not there, why, and what to type: one sentence or two a reason.
std::vector<std::string> absent_counters(const std::vector<profile::CountedEvents::Absent>&);

}  // namespace einkorn::report
