#include "report/page/find.h"
#include <algorithm>

namespace einkorn::report {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Node;
using profile::NodeKind;

Subtrees::Subtrees(const profile::Profile& p)
    : profile_(p), first_(p.grains.size(), kNone), count_(p.grains.size(), 0) {
  std::vector<uint32_t> last(p.grains.size(), 0);
  const auto& nodes = p.graph.nodes;
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    const uint32_t g = nodes[n].grain;
    if (g == kNone) continue;
    if (first_[g] == kNone) first_[g] = n;
    last[g] = n;
    ++count_[g];
  }
  for (uint32_t g = uint32_t(p.grains.size()); g-- > 0;) {  // parents stand before their children
    const uint32_t up = p.grains[g].parent;
    if (first_[g] == kNone || up == kNone || up >= g) continue;
    first_[up] = std::min(first_[up], first_[g]);
    last[up] = std::max(last[up], last[g]);
    count_[up] += count_[g];
  }
  for (uint32_t g = 0; g < count_.size(); ++g)
    if (count_[g] > 0 && last[g] - first_[g] + 1 != count_[g]) count_[g] = 0;
}

// The child of `parent` in whose subtree the node is, or kNone.
uint32_t Subtrees::child_towards(uint32_t parent, uint32_t node) const {
  uint32_t g = profile_.graph.nodes[node].grain;
  while (g != kNone && profile_.grains[g].parent != parent) g = profile_.grains[g].parent;
  return g;
}

Stretch Subtrees::around(uint32_t node, uint32_t most) const {
  const auto& nodes = profile_.graph.nodes;
  const uint32_t end_of_all = uint32_t(nodes.size());
  uint32_t above = nodes[node].grain, begin = node, end = node + 1;
  if (above == kNone) {  // a team's join: what is around it
    begin = node - std::min(node, most / 2);
    return {begin, std::min(most, end_of_all - begin)};
  }
  // What a thread does of a region between two calls is a grain apart, and creates for the thread's implicit task.
  auto owner = [&](uint32_t n) {
    const uint32_t g = nodes[n].grain;
    return g != kNone && profile_.grains[g].kind == GrainKind::share ? profile_.grains[g].parent : g;
  };
  above = owner(node);
  for (uint32_t g = above; g != kNone; g = profile_.grains[g].parent) {
    if (!whole(g)) continue;
    if (count_[g] > most) break;
    begin = first_[g];
    end = begin + count_[g];
    above = profile_.grains[g].parent;
  }
  if (above == kNone) return {begin, end - begin};
  // Now along the grain above, to both sides: its own nodes, and subtrees as a whole.
  bool back = true, on = true;
  uint32_t large = kNone;  // a subtree behind the end that does not fit
  while (back || on) {
    if (back) {
      uint32_t to = kNone;
      if (begin > 0 && owner(begin - 1) == above) to = begin - 1;
      else if (const uint32_t child = begin > 0 ? child_towards(above, begin - 1) : kNone;
               child != kNone && whole(child))
        to = first_[child];
      back = to < begin && end - to <= most;
      if (back) begin = to;
    }
    if (on) {
      uint32_t to = kNone;
      if (end < end_of_all && owner(end) == above) to = end + 1;
      else if (const uint32_t child = end < end_of_all ? child_towards(above, end) : kNone;
               child != kNone && whole(child) && first_[child] == end)
        to = end + count_[child];
      on = to != kNone && to - begin <= most;
      if (on) end = to;
      else if (to != kNone) large = to;
    }
  }
  if (large != kNone && end - begin < most / 8) end = large;
  return {begin, end - begin};
}

namespace {

class Filter {
 public:
  Filter(const profile::Profile& p, const profile::Metrics& m, const Wanted& w) : profile_(p), metrics_(m), wanted_(w) {
    for (size_t i = 0; i < std::min<size_t>(32, w.id.size()); ++i) {
      const char c = w.id[i];
      const uint64_t digit = uint64_t(c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0') & 15;
      const unsigned shift = 60 - unsigned(i % 16) * 4;
      (i < 16 ? high_ : low_) |= digit << shift;
      (i < 16 ? high_mask_ : low_mask_) |= uint64_t(15) << shift;
    }
  }
  bool operator()(uint32_t g) const {
    const Grain& grain = profile_.grains[g];
    if (!wanted_.id.empty()) return (grain.id_high & high_mask_) == high_ && (grain.id_low & low_mask_) == low_;
    if (grain.source >= wanted_.sources.size() || !wanted_.sources[grain.source] ||
        !((wanted_.kinds >> unsigned(grain.kind)) & 1))
      return false;
    if (grain.kind == GrainKind::task && grain.depth < wanted_.least_depth) return false;
    return !wanted_.remote || metrics_.of_grain(profile::Metric::remote_share, g) > 0;
  }

 private:
  const profile::Profile& profile_;
  const profile::Metrics& metrics_;
  const Wanted& wanted_;
  uint64_t high_ = 0, high_mask_ = 0, low_ = 0, low_mask_ = 0;  // the id's digits, and where there are any
};

}  // namespace

FoundInside find_inside(const profile::Profile& p, const profile::Metrics& metrics, const Wanted& wanted,
                        const PageNodes& page) {
  const auto& nodes = page.stretches;
  FoundInside out;
  out.nodes.assign((nodes.size() + 7) / 8, 0);
  const Filter filter(p, metrics, wanted);
  std::vector<uint8_t> matches(p.grains.size());
  for (uint32_t g = 0; g < matches.size(); ++g) matches[g] = filter(g);
  std::vector<uint32_t> order;  // of the page's nodes, by their place in the graph
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].count > 0) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return nodes[a].first < nodes[b].first; });
  constexpr uint8_t kCounted = 2, kCountedHere = 4;
  bool hidden_here = false;
  size_t listed = 0;
  for (uint32_t n = 0, at = 0; n < p.graph.nodes.size(); ++n) {
    while (at < order.size() && n >= nodes[order[at]].first + nodes[order[at]].count) ++at;
    while (listed < page.scattered.size() && page.scattered[listed].node < n) ++listed;
    const Node& node = p.graph.nodes[n];
    if (node.grain == kNone || !matches[node.grain] || node.kind == NodeKind::fork || node.kind == NodeKind::join)
      continue;
    uint8_t& match = matches[node.grain];
    out.all += !(match & kCounted);
    match |= kCounted;
    uint32_t in = kNone;  // node of the page
    if (at < order.size() && n >= nodes[order[at]].first) in = order[at];
    else if (listed < page.scattered.size() && page.scattered[listed].node == n) in = page.scattered[listed].at;
    const bool here = in != kNone;
    if (here) {
      out.nodes[in / 8] |= uint8_t(1u << in % 8);
      out.here += !(match & kCountedHere);
      match |= kCountedHere;
    }
    const bool hidden = !here || nodes[in].count != 1;
    if (hidden && (out.hidden == kNone || (here && !hidden_here))) out.hidden = n, hidden_here = here;
  }
  return out;
}

}  // namespace einkorn::report
