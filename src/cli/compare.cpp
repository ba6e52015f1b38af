// einkorn compare before.grain after.grain [--json | --html FILE] [--lines N]
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/baseline.h"
#include "cli/pair_page.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "profile/compare.h"
#include "profile/profile.h"
#include "report/compare.h"
#include "report/html.h"

namespace einkorn::cli {

namespace {

struct Options {
  std::string before, after, html;
  bool json = false, no_source = false;
  size_t lines = 12;
};

int write_page(const Options& o) {
  std::string page, error;
  {
    Progress progress;
    if (!make_pair_page({o.before, o.after, o.no_source, o.lines}, progress, page, error) || !report::write_page(o.html, page, error))
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
  const report::TextOptions text = text_options(STDOUT_FILENO);
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
