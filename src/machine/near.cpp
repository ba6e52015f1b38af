#include "machine/near.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "machine/tour.h"

namespace einkorn::machine {

CpuSet cpus_of(const Machine& m) {
  CpuSet set;
  for (const Pu& p : m.pus) set.add(p.os);
  return set;
}

int pu_of(const Machine& m, int os) {
  for (int i = 0; i < m.pu_count(); ++i)
    if (m.pus[size_t(i)].os == os) return i;
  return -1;
}

CpuSets groups(const Machine& m, Level level, const CpuSet& allowed) {
  auto index = [level](const Machine& machine, size_t i) -> int {
    const Pu& p = machine.pus[i];
    switch (level) {
      case Level::core: return p.core;
      case Level::cache: return p.llc;
      case Level::numa: return p.node;
      case Level::socket: return p.socket;
      default: return int(i);
    }
  };
  CpuSets out{static_cast<CpuSet*>(calloc(m.pus.size() + 1, sizeof(CpuSet))), 0};
  if (!out.sets) return out;
  // The nodes in the order of the tour, so that neighbours in the list are near each other; all of a node together.
  std::vector<int> rank(m.nodes.size());
  const std::vector<int> tour = place_tour(m).nodes;
  for (size_t i = 0; i < tour.size(); ++i) rank[size_t(tour[i])] = int(i);
  std::vector<size_t> order(m.pus.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank[size_t(m.pus[a].node)] < rank[size_t(m.pus[b].node)]; });
  std::vector<int> place(m.pus.size() + m.nodes.size(), -1);  // [index in the level]: where its set is
  for (size_t i : order) {
    if (!allowed.has(m.pus[i].os)) continue;
    int& at = place[size_t(index(m, i))];
    if (at < 0) at = out.count++;
    out.sets[at].add(m.pus[i].os);
  }
  return out;
}

std::vector<int> nodes_with_cpus(const Machine& m) {
  std::vector<bool> has(m.nodes.size());
  for (const Pu& p : m.pus) has[size_t(p.node)] = true;
  std::vector<int> out;
  for (int i = 0; i < m.node_count(); ++i)
    if (has[size_t(i)]) out.push_back(i);
  return out;
}

}  // namespace einkorn::machine
