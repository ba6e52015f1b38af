#include "report/page/meta.h"
#include <algorithm>
#include <fmt/format.h>
#include "machine/describe.h"
#include "machine/load.h"
#include "report/findings/findings.h"
#include "report/page/allocations.h"
#include "report/page/codelets.h"
#include "report/validity.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using nlohmann::json;
using profile::Profile;

// Absent, not -1, where it was not measured.
void put_time(json& to, const char* name, int64_t ns) {
  if (ns >= 0) to[name] = ns;
}

json state_times(const profile::StateTimes& times) {
  json out = json::object();
  for (int s = 0; s < profile::kStates; ++s) out[profile::kStateNames[s]] = times[s];
  return out;
}

// Of all grains, those that a cut graph leaves out included.
struct SourceTotals {
  uint64_t grains = 0;
  int64_t exec = 0, longest = 0, created = 0;
};

std::vector<SourceTotals> totals_by_source(const Profile& p) {
  std::vector<SourceTotals> out(p.sources.size());
  for (const profile::Grain& g : p.grains) {
    if (g.source >= out.size()) continue;
    SourceTotals& t = out[g.source];
    // Initial and implicit tasks are no grains, but what is charged to them is time of their source.
    if (g.kind >= profile::GrainKind::share) ++t.grains;
    t.exec += g.exec;
    t.longest = std::max(t.longest, g.exec);
    if (g.create_cost > 0) t.created += g.create_cost;
  }
  return out;
}

json sources(const Profile& p, const CitedSource* text) {
  json out = json::array();
  const std::vector<SourceTotals> totals = totals_by_source(p);
  const Places places(p);
  for (size_t i = 0; i < p.sources.size(); ++i) {
    const profile::Source& s = p.sources[i];
    json j = {{"place", places(uint32_t(i))},
              {"file", s.file},
              {"line", s.line},
              {"function", s.function},
              {"construct", s.construct},
              {"module", s.module},
              {"address", fmt::format("{:#x}", s.address)},
              {"inlined", s.inlined},
              {"grains", totals[i].grains},
              {"exec", totals[i].exec},
              {"longest", totals[i].longest},
              {"created", totals[i].created}};
    if (text) {
      if (text->file[i] != profile::kNone) j["text"] = text->file[i];
      if (!text->notes[i].empty()) j["note"] = text->notes[i];
    }
    out.push_back(std::move(j));
  }
  return out;
}

json files(const CitedSource& text) {
  json out = json::array();
  for (const SourceFile& f : text.files) {
    json pieces = json::array();
    for (const SourcePiece& piece : f.pieces) pieces.push_back({{"first", piece.first_line}, {"lines", piece.lines}});
    out.push_back({{"path", f.path}, {"pieces", std::move(pieces)}});
  }
  return out;
}

// Ranked; the page's first list. Where nothing can be ranked `verdict` says why.
json problems(const Profile& p, const std::vector<Finding>& findings) {
  json out = json::array();
  for (const Finding& f : findings) {
    json j = {{"kind", kProblemKindNames[size_t(f.kind)]},
              {"share", f.share},
              {"grains", f.grains},
              {"what", f.what},
              {"advice", f.advice},
              {"evidence", f.evidence},
              {"sources", f.sources}};
    put_time(j, "gain_ns", f.gain_ns);
    if (f.source != profile::kNone) j["source"] = f.source;
    if (const char* tried = tune_tries(p, f)) j["tune_tries"] = tried;
    const GrainFilter& a = f.about;
    if (!a.sources.empty())
      j["about"] = {{"sources", a.sources}, {"kinds", a.kinds}, {"least_depth", a.least_depth}, {"remote", a.remote}};
    out.push_back(std::move(j));
  }
  return out;
}

json threads(const Profile& p) {
  json out = json::array();
  for (const profile::Thread& t : p.threads) {
    json j = {{"os_tid", t.os_tid}, {"initial", t.initial}, {"in_team", t.in_team}, {"times", state_times(t.times)}};
    put_time(j, "cpu_ns", t.cpu_ns);
    if (t.involuntary_switches >= 0) j["involuntary_switches"] = t.involuntary_switches;
    out.push_back(std::move(j));
  }
  return out;
}

