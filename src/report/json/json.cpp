#include "report/json/json.h"
#include <cmath>
#include <nlohmann/json.hpp>
#include "report/aggregates.h"
#include "report/findings/findings.h"
#include "report/json/counters.h"
#include "report/json/metrics.h"
#include "report/locality.h"
#include "report/nameless.h"
#include "report/recording_cost.h"
#include "report/source_costs.h"
#include "report/text/serial.h"
#include "report/validity.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using json = nlohmann::ordered_json;
using profile::kNone;
using profile::Profile;
using profile::State;

// What was not measured is absent: a time below zero, a name that is empty.
void put_seconds(json& to, const char* name, int64_t ns) {
  if (ns >= 0) to[name] = seconds(ns);
}
void put_text(json& to, const char* name, const std::string& text) {
  if (!text.empty()) to[name] = text;
}

// Off-CPU time is known only where threads reported their CPU time.
json state_times(const profile::StateTimes& times, bool cpu_time_known) {
  json out = json::object();
  for (size_t s = 0; s < times.size(); ++s)
    if (s != size_t(State::offcpu) || cpu_time_known) out[profile::kStateNames[s]] = seconds(times[s]);
  return out;
}

void put_place(json& to, const Profile& p, uint32_t source) {
  if (source >= p.sources.size()) return;
  put_text(to, "file", p.sources[source].file);
  if (p.sources[source].line > 0) to["line"] = p.sources[source].line;
}

json threads(const Profile& p) {
  json out = json::array();
  for (const profile::Thread& t : p.threads) {
    json j = {{"initial", t.initial}};
    if (t.os_tid > 0) j["os_tid"] = t.os_tid;
    put_seconds(j, "in_team_seconds", t.in_team);
    j["time"] = state_times(t.times, t.cpu_ns >= 0);
    put_seconds(j, "cpu_seconds", t.cpu_ns);
    if (t.involuntary_switches >= 0) j["involuntary_switches"] = t.involuntary_switches;
    out.push_back(std::move(j));
  }
  return out;
}

json sources(const Profile& p, const std::vector<SourceCost>& costs, const profile::Metrics& m) {
  json out = json::array();
  const std::vector<SourceBytes> bytes = bytes_by_source(p);
  const SourceMetrics of_source(p, m);
  const Places places(p);
  for (const SourceCost& c : costs) {
    json j = json::object();
    put_place(j, p, c.source);
    if (c.source < p.sources.size()) {
      j["place"] = places(c.source);
      const profile::Source& s = p.sources[c.source];
      put_text(j, "function", s.function);
      put_text(j, "construct", s.construct);
      put_text(j, "module", s.module);
      if (s.address > 0) j["address"] = s.address;
      if (!s.inlined.empty()) j["inlined"] = s.inlined;
    }
    j["kind"] = profile::kGrainKindNames[size_t(c.kind)];
    j["grains"] = c.grains;
    j["perturbed"] = c.perturbed;
    if (c.executed) {
      j["exec_seconds"] = seconds(c.exec);
      j["mean_seconds"] = seconds(c.mean());
      j["median_seconds"] = seconds(c.median);
      j["longest_seconds"] = seconds(c.longest);
    }
    put_seconds(j, "mean_creation_seconds", c.mean_create_cost());
    if (const SourceBytes& b = bytes[std::min<size_t>(c.source, p.sources.size())]; b.bytes > 0) {
      j["footprint_bytes"] = b.bytes;
      if (b.known > 0) j["known_footprint_bytes"] = b.known, j["remote_bytes"] = b.remote;
    }
    if (json values = of_source(c.source); !values.empty()) j["metrics"] = std::move(values);
    out.push_back(std::move(j));
  }
  return out;
}

