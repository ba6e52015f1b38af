#include "cli/pair_page.h"

#include <functional>
#include <vector>

#include "profile/compare.h"
#include "profile/profile.h"
#include "report/compare.h"
#include "report/page/metrics.h"
#include "report/page/pair.h"

namespace einkorn::cli {

namespace {

// One recording's part of the page, and the data for the comparison: two profiles are never in memory at once.
// `baseline`: the other side, if it is known already; `result` is then the comparison with it.
bool load_part(const std::string& file, const PairFiles& files, const std::function<void(double)>& progress,
               const profile::Side* baseline, profile::Side& side, profile::Comparison& result, report::PairPart& part,
               std::string& error) {
  profile::Profile p;
  profile::LoadError wrong;
  profile::LoadOptions load;
  load.state_bins = true;
  load.symbols = files.symbols;
  load.progress = [&](double f, const char*) { progress(f); };
  if (!profile::load(file, load, p, wrong)) {
    error = wrong.message;
    return false;
  }
  side = profile::side_of(p);
  profile::Baseline held;
  std::vector<float> exec;
  if (baseline) {
    result = profile::compare(*baseline, side, 0);
    exec = profile::baseline_exec(*baseline, side, result, p.grains.size());
    if (baseline->times_valid) held = {&exec, baseline->work()};
  }
  const profile::Metrics metrics = report::page_metrics(p, held);
  report::HtmlOptions html;
  html.metrics = &metrics;
  html.source = files.source;
  html.max_grains = report::kPairGrains;
  return report::make_pair_part(p, html, part, error);
}

}  // namespace

bool make_pair_page(const PairFiles& files, Progress& progress, std::string& page, std::string& error) {
  profile::Side before, after;
  profile::Comparison result;
  report::PairPart first, second;
  if (!load_part(
          files.before, files, [&](double f) { progress(0.45 * f, "reading the first"); }, nullptr, before, result,
          first, error) ||
      !load_part(
          files.after, files, [&](double f) { progress(0.45 + 0.45 * f, "reading the second"); }, &before, after,
          result, second, error))
    return false;
  progress(0.9, "writing");
  const report::Compared compared{before, after, result, files.before_name, files.after_name, files.lines};
  return report::make_pair_html(compared, first, second, files.tuning, page, error);
}

}  // namespace einkorn::cli
