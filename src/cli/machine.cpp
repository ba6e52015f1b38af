// einkorn machine [--machine M] [--json] [--picture FILE] [--measure [-o FILE]]
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "cli/launch.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "machine/describe.h"
#include "machine/environment.h"
#include "machine/load.h"
#include "machine/measure.h"

namespace einkorn::cli {

namespace {

struct Options {
  std::string machine, picture, output;
  bool json = false, measure = false;
};

int write_file(const std::string& path, const std::string& content) {
  FILE* file = fopen(path.c_str(), "we");
  bool good = file && fwrite(content.data(), 1, content.size(), file) == content.size();
  int error = errno;
  if (file && fclose(file) != 0 && good) good = false, error = errno;
  return good ? 0 : fail(kOurError, fmt::format("{} cannot be written: {}.", path, strerror(error)));
}

int measure(machine::Machine& m) {
  machine::Measuring how;
  std::string why;
  {
    Progress progress;
    how.progress = [&](double fraction, const char* what) { progress(fraction, what); };
    machine::measure_memory(&m, &how);
    if (!machine::measure_runtime(runtime_file(), &m, &how, &why))
      how.warn(fmt::format("constructs of OpenMP are left out: {}", why));
  }
  for (const std::string& w : how.warnings) fmt::print(stderr, "einkorn: {}.\n", w);
  char date[32] = "";
  time_t t = time(nullptr);
  tm utc;
  strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&t, &utc));
  m.note = fmt::format("Measured on {} by einkorn {} --measure, {}.", m.name, EINKORN_VERSION, date);
  return 0;
}

int show(const Options& o) {
  // As a program would have it that is started here.
  std::string asked = o.machine;
  if (const char* value = machine::environment("EINKORN_MACHINE"); asked.empty() && value && !o.measure) asked = value;
  machine::Machine m;
  std::string why;
  if (!machine::load(asked, &m, &why))
    return fail(kOurError, fmt::format("{}: {}.", o.machine.empty() ? "EINKORN_MACHINE" : "--machine", why));
  // Said before half a minute is spent on it.
  if (!o.output.empty()) {
    FILE* file = fopen(o.output.c_str(), "ae");
    if (!file) return fail(kOurError, fmt::format("{} cannot be written: {}.", o.output, strerror(errno)));
    fclose(file);
  }
  if (o.measure)
    if (int status = measure(m)) return status;
  if (!o.output.empty())
    if (int status = write_file(o.output, machine::to_json(m))) return status;
  if (!o.picture.empty())
    if (int status = write_file(o.picture, machine::picture(m))) return status;
  for (const std::string& file : {o.output, o.picture})
    if (!file.empty()) fmt::print(stderr, "einkorn: wrote {}\n", file);
  if (!o.picture.empty() && !o.json && !o.measure) return 0;
  std::string out = o.json ? machine::to_json(m) : machine::describe(m);
  bool written = fwrite(out.data(), 1, out.size(), stdout) == out.size() && fflush(stdout) == 0;
  return written ? 0 : fail(kOurError, fmt::format("standard output cannot be written: {}.", strerror(errno)));
}

}  // namespace

void add_machine(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("machine", "Topology, distances, bandwidths and place list of this computer or another one");
  auto o = std::make_shared<Options>();
  auto* other =
      verb->add_option("--machine", o->machine, "Another one: a model, a file or numa:4 core:8 (see docs/machines.md)")
          ->type_name("M");
  verb->add_flag("--json", o->json, "Print a model file, which --machine takes");
  verb->add_option("--picture", o->picture, "Draw it (SVG)")->type_name("FILE");
  auto* measure =
      verb->add_flag("--measure", o->measure, "Measure this computer: some 20 seconds, with nothing else running")
          ->excludes(other);
  verb->add_option("-o,--output", o->output, "The model file that --measure writes")->type_name("FILE")->needs(measure);
  verb->footer(
      "Example: einkorn machine --measure -o mine.json\n         einkorn machine --machine uv2000-24x8 --picture "
      "uv2000.svg");
  verb->callback([o, &action] { action = [o] { return show(*o); }; });
}

}  // namespace einkorn::cli
