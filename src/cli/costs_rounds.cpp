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
  return c != at_once;
}

// A disturbance only makes a round longer: the least time counts, and for differences the median.
double together(Cost c, const std::vector<double>& found) {
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
          costs.of[i][c].*half = together(Cost(c), found);
  // A processor looks through a task that is run at once, as through a call, unless it is recorded: then its body has
  // to end first. So what recording adds is told by tasks with bodies, and what they cost without by those with none.
  for (size_t i = 0; i < costs.of.size(); ++i) {
    auto added = [&](const RuntimeCosts& round) {
      const MeasuredCost& m = round.with_body[i];
      return m.known() ? std::max(0.0, m.recorded - m.plain) : -1;
    };
    MeasuredCost& at_once = costs.of[i][size_t(Cost::at_once)];
    if (at_once.known() && all(added)) at_once.recorded = std::max(at_once.recorded, at_once.plain + middle_of(found));
    costs.with_body[i] = {};
  }
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
