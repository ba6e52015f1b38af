// What holds of every Profile, whatever the file was. Returns the first thing that does not, or "".
#pragma once
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::test {

inline std::string broken_invariant(const profile::Profile& p) {
  using namespace profile;
  auto at = [](const char* what, size_t i) { return std::string(what) + " at " + std::to_string(i); };
  const size_t grains = p.grains.size(), nodes = p.graph.nodes.size();
  auto index = [](uint32_t i, size_t n) { return i == kNone || i < n; };
  if (grains == 0 || p.grains[0].kind != GrainKind::initial) return "no initial task";

  std::vector<uint32_t> children(grains, 0);
  for (size_t i = 0; i < grains; ++i) {
    const Grain& g = p.grains[i];
    if (i > 0 && (g.kind == GrainKind::initial || g.parent >= i)) return at("parent not before child", i);
    if (i > 0) ++children[g.parent];
    if (!index(g.source, p.sources.size()) || !index(g.region, p.regions.size()) || !index(g.loop, p.loops.size()) ||
        !index(g.thread, p.threads.size()) || !index(g.creator, p.threads.size()) || !index(g.first_child, grains) ||
        !index(g.next_sibling, grains))
      return at("index out of range: grain", i);
    if (g.kind == GrainKind::chunk && g.loop == kNone) return at("chunk of no loop", i);
    if (g.exec < 0 || g.wait < 0 || g.begin > g.end || g.create_cost < -1) return at("negative time: grain", i);
    if (g.kind == GrainKind::implicit && (g.fragments || g.exec)) return at("implicit task with fragments", i);
  }
  for (size_t i = 0; i < grains; ++i) {
    if (p.grains[i].children != children[i]) return at("number of children", i);
    uint32_t seen = 0;
    for (uint32_t c = p.grains[i].first_child; c != kNone; c = p.grains[c].next_sibling, ++seen)
      if (p.grains[c].parent != i || seen >= children[i]) return at("list of children", i);
    if (seen != children[i]) return at("list of children too short", i);
  }
  for (size_t i = 0; i < p.regions.size(); ++i)
    if (!index(p.regions[i].source, p.sources.size()) || p.regions[i].parent_grain >= grains) return at("region", i);
  for (size_t i = 0; i < p.loops.size(); ++i)
    if (!index(p.loops[i].source, p.sources.size()) || !index(p.loops[i].region, p.regions.size()))
      return at("loop", i);

  StateTimes sum{};
  for (size_t i = 0; i < p.threads.size(); ++i) {
    int64_t all = 0;
    for (int s = 0; s < kStates; ++s) {
      if (p.threads[i].times[size_t(s)] < 0) return at("negative state time", i);
      all += p.threads[i].times[size_t(s)];
      sum[size_t(s)] += p.threads[i].times[size_t(s)];
    }
    if (all != p.threads[i].in_team) return at("states do not partition thread", i);
  }
  if (sum != p.thread_time) return "thread_time is not the sum over threads";

  std::vector<uint32_t> fragments(grains, 0);
  std::vector<int64_t> weight(grains, 0);
  int64_t work = 0;
  for (size_t i = 0; i < nodes; ++i) {
    const Node& n = p.graph.nodes[i];
    if (!index(n.grain, grains) || !index(n.source, p.sources.size()) || !index(n.thread, p.threads.size()) ||
        n.weight < 0)
      return at("node", i);
    if (n.kind != NodeKind::fragment && n.kind != NodeKind::chunk) continue;
    if (n.grain == kNone) return at("fragment of no grain", i);
    ++fragments[n.grain];
    weight[n.grain] += n.weight;
    work += n.weight;
  }
  for (const Aggregate& a : p.aggregates) work += std::clamp<int64_t>(a.exec, 0, int64_t(1) << 50);  // counted only
  std::vector<bool> reached(nodes, false);
  for (size_t i = 0; i < p.graph.edges.size(); ++i) {
    const Edge& e = p.graph.edges[i];
    if (e.from >= e.to || e.to >= nodes) return at("edge not in topological order", i);
    if (i > 0 && p.graph.edges[i - 1].from > e.from) return at("edges not sorted", i);
    reached[e.to] = true;
  }
  if (nodes) {
    for (size_t i = 1; i < nodes; ++i)
      if (!reached[i]) return at("node that nothing leads to", i);
    for (size_t i = 1; i < grains; ++i)
      if (p.grains[i].fragments != fragments[i] || p.grains[i].exec != weight[i])
        return at("grain and its nodes differ", i);
    if (p.critical_path_ns > work || p.critical_path_ns > p.burdened_path_ns) return "critical path too long";
  }
  return "";
}

}  // namespace einkorn::test
