// einkorn compare before.grain after.grain [--json | --html FILE] [--lines N]
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <vector>

#include "cli/baseline.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "profile/compare.h"
#include "profile/profile.h"
#include "report/compare.h"
#include "report/html_metrics.h"
#include "report/html_pair.h"

namespace einkorn::cli {

namespace {

struct Options {
  std::string before, after, html;
  bool json = false, no_source = false;
  size_t lines = 12;
};

// One recording's part of the page, and what is compared of it: two profiles are never in memory at once. `baseline`: the
// other side, where it is known already; `result` is then the comparison with it.
bool load_part(const std::string& file, bool no_source, const std::function<void(double)>& progress, const profile::Side* baseline,
               profile::Side& side, profile::Comparison& result, report::PairPart& part, std::string& error) {
  profile::Profile p;
  profile::LoadError wrong;
  profile::LoadOptions load;
  load.state_bins = true;
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
  html.no_source = no_source;
  html.max_grains = report::kPairGrains;
  return report::make_pair_part(p, html, part, error);
}

int write_page(const Options& o) {
  profile::Side before, after;
  profile::Comparison result;
  report::PairPart first, second;
  std::string page, error;
  {
    Progress progress;
    if (!load_part(o.before, o.no_source, [&](double f) { progress(0.45 * f, "reading the first"); }, nullptr, before, result, first, error) ||
        !load_part(o.after, o.no_source, [&](double f) { progress(0.45 + 0.45 * f, "reading the second"); }, &before, after, result, second, error))
      return fail(kOurError, error);
    progress(0.9, "writing");
    const report::Compared compared{before, after, result, o.before, o.after, o.lines};
    if (!report::make_pair_html(compared, first, second, page, error) || !report::write_page(o.html, page, error))
      return fail(kOurError, error);
  }
  fmt::print(stderr, "einkorn: wrote {}\n", o.html);
  return 0;
}

int compare(const Options& o) {
  if (!o.html.empty()) return write_page(o);
  profile::Side before, after;
  profile::Comparison result;
  {
    Progress progress;
    std::string error;
    if (!load_side(o.before, true, [&](double f) { progress(0.45 * f, "reading the first"); }, before, error))
      return fail(kOurError, error);
    if (!load_side(o.after, true, [&](double f) { progress(0.45 + 0.45 * f, "reading the second"); }, after, error))
      return fail(kOurError, error);
    progress(0.9, "comparing");
    result = profile::compare(before, after, o.lines);
  }
  const report::Compared compared{before, after, result, o.before, o.after, o.lines};
  report::TextOptions text;
  text.color = isatty(STDOUT_FILENO);
  const std::string out = o.json ? report::compare_json(compared) : report::compare_text(compared, text);
  bool written = fwrite(out.data(), 1, out.size(), stdout) == out.size() && fflush(stdout) == 0;
  return written ? 0 : fail(kOurError, fmt::format("the comparison cannot be written: {}.", strerror(errno)));
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("compare", "Two recordings of a program: what takes longer, line by line and grain by grain");
  auto o = std::make_shared<Options>();
  verb->add_option("BEFORE", o->before, "A .grain file: of one thread, or before a change")->required()->type_name("");
  verb->add_option("AFTER", o->after, "A .grain file: of more threads, or after it")->required()->type_name("");
  auto* html = verb->add_option("--html", o->html, "Write a page with both grain graphs side by side")->type_name("OUT");
  verb->add_flag("--json", o->json, "Print JSON (docs/compare-schema.json)")->excludes(html);
  verb->add_flag("--no-source", o->no_source, "No source lines in the page")->needs(html);
  verb->add_option("--lines", o->lines, "Rows of each table, and grains listed")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  verb->footer(
      "Example: OMP_NUM_THREADS=1 einkorn record -o one.grain -- ./sort\n         einkorn record -o all.grain -- "
      "./sort\n"
      "         einkorn compare one.grain all.grain --html compared.html");
  verb->callback([o, &action] { action = [o] { return compare(*o); }; });
}

}  // namespace einkorn::cli
