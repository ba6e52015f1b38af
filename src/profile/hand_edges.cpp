#include "profile/hand_edges.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace einkorn::profile {

HandEdges::HandEdges(const std::vector<RawSignal>& signals) : signals_(signals), node_(signals.size(), kNone) {
  for (uint32_t i = 0; i < signals.size(); ++i)
    if (signals[i].left == 0 && signals[i].task != kNone) firing_of_.try_emplace(signals[i].task, i);
}

void HandEdges::add_to(std::vector<Edge>& edges) const {
  std::vector<uint32_t> order(signals_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    // Of one time the firing is the last: those that it waits for are stamped before it.
    const auto key = [&](uint32_t i) {
      const RawSignal& s = signals_[i];
      return std::tuple(s.codelet, s.at, s.left == 0, i);
    };
    return key(a) < key(b);
  });
  std::vector<std::pair<uint32_t, uint32_t>> open;  // left, signal: since the latest firing of the codelet
  for (size_t i = 0; i < order.size(); ++i) {
    const RawSignal& s = signals_[order[i]];
    if (i > 0 && signals_[order[i - 1]].codelet != s.codelet) open.clear();
    if (s.left != 0) {
      open.emplace_back(s.left, order[i]);
      continue;
    }
    const uint32_t to = node_[order[i]];
    std::stable_sort(open.begin(), open.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (size_t k = 0; k < open.size() && to != kNone; ++k) {
      if (k + 1 < open.size() && open[k + 1].first == open[k].first) continue;  // of an earlier firing
      const uint32_t from = node_[open[k].second];
      if (from != kNone && from != to) edges.push_back({from, to, EdgeKind::dependence});
    }
    open.clear();
  }
}

}  // namespace einkorn::profile
