// einkorn report app.grain [--html out.html | --json] [--baseline other.grain]
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "cli/baseline.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "profile/accesses.h"
#include "profile/profile.h"
#include "report/findings/findings.h"
#include "report/page/page.h"
#include "report/page/metrics.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace einkorn::cli {

namespace {

struct ReportArguments {
  std::string file, html, baseline, accesses;
  bool json = false;
  report::SourceOptions source;
  profile::SymbolOptions symbols;
};

// Adds the counts of another recording of the program. Returns the reason if it cannot.
std::string add_accesses(const std::string& file, profile::Profile& to) {
  profile::Profile from;
  profile::LoadError error;
  profile::LoadOptions load;
  load.graph = false;
  if (!profile::load(file, load, from, error)) return error.message;
  if (from.accesses.empty()) return fmt::format("{} has no memory accesses: record it with --accesses.", file);
  if (to.slowed)
    return "this recording has memory accesses itself: --accesses adds them to the times of a recording without them.";
  const double share = profile::borrow_accesses(from, to);
  if (!to.accesses.empty()) return "";
  return fmt::format(
      "only {:.1f} % of the accesses in {} belong to grains of this recording: record both with the same input and the "
      "same number of threads, and with a loop schedule whose chunks do not depend on time.",
      100 * share, file);
}

int report(const ReportArguments& o) {
  profile::Profile profile;
  profile::LoadError error;
  BaselineFile baseline;
  {
    Progress progress;
    const double first = o.baseline.empty() ? 0 : 0.4;
    if (std::string why; first > 0 && !baseline.load(
                                          o.baseline, o.html.empty() ? nullptr : &o.symbols,
                                          [&](double f) { progress(first * f, "reading the baseline"); }, why))
      return fail(kOurError, why);
    profile::LoadOptions load;
    load.graph = true;
    load.symbols = o.symbols;
    load.state_bins = !o.html.empty();
    load.progress = [&](double f, const char* what) { progress(first + (1 - first) * f, what); };
    if (!profile::load(o.file, load, profile, error)) return fail(kOurError, error.message);
  }
  if (!o.accesses.empty())
    if (std::string why = add_accesses(o.accesses, profile); !why.empty()) return fail(kOurError, why);
  profile::MetricOptions metrics = report::metric_options(profile);
  if (!o.baseline.empty())
    if (std::string why = baseline.apply(profile, metrics.baseline); !why.empty()) tell(why);
  if (!o.html.empty()) {
    report::HtmlOptions html;
    html.out = o.html;
    std::set<std::string> refused;
    html.source = o.source;
    html.source.refused = &refused;
    const profile::Metrics known = report::page_metrics(profile, metrics.baseline);
    html.metrics = &known;
    const report::PageBaseline beside{o.baseline, baseline.side(), baseline.comparison()};
    if (metrics.baseline.exec) html.baseline = &beside;
    std::string why;
    if (!report::write_html(profile, html, why)) return fail(kOurError, why);
    tell(fmt::format("wrote {}", o.html));
    if (std::string about = report::about_refused(refused); !about.empty()) tell(about + ".");
    return 0;
  }
  if (o.json) return print_data(report::json_report(profile, metrics));
  return print_text(report::text_report(profile, text_options(STDOUT_FILENO), metrics));
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("report", "Where the time of a recorded program went, problems ranked, grain graph");
  auto o = std::make_shared<ReportArguments>();
  reads(verb->add_option("RECORDING", o->file, "A .grain file"))->required()->type_name("");
  auto* html = writes(verb->add_option("--html", o->html, "Write the page with the grain graph"))->type_name("OUT");
  verb->add_flag("--json", o->json, "Print JSON (docs/report-schema.json)")->excludes(html);
  choose_sources(*verb, o->source, html);
  choose_symbols(*verb, o->symbols);
  reads(verb->add_option("--baseline", o->baseline,
                         "A recording to compare with, usually on one thread: inflation, work deviation"))
      ->type_name("FILE");
  reads(verb->add_option(
            "--accesses", o->accesses,
            "A recording of the same run with memory accesses (record --accesses): its counts beside these times"))
      ->type_name("FILE");
  verb->footer("Example: einkorn report sort.grain --html sort.html");
  verb->callback([o, &action] { action = [o] { return report(*o); }; });
}

}  // namespace einkorn::cli
