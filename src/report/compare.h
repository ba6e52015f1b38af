// `einkorn compare`: two recordings side by side, as text and as JSON (docs/compare-schema.json).
#pragma once
#include <string>
#include <vector>
#include "profile/compare.h"
#include "report/text/text.h"

namespace einkorn::report {

struct Compared {
  const profile::Side& before;
  const profile::Side& after;
  const profile::Comparison& result;
  std::string before_file, after_file;  // as the user named them
  size_t lines = 12;                    // most lines of each table in the text
};

// Ends with a line that says what changed most.
std::string compare_text(const Compared&, const TextOptions&);
std::string compare_json(const Compared&);

// What one must know to read the comparison, each a sentence: other programs or commands, predictions, broken
// recordings, times that mean nothing.
std::vector<std::string> remarks(const Compared&);

// Why seconds are not comparable, a sentence; empty: they are.
std::string why_not_comparable(const Compared&);

}  // namespace einkorn::report
