// einkorn machine [--machine M] [--json] [--picture FILE] [--break-even] [--measure [-o FILE]]
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "cli/files.h"
#include "cli/launch.h"
#include "cli/machine_break_even.h"
#include "cli/machine_interference.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "machine/describe.h"
#include "base/environment.h"
#include "machine/load.h"
#include "machine/measure.h"

namespace einkorn::cli {

namespace {

struct MachineArguments {
  std::string machine, picture, output;
  bool json = false, measure = false, break_even = false;
};

int measure(machine::Machine& m) {
  machine::Measuring how;
  std::string why;
  const Interference others;
  {
    Progress progress;
    how.progress = [&](double fraction, const char* what) { progress(fraction, what); };
    machine::measure_memory(&m, &how);
    if (!machine::measure_runtime(runtime_file(), &m, &how, &why))
      how.warn(fmt::format("constructs of OpenMP are left out: {}", why));
  }
  const double share = others.share();
  const bool busy = share > Interference::kMost;
  if (busy)
    how.warn(
        fmt::format("these figures cannot be trusted: other programs took {:.0f} % of this computer's CPUs meanwhile. "
                    "End them, or measure when they have ended; the model says so in its note",
                    share * 100));
  for (const std::string& w : how.warnings) tell(w + ".");
  char date[32] = "";
  time_t t = time(nullptr);
  tm utc;
  strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&t, &utc));
  m.note = fmt::format("Measured on {} by einkorn {} --measure, {}.", m.name, EINKORN_VERSION, date);
  if (busy)
    m.note += fmt::format(" Not to be trusted: other programs took {:.0f} % of its CPUs meanwhile.", share * 100);
  return 0;
}

int show(const MachineArguments& o) {
  // As for a program that is started here.
  std::string asked = o.machine;
  if (const char* value = base::environment("EINKORN_MACHINE"); asked.empty() && value && !o.measure) asked = value;
  machine::Machine m;
  std::string why;
  if (!machine::load(asked, &m, &why))
    return fail(kOurError, fmt::format("{}: {}.", o.machine.empty() ? "EINKORN_MACHINE" : "--machine", why));
  // Opened before half a minute is spent on the measurement.
  report::OutputFile model;
  if (!o.output.empty() && !model.open(o.output)) return fail(kOurError, model.error() + ".");
  if (o.measure)
    if (int status = measure(m)) return status;
  if (!o.output.empty()) {
    model.write(machine::to_json(m));
    if (!model.commit()) return fail(kOurError, model.error() + ".");
  }
  if (!o.picture.empty())
    if (std::string wrong = report::write_file(o.picture, machine::picture(m)); !wrong.empty())
      return fail(kOurError, wrong + ".");
  for (const std::string& file : {o.output, o.picture})
    if (!file.empty()) tell(fmt::format("wrote {}", file));
  if (!o.picture.empty() && !o.json && !o.measure && !o.break_even) return 0;
  std::string out;
  if (!o.break_even) out = o.json ? machine::to_json(m) : machine::describe(m);
  else if (!print_break_even(m, o.json, &out, &why)) return fail(kOurError, why + ".");
  return o.json ? print_data(out) : print_text(out);
}

}  // namespace

void add_machine(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("machine", "Topology, distances, bandwidths and place list of this computer or another one");
  auto o = std::make_shared<MachineArguments>();
  auto* other = reads(verb->add_option("--machine", o->machine,
                                       "Another one: a model, a file or numa:4 core:8 (see docs/machines.md)"))
                    ->type_name("M");
  verb->add_flag("--json", o->json, "Print a model file, which --machine takes; with --break-even, that");
  verb->add_flag("--break-even", o->break_even,
                 "How often a page must be used until moving it to another node has paid");
  writes(verb->add_option("--picture", o->picture, "Draw it (SVG)"))->type_name("FILE");
  auto* measure =
      verb->add_flag("--measure", o->measure, "Measure this computer: some 20 seconds, with nothing else running")
          ->excludes(other);
  writes(verb->add_option("-o,--output", o->output, "The model file that --measure writes"))
      ->type_name("FILE")
      ->needs(measure);
  verb->footer(
      "Example: einkorn machine --measure -o mine.json\n         einkorn machine --machine uv2000-24x8 --picture "
      "uv2000.svg\n         einkorn machine --machine westmere-2x6 --break-even");
  verb->callback([o, &action] { action = [o] { return show(*o); }; });
}

}  // namespace einkorn::cli
