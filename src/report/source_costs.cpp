#include "report/source_costs.h"
#include <algorithm>

namespace einkorn::report {

using profile::Grain;
using profile::GrainKind;

std::vector<SourceCost> source_costs(const profile::Profile& p) {
  const size_t unknown = p.sources.size();
  auto slot = [&](const Grain& g) { return std::min<size_t>(g.source, unknown); };
  std::vector<SourceCost> costs(unknown + 1);
  for (const Grain& g : p.grains) {
    if (!counted(g)) continue;
    SourceCost& c = costs[slot(g)];
    if (c.grains++ == 0) c.kind = g.kind;
    c.perturbed += (g.flags & profile::kPerturbed) != 0;
    c.deferred += g.kind == GrainKind::task && !at_once(g);
    c.kept += kept_from_others(p, g);
    if (g.fragments > 0) ++c.executed;
    c.exec += g.exec;
    if (g.create_cost >= 0) {
      ++c.created;
      c.create_cost += g.create_cost;
    }
  }
  // Execution times grouped by source, for the medians.
  std::vector<size_t> at(costs.size() + 1, 0);
  for (size_t s = 0; s < costs.size(); ++s) at[s + 1] = at[s] + costs[s].executed;
  std::vector<int64_t> times(at.back());
  std::vector<size_t> next(at.begin(), at.end() - 1);
  for (const Grain& g : p.grains)
    if (counted(g) && g.fragments > 0) times[next[slot(g)]++] = g.exec;
  for (size_t s = 0; s < costs.size(); ++s) {
    costs[s].source = s == unknown ? profile::kNone : uint32_t(s);
    if (!costs[s].executed) continue;
    auto first = times.begin() + long(at[s]), last = times.begin() + long(at[s + 1]);
    auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last);
    costs[s].median = *middle;
    costs[s].longest = *std::max_element(middle, last);
  }
  std::erase_if(costs, [](const SourceCost& c) { return c.grains == 0; });
  std::stable_sort(costs.begin(), costs.end(),
                   [](const SourceCost& a, const SourceCost& b) { return a.exec > b.exec; });
  return costs;
}

}  // namespace einkorn::report