// Absent where the recording tells of no nodes: one machine with a single one.
json locality_of(const Profile& p) {
  const Locality l = locality(p);
  json j = json::object();
  if (l.nodes == 0) return j;
  j["nodes"] = l.nodes;
  json tasks = json::object(), exec = json::object();
  for (int i = 0; i < kNearnesses; ++i)
    tasks[kNearnessKeys[i]] = l.tasks[i], exec[kNearnessKeys[i]] = seconds(l.exec[i]);
  j["tasks"] = std::move(tasks);
  j["exec_seconds"] = std::move(exec);
  if (l.footprints > 0)
    j["footprint"] = {{"tasks", l.footprints},      {"bytes", l.bytes},
                      {"known_bytes", l.known},     {"remote_bytes", l.remote},
                      {"written_bytes", l.written}, {"remote_written_bytes", l.remote_written},
                      {"estimated", l.estimated}};
  return j;
}

json locks(const Profile& p) {
  json out = json::array();
  for (const profile::LockUse& l : p.locks) {
    json j = json::object();
    put_place(j, p, l.source);
    j["acquired"] = l.acquired;
    j["contended"] = l.contended;
    j["held_seconds"] = seconds(l.held);
    j["waited_seconds"] = seconds(l.waited);
    out.push_back(std::move(j));
  }
  return out;
}

json waits(const Profile& p) {
  json out = json::array();
  for (const profile::WaitUse& w : p.waits) {
    json j = json::object();
    put_place(j, p, w.source);
    if (w.source < p.sources.size()) put_text(j, "function", p.sources[w.source].function);
    if (w.source < p.sources.size()) put_text(j, "construct", p.sources[w.source].construct);
    j["waits"] = w.waits;
    j["tasks"] = w.tasks;
    j["overhead_seconds"] = seconds(w.overhead);
    j["idle_seconds"] = seconds(w.idle);
    j["blocked_seconds"] = seconds(w.blocked);
    out.push_back(std::move(j));
  }
  return out;
}

json allocations(const Profile& p) {
  json out = json::array();
  for (const profile::Allocations& a : p.allocations) {
    json j = json::object();
    put_place(j, p, a.source);
    if (a.source < p.sources.size()) {
      j["construct"] = p.sources[a.source].construct;
      put_text(j, "function", p.sources[a.source].function);
    }
    j["blocks"] = a.blocks;
    j["bytes"] = a.bytes;
    j["largest_bytes"] = a.largest;
    if (!a.on.empty()) j["sampled_bytes_on_node"] = a.on;
    out.push_back(std::move(j));
  }
  return out;
}

json codelet_graphs(const Profile& p) {
  json out = json::array();
  const Places places(p);
  for (const profile::CodeletGraph& g : p.codelet_graphs) {
    json j = {{"kind", g.procedure ? "procedure" : "graph"}};
    put_text(j, "name", g.name);
    put_place(j, p, g.source);
    j["runs"] = g.runs;
    json codelets = json::array(), arcs = json::array();
    for (uint32_t i = g.first; i < g.first + g.count; ++i) {
      const profile::Codelet& c = p.codelets[i];
      json codelet = json::object();
      put_place(codelet, p, c.source);
      if (c.source < p.sources.size()) {
        codelet["place"] = places(c.source);
        put_text(codelet, "function", p.sources[c.source].function);
      }
      if (c.at != kNone) codelet["at"] = c.at;
      codelet["executed"] = c.executed;
      codelet["recorded"] = c.recorded;
      codelet["exec_seconds"] = seconds(c.exec);
      put_seconds(codelet, "median_seconds", c.median);
      put_seconds(codelet, "longest_seconds", c.longest);
      if (p.critical_path_ns > 0) codelet["critical_share"] = double(c.critical) / double(p.critical_path_ns);
      codelets.push_back(std::move(codelet));
    }
    for (uint32_t i = g.first_arc; i < g.first_arc + g.arcs; ++i) {
      const profile::CodeletArc& a = p.codelet_arcs[i];
      arcs.push_back({{"from", a.from - g.first}, {"to", a.to - g.first}, {"count", a.count}});
    }
    j["codelets"] = std::move(codelets);
    j["arcs"] = std::move(arcs);
    out.push_back(std::move(j));
  }
  return out;
}

