#include "simulate/counted.h"

#include <algorithm>

namespace einkorn::simulate {

namespace {

constexpr uint64_t kMostTasks = 1 << 20, kLeastOfAGrain = 16;

}  // namespace

CountedTasks::CountedTasks(const profile::Profile& p) {
  if (p.aggregates.empty()) return;
  const uint64_t most = std::max<uint64_t>(kLeastOfAGrain, kMostTasks / p.aggregates.size());
  for (const profile::Aggregate& a : p.aggregates) {
    if (a.executed == 0 || a.exec <= 0 || a.grain >= p.grains.size()) continue;
    Lot lot{std::min(a.executed, most), 0, 0};
    lot.each = lot.longest = double(a.exec) / double(lot.count);
    if (lot.count > 1 && double(a.most) > lot.longest) {
      lot.longest = std::min(double(a.most), double(a.exec));
      lot.each = (double(a.exec) - lot.longest) / double(lot.count - 1);
    }
    lots_.emplace(a.grain, lot);
  }
}

void CountedTasks::make(Builder& b, uint32_t grain, uint32_t task) {
  if (lots_.empty()) return;
  const auto [first, last] = lots_.equal_range(grain);
  if (first == last) return;
  for (auto at = first; at != last; ++at)
    for (uint64_t i = 0; i < at->second.count; ++i) {
      const uint32_t t = b.fork(task);
      b.compute(t, i == 0 ? at->second.longest : at->second.each, kUnknown);
      open_[task].push_back(t);
    }
  lots_.erase(first, last);
}

void CountedTasks::wait(Builder& b, uint32_t task, uint32_t& group) {
  const auto at = open_.find(task);
  if (at == open_.end()) return;
  if (group == kNone) group = b.group();
  for (const uint32_t t : at->second) b.task(t).group = group;
  open_.erase(at);
}

}  // namespace einkorn::simulate
