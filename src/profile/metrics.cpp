#include "profile/metrics.h"
#include <unordered_map>
#include <unordered_set>
#include "profile/metrics_parts.h"

namespace einkorn::profile {
namespace {

// The largest number of CPUs of one node on which grains ran: all that a recording shows of a node's size.
uint32_t cpus_of_a_node(const Profile& p) {
  std::unordered_set<uint32_t> seen;
  std::unordered_map<uint16_t, uint32_t> cpus;
  uint32_t most = 0;
  for (const Grain& g : p.grains)
    if (executed(g) && g.node != 0xffff && g.cpu != 0xffff && seen.insert(uint32_t(g.node) << 16 | g.cpu).second)
      most = std::max(most, ++cpus[g.node]);
  return std::max(1u, most ? most : p.cpus);
}

void set_thresholds(const Profile& p, const MetricOptions& options, Metrics& m) {
  constexpr double kLocalDistance = 10;
  for (const MetricInfo& i : metrics_table()) {
    double& t = m.thresholds[size_t(i.metric)];
    t = options.thresholds[size_t(i.metric)];
    if (!std::isnan(t)) continue;
    t = i.threshold;
    if (i.threshold_of == ThresholdOf::threads_used) t *= m[Metric::threads];
    if (i.threshold_of == ThresholdOf::a_node)
      t *= !options.node_distance.empty() ? kLocalDistance
           : options.cpus_of_a_node       ? options.cpus_of_a_node
                                          : cpus_of_a_node(p);
  }
}

double mean_remote_distance(const std::vector<float>& distance) {
  size_t nodes = 0;
  while (nodes * nodes < distance.size()) ++nodes;
  double sum = 0;
  for (size_t i = 0; i < nodes * nodes && i < distance.size(); ++i)
    if (i % (nodes + 1) != 0) sum += double(distance[i]);
  return nodes > 1 ? sum / double(nodes * (nodes - 1)) : kAbsent;
}

}  // namespace

Metrics compute_metrics(const Profile& p, const MetricOptions& options) {
  Metrics m;
  m.of_program.fill(kAbsent);
  for (auto& v : m.of_sources) v.assign(p.sources.size(), float(kAbsent));
  m.remote_distance = mean_remote_distance(options.node_distance);
  metrics_of_program(p, options, m);
  set_thresholds(p, options, m);
  metrics_of_grains(p, options, m);
  metrics_of_parallelism(p, options, m);
  if (options.wants(Metric::scatter)) metrics_of_scatter(p, options, m);
  metrics_of_balance(p, m);
  metrics_of_cut_off(p, m);
  return m;
}

}  // namespace einkorn::profile
