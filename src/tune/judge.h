// Was a try better? Runs come in pairs, one as before and one with the hint, right after each other: what else the
// machine does hits both.
#pragma once
#include <vector>

namespace einkorn::tune {

enum class Goal { time, cores, energy };
enum class Verdict { better, not_better, unsure };

// What a hint has to reach: 3 % less time, or energy; or fewer threads, which may take a little longer.
inline constexpr double kWorthIt = 0.97, kMayLose = 0.05;
struct Target {
  Goal goal;
  double may_lose;                                                     // cores, energy: so much of the time
  Target(Goal g, double loss = kMayLose) : goal(g), may_lose(loss) {}  // NOLINT: a goal is a target
  double line() const { return goal == Goal::cores ? 1 + may_lose : kWorthIt; }
};

// So much less in each of kLeastPairs is not by chance. With less than that kSurePairs have to agree.
inline constexpr double kClear = 0.9;
inline constexpr int kLeastPairs = 3, kSurePairs = 5, kMostPairs = 7;

// Where nothing has been accepted in so many runs, nothing is begun, and only what has been better in each pair goes
// on.
inline constexpr int kMostInVain = 9;

// ratios: of each pair, the time, or energy, with the hint by that without. Unsure: run another pair.
Verdict judge(const std::vector<double>& ratios, Target target);

// Has each pair, and there is one, reached what a hint has to reach?
bool promises(const std::vector<double>& ratios, Target target);

// As profile::median(), of a copy.
double median(std::vector<double> values);

}  // namespace einkorn::tune