json aggregates(const Profile& p) {
  json out = json::array();
  for (const SourceAggregate& a : aggregates_by_source(p)) {
    json j = json::object();
    put_place(j, p, a.source);
    j["kind"] = a.chunks ? "chunk" : "task";
    if (!a.chunks) j["created"] = a.created;
    j["executed"] = a.executed;
    j["exec_seconds"] = seconds(a.exec);
    if (a.executed > 0) {
      j["shortest_seconds"] = seconds(a.least);
      j["longest_seconds"] = seconds(a.most);
      json histogram = json::array();
      for (size_t i = 0; i < a.histogram.size(); ++i) {
        if (a.histogram[i] == 0) continue;
        json bucket = {{"executed", a.histogram[i]}};
        if (i + 1 < a.histogram.size()) bucket["below_seconds"] = seconds(p.aggregate_limits[i]);
        histogram.push_back(std::move(bucket));
      }
      j["histogram"] = std::move(histogram);
    }
    out.push_back(std::move(j));
  }
  return out;
}

json problems(const Profile& p, const std::vector<Finding>& found) {
  json out = json::array();
  for (const Finding& f : found) {
    json j = {{"kind", kProblemKindNames[size_t(f.kind)]}};
    put_seconds(j, "gain_seconds", f.gain_ns);
    if (f.rough) j["about_share"] = f.share;
    if (f.bytes > 0) j["remote_bytes"] = f.bytes;
    if (f.grains > 0) j["grains"] = f.grains;
    put_place(j, p, f.source);
    json lines = json::array();
    for (uint32_t s : f.sources) {
      json line = json::object();
      put_place(line, p, s);
      if (!line.empty()) lines.push_back(std::move(line));
    }
    if (lines.size() > 1) j["lines"] = std::move(lines);
    j["what"] = f.what;
    if (!f.evidence.empty()) j["evidence"] = f.evidence;
    j["advice"] = f.advice;
    if (const char* tried = tune_tries(p, f)) j["tune_tries"] = tried;
    out.push_back(std::move(j));
  }
  return out;
}

}  // namespace

