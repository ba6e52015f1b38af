// Metrics that follow from a grain, its parent and its siblings.
#include <algorithm>
#include <unordered_map>
#include "profile/metrics_parts.h"

namespace einkorn::profile {
namespace {

// By grain: `value` of grains of the right kind.
template <class F>
void fill(const Profile& p, Metric metric, Metrics& m, F value) {
  auto& out = m.of_grains[size_t(metric)];
  out.assign(p.grains.size(), kNaN);
  const MetricInfo& info = metric_info(metric);
  for (size_t i = 0; i < p.grains.size(); ++i)
    if (info.applies_to(p.grains[i].kind)) out[i] = float(value(p.grains[i], i));
}

// The costs of grains to their creators. Siblings are the tasks that one task, implicit or explicit, created, in its
// chunks, too: it waits for all of them.
void parallelization(const Profile& p, Metrics& m) {
  auto& cost = m.of_grains[size_t(Metric::parallelization)];
  cost.assign(p.grains.size(), kNaN);
  m.estimated.assign(p.grains.size(), false);
  std::vector<uint32_t> deferred(p.grains.size(), 0);  // children of a task
  std::vector<double> share(p.grains.size(), 0);       // the overhead of its waits, and its chunks', for each child
  std::vector<bool> ran_some(p.grains.size(), false);  // at once
  for (const Grain& g : p.grains) {
    if (g.parent == kNone) continue;
    if (g.kind == GrainKind::chunk) share[g.parent] += double(g.wait_overhead);
    if (g.kind != GrainKind::task) continue;
    const uint32_t parent = context_of(p, g.parent);
    if (at_once(g)) ran_some[parent] = true;
    else ++deferred[parent];
  }
  for (size_t i = 0; i < p.grains.size(); ++i)
    if (deferred[i] > 0) share[i] = (share[i] + double(p.grains[i].wait_overhead)) / deferred[i];
  // Creation costs of the deferred children of grains that ran others at once.
  std::vector<std::pair<uint32_t, int64_t>> created;
  for (const Grain& g : p.grains)
    if (g.kind == GrainKind::task && g.parent != kNone && !at_once(g) && g.create_cost >= 0)
      if (const uint32_t parent = context_of(p, g.parent); ran_some[parent])
        created.emplace_back(parent, g.create_cost);
  std::sort(created.begin(), created.end());
  std::unordered_map<uint32_t, double> otherwise;  // the cost that a child that ran at once would have had
  std::vector<int64_t> costs;
  for (size_t i = 0; i < created.size();) {
    const uint32_t parent = created[i].first;
    for (costs.clear(); i < created.size() && created[i].first == parent; ++i) costs.push_back(created[i].second);
    otherwise[parent] = median(costs) + share[parent];
  }
  for (size_t i = 0; i < p.grains.size(); ++i) {
    const Grain& g = p.grains[i];
    if (g.kind == GrainKind::chunk && g.create_cost > 0) cost[i] = float(g.create_cost);
    if (g.kind != GrainKind::task || g.parent == kNone) continue;
    const uint32_t parent = context_of(p, g.parent);
    double all = !at_once(g) && g.create_cost >= 0 ? double(g.create_cost) + share[parent] : kAbsent;
    if (at_once(g))
      if (const auto at = otherwise.find(parent); at != otherwise.end()) all = at->second;
    if (all > 0) cost[i] = float(all);
    m.estimated[i] = at_once(g) && all > 0;
  }
}

void subtree_work(const Profile& p, Metrics& m) {
  std::vector<int64_t> below(p.grains.size());
  for (size_t i = p.grains.size(); i-- > 0;) {  // children come after their parents
    below[i] += p.grains[i].exec;
    if (p.grains[i].parent < i) below[p.grains[i].parent] += below[i];
  }
  fill(p, Metric::subtree_work, m, [&](const Grain&, size_t i) { return double(below[i]); });
}

void critical(const Profile& p, Metrics& m) {
  if (p.graph.nodes.empty()) return;
  fill(p, Metric::critical, m, [](const Grain& g, size_t) { return g.fragments ? 0 : kAbsent; });
  auto& out = m.of_grains[size_t(Metric::critical)];
  for (const Node& n : p.graph.nodes)
    if (n.critical && n.grain != kNone && (n.kind == NodeKind::fragment || n.kind == NodeKind::chunk))
      out[n.grain] += float(n.weight);
}

// The part of the known bytes that is on other nodes, if enough are known (design.md, "What is impossible").
double remote_share(const Profile& p, const Grain& g) {
  constexpr double kLeastKnown = 0.8;
  if (g.footprint >= p.footprints.size()) return kAbsent;
  const Footprint& f = p.footprints[g.footprint];
  if (f.known == 0 || double(f.known) < kLeastKnown * double(f.bytes)) return kAbsent;
  return double(f.remote) / double(f.known);
}

// Each of the counters that it is made of has to be there.
void counter_metrics(const Profile& p, const MetricOptions& options, Metrics& m) {
  using record::Counter;
  auto has = [&](Counter c) { return p.counted.has(c); };
  auto of = [&](size_t i, Counter c) {
    const uint64_t n = p.counted.of(uint32_t(i), c);
    return n == record::kUncounted ? kAbsent : double(n);
  };
  auto ratio = [](double a, double b) { return b > 0 ? a / b : kAbsent; };
  auto each = [&](Metric metric, std::initializer_list<Counter> needs, auto value) {
    if (options.wants(metric) && std::all_of(needs.begin(), needs.end(), has))
      fill(p, metric, m, [&](const Grain& g, size_t i) { return g.fragments ? value(i) : kAbsent; });
  };
  each(Metric::memory_utilization, {Counter::cycles, Counter::stalled_cycles}, [&](size_t i) {
    const double stalled = of(i, Counter::stalled_cycles), rest = of(i, Counter::cycles) - stalled;
    return ratio(rest < 0 ? 0 : rest, stalled);  // two counters, read one after the other
  });
  each(Metric::ipc, {Counter::cycles, Counter::instructions},
       [&](size_t i) { return ratio(of(i, Counter::instructions), of(i, Counter::cycles)); });
  each(Metric::miss_rate, {Counter::llc_misses, Counter::instructions},
       [&](size_t i) { return ratio(1000 * of(i, Counter::llc_misses), of(i, Counter::instructions)); });
  each(Metric::page_faults, {Counter::page_faults}, [&](size_t i) { return of(i, Counter::page_faults); });
  each(Metric::miss_footprint, {Counter::llc_misses}, [&](size_t i) { return 64 * of(i, Counter::llc_misses); });
}

}  // namespace

void metrics_of_grains(const Profile& p, const MetricOptions& options, Metrics& m) {
  using enum Metric;
  if (options.wants(exec))
    fill(p, exec, m, [](const Grain& g, size_t) { return g.fragments ? double(g.exec) : kAbsent; });
  if (options.wants(creation))
    fill(p, creation, m, [](const Grain& g, size_t) {
      return g.create_cost < 0 || (g.kind == GrainKind::task && at_once(g)) ? kAbsent : double(g.create_cost);
    });
  if (options.wants(Metric::parallelization) || options.wants(parallel_benefit)) {
    profile::parallelization(p, m);
    auto& cost = m.of_grains[size_t(Metric::parallelization)];
    if (options.wants(parallel_benefit))
      fill(p, parallel_benefit, m,
           [&](const Grain& g, size_t i) { return g.fragments ? double(g.exec) / double(cost[i]) : kAbsent; });
    if (!options.wants(Metric::parallelization)) cost = {};
  }
  if (const auto* before = options.baseline.exec; before && options.wants(work_deviation))
    fill(p, work_deviation, m, [&](const Grain& g, size_t i) {
      return g.fragments && i < before->size() && (*before)[i] > 0 ? double(g.exec) / double((*before)[i]) : kAbsent;
    });
  if (options.wants(Metric::remote_share) && !p.footprints.empty())
    fill(p, Metric::remote_share, m, [&](const Grain& g, size_t) { return profile::remote_share(p, g); });
  if (!p.accesses.empty()) {
    auto of_accesses = [&](Metric metric, auto value) {
      if (options.wants(metric))
        fill(p, metric, m,
             [&](const Grain& g, size_t i) { return g.fragments ? double(value(p.accesses[i])) : kAbsent; });
    };
    of_accesses(loads, [](const Accesses& a) { return a.loads; });
    of_accesses(stores, [](const Accesses& a) { return a.stores; });
    of_accesses(memory_footprint, [](const Accesses& a) { return 64 * a.lines; });
    of_accesses(
        reuse, [](const Accesses& a) { return a.lines ? double(a.read + a.written) / double(64 * a.lines) : kAbsent; });
  }
  if (p.counted.any()) counter_metrics(p, options, m);
  if (options.wants(Metric::subtree_work)) profile::subtree_work(p, m);
  if (options.wants(Metric::critical)) profile::critical(p, m);
}

}  // namespace einkorn::profile
