#include "simulate/break_even.h"

#include <algorithm>
#include <cmath>

#include "machine/near.h"
#include "simulate/costs.h"
#include "simulate/rates.h"

namespace einkorn::simulate {

double uses_to_pay(double cost, double before, double after) {
  return before > after ? std::max(1.0, std::ceil(cost / (before - after))) : kNever;
}

bool break_even(const machine::Machine& m, BreakEven* out, std::string* why) {
  const std::vector<int> with = machine::nodes_with_cpus(m);
  if (m.node_count() < 2) {
    *why = m.name + " has one memory node: pages have nowhere to go";
    return false;
  }
  const bool rates = rates_known(m), latencies = m.latency_ns.size() == m.nodes.size() * m.nodes.size();
  if (!rates && !latencies) {
    *why = m.name +
           " says neither bandwidths nor latencies: einkorn machine --measure finds a computer's own, "
           "docs/machines.md has the fields of a model";
    return false;
  }
  auto measured = [&](const char* name) {
    return std::any_of(m.measured.begin(), m.measured.end(),
                       [&](const machine::Measured& x) { return x.name == name; });
  };
  const Costs costs = costs_of(m);
  BreakEven b;
  b.page_bytes = m.page_bytes;
  b.migrate_ns = costs.migrate_page;
  b.next_touch_ns = costs.next_touch_page;
  b.migrate_measured = measured("migrate_page_ns");
  b.next_touch_measured = measured("next_touch_page_ns");
  const double page = double(m.page_bytes);
  double together = 0;
  for (int a : with) {
    together += link_rate(m, a, a);
    for (int memory = 0; memory < m.node_count(); ++memory) {
      if (memory == a) continue;
      PairBreakEven pair;
      pair.thread = a, pair.memory = memory;
      if (rates) {
        pair.one = {page / stream_rate(m, a, memory), page / stream_rate(m, a, a)};
        pair.all = {page / link_rate(m, a, memory), page / link_rate(m, a, a)};
      }
      if (latencies) pair.load = {latency(m, a, memory), latency(m, a, a)};
      b.pairs.push_back(pair);
    }
  }
  if (rates && with.size() > 1) b.spread = {page / link_rate(m, with[0], with[0]), page / together};
  *out = std::move(b);
  return true;
}

}  // namespace einkorn::simulate
