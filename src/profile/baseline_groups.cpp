#include "profile/baseline_groups.h"
#include <cmath>
#include <limits>
#include <unordered_map>

namespace einkorn::profile {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// By instance of `after`: so many times its execution it took in `before`; 0: not known.
template <class Group, class Same>
std::vector<double> ratios(const std::vector<Group>& before, const std::vector<Group>& after, Same same) {
  std::unordered_map<uint64_t, const Group*> known;
  for (const Group& g : before) known.try_emplace(g.key, &g);
  std::vector<double> out(after.size(), 0);
  for (size_t i = 0; i < after.size(); ++i)
    if (const auto at = known.find(after[i].key); at != known.end() && same(*at->second, after[i]))
      if (after[i].exec > 0 && at->second->exec > 0) out[i] = double(at->second->exec) / double(after[i].exec);
  return out;
}

}  // namespace

std::vector<float> exec_with_groups(const Side& before, const Side& after, const Comparison& c, size_t grains) {
  std::vector<float> out(grains, kUnknown);
  const std::vector<double> of_loop =
      ratios(before.loops, after.loops, [](auto& a, auto& b) { return a.iterations == b.iterations; });
  const std::vector<double> of_phase = ratios(before.phases, after.phases, [](auto&, auto&) { return true; });
  double known = 0, all = 0;
  for (size_t i = 0; i < after.grains.size(); ++i) {
    const ComparedGrain& g = after.grains[i];
    all += double(g.exec);
    float& exec = out[g.grain];
    if (g.kind == GrainKind::share) {
      if (g.loop < of_phase.size() && of_phase[g.loop] > 0) exec = float(double(g.exec) * of_phase[g.loop]);
    } else if (c.match[i] != kNone) {
      exec = float(before.grains[c.match[i]].exec);
    } else if (g.loop < of_loop.size() && of_loop[g.loop] > 0) {
      exec = float(double(g.exec) * of_loop[g.loop]);
    }
    if (!std::isnan(exec)) known += double(g.exec);
  }
  for (const ComparedAggregate& a : after.aggregates) all += double(a.exec);
  if (known < kEnough * all) out.assign(grains, kUnknown);
  return out;
}

}  // namespace einkorn::profile
