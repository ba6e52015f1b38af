// What several rounds of measuring say together.
#include <algorithm>
#include <vector>

#include "cli/costs.h"

namespace einkorn::cli {
namespace {

using profile::Cost;
using profile::MeasuredCost;
using profile::RuntimeCosts;

// The difference of two times, with the construct and without it.
bool is_a_difference(Cost c) {
  using enum Cost;
  return c != at_once && c != inner;
}

// A disturbance only makes a round longer: the least time counts, and for differences the median. What chunks cost
// depends on how threads meet at a loop, which differs from process to process by a factor of five, and what is
// promised is a gain at most: the most.
double together(Cost c, double MeasuredCost::* half, const std::vector<double>& found) {
  if (c == Cost::chunk && half == &MeasuredCost::plain) return std::ranges::max(found);
  return is_a_difference(c) ? middle_of(found) : std::ranges::min(found);
}

}  // namespace

RuntimeCosts of_rounds(const std::vector<RuntimeCosts>& rounds) {
  RuntimeCosts costs = rounds[0];
  std::vector<double> found;
  // Of those that could measure it.
  auto all = [&](auto value) {
    found.clear();
    for (const RuntimeCosts& round : rounds)
      if (value(round) >= 0) found.push_back(value(round));
    return !found.empty();
  };
  for (size_t i = 0; i < costs.of.size(); ++i)
    for (size_t c = 0; c < profile::kCosts; ++c)
      for (double MeasuredCost::* half : {&MeasuredCost::plain, &MeasuredCost::recorded})
        if (all([&](const RuntimeCosts& round) { return round.of[i][c].*half; }))
          costs.of[i][c].*half = together(Cost(c), half, found);
  // Recorded, so few tasks may be handed over that it does not show what one costs. Recording does to it what it does
  // to a task that its creator runs.
  for (auto& of : costs.of)
    if (MeasuredCost& over = of[size_t(Cost::handed_over)], &own = of[size_t(Cost::task)];
        over.plain >= 0 && over.recorded < 0 && own.known())
      over.recorded = over.plain + std::max(0.0, own.recorded - own.plain);
  for (size_t w = 0; w < profile::kWaitings; ++w)
    if (all([&](const RuntimeCosts& round) { return round.waiting[w]; })) costs.waiting[w] = middle_of(found);
  costs.line_now = costs(profile::Waiting::line);
  for (const RuntimeCosts& round : rounds) profile::widen_line(costs, round(profile::Waiting::line));
  return costs;
}

}  // namespace einkorn::cli
