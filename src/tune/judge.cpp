#include "tune/judge.h"

#include <algorithm>
#include <cstddef>

namespace einkorn::tune {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// By chance alone all of three pairs are on one side of the line in one of eight tries, all of five in one of 32, all
// but one of seven in one of 16: a first pair that is clearly worse is believed, as nothing is lost by it but a chance.
Verdict judge(const std::vector<double>& ratios, Goal goal) {
  const double line = goal == Goal::cores ? kMayLose : kWorthIt;
  const auto pairs = int(ratios.size());
  if (pairs == 0) return Verdict::unsure;
  if (pairs < kLeastPairs) {
    // Clearly worse than what it has to reach, and so was each pair.
    const double best = *std::min_element(ratios.begin(), ratios.end());
    return best > line + 0.02 * double(kLeastPairs - pairs) ? Verdict::not_better : Verdict::unsure;
  }
  const auto good = int(std::count_if(ratios.begin(), ratios.end(), [&](double r) { return r <= line; }));
  const bool by_median = median(ratios) <= line;
  if (pairs >= kMostPairs) return by_median && good >= pairs - 1 ? Verdict::better : Verdict::not_better;
  if (good == pairs) return Verdict::better;
  if (good == 0 || (pairs > kLeastPairs && !by_median)) return Verdict::not_better;
  return Verdict::unsure;
}

}  // namespace einkorn::tune
