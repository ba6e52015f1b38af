// einkorn compare before.grain after.grain [--json | --html FILE] [--lines N]
// einkorn compare --repeated one.grain two.grain ... [--json] [--lines N]
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "cli/baseline.h"
#include "cli/files.h"
#include "cli/pair_page.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "profile/compare.h"
#include "profile/profile.h"
#include "report/compare.h"
#include "report/page/page.h"
#include "report/repeated.h"

namespace einkorn::cli {

namespace {

struct CompareArguments {
  std::string before, after, html;
  std::vector<std::string> more;
  bool json = false, repeated = false;
  report::SourceOptions source;
  profile::SymbolOptions symbols;
  size_t lines = 12;
};

int write_page(const CompareArguments& o) {
  std::string page, error;
  std::set<std::string> refused;
  report::SourceOptions source = o.source;
  source.refused = &refused;
  {
    Progress progress;
    if (!make_pair_page({o.before, o.after, source, o.symbols, o.lines}, progress, page, error))
      return fail(kOurError, error);
    if (std::string why = report::write_file(o.html, page); !why.empty()) return fail(kOurError, why);
  }
  tell(fmt::format("wrote {}", o.html));
  if (std::string about = report::about_refused(refused); !about.empty()) tell(about + ".");
  return 0;
}

int repeated(const CompareArguments& o) {
  std::vector<std::string> files{o.before, o.after};
  files.insert(files.end(), o.more.begin(), o.more.end());
  report::Repeated all;
  {
    Progress progress;
    for (size_t i = 0; i < files.size(); ++i) {
      profile::LoadOptions load;
      load.symbols = o.symbols;
      load.progress = [&](double f, const char*) {
        progress((double(i) + f) / double(files.size()), "reading recordings");
      };
      profile::Profile p;
      profile::LoadError error;
      std::string why;
      if (!profile::load(files[i], load, p, error)) return fail(kOurError, error.message);
      if (!all.add(files[i], p, &why)) return fail(kOurError, why);
    }
  }
  return o.json ? print_data(all.json()) : print_text(all.text(text_options(STDOUT_FILENO), o.lines));
}

int compare(const CompareArguments& o) {
  if (o.repeated) return repeated(o);
  if (!o.more.empty())
    return fail(kOurError, "two recordings are compared; for the spread over more of them add --repeated.");
  if (!o.html.empty()) return write_page(o);
  profile::Side before, after;
  profile::Comparison result;
  {
    Progress progress;
    std::string error;
    if (!load_side(o.before, &o.symbols, [&](double f) { progress(0.45 * f, "reading the first"); }, before, error))
      return fail(kOurError, error);
    if (!load_side(
            o.after, &o.symbols, [&](double f) { progress(0.45 + 0.45 * f, "reading the second"); }, after, error))
      return fail(kOurError, error);
    progress(0.9, "comparing");
    result = profile::compare(before, after, o.lines);
  }
  const report::Compared compared{before, after, result, o.before, o.after, o.lines};
  if (o.json) return print_data(report::compare_json(compared));
  return print_text(report::compare_text(compared, text_options(STDOUT_FILENO)));
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("compare",
                         "Two recordings of a program: what takes longer, line by line and grain by grain; "
                         "or the spread of several");
  auto o = std::make_shared<CompareArguments>();
  reads(verb->add_option("BEFORE", o->before, "A .grain file: of one thread, or before a change"))
      ->required()
      ->type_name("");
  reads(verb->add_option("AFTER", o->after, "A .grain file: of more threads, or after it"))->required()->type_name("");
  reads(verb->add_option("MORE", o->more, "With --repeated: further ones"))->type_name("");
  auto* repeated = verb->add_flag("--repeated", o->repeated,
                                  "Repetitions of one run: mean and standard deviation, of the program and by line");
  auto* html = writes(verb->add_option("--html", o->html, "Write a page with both grain graphs side by side"))
                   ->type_name("OUT")
                   ->excludes(repeated);
  verb->add_flag("--json", o->json, "Print JSON (docs/compare-schema.json, docs/repeated-schema.json)")->excludes(html);
  choose_sources(*verb, o->source, html);
  choose_symbols(*verb, o->symbols);
  verb->add_option("--lines", o->lines, "Rows of each table, and grains listed")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  verb->footer(
      "Example: OMP_NUM_THREADS=1 einkorn record -o one.grain -- ./sort\n         einkorn record -o all.grain -- "
      "./sort\n"
      "         einkorn compare one.grain all.grain --html compared.html\n"
      "         einkorn compare --repeated run1.grain run2.grain run3.grain");
  verb->callback([o, &action] { action = [o] { return compare(*o); }; });
}

}  // namespace einkorn::cli
