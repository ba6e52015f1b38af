// Metrics that a grain, its parent and its siblings tell.
#include "profile/metrics_parts.h"

namespace einkorn::profile {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// By grain: `value` of those of the right kind.
template <class F>
void fill(const Profile& p, Metric metric, Metrics& m, F value) {
  auto& out = m.of_grains[size_t(metric)];
  out.assign(p.grains.size(), kNaN);
  const MetricInfo& info = metric_info(metric);
  for (size_t i = 0; i < p.grains.size(); ++i)
    if (info.applies_to(p.grains[i].kind)) out[i] = float(value(p.grains[i], i));
}

// What grains cost their creators.
void parallelization(const Profile& p, Metrics& m) {
  auto& cost = m.of_grains[size_t(Metric::parallelization)];
  cost.assign(p.grains.size(), kNaN);
  m.estimated.assign(p.grains.size(), false);
  for (size_t i = 0; i < p.grains.size(); ++i)
    if (p.grains[i].kind == GrainKind::chunk && p.grains[i].create_cost > 0) cost[i] = float(p.grains[i].create_cost);
  std::vector<int64_t> created;  // creation costs of the deferred children
  for (const Grain& parent : p.grains) {
    uint64_t deferred = 0, run_at_once = 0;
    created.clear();
    for (uint32_t c = parent.first_child; c != kNone; c = p.grains[c].next_sibling) {
      const Grain& g = p.grains[c];
      if (g.kind != GrainKind::task) continue;
      ++(at_once(g) ? run_at_once : deferred);
      if (!at_once(g) && g.create_cost >= 0) created.push_back(g.create_cost);
    }
    if (deferred == 0) continue;
    const double share = double(parent.wait_overhead) / double(deferred);
    const double otherwise = run_at_once ? median(created) + share : kAbsent;
    for (uint32_t c = parent.first_child; c != kNone; c = p.grains[c].next_sibling) {
      const Grain& g = p.grains[c];
      if (g.kind != GrainKind::task) continue;
      const double all = at_once(g) ? otherwise : g.create_cost >= 0 ? double(g.create_cost) + share : kAbsent;
      if (all > 0) cost[c] = float(all);
      m.estimated[c] = at_once(g) && all > 0;
    }
  }
}

void subtree_work(const Profile& p, Metrics& m) {
  std::vector<int64_t> below(p.grains.size());
  for (size_t i = p.grains.size(); i-- > 0;) {  // children stand after their parents
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

// Of the known bytes, those elsewhere; where enough are known (design.md, "What is impossible").
double remote_share(const Profile& p, const Grain& g) {
  constexpr double kLeastKnown = 0.8;
  if (g.footprint >= p.footprints.size()) return kAbsent;
  const Footprint& f = p.footprints[g.footprint];
  if (f.known == 0 || double(f.known) < kLeastKnown * double(f.bytes)) return kAbsent;
  return double(f.remote) / double(f.known);
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
        fill(p, metric, m, [&](const Grain& g, size_t i) { return g.fragments ? double(value(p.accesses[i])) : kAbsent; });
    };
    of_accesses(loads, [](const Accesses& a) { return a.loads; });
    of_accesses(stores, [](const Accesses& a) { return a.stores; });
    of_accesses(memory_footprint, [](const Accesses& a) { return 64 * a.lines; });
    of_accesses(reuse, [](const Accesses& a) { return a.lines ? double(a.read + a.written) / double(64 * a.lines) : kAbsent; });
  }
  if (options.wants(Metric::subtree_work)) profile::subtree_work(p, m);
  if (options.wants(Metric::critical)) profile::critical(p, m);
}

}  // namespace einkorn::profile
