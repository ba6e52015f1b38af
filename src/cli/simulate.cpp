// einkorn simulate app.grain --machine M --schedule S1,S2 --threads 1,2,4
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <optional>

#include "cli/fewest.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/simulate_memory.h"
#include "cli/simulate_output.h"
#include "cli/simulate_subject.h"
#include "cli/verbs.h"
#include "machine/load.h"
#include "profile/profile.h"
#include "report/json/json.h"
#include "report/output_file.h"
#include "report/wording.h"
#include "schedule/shape.h"
#include "schedule/text.h"
#include "simulate/costs.h"
#include "simulate/from_profile.h"
#include "simulate/not_replayed.h"
#include "simulate/placement.h"
#include "simulate/program_text.h"
#include "simulate/recording.h"

namespace einkorn::cli {

namespace {

using namespace einkorn::simulate;

struct SimulateArguments {
  std::string file, program, machine, loop, output, plot, amm;
  std::vector<std::string> schedules;
  std::vector<int> threads;
  std::vector<std::string> what_if;
  std::string cutoff;
  MemoryOptions memory;
  std::string model = "replay";
  uint32_t seed = 1;
  std::optional<double> fewest;  // percent that may be lost
  bool json = false, anyway = false;
};

// "depth=3": tasks nested deeper become calls.
bool parse_cutoff(const std::string& text, uint32_t& depth) {
  if (text.rfind("depth=", 0) != 0) return false;
  const auto [stop, error] = std::from_chars(text.data() + 6, text.data() + text.size(), depth);
  return error == std::errc() && stop == text.data() + text.size() && text.size() > 6;
}

// "line=sort.c:88,speedup=2": the sources that it names get that factor. Returns 0; or prints what is wrong and returns
// the status.
int apply_what_if(const std::string& text, const profile::Profile& p, Change& change) {
  const size_t comma = text.find(",speedup="), colon = text.rfind(':', comma);
  uint32_t line = 0;
  double by = 0;
  bool good = text.rfind("line=", 0) == 0 && comma != std::string::npos && colon != std::string::npos && colon > 5;
  if (good) {
    const auto [a, e1] = std::from_chars(text.data() + colon + 1, text.data() + comma, line);
    const auto [b, e2] = std::from_chars(text.data() + comma + 9, text.data() + text.size(), by);
    good = e1 == std::errc() && a == text.data() + comma && e2 == std::errc() && b == text.data() + text.size() &&
           by > 0 && by <= 1e9;
  }
  if (!good) return fail(kOurError, fmt::format("--what-if: '{}' is not line=FILE:LINE,speedup=FACTOR.", text));
  const std::string file = text.substr(5, colon - 5);
  change.speedup.resize(p.sources.size(), 1);
  std::string lines;
  bool found = false;
  for (size_t i = 0; i < p.sources.size(); ++i) {
    const profile::Source& s = p.sources[i];
    const bool same = s.file == file || (s.file.size() > file.size() &&
                                         s.file.compare(s.file.size() - file.size(), file.size(), file) == 0 &&
                                         s.file[s.file.size() - file.size() - 1] == '/');
    if (same && s.line == line) change.speedup[i] = by, found = true;
    else if (same && s.line) lines += fmt::format("{}{}", lines.empty() ? "" : ", ", s.line);
  }
  if (found) return 0;
  return fail(
      kOurError,
      lines.empty()
          ? fmt::format("--what-if: the recording has no lines of '{}'. `einkorn report` lists what it has.", file)
          : fmt::format("--what-if: nothing was recorded at line {} of {}, but at {}.", line, file, lines));
}

int load_recording(const SimulateArguments& o, machine::Machine& m, Setup& common, Subject& out) {
  const std::string& file = o.file;
  auto memory = std::make_shared<MemoryOf>();
  Change change;
  auto loaded = std::make_shared<profile::Profile>();
  profile::Profile& p = *loaded;
  out.profile = loaded;
  profile::LoadError error;
  Progress progress;
  profile::LoadOptions load;
  load.symbolize = !o.what_if.empty() || !o.output.empty() || !o.memory.with.empty();
  load.touches = &memory->touches;
  load.lock_points = true;
  load.progress = [&](double f, const char* what) { progress(f, what); };
  if (!profile::load(file, load, p, error)) return fail(kOurError, error.message);
  if (!grain_times_valid(p) && !o.anyway)
    return fail(
        kOurError,
        fmt::format("the times of {} are not valid (`einkorn report` says why): there is nothing to predict from. "
                    "Record it again, with fewer threads or on a quiet computer. (--anyway predicts all the same.)",
                    file));
  if (!o.cutoff.empty() && !parse_cutoff(o.cutoff, change.cutoff))
    return fail(kOurError, fmt::format("--cutoff: '{}' is not depth=N.", o.cutoff));
  if (const double share = o.cutoff.empty() ? 0 : perturbed_share(p, std::max(1u, change.cutoff));
      share > kPerturbedWork)
    return fail(kOurError,
                fmt::format("--cutoff: {:.0f} % of the work is in tasks below that depth which took less than ten "
                            "times what recording one does: as calls they take far less, and nobody knows how much. "
                            "Give the program that cut-off and record it.",
                            100 * share));
  for (const std::string& text : o.what_if)
    if (int status = apply_what_if(text, p, change)) return status;
  if (const double share = perturbed_share(p, change.speedup); share > kPerturbedWork)
    return fail(kOurError,
                fmt::format("--what-if: {:.0f} % of the work is in grains of these lines that took less than ten "
                            "times what recording one does: how much of that is the program's nobody knows. "
                            "Make it fewer and longer grains, or change the program and record it.",
                            100 * share));
  std::string why;
  return make_subject(file, o.memory, change, memory, m, common, out, why) ? 0 : fail(kOurError, why);
}

// The single point of the sweep, with all events.
int write(const SimulateArguments& o, const machine::Machine& m, const Subject& subject, const Setup& common,
          const Sweep& sweep) {
  const Point& p = sweep.points[0];
  if (p.outcome.stuck) return fail(kOurError, "the run comes to a stop: there is nothing to write.");
  std::string what = fmt::format("{} threads on {} under {}", p.threads, name_of(m), sweep.names[0]);
  if (!sweep.shapes.empty()) what += ", clusters " + schedule::shape_text(sweep.shapes[0]);
  if (from_invalid_times(subject)) what += ", from a recording whose times are not valid";
  if (subject.unknown > kWorthARange) what += ", all of it compute: the end of a range without memory";
  for (const std::string& left_out : not_replayed(sweep.schedules[0], sweep.bounds.tiny))
    what += "; not replayed: " + left_out;
  report::OutputFile file;
  if (file.open(o.output, report::Content::recording)) {
    write_recording(*subject.profile, subject.with(p.threads),
                    setup_of(m, common, sweep.schedules[0], p.threads, sweep.shape_of(0)), p.outcome, what,
                    [&](const void* data, size_t bytes) { file.write(data, bytes); });
  }
  if (!file.good() || !file.commit()) return fail(kOurError, file.error() + ".");
  tell(fmt::format("predicted run in {}{}", o.output,
                   subject.unknown > kWorthARange ? ": the end at which all time is compute" : ""));
  return 0;
}

// `--schedule ws mts app.grain`: the last word is the recording, as there is no other recording, and no schedule of
// that name.
SimulateArguments with_recording(SimulateArguments o) {
  std::string why;
  schedule::Schedule s;
  if (!o.file.empty() || !o.program.empty() || o.schedules.size() < 2 ||
      schedule::parse_schedule(o.schedules.back().c_str(), &s, &why))
    return o;
  o.file = std::move(o.schedules.back());
  o.schedules.pop_back();
  report::keep(o.file);
  return o;
}

// --amm instead of --threads: each shape has its workers. Returns 0; or prints what is wrong and returns the status.
int take_shapes(const SimulateArguments& o, const machine::Machine& m, Sweep& sweep) {
  std::string why;
  std::vector<int> pus;
  if (!schedule::parse_shapes(o.amm.c_str(), &sweep.shapes, &why))
    return fail(kOurError, fmt::format("--amm: {}.", why));
  for (const schedule::Shape& s : sweep.shapes) {
    if (!schedule::place_shape(s, m, &pus, &why))
      return fail(kOurError, fmt::format("--amm: {}: {}.", name_of(m), why));
    sweep.threads.push_back(s.workers());
  }
  for (schedule::Schedule s : sweep.schedules) {
    s.shape = sweep.shapes[0];
    if (const std::string little = schedule::shape_means_little(s); !little.empty()) tell("--amm: " + little + ".");
  }
  if (!o.threads.empty()) return fail(kOurError, "--amm says how many threads there are: not with --threads.");
  if (!o.plot.empty())
    return fail(kOurError, "--plot draws speed-ups over threads, and shapes have the same: not with --amm.");
  if (o.model != "replay") return fail(kOurError, "--model roofline knows nothing of clusters: not with --amm.");
  return 0;
}

// --fewest. Returns the status.
int fewest(const SimulateArguments& o, const Subject& subject, const machine::Machine& m, const Setup& common,
           const Sweep& sweep) {
  if (const std::string why = why_no_fewest(*subject.profile, m); !why.empty())
    return fail(kOurError, fmt::format("--fewest: nothing can be said of {}: {}.", o.file, why));
  tune::Fewest found;
  {
    Progress progress;
    found = predict_fewest(
        subject, m, common, sweep.schedules[0], *o.fewest / 100, [&](double f) { progress(f, "simulating"); },
        [] { return true; });
  }
  if (!found.known()) return fail(kOurError, "--fewest: the replay comes to a stop under " + sweep.names[0] + ".");
  for (const std::string& left_out : not_replayed(sweep.schedules[0], 0)) tell("not replayed: " + left_out + ".");
  return o.json ? print_data(report::json_text(fewest_json(found, *o.fewest), 1))
                : print_text(fewest_text(found, *o.fewest, sweep.names[0]));
}

int simulate(const SimulateArguments& given) {
  const SimulateArguments o = with_recording(given);
  machine::Machine m;
  std::string why;
  if (!machine::load(o.machine, &m, &why)) return fail(kOurError, fmt::format("--machine: {}.", why));
  if (o.file.empty() == o.program.empty())
    return fail(kOurError, "give a recording, or --program (not both). See `einkorn simulate --help`.");
  if (o.file.empty() && (!o.memory.with.empty() || !o.memory.recorded_on.empty()))
    return fail(kOurError, "--with and --recorded-on need a recording: give one.");
  if (o.fewest && (o.file.empty() || o.schedules.size() > 1 || !o.threads.empty() || !o.amm.empty() ||
                   !o.output.empty() || !o.plot.empty() || o.model != "replay"))
    return fail(kOurError,
                "--fewest is about the threads of one recording under one schedule: without --program, "
                "--threads, --amm, --model, --plot and -o.");
  if (o.model != "replay" && (!o.output.empty() || !o.plot.empty()))
    return fail(kOurError, "-o and --plot need a replay: not with --model roofline.");
  if (o.file.empty() && (!o.what_if.empty() || !o.cutoff.empty()))
    return fail(kOurError, "--what-if and --cutoff change a recorded program: give a recording.");
  Sweep sweep;
  sweep.names = !o.schedules.empty() ? o.schedules : std::vector<std::string>{o.amm.empty() ? "ws" : "codelets"};
  for (const std::string& text : sweep.names) {
    schedule::Schedule s;
    if (!schedule::parse_schedule(text.c_str(), &s, &why)) return fail(kOurError, fmt::format("--schedule: {}.", why));
    if (std::vector<int> pus; s.shape.clusters > 0 && !schedule::place_shape(s.shape, m, &pus, &why))
      return fail(kOurError, fmt::format("--schedule: {}: {}.", name_of(m), why));
    if (const std::string little = schedule::shape_means_little(s); o.amm.empty() && !little.empty())
      tell("--schedule: " + little + ".");
    sweep.schedules.push_back(s);
  }
  if (!o.amm.empty()) {
    if (int status = take_shapes(o, m, sweep)) return status;
  } else {
    sweep.threads = o.threads;
  }
  if (sweep.threads.empty())
    for (int n = 1; n <= m.pu_count(); n = n < m.pu_count() && n * 2 > m.pu_count() ? m.pu_count() : n * 2)
      sweep.threads.push_back(n);
  for (const int n : sweep.threads)
    if (n > m.pu_count())
      return fail(
          kOurError,
          fmt::format(
              "--threads: {} has {} CPUs, and more threads than CPUs are not modelled. Name a machine with more: "
              "--machine uv2000-24x8, or \"socket:2 core:{}\"",
              m.name, m.pu_count(), (n + 1) / 2));
  if (!o.output.empty() && (o.file.empty() || sweep.schedules.size() != 1 || sweep.threads.size() != 1))
    return fail(
        kOurError,
        "-o writes the prediction for one recording, one --schedule and one number of --threads, or one shape (--amm).");
  if (o.output == "-") return fail(kOurError, "-o must name a file: the table goes to standard output.");
  if (!o.plot.empty() && !plot_form(o.plot))
    return fail(kOurError, "--plot: the file's name has to end in .svg or .html.");
  if (!o.plot.empty() && sweep.schedules.size() > report::kMostCurves)
    return fail(kOurError, fmt::format("--plot: {} schedules cannot be told apart in one plot; {} can.",
                                       sweep.schedules.size(), report::kMostCurves));
  sweep.trace = !o.output.empty();
  Setup common;
  common.costs = costs_of(m);
  common.seed = o.seed;
  if (!o.loop.empty() && !schedule::parse_loop_victim(o.loop.c_str(), &common.loop_victim, &why))
    return fail(kOurError, fmt::format("--loop: {}.", why));
  if (!parse_placement(o.memory.placement, &common.placement, &why))
    return fail(kOurError, fmt::format("--placement: {}.", why));
  if (common.placement.node >= m.node_count())
    return fail(kOurError, fmt::format("--placement: {} has {} memory nodes, counted from 0.", m.name, m.node_count()));
  Subject subject;
  if (o.file.empty()) {
    if (!parse_program(o.program, m.node_count(), subject.with, why))
      return fail(kOurError, fmt::format("--program: {}.", why));
    subject.name = o.program;
  } else if (int status = load_recording(o, m, common, subject)) {
    return status;
  }
  if (o.model == "roofline") {
    if (o.json) return print_data(report::json_text(roofline_json(subject, m, common, sweep.threads), 1));
    return print_text(roofline_table(subject, m, common, sweep.threads));
  }
  if (o.fewest) return fewest(o, subject, m, common, sweep);
  Ends ends;
  {
    Progress progress;
    ends = run_with_ends(subject, m, common, sweep, [&](double f) { progress(f, "simulating"); });
  }
  if (!o.output.empty())
    if (int status = write(o, m, subject, common, sweep)) return status;
  if (!o.plot.empty()) {
    const std::string why = report::write_file(o.plot, plot(subject, m, sweep, ends, plot_form(o.plot)));
    if (!why.empty()) return fail(kOurError, why + ".");
    tell(fmt::format("plot in {}", o.plot));
  }
  return o.json ? print_data(report::json_text(as_json(subject, m, sweep, ends), 1))
                : print_text(table(subject, m, sweep, ends));
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "simulate", "How long a recorded program would take on another machine, under other schedules (predicted)");
  auto o = std::make_shared<SimulateArguments>();
  reads(verb->add_option("RECORDING", o->file, "A .grain file"))->type_name("");
  verb->add_option(
          "--program", o->program,
          "Instead of a recording: a program of the literature, such as cholesky:64:512; any other word lists them")
      ->type_name("P");
  reads(verb->add_option("--machine", o->machine,
                         "As for `einkorn machine`: a model, a file, numa:4 core:8; default: this computer"))
      ->type_name("M");
  verb->add_option("--schedule", o->schedules, "Schedules; separated by spaces, as a schedule's text has commas")
      ->type_name("S")
      ->default_str("ws, or with --amm codelets");
  verb->add_option("--loop", o->loop, "Static loops that steal: random, nearest or most-loaded")->type_name("V");
  verb->add_option("--threads", o->threads, "Threads, as 1,2,4; default: doubled up to the machine's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  verb->add_option("--amm", o->amm,
                   "Instead of threads: clusters of workers, as 1x20,2x10,spread,20x1 (docs/schedules.md)")
      ->type_name("CxU")
      ->check([](const std::string& text) { return text.empty() ? std::string("give shapes, as 1x20,2x10") : ""; });
  writes(verb->add_option("-o,--output", o->output, "Write the predicted run, for report, view and compare"),
         report::Content::recording)
      ->type_name("FILE");
  writes(verb->add_option("--plot", o->plot, "Draw the speed-ups and their bounds to a file: .svg or .html"))
      ->type_name("FILE");
  verb->add_option("--what-if", o->what_if,
                   "As if a line were faster: line=FILE:LINE,speedup=2; may be given several times")
      ->allow_extra_args(false)
      ->type_name("W");
  verb->add_option("--cutoff", o->cutoff, "As if tasks nested deeper were calls: depth=N")->type_name("C");
  verb->add_option("--placement", o->memory.placement,
                   "Where data lies: first-touch, fine, interleaved, coarse, blocked, cyclic:BYTES, nearest, node:N; "
                   "may be followed by ,next-touch or ,migrate:N")
      ->type_name("P")
      ->capture_default_str();
  reads(verb->add_option("--with", o->memory.with,
                         "A second recording, with another number of threads: tells how much of the time is memory's"))
      ->type_name("FILE");
  reads(verb->add_option("--recorded-on", o->memory.recorded_on,
                         "The machine of the recording, if it is not that of --machine"))
      ->type_name("M");
  verb->add_option("--model", o->model, "replay, or roofline: a quick estimate")
      ->check(CLI::IsMember({"replay", "roofline"}))
      ->type_name("MODEL")
      ->capture_default_str();
  verb->add_option(
          "--fewest", o->fewest,
          "Instead: the fewest threads with which it takes at most so many percent longer than with those recorded")
      ->check(not_a_percentage)
      ->type_name("PERCENT");
  verb->add_option("--seed", o->seed, "Seed of the random choices")->type_name("N")->capture_default_str();
  verb->add_flag("--anyway", o->anyway,
                 "Predict also from a recording whose times are not valid; the output says so. Nobody answers for it");
  verb->add_flag("--json", o->json, "Print JSON");
  verb->footer(
      "Example: einkorn simulate sort.grain --machine uv2000-24x8 --schedule ws mts xkaapi --threads 1,8,64,192");
  verb->callback([o, &action] { action = [o] { return simulate(*o); }; });
}

}  // namespace einkorn::cli
