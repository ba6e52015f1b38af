// Thread time over time, in a bounded number of bins, for a run whose end is not known yet: when it outgrows them, two
// become one.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include "profile/types.h"

namespace einkorn::profile {

class GrowingBins {
 public:
  static constexpr size_t kMost = 1 << 14;

  // Adds [begin, end) of one thread. In all this takes as many steps as there are calls, and one per thread and bin.
  void add(int64_t begin, int64_t end) {
    begin = std::max<int64_t>(begin, 0);
    if (end <= begin) return;
    while (size_t((end - 1) / width_) >= kMost) fold();
    const size_t last = size_t((end - 1) / width_);
    if (last >= bins_.size()) bins_.resize(last + 1);
    for (size_t i = size_t(begin / width_); i <= last; ++i)
      bins_[i] += std::min(end, int64_t(i + 1) * width_) - std::max(begin, int64_t(i) * width_);
  }

  TimeBins take() && { return {bins_.empty() ? 0 : width_, std::move(bins_)}; }

 private:
  void fold() {
    for (size_t i = 0; i < bins_.size(); ++i) {
      const int64_t value = std::exchange(bins_[i], 0);
      bins_[i / 2] += value;
    }
    bins_.resize((bins_.size() + 1) / 2);
    width_ *= 2;
  }

  int64_t width_ = 1;
  std::vector<int64_t> bins_;
};

}  // namespace einkorn::profile