json warnings(const Profile& p) {
  json out = json::array();
  auto warn = [&](std::string text, const std::string& why) {
    out.push_back({{"text", std::move(text)}, {"why", why}});
  };
  if (!p.totals.complete)
    warn("incomplete recording",
         "The program did not end normally or the recording broke off. What was recorded until then is shown; grains "
         "that were still running end with the recording.");
  if (p.totals.truncated)
    warn(fmt::format("damaged file: {} block{} lost", p.totals.damaged_blocks, p.totals.damaged_blocks == 1 ? "" : "s"),
         "Some blocks of the file are torn or fail their checksum. What lies before and around them is shown.");
  if (const uint64_t lost = p.totals.lost_tasks + p.totals.lost_chunks; lost > 0)
    warn(
        fmt::format("{} grains counted but not described", lost),
        "They ran while no recording buffer was free or the file was full, or on threads that were not recorded. The totals include "
        "them; the graph and the tables do not.");
  if (p.totals.runs_without_order > 0)
    warn(fmt::format("no dependences known in {} run{} of codelets", p.totals.runs_without_order,
                     p.totals.runs_without_order == 1 ? "" : "s"),
         "There are too many, or they are too large for the memory, or their graph is missing in the file. The longest "
         "path and the parallelism are those without their dependences.");
  if (p.totals.counted_threads > 0)
    warn(
        fmt::format("{} threads were not recorded", p.totals.counted_threads),
        "There were more threads than a recording can name. What they ran is counted; it is not in the graph and not in the tables.");
  if (const uint64_t aggregated = p.totals.aggregated_tasks + p.totals.aggregated_chunks; aggregated > 0)
    warn(
        fmt::format("{} grains counted below others", aggregated),
        "They were not recorded one by one. Their work is in the threads' time, not in the graph and not in the tables of grains.");
  if (const uint64_t outside = p.totals.outside_tasks + p.totals.outside_chunks; outside > 0)
    warn(fmt::format("{} grains outside what was recorded", outside),
         "They ran while recording was paused, or before the seconds that were kept. That time is in no figure.");
  if (!p.predicted.empty())
    warn(fmt::format("Predicted, not recorded: {}", p.predicted),
         "einkorn simulate wrote this run; what memory costs there is not in its times.");
  if (const auto not_valid = why_not_valid(p))
    warn("times are not valid", not_valid->why + " The structure and the counts hold, the times do not.");
  return out;
}

// The machine that the program ran as on, as a picture. Not one from a file: the recording may come from elsewhere, and
// what it names there is none of our business.
json machine_picture(const Profile& p) {
  machine::Machine m;
  std::string why;
  if (p.machine_source.empty() || machine::is_path(p.machine_source) || !machine::load(p.machine_source, &m, &why))
    return nullptr;
  return {{"name", p.machine}, {"svg", machine::picture(m)}};
}

}  // namespace

json page_meta(const Profile& p, const profile::Metrics& metrics, const CitedSource* text) {
  json out = {{"program", p.program}, {"argv", p.argv},    {"runtime", p.runtime},        {"host", p.host},
              {"started", p.started}, {"level", level(p)}, {"times_valid", p.times_valid}};
  if (p.cpus > 0) out["cpus"] = p.cpus;
  out["wall_ns"] = p.wall_ns;
  out["critical_path_ns"] = p.critical_path_ns;
  out["burdened_path_ns"] = p.burdened_path_ns;
  out["parallelism"] = p.parallelism;
  out["totals"] = {{"tasks", p.totals.tasks},
                   {"chunks", p.totals.chunks},
                   {"shares", p.totals.shares},
                   {"regions", p.totals.regions}};
  uint32_t depth = 0;
  for (const profile::Grain& g : p.grains)
    if (g.kind == profile::GrainKind::task) depth = std::max(depth, g.depth + 1);
  if (depth > 0) out["structure"] = {{"depth", depth}, {"tasks", p.chained_tasks}, {"chain", p.longest_chain}};
  out["thread_time"] = state_times(p.thread_time);
  int64_t exec = 0;
  for (const profile::Grain& g : p.grains)
    if (g.kind >= profile::GrainKind::share) exec += g.exec;
  out["exec"] = exec;
  out["threads"] = threads(p);
  out["sources"] = sources(p, text);
  if (text) out["files"] = files(*text);
  const std::vector<Finding> findings = find_problems(p, metrics);
  out["problems"] = problems(p, findings);
  out["verdict"] = verdict(p, findings);
  out["warnings"] = warnings(p);
  if (json graphs = page_codelets(p); !graphs.empty()) out["codelet_graphs"] = std::move(graphs);
  if (json memory = page_allocations(p); !memory.is_null()) out["allocations"] = std::move(memory);
  if (json machine = machine_picture(p); !machine.is_null()) out["machine"] = std::move(machine);
  return out;
}

json page_baseline(const PageBaseline& b) {
  json lines = json::array();
  for (const profile::LineChange& l : b.comparison.lines) {
    if (l.after_source == profile::kNone) continue;
    lines.push_back({{"source", l.after_source}, {"grains", l.before.grains}, {"exec", l.before.exec}});
  }
  return {{"file", b.file},
          {"wall_ns", b.side.wall_ns},
          {"threads", b.side.threads},
          {"times_valid", b.side.times_valid},
          {"thread_time", state_times(b.side.thread_time)},
          {"matched", b.comparison.share},
          {"per_grain", b.comparison.per_grain()},
          {"lines", std::move(lines)}};
}

std::string script_safe(const json& value) {
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    // Outside of strings JSON has none of these, inside of them the escape means the same.
    if (c == '<') out += "\\u003c";
    else if (c == '>') out += "\\u003e";
    else if (c == '&') out += "\\u0026";
    else out += c;
  }
  return out;
}

}  // namespace einkorn::report
