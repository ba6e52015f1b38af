// What keeps a program from running faster, ranked by what it costs.
//
// A finding's gain is an upper bound on the wall time that would be saved, computed from what was measured: findings.cpp
// gives the derivation of each. Gains of several findings may cover the same time and must not be added up.
#pragma once
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

enum class ProblemKind : uint8_t { tasks_too_fine, chunks_too_fine, load_imbalance, little_parallelism, serial, lock };
inline constexpr const char* kProblemKindNames[] = {"tasks_too_fine",     "chunks_too_fine", "load_imbalance",
                                                    "little_parallelism", "serial",          "lock"};

struct Finding {
  ProblemKind kind{};
  int64_t gain_ns = 0;
  uint64_t grains = 0;               // that it is about, 0: it is not about grains
  uint32_t source = profile::kNone;  // the line to look at, kNone: no single one
  std::string what;                  // "tasks too fine (median 0.4 us, creation 0.3 us)"
  std::string advice;                // a sentence: what to try
};

// The largest gain first. Nothing below 5 % of the wall time, and nothing at all where times are not valid.
std::vector<Finding> find_problems(const profile::Profile&);

// The one sentence that a report ends with.
std::string verdict(const profile::Profile&, const std::vector<Finding>&);

}  // namespace einkorn::report
