// Scatter: the median distance over all pairs of siblings. A million siblings have 5 * 10^11 pairs. But the distance
// depends only on the cores, so it is enough to know how many siblings ran on each: k log k steps for k cores.
#include <algorithm>

#include "profile/metrics_parts.h"

namespace einkorn::profile {
namespace {

constexpr uint16_t kUnknown = 0xffff;

double pairs_among(uint64_t n) { return n ? double(n) * double(n - 1) / 2 : 0; }

class Family {
 public:
  explicit Family(const MetricOptions& options) : distance_(options.node_distance) {
    while (nodes_ * nodes_ < distance_.size()) ++nodes_;
  }
  bool by_nodes() const { return nodes_ > 0; }

  void clear() {
    for (const Place& at : places_) slot_[at.where] = 0;
    places_.clear();
  }
  void add(const Grain& g) {
    const uint16_t where = by_nodes() ? g.node : g.cpu;
    if (g.fragments == 0 || where == kUnknown || (by_nodes() && where >= nodes_)) return;
    if (where >= slot_.size()) slot_.resize(where + 1u, 0);
    if (slot_[where] == 0) {
      places_.push_back({where, 0});
      slot_[where] = uint32_t(places_.size());
    }
    ++places_[slot_[where] - 1].members;
  }
  // Call after all are added. NaN: there is no pair.
  double scatter() {
    uint64_t members = 0;
    for (const Place& at : places_) members += at.members;
    const double pairs = pairs_among(members);
    if (pairs == 0) return kAbsent;
    // In the order of distance: the middle two of an even number of pairs, twice the middle one of an odd number.
    const double lower = std::floor((pairs - 1) / 2), upper = std::floor(pairs / 2);
    return by_nodes() ? of_nodes(lower, upper) : (of_numbers(lower) + of_numbers(upper)) / 2;
  }

 private:
  struct Place {
    uint16_t where;
    uint64_t members;
  };

  // By the machine's table: a machine has few nodes.
  double of_nodes(double lower, double upper) {
    by_distance_.clear();
    for (size_t a = 0; a < places_.size(); ++a)
      for (size_t b = a; b < places_.size(); ++b) {
        const Place &one = places_[a], &other = places_[b];
        const double pairs = a == b ? pairs_among(one.members) : double(one.members) * double(other.members);
        by_distance_.emplace_back(distance_[one.where * nodes_ + other.where], pairs);
      }
    std::sort(by_distance_.begin(), by_distance_.end());
    auto at = [&](double index) {
      for (const auto& [distance, pairs] : by_distance_) {
        if (index < pairs) return double(distance);
        index -= pairs;
      }
      return double(by_distance_.back().first);
    };
    return (at(lower) + at(upper)) / 2;
  }

  // The distance of the pair at `index`: the least d with more than `index` pairs at d or nearer.
  double of_numbers(double index) {
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.where < b.where; });
    uint32_t least = 0, most = kUnknown;
    while (least < most) {
      const uint32_t d = (least + most) / 2;
      if (pairs_within(d) > index) most = d;
      else least = d + 1;
    }
    return least;
  }
  double pairs_within(uint32_t d) const {
    double pairs = 0;
    uint64_t near = 0;  // members at most d below the current CPU, and not on it
    size_t first = 0;
    for (const Place& at : places_) {
      while (places_[first].where + d < at.where) near -= places_[first++].members;
      pairs += pairs_among(at.members) + double(near) * double(at.members);
      near += at.members;
    }
    return pairs;
  }

  const std::vector<float>& distance_;
  size_t nodes_ = 0;
  std::vector<Place> places_;
  std::vector<uint32_t> slot_;  // by cpu or node: 1 + its index in places_, until they are sorted; 0: not there
  std::vector<std::pair<float, double>> by_distance_;
};

}  // namespace

void metrics_of_scatter(const Profile& p, const MetricOptions& options, Metrics& m) {
  Family family(options);
  m.distance = family.by_nodes() ? "node distance" : "difference of CPU numbers";
  auto& out = m.of_grains[size_t(Metric::scatter)];
  out.assign(p.grains.size(), std::numeric_limits<float>::quiet_NaN());
  for (const Grain& parent : p.grains) {
    family.clear();
    uint64_t tasks = 0;
    for (uint32_t c = parent.first_child; c != kNone; c = p.grains[c].next_sibling)
      if (p.grains[c].kind == GrainKind::task) family.add(p.grains[c]), ++tasks;
    if (tasks < 2) continue;
    const float value = float(family.scatter());
    for (uint32_t c = parent.first_child; c != kNone; c = p.grains[c].next_sibling)
      if (p.grains[c].kind == GrainKind::task) out[c] = value;
  }
  // The chunks of a loop have different implicit tasks as parents.
  std::vector<uint32_t> at(p.loops.size() + 1, 0);
  for (const Grain& g : p.grains)
    if (g.kind == GrainKind::chunk && g.loop < p.loops.size()) ++at[g.loop + 1];
  for (size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
  std::vector<uint32_t> chunks(at.back()), next(at.begin(), at.end() - 1);
  for (uint32_t i = 0; i < p.grains.size(); ++i)
    if (p.grains[i].kind == GrainKind::chunk && p.grains[i].loop < p.loops.size()) chunks[next[p.grains[i].loop]++] = i;
  for (size_t l = 0; l < p.loops.size(); ++l) {
    family.clear();
    for (uint32_t i = at[l]; i < at[l + 1]; ++i) family.add(p.grains[chunks[i]]);
    const float value = float(family.scatter());
    for (uint32_t i = at[l]; i < at[l + 1]; ++i) out[chunks[i]] = value;
  }
}

}  // namespace einkorn::profile
