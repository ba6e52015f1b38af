// The parts of compute_metrics(): each fills its own vectors and values.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>
#include "profile/metrics.h"

namespace einkorn::profile {

// The value of a metric that a grain does not have.
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Of an even number, the mean of the middle two; NaN of none. Changes the order of `values`.
template <class T>
double median(std::vector<T>& values) {
  if (values.empty()) return kAbsent;
  const auto middle = values.begin() + long(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return double(*middle);
  return (double(*middle) + double(*std::max_element(values.begin(), middle))) / 2;
}

void metrics_of_grains(const Profile&, const MetricOptions&,
                       Metrics&);  // metrics from each grain and its family
void metrics_of_parallelism(const Profile&, const MetricOptions&,
                            Metrics&);  // what else ran, or idled, while the grain executed
void metrics_of_scatter(const Profile&, const MetricOptions&, Metrics&);
void metrics_of_balance(const Profile&, Metrics&);  // of sources; tasks too coarse, one creator
void metrics_of_cut_off(const Profile&, Metrics&);
void metrics_of_program(const Profile&, const MetricOptions&,
                        Metrics&);  // runs first: the others need the number of threads

}  // namespace einkorn::profile
