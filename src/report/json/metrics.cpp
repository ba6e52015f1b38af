#include "report/json/metrics.h"
#include <cmath>
#include <string_view>
#include "profile/metrics_parts.h"

namespace einkorn::report {

using json = nlohmann::ordered_json;
using profile::Metric;
using profile::MetricInfo;
using profile::Metrics;
using profile::Profile;

namespace {

// A number of the report: seconds with at most nine decimals, others as they are.
void put(json& to, const MetricInfo& i, double value) {
  if (!std::isfinite(value)) return;
  if (std::string_view(i.unit) == "ns") to[std::string(i.key) + "_seconds"] = std::round(value) / 1e9;
  else to[i.key] = value;
}

}  // namespace

bool summed_up(Metric m) {
  switch (m) {
    case Metric::parallel_benefit:
    case Metric::work_deviation:
    case Metric::memory_utilization:
    case Metric::ipc:
    case Metric::miss_rate:
    case Metric::parallelism_optimistic:
    case Metric::scatter:
    case Metric::remote_share: return true;
    default: return false;
  }
}

json program_metrics(const Metrics& m) {
  json out = json::object();
  for (const MetricInfo& i : profile::metrics_table())
    if (i.level() == profile::MetricLevel::program) put(out, i, m[i.metric]);
  return out;
}

SourceMetrics::SourceMetrics(const Profile& p, const Metrics& m) : m_(m), begin_(p.sources.size() + 1, 0) {
  auto each = [&](auto f) {
    for (uint32_t g = 0; g < p.grains.size(); ++g)
      if (p.grains[g].source < p.sources.size() && profile::counted(p.grains[g])) f(p.grains[g].source, g);
  };
  each([&](uint32_t source, uint32_t) { ++begin_[source + 1]; });
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  grain_.resize(begin_.back());
  std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
  each([&](uint32_t source, uint32_t g) { grain_[next[source]++] = g; });
}

json SourceMetrics::operator()(uint32_t source) const {
  json out = json::object();
  if (source + size_t(1) >= begin_.size()) return out;
  std::vector<float> values;
  for (const MetricInfo& i : profile::metrics_table()) {
    if (i.level() == profile::MetricLevel::source) put(out, i, double(m_.of_source(i.metric, source)));
    if (i.level() != profile::MetricLevel::grain || !summed_up(i.metric) || m_.of_grains[size_t(i.metric)].empty())
      continue;
    values.clear();
    uint64_t problems = 0;
    for (uint32_t at = begin_[source]; at < begin_[source + 1]; ++at) {
      const float v = m_.of_grain(i.metric, grain_[at]);
      if (std::isnan(v)) continue;
      values.push_back(v);
      problems += m_.is_problem(i.metric, double(v));
    }
    if (values.empty()) continue;
    const size_t grains = values.size();
    out[i.key] = {{"grains", grains},
                  {"median", profile::median(values)},
                  {"threshold", m_.thresholds[size_t(i.metric)]},
                  {"problems", problems}};
  }
  return out;
}

// The first depths: a chain of tasks may be a million deep.
json cut_off_curves(const Metrics& m) {
  constexpr size_t kDepths = 64;
  json out = json::array();
  for (size_t d = 0; d < std::min(kDepths, m.cut_off.size()); ++d) {
    const profile::CutOffPoint& c = m.cut_off[d];
    out.push_back({{"depth", d},
                   {"tasks", c.tasks},
                   {"exec_seconds", std::round(c.exec) / 1e9},
                   {"parallelization_seconds", std::round(c.parallelization) / 1e9},
                   {"idle_seconds", std::round(c.idle) / 1e9}});
  }
  return out;
}

}  // namespace einkorn::report
