#include "simulate/split_times.h"

#include <algorithm>
#include <unordered_map>

#include "schedule/shape.h"
#include "simulate/caches.h"
#include "simulate/rates.h"

namespace einkorn::simulate {

double on_one_node(const machine::Machine& m, uint32_t threads) {
  std::vector<uint32_t> cores(size_t(m.node_count()), 0);
  std::vector<bool> seen(size_t(m.cores), false);
  for (const machine::Pu& p : m.pus)
    if (!seen[size_t(p.core)]) seen[size_t(p.core)] = true, ++cores[size_t(p.node)];
  const uint32_t room = std::max(1u, *std::max_element(cores.begin(), cores.end()));
  return double(std::max(1u, std::min(threads, room)));
}

void split_times(Program& program, std::vector<Timed> recorded, const machine::Machine& m, uint32_t threads) {
  std::stable_sort(recorded.begin(), recorded.end(), [](const Timed& a, const Timed& b) { return a.begin < b.begin; });
  uint32_t most = 0;
  for (const Timed& t : recorded) most = std::max(most, t.thread == kNone ? 0 : t.thread);
  const std::vector<int> pus = schedule::pus_of({}, m, int(std::min<uint32_t>(most, 65535) + 1));
  Caches caches(m, program.data.size());
  const int node = m.pus[size_t(pus[0])].node;
  const double alone = rate_of_one(m, node), each = rate_of_each(m, on_one_node(m, threads), node);
  std::unordered_map<uint32_t, float> part;  // by first access
  for (const Timed& t : recorded) {
    double ns = 0;
    for (uint32_t i = t.first_access; i < t.first_access + t.accesses; ++i) {
      const Access& a = program.accesses[i];
      const int pu = pus[t.thread == kNone ? 0 : t.thread % pus.size()];
      const Caches::Source from = caches.touch(pu, a.data, a.bytes, a.write);
      ns += double(from.own) / (kOwnCacheSpeed * alone) + double(from.shared) / (kSharedCacheSpeed * alone);
      if (from.memory > 0) ns += double(from.memory) / each + latency(m, node, node);
    }
    part[t.first_access] = t.ns > 0 ? float(std::min(1.0, ns / t.ns)) : 0;
  }
  for (Step& s : program.steps)
    if (s.accesses > 0)
      if (auto at = part.find(s.first_access); at != part.end()) s.memory = at->second;
}

}  // namespace einkorn::simulate