std::string json_report(const Profile& p, profile::MetricOptions options) {
  for (const profile::MetricInfo& i : profile::metrics_table())
    if (summed_up(i.metric)) options.want(i.metric);
  const profile::Metrics metrics = compute_metrics(p, options);
  json out = json::object();
  put_text(out, "program", p.program);
  if (!p.argv.empty()) out["argv"] = p.argv;
  put_text(out, "runtime", p.runtime);
  put_text(out, "absent", p.absent);
  put_text(out, "host", p.host);
  put_text(out, "started", p.started);
  put_text(out, "predicted", p.predicted);
  put_text(out, "machine", p.machine);
  if (p.cpus > 0) out["cpus"] = p.cpus;
  out["level"] = level(p);
  out["complete"] = p.totals.complete;
  out["times_valid"] = p.times_valid;
  if (const double off = times_off_by(p); off > 0) out["times_off_by"] = off;
  out["damaged_blocks"] = p.totals.damaged_blocks;
  out["tasks"] = p.totals.tasks;
  out["chunks"] = p.totals.chunks;
  out["shares"] = p.totals.shares;
  out["regions"] = p.totals.regions;
  if (p.absent.empty()) out["dependences"] = p.totals.dependences;  // another runtime's recorder does not write them
  out["lost_tasks"] = p.totals.lost_tasks;
  out["lost_chunks"] = p.totals.lost_chunks;
  if (p.totals.counted_threads > 0) out["counted_threads"] = p.totals.counted_threads;
  if (p.totals.outside_tasks + p.totals.outside_chunks > 0)
    out["outside_tasks"] = p.totals.outside_tasks, out["outside_chunks"] = p.totals.outside_chunks;
  if (p.totals.aggregated_tasks + p.totals.aggregated_chunks > 0) {
    out["aggregated_tasks"] = p.totals.aggregated_tasks;
    out["aggregated_chunks"] = p.totals.aggregated_chunks;
    out["aggregates"] = aggregates(p);
  }
  out["threads"] = p.threads.size();
  out["wall_seconds"] = seconds(p.wall_ns);
  put_seconds(out, "baseline_seconds", p.baseline_ns);
  put_seconds(out, "recording_slowed_seconds", recording_slowed(p, metrics).value_or(-1));
  put_seconds(out, "line_seconds", p.costs.line_now > 0 ? std::llround(p.costs.line_now) : -1);
  bool cpu_time = false;
  for (const profile::Thread& t : p.threads) cpu_time |= t.cpu_ns >= 0;
  out["thread_time"] = state_times(p.thread_time, cpu_time);
  put_seconds(out, "other_cpu_seconds", p.totals.other_cpu_ns);
  put_seconds(out, "cpu_wait_seconds", p.totals.cpu_wait_ns);
  if (cpu_time) out["off_cpu_seconds"] = seconds(profile::off_cpu(p));
  put_seconds(out, "taken_seconds", p.totals.taken_ns);
  put_seconds(out, "steal_seconds", p.totals.steal_ns);
  if (const profile::RecordingCost cost = profile::recording_cost(p); cost.known())
    out["recording"] = {{"threads_seconds", seconds(cost.threads)},
                        {"stamps", p.totals.stamps},
                        {"stamps_seconds", seconds(cost.stamps)},
                        {"writer_seconds", seconds(cost.writer)}};
  if (const double inflation = metrics[profile::Metric::split_inflation]; !std::isnan(inflation))
    out["thread_time"]["inflation"] = inflation / 1e9;
  out["per_thread"] = threads(p);
  if (!p.graph.nodes.empty()) {  // without the graph there is no path to speak of
    out["critical_path_seconds"] = seconds(p.critical_path_ns);
    out["burdened_path_seconds"] = seconds(p.burdened_path_ns);
    if (p.critical_path_ns > 0) out["parallelism"] = p.parallelism;
  }
  if (p.chained_tasks > 0) out["chained_tasks"] = p.chained_tasks, out["longest_chain_tasks"] = p.longest_chain;
  if (json where = locality_of(p); !where.empty()) out["locality"] = std::move(where);
  if (json counters = counters_of(p); !counters.empty()) out["counters"] = std::move(counters);
  const std::vector<SourceCost> costs = source_costs(p);
  out["named_share"] = named_share(p, costs);
  out["metrics"] = program_metrics(metrics);
  if (!metrics.cut_off.empty()) out["cut_off"] = cut_off_curves(metrics);
  out["sources"] = sources(p, costs, metrics);
  out["waits"] = waits(p);
  out["locks"] = locks(p);
  if (!p.allocations.empty()) out["allocations"] = allocations(p);
  if (!p.codelet_graphs.empty()) out["codelet_graphs"] = codelet_graphs(p);
  for (const SerialFunction& f : serial_functions(p)) {
    json row = {{"samples", f.samples}};
    put_place(row, p, f.source);
    if (f.source < p.sources.size()) put_text(row, "function", p.sources[f.source].function);
    if (f.before != profile::kNone) row["before"] = Places(p)(f.before);
    out["serial_functions"].push_back(std::move(row));
  }
  const std::vector<Finding> found = find_problems(p, metrics);
  out["problems"] = problems(p, found);
  out["verdict"] = verdict(p, found);
  return json_text(out, 2);
}

namespace {
template <class Json>
std::string ascii(const Json& value, int indent) {
  std::string out;
  for (const char c : value.dump(indent, ' ', true, Json::error_handler_t::replace)) {
    if (c == 127) out += "\\u007f";  // the one control character that JSON lets stand
    else out += c;
  }
  return out + '\n';
}
}  // namespace
std::string json_text(const nlohmann::json& value, int indent) { return ascii(value, indent); }
std::string json_text(const nlohmann::ordered_json& value, int indent) { return ascii(value, indent); }

std::string json_report(const Profile& p) { return json_report(p, metric_options(p)); }

}  // namespace einkorn::report
