// What is computed: metrics, and the comparison of two recordings.
#include "core.h"
#include <cmath>
#include <nanobind/stl/string.h>
#include "profile/compare.h"
#include "profile/metrics.h"

namespace einkorn::python {

namespace {

using profile::Comparison;
using profile::Counted;
using profile::kNone;
using profile::Side;

// Metrics by key. A second recording gives the deviation of each grain's work, and the inflation of the program's. interval_ns: of
// instantaneous parallelism, 0: the median grain's. wanted: thresholds by key, instead of the defaults.
nb::dict metrics(const Recording& r, const Recording* baseline, int64_t interval_ns, const nb::dict& wanted) {
  profile::MetricOptions options;
  options.interval_ns = interval_ns;
  for (auto [key, value] : wanted) {
    const auto name = nb::cast<std::string>(key);
    bool known = false;
    for (const profile::MetricInfo& i : profile::metrics_table())
      if (name == i.key) known = true, options.thresholds[size_t(i.metric)] = nb::cast<double>(value);
    if (!known) throw nb::key_error(("there is no metric '" + name + "'; einkorn.metrics_table() has them").c_str());
  }
  std::vector<float> exec;
  profile::Metrics m;
  {
    nb::gil_scoped_release release;
    if (baseline) {
      const Side before = side_of(baseline->p), after = side_of(r.p);
      exec = baseline_exec(before, after, compare(before, after, 0), r.p.grains.size());
      options.baseline = {&exec, before.work()};
    }
    m = compute_metrics(r.p, options);
  }
  nb::dict grains, sources, program, thresholds;
  for (const profile::MetricInfo& i : profile::metrics_table()) {
    const float none = std::nanf("");
    switch (i.level()) {
      case profile::MetricLevel::grain: {
        auto& v = m.of_grains[size_t(i.metric)];
        if (v.empty()) v.assign(r.p.grains.size(), none);
        grains[i.key] = keep(std::move(v));
        break;
      }
      case profile::MetricLevel::source: {
        auto& v = m.of_sources[size_t(i.metric) - profile::kGrainMetrics];
        if (v.empty()) v.assign(r.p.sources.size(), none);
        sources[i.key] = keep(std::move(v));
        break;
      }
      case profile::MetricLevel::program: program[i.key] = m[i.metric]; break;
    }
    if (!std::isnan(m.thresholds[size_t(i.metric)])) thresholds[i.key] = m.thresholds[size_t(i.metric)];
  }
  nb::dict out;
  out["grains"] = grains;
  out["sources"] = sources;
  out["program"] = program;
  out["thresholds"] = thresholds;
  out["interval_ns"] = m.over_time.interval;
  return out;
}

nb::list metrics_table() {
  nb::list out;
  for (const profile::MetricInfo& i : profile::metrics_table()) {
    nb::dict d;
    d["key"] = i.key;
    d["name"] = i.name;
    d["unit"] = i.unit;
    d["level"] = profile::kMetricLevelNames[size_t(i.level())];
    d["definition"] = i.definition;
    d["origin"] = i.origin;
    d["problem"] = i.bad == profile::BadSide::none ? "" : i.bad == profile::BadSide::below ? "below" : "above";
    out.append(d);
  }
  return out;
}

nb::dict counted(const Counted& c) {
  nb::dict d;
  d["grains"] = c.grains;
  d["exec_ns"] = c.exec;
  return d;
}

nb::dict compare_recordings(const Recording& b, const Recording& a) {
  Side before, after;
  Comparison c;
  {
    nb::gil_scoped_release release;
    before = side_of(b.p);
    after = side_of(a.p);
    c = compare(before, after, 0);
  }
  std::vector<int64_t> match(a.p.grains.size(), -1);
  for (size_t i = 0; i < c.match.size(); ++i)
    if (c.match[i] != kNone) match[after.grains[i].grain] = before.grains[c.match[i]].grain;
  nb::list lines;
  for (const profile::LineChange& l : c.lines) {
    nb::dict d;
    const profile::Source* s = l.after_source != kNone    ? &after.sources[l.after_source]
                               : l.before_source != kNone ? &before.sources[l.before_source]
                                                          : nullptr;
    d["file"] = text(s ? s->file : "");
    d["line"] = s ? s->line : 0;
    d["construct"] = text(s ? s->construct : "");
    d["kind"] = profile::kGrainKindNames[size_t(l.kind)];
    d["before_grains"] = l.before.grains;
    d["after_grains"] = l.after.grains;
    d["matched"] = l.matched;
    d["before_ns"] = l.before.exec;
    d["after_ns"] = l.after.exec;
    d["change_ns"] = l.change();
    d["median_deviation"] = l.median_ratio < 0 ? std::nan("") : l.median_ratio;
    d["worst_deviation"] = l.worst_ratio < 0 ? std::nan("") : l.worst_ratio;
    lines.append(d);
  }
  nb::dict out;
  out["match"] = keep(std::move(match));
  out["matched"] = c.matched;
  out["share"] = c.share;
  out["per_grain"] = c.per_grain();
  out["only_before"] = counted(c.only_before);
  out["only_after"] = counted(c.only_after);
  out["inflation_ns"] = after.work() - before.work();
  out["lines"] = lines;
  out["deviation_base"] = keep(baseline_exec(before, after, c, a.p.grains.size()));
  return out;
}

}  // namespace

void add_results(nb::module_& m, nb::class_<Recording>& c) {
  c.def("metrics", &metrics, nb::arg("baseline").none(), nb::arg("interval_ns"), nb::arg("thresholds"));
  m.def("metrics_table", &metrics_table);
  m.def("compare", &compare_recordings);
}

}  // namespace einkorn::python
