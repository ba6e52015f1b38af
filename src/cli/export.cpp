// einkorn export app.grain --to perfetto|otf2|graphml|csv|parquet [-o FILE]
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "cli/baseline.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "profile/profile.h"
#include "report/export/export.h"

namespace einkorn::cli {

namespace {

namespace fs = std::filesystem;
using profile::Profile;
using profile::Timeline;
using report::ExportOptions;

struct ExportArguments {
  std::string file, to, out, baseline;
  uint32_t max_nodes = ExportOptions().max_nodes;
  bool unreduced = false;
  profile::SymbolOptions symbols;
};

struct Format {
  const char* ending;  // of the file where none is named
  bool graph, timeline;
  std::string (*write)(const Profile&, const Timeline&, ExportOptions&);
};

template <std::string (*F)(const Profile&, ExportOptions&)>
std::string without_timeline(const Profile& p, const Timeline&, ExportOptions& o) {
  return F(p, o);
}

const std::map<std::string, Format> kFormats = {
    {"perfetto", {".perfetto-trace", false, true, report::export_perfetto}},
    {"otf2", {".otf2", false, true, report::export_otf2}},
    {"graphml", {".graphml", true, false, without_timeline<report::export_graphml>}},
    {"csv", {".csv", true, false, without_timeline<report::export_csv>}},
    {"parquet", {".parquet", true, false, without_timeline<report::export_parquet>}},
};

int export_recording(const ExportArguments& o) {
  const Format& format = kFormats.at(o.to);
  ExportOptions options;
  options.out = o.out.empty() ? fs::path(o.file).stem().string() + format.ending : o.out;
  options.max_nodes = o.max_nodes;
  options.unreduced = o.unreduced;
  if (std::string why = report::why_not(options.out, report::Content::other);
      !why.empty())  // the default name may be the culprit
    return fail(kOurError, why + " with -o.");
  if (options.out == "-" && isatty(STDOUT_FILENO) && o.to != "csv" && o.to != "graphml")
    return fail(kOurError, fmt::format("{} is not for a terminal: name a file with -o, or use a pipe.", o.to));

  Profile profile;
  Timeline timeline;
  std::string wrong, about_baseline;
  BaselineFile baseline;
  {
    Progress progress;
    profile::LoadOptions load;
    profile::LoadError error;
    const double first = o.baseline.empty() ? 0 : 0.25;
    auto reading = [&](double f) { progress(first * f, "reading the baseline"); };
    if (std::string why; first > 0 && !baseline.load(o.baseline, nullptr, reading, why)) return fail(kOurError, why);
    load.graph = format.graph;
    load.symbols = o.symbols;
    load.timeline = format.timeline ? &timeline : nullptr;
    load.progress = [&](double f, const char* what) { progress(first + (0.6 - first) * f, what); };
    if (!profile::load(o.file, load, profile, error)) return fail(kOurError, error.message);
    if (first > 0) about_baseline = baseline.apply(profile, options.baseline);
    options.progress = [&](double f) { progress(0.6 + 0.4 * f, "writing"); };
    wrong = format.write(profile, timeline, options);
  }
  if (!about_baseline.empty()) tell(about_baseline);
  if (!wrong.empty()) return fail(kOurError, wrong);
  if (!options.note.empty()) tell(options.note);
  if (options.out != "-") tell(fmt::format("wrote {}", options.out));
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("export", "A recording for other tools: Perfetto, OTF2, GraphML, CSV, Parquet");
  auto o = std::make_shared<ExportArguments>();
  reads(verb->add_option("RECORDING", o->file, "A .grain file"))->required()->type_name("");
  std::vector<std::string> names;
  for (const auto& [name, format] : kFormats) names.push_back(name);
  verb->add_option("--to", o->to, "perfetto, otf2 (time lines), graphml (grain graph), csv, parquet (table of grains)")
      ->required()
      ->type_name("FORMAT")
      ->check(CLI::IsMember(names));
  writes(
      verb->add_option("-o,--output", o->out,
                       "The file; otf2: the folder; -: standard output. Default: the recording's name in this folder"))
      ->type_name("FILE");
  reads(verb->add_option("--baseline", o->baseline,
                         "csv, parquet: a recording, usually of one thread, for the work deviation"))
      ->type_name("FILE");
  verb->add_option("--max-nodes", o->max_nodes, "graphml: merge subtrees if there are more nodes")
      ->type_name("N")
      ->check(CLI::Range(10u, 100'000'000u))
      ->capture_default_str();
  verb->add_flag("--unreduced", o->unreduced, "graphml: a node for every fragment and every fork");
  choose_symbols(*verb, o->symbols);
  verb->footer("Example: einkorn export sort.grain --to parquet");
  verb->callback([o, &action] { action = [o] { return export_recording(*o); }; });
}

}  // namespace einkorn::cli
