// From the problems that a report finds to hints that are worth a try.
#pragma once
#include <string>
#include <vector>

#include "hints/types.h"
#include "profile/load.h"
#include "report/findings/findings.h"
#include "tune/fewest.h"
#include "tune/judge.h"

namespace einkorn::tune {

// Hints that are tried together, because they are about one thing: the tasks of one recursion, say.
struct Candidate {
  hints::File hints;  // each with its place and code
  std::string what;   // "cut tasks off at depth 9"
  // By which the problem's report says that the run may be shorter, at most; -1: it does not say.
  int64_t promised_ns = -1;
  // Of fewer threads: what replays say of its time, by that without.
  Ratio predicted{};
};

// Those first of which a report promises something, the most promising first; of alternatives for one construct the
// likelier one first; at most kMostCandidates. bold: also what the program itself says otherwise. fewest: for
// Goal::cores and Goal::energy, what is predicted, if anything is. is_set: variables of the user's, over which no hint
// is proposed.
inline constexpr size_t kMostCandidates = 6;
std::vector<Candidate> propose(const profile::Profile&, const std::vector<std::vector<profile::SourceCode>>& code,
                               const std::vector<report::Finding>&, Goal, bool bold, const Fewest& fewest = {},
                               bool (*is_set)(const char* variable) = nullptr);

}  // namespace einkorn::tune
