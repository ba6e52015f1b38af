#include "report/page/metrics.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include "report/findings/findings.h"

namespace einkorn::report {
namespace {

using nlohmann::json;
using profile::BadSide;
using profile::Grain;
using profile::GrainKind;
using profile::Metric;
using profile::MetricInfo;
using profile::MetricLevel;
using profile::Metrics;
using profile::Profile;

json description(const MetricInfo& info, double threshold) {
  json j = {{"key", info.key},
            {"name", info.name},
            {"unit", info.unit},
            {"definition", info.definition},
            {"level", profile::kMetricLevelNames[size_t(info.level())]},
            {"kinds", info.kinds},
            {"scale", info.scale == profile::ColourScale::logarithmic ? "logarithmic" : "linear"},
            {"reason", info.threshold_reason},
            {"origin", info.origin}};
  if (info.bad != BadSide::none && std::isfinite(threshold)) {
    j["bad"] = info.bad == BadSide::below ? "below" : "above";
    j["threshold"] = threshold;
  }
  return j;
}

// JSON knows no NaN and no infinity.
json value_of(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }

// Of all grains of the recording, those that a cut graph leaves out included.
void count_problems(const Profile& p, const Metrics& metrics, Metric m, json& j) {
  uint64_t present = 0, problems = 0;
  int64_t exec = 0;
  for (uint32_t g = 0; g < p.grains.size(); ++g) {
    const double v = double(metrics.of_grain(m, g));
    if (std::isnan(v) || !profile::counted(p.grains[g])) continue;
    ++present;
    if (!metrics.is_problem(m, v)) continue;
    ++problems;
    exec += p.grains[g].exec;
  }
  j["present"] = present;
  j["problems"] = problems;
  j["problem_exec"] = exec;
}

}  // namespace

float rounded(float value, double threshold) {
  if (!std::isfinite(value)) return std::isnan(value) ? std::bit_cast<float>(0xffffffffu) : value;
  constexpr uint32_t kDropped = 12;  // of 23 bits of the mantissa
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t down = bits & ~((1u << kDropped) - 1), up = down + (1u << kDropped);
  const uint32_t near = bits - down < (1u << (kDropped - 1)) ? down : up;
  const auto same_side = [&](uint32_t b) {
    const double r = double(std::bit_cast<float>(b));
    return (r < threshold) == (double(value) < threshold) && (r > threshold) == (double(value) > threshold);
  };
  for (const uint32_t b : {near, down, up})
    if (same_side(b) && std::isfinite(std::bit_cast<float>(b))) return std::bit_cast<float>(b);
  return value;
}

profile::Metrics page_metrics(const Profile& p, const profile::Baseline& baseline) {
  profile::MetricOptions options = metric_options(p);
  options.baseline = baseline;
  options.grain_metrics = profile::MetricOptions().grain_metrics;
  return profile::compute_metrics(p, options);
}

void describe_metrics(const Profile& p, const Metrics& metrics, json& meta) {
  json list = json::array();
  for (const MetricInfo& info : profile::metrics_table()) {
    const double threshold = metrics.thresholds[size_t(info.metric)];
    json j = description(info, threshold);
    if (info.level() == MetricLevel::grain) {
      count_problems(p, metrics, info.metric, j);
    } else if (info.level() == MetricLevel::source) {
      json values = json::array();
      for (uint32_t s = 0; s < p.sources.size(); ++s)
        values.push_back(value_of(double(metrics.of_source(info.metric, s))));
      j["values"] = std::move(values);
    } else if (std::isfinite(metrics[info.metric])) {
      j["value"] = metrics[info.metric];
    }
    list.push_back(std::move(j));
  }
  meta["metrics"] = std::move(list);
  // As many depths as the page lists: a chain of tasks may be a million deep.
  constexpr size_t kDepths = 200;
  json points = json::array();
  for (size_t d = 0; d < std::min(kDepths, metrics.cut_off.size()); ++d) {
    const profile::CutOffPoint& c = metrics.cut_off[d];
    json j = {{"tasks", c.tasks}, {"exec", value_of(c.exec)}, {"parallelization", value_of(c.parallelization)}};
    if (std::isfinite(c.idle)) j["idle"] = c.idle;
    points.push_back(std::move(j));
  }
  meta["cut_off"] = std::move(points);
  meta["distance"] = metrics.distance;
}

void add_metrics(const Metrics& metrics, size_t grains, const std::function<uint32_t(size_t)>& grain_at,
                 const json& meta, Columns& columns) {
  size_t i = 0;
  for (const MetricInfo& info : profile::metrics_table()) {
    const json& described = meta["metrics"][i++];
    const bool in_page = info.metric == Metric::exec || info.metric == Metric::creation;
    if (info.level() != MetricLevel::grain || in_page || described["present"] == 0) continue;
    columns.add_float((std::string("metric.") + info.key).c_str(), grains, [&](size_t g) {
      return rounded(metrics.of_grain(info.metric, grain_at(g)), metrics.thresholds[size_t(info.metric)]);
    });
  }
}

}  // namespace einkorn::report
