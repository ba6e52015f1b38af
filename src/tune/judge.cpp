#include "tune/judge.h"

#include <algorithm>

#include "profile/metrics_parts.h"

namespace einkorn::tune {

double median(std::vector<double> values) { return profile::median(values); }

bool promises(const std::vector<double>& ratios, Target target) {
  return !ratios.empty() && *std::max_element(ratios.begin(), ratios.end()) <= target.line();
}

// On a machine whose times scatter by 10 % a hint that does nothing takes 10 % off each of three pairs in one of 250
// tries, 3 % off each of five in one of 125, and off six of seven in one of 70. A first pair that is clearly worse is
// believed, as nothing is lost by it but a chance.
Verdict judge(const std::vector<double>& ratios, Target target) {
  const double line = target.line();
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
  if (good == pairs) {
    const bool clear = target.goal == Goal::cores || *std::max_element(ratios.begin(), ratios.end()) <= kClear;
    return clear || pairs >= kSurePairs ? Verdict::better : Verdict::unsure;
  }
  if (good == 0 || (pairs > kLeastPairs && !by_median)) return Verdict::not_better;
  return Verdict::unsure;
}

}  // namespace einkorn::tune
