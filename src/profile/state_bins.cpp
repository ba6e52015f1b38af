#include "profile/state_bins.h"
#include <algorithm>

namespace einkorn::profile {

void StateBinsBuilder::Row::coarsen() {
  const size_t half = (bins.size() + 1) / 2;
  for (size_t i = 0; i < half; ++i) {
    StateBin sum = bins[2 * i];
    if (2 * i + 1 < bins.size())
      for (size_t s = 0; s < sum.size(); ++s) sum[s] += bins[2 * i + 1][s];
    bins[i] = sum;
  }
  bins.resize(half);
  bin_ns *= 2;
}

void StateBinsBuilder::Row::add(State state, int64_t begin, int64_t end) {
  while (end > bin_ns * int64_t(kMostStateBins)) coarsen();
  if (const size_t need = size_t((end + bin_ns - 1) / bin_ns); need > bins.size()) bins.resize(need);
  for (int64_t at = begin; at < end;) {
    const size_t bin = size_t(at / bin_ns);
    const int64_t until = std::min(end, int64_t(bin + 1) * bin_ns);
    bins[bin][size_t(state)] += float(until - at);
    at = until;
  }
}

void StateBinsBuilder::add(uint32_t thread, State state, int64_t begin, int64_t end) {
  begin = std::max<int64_t>(begin, 0);
  if (begin >= end) return;
  if (thread >= rows_.size()) rows_.resize(size_t(thread) + 1);
  rows_[thread].add(state, begin, end);
}

StateBins StateBinsBuilder::finish(size_t threads, int64_t end) {
  StateBins out;
  rows_.resize(threads);
  out.bin_ns = 1024;
  while (end > out.bin_ns * int64_t(kMostStateBins)) out.bin_ns *= 2;
  for (const Row& r : rows_) out.bin_ns = std::max(out.bin_ns, r.bin_ns);
  for (Row& r : rows_) {
    while (r.bin_ns < out.bin_ns) r.coarsen();
    out.threads.push_back(std::move(r.bins));
  }
  rows_.clear();
  return out;
}

}  // namespace einkorn::profile
