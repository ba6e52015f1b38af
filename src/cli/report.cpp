// einkorn report app.grain [--html out.html | --json]
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/progress.h"
#include "cli/verbs.h"
#include "profile/profile.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"

namespace einkorn::cli {

namespace {

struct Options {
  std::string file, html;
  bool json = false, no_source = false;
};

int report(const Options& o) {
  profile::Profile profile;
  profile::LoadError error;
  {
    Progress progress;
    profile::LoadOptions load;
    load.graph = true;
    load.progress = [&](double f, const char* what) { progress(f, what); };
    if (!profile::load(o.file, load, profile, error)) return fail(kOurError, error.message);
  }
  std::string out;
  if (!o.html.empty()) {
    report::HtmlOptions html;
    html.out = o.html;
    html.no_source = o.no_source;
    std::string why;
    if (!report::write_html(profile, html, why)) return fail(kOurError, why);
    fmt::print(stderr, "einkorn: wrote {}\n", o.html);
    return 0;
  }
  if (o.json) {
    out = report::json_report(profile);
  } else {
    report::TextOptions text;
    text.color = isatty(STDOUT_FILENO);
    out = report::text_report(profile, text);
  }
  bool written = fwrite(out.data(), 1, out.size(), stdout) == out.size() && fflush(stdout) == 0;
  return written ? 0 : fail(kOurError, fmt::format("the report cannot be written: {}.", strerror(errno)));
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("report", "Where the time of a recorded program went, problems ranked, grain graph");
  auto o = std::make_shared<Options>();
  verb->add_option("RECORDING", o->file, "A .grain file")->required()->type_name("");
  auto* html = verb->add_option("--html", o->html, "Write the page with the grain graph")->type_name("OUT");
  verb->add_flag("--json", o->json, "Print JSON (docs/report-schema.json)")->excludes(html);
  verb->add_flag("--no-source", o->no_source, "No source lines in the page")->needs(html);
  verb->footer("Example: einkorn report sort.grain --html sort.html");
  verb->callback([o, &action] { action = [o] { return report(*o); }; });
}

}  // namespace einkorn::cli
