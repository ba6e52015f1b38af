// Was a try better? Runs come in pairs, one as before and one with the hint, right after each other: what else the
// machine does hits both.
#pragma once
#include <vector>

namespace einkorn::tune {

enum class Goal { time, cores };
enum class Verdict { better, not_better, unsure };

// What a hint has to reach. time: 3 % less. cores: fewer threads may take 5 % longer.
inline constexpr double kWorthIt = 0.97, kMayLose = 1.05;
// So much less in each of kLeastPairs is not by chance. With less than that kSurePairs have to agree.
inline constexpr double kClear = 0.9;
inline constexpr int kLeastPairs = 3, kSurePairs = 5, kMostPairs = 7;

// Where nothing has been accepted in so many runs, nothing is begun, and only what has been better in each pair goes
// on.
inline constexpr int kMostInVain = 9;

// ratios: of each pair, the time with the hint by that without. Unsure: run another pair.
Verdict judge(const std::vector<double>& ratios, Goal goal);

// Has each pair, and there is one, reached what a hint has to reach?
bool promises(const std::vector<double>& ratios, Goal goal);

// As profile::median(), of a copy.
double median(std::vector<double> values);

}  // namespace einkorn::tune
