#include "profile/profile.h"
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unistd.h>
#include "profile/accesses.h"
#include "profile/codelet_graphs.h"
#include "profile/critical_path.h"
#include "profile/decode.h"
#include "profile/graph.h"
#include "profile/link.h"
#include "profile/build_id.h"
#include "profile/load.h"
#include "profile/phases.h"
#include "profile/reader.h"
#include "profile/resolve.h"
#include "profile/serial_samples.h"
#include "profile/share_names.h"
#include "profile/state_bins.h"
#include "profile/symbols.h"
#include "profile/timeline_build.h"

namespace einkorn::profile {

namespace {

using nlohmann::json;

std::string text(const json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

uint64_t number(const json& object, const char* key, uint64_t otherwise) {
  auto it = object.find(key);
  return it != object.end() && it->is_number_unsigned() ? it->get<uint64_t>() : otherwise;
}

int64_t number_or_none(const json& object, const char* key) {
  const uint64_t n = number(object, key, ~0ull);
  return n <= uint64_t(INT64_MAX) ? int64_t(n) : -1;
}

uint64_t physical_memory() {
  long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? uint64_t(pages) * uint64_t(bytes) : 1ull << 40;
}

json parse_object(const std::string& bytes) {
  json j = json::parse(bytes, nullptr, false);
  return j.is_object() ? j : json::object();
}

void read_meta(const Recording& rec, Profile& out) {
  json meta = parse_object(rec.meta);
  out.program = text(meta, "program");
  out.runtime = text(meta, "runtime");
  out.absent = text(meta, "absent");
  out.predicted = text(meta, "predicted");
  out.host = text(meta, "host");
  out.started = text(meta, "started");
  if (auto m = meta.find("machine"); m != meta.end() && m->is_object())
    out.machine = text(*m, "name"), out.machine_source = text(*m, "source");
  if (auto a = meta.find("accesses"); a != meta.end() && a->is_object())
    out.cache_bytes = std::max<uint64_t>(1, number(*a, "cache_bytes", 1));
  std::vector<std::string> counted;
  if (auto c = meta.find("counters"); c != meta.end() && c->is_array())
    for (const json& name : *c) counted.push_back(name.is_string() ? name.get<std::string>() : "");
  std::vector<std::pair<std::string, std::string>> absent;
  if (auto a = meta.find("absent_counters"); a != meta.end() && a->is_object())
    for (const auto& [name, why] : a->items())
      if (why.is_string()) absent.emplace_back(name, why.get<std::string>());
  read_counters(counted, absent, out.counted);
  if (auto e = meta.find("environment"); e != meta.end() && e->is_object())
    out.costs = costs_of_text(text(*e, "EINKORN_RECORD_COSTS"));
  out.cpus = uint32_t(std::min<uint64_t>(number(meta, "cpus", 0), 1u << 20));
  out.totals.stamp_ps = std::min<uint64_t>(number(meta, "stamp_ps", 0), 1'000'000'000);
  if (const uint64_t ns = number(meta, "baseline_ns", 0); ns > 0 && ns < 1ull << 62) out.baseline_ns = int64_t(ns);
  if (auto it = meta.find("argv"); it != meta.end() && it->is_array())
    for (const json& a : *it)
      if (a.is_string()) out.argv.push_back(a.get<std::string>());
}

// By source, the code of all its sites.
std::vector<std::vector<SourceCode>> code_of_sources(const Recording& rec, const std::vector<uint32_t>& site_source,
                                                     size_t sources) {
  std::vector<std::vector<SourceCode>> code(sources);
  for (size_t id = 1; id < rec.sites.size(); ++id) {
    const Site& site = rec.sites[id];
    if (site_source[id] == kNone) continue;
    const uint64_t at = site.function ? site.function : site.return_address - 1;
    for (const Module& m : rec.modules)
      if (at >= m.begin && at < m.end) {
        code[site_source[id]].push_back({m.path, as_hex(m.build_id), at - m.base});
        break;
      }
  }
  return code;
}

void fill_totals(const Recording& rec, Profile& out) {
  json totals = parse_object(rec.totals);
  Totals& t = out.totals;
  uint64_t tasks = 0, chunks = 0, not_executed = 0;
  for (const Grain& g : out.grains) {
    tasks += g.kind == GrainKind::task;
    chunks += g.kind == GrainKind::chunk;
    not_executed += g.kind == GrainKind::task && !executed(g);
  }
  t.dependences = rec.named_dependences;
  t.lost_tasks = number(totals, "lost_tasks", rec.lost_tasks);
  t.lost_chunks = number(totals, "lost_chunks", rec.lost_chunks);
  t.counted_threads = number(totals, "counted_threads", 0);
  t.outside_tasks = number(totals, "outside_tasks", rec.outside_tasks);
  t.outside_chunks = number(totals, "outside_chunks", rec.outside_chunks);
  uint64_t aggregated_tasks = 0, aggregated_chunks = 0;
  for (const Aggregate& a : out.aggregates)
    (a.chunks ? aggregated_chunks : aggregated_tasks) += a.chunks ? a.executed : a.created;
  t.aggregated_tasks = number(totals, "aggregated_tasks", aggregated_tasks);
  t.aggregated_chunks = number(totals, "aggregated_chunks", aggregated_chunks);
  t.tasks = number(totals, "tasks", tasks + t.lost_tasks + t.outside_tasks + t.aggregated_tasks);
  // Created where it was recorded and executed where it was not: a grain, and counted there too. (A grain that was not
  // executed may also have been cancelled: no more than is counted twice.)
  const uint64_t told = tasks + t.outside_tasks + t.lost_tasks + t.aggregated_tasks;
  uint64_t twice = told > t.tasks ? std::min(told - t.tasks, not_executed) : 0;
  for (uint64_t* count : {&t.outside_tasks, &t.lost_tasks}) {
    const uint64_t here = std::min(twice, *count);
    *count -= here;
    twice -= here;
  }
  t.chunks = number(totals, "chunks", chunks + t.lost_chunks + t.outside_chunks + t.aggregated_chunks);
  t.regions = number(totals, "regions", out.regions.size());
  if (rec.outside == 0) {  // otherwise they cover more than was recorded
    t.other_cpu_ns = number_or_none(totals, "other_cpu_ns");
    t.cpu_wait_ns = number_or_none(totals, "cpu_wait_ns");
    t.taken_ns = number_or_none(totals, "taken_ns");
    t.steal_ns = number_or_none(totals, "steal_ns");
  }
  t.writer_cpu_ns = number_or_none(totals, "writer_cpu_ns");
  t.resident_bytes = number_or_none(totals, "resident_bytes");
  t.allocating_calls = number_or_none(totals, "allocating_calls");
  t.stamps = rec.stamps;
  t.complete = rec.complete;
  t.truncated = rec.truncated;
  t.damaged_blocks = rec.damaged_blocks;
  t.runs_without_order = rec.runs_without_order;
  t.clock_jumped = rec.clock_jumped;
}

void fill_threads(Recording& rec, const std::vector<uint32_t>& site_source, Profile& out) {
  for (RawThread& t : rec.threads) {
    out.threads.push_back(t.info);
    for (int s = 0; s < kStates; ++s) out.thread_time[size_t(s)] += t.info.times[size_t(s)];
  }
  out.wall_ns = rec.end - std::min(rec.end, rec.outside);
  out.times_valid = out.machine.empty() && !out.slowed && !rec.clock_jumped && without_cpu(out) <= kMostWithoutCpu;
  out.locks = std::move(rec.locks);
  out.footprints = std::move(rec.footprints);
  out.footprint_on = std::move(rec.footprint_on);
  out.idle_over_time = std::move(rec.idle).take();
  std::map<uint32_t, WaitUse> waits;  // several sites may be one source
  for (size_t site = 0; site < rec.waits.size(); ++site) {
    if (rec.waits[site].waits == 0) continue;
    uint32_t source = site < site_source.size() ? site_source[site] : kNone;
    WaitUse& w = waits[source];
    w.source = source;
    w.waits += rec.waits[site].waits;
    w.tasks += rec.waits[site].tasks;
    w.overhead += rec.waits[site].overhead;
    w.idle += rec.waits[site].idle;
    w.blocked += rec.waits[site].blocked;
  }
  for (auto& [source, wait] : waits) out.waits.push_back(wait);
  for (LockUse& lock : out.locks) lock.source = lock.source < site_source.size() ? site_source[lock.source] : kNone;
}

// The most bytes first; several calls of one line are one.
void fill_allocations(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out) {
  std::map<uint32_t, Allocations> by_source;
  for (const Allocations& a : rec.allocations) {
    const uint32_t source = a.source < site_source.size() ? site_source[a.source] : kNone;
    Allocations& sum = by_source[source];
    sum.source = source;
    sum.blocks += a.blocks;
    sum.bytes += a.bytes;
    sum.largest = std::max(sum.largest, a.largest);
    if (sum.on.size() < a.on.size()) sum.on.resize(a.on.size());
    for (size_t node = 0; node < a.on.size(); ++node) sum.on[node] += a.on[node];
  }
  for (auto& [source, sum] : by_source) out.allocations.push_back(std::move(sum));
  std::stable_sort(out.allocations.begin(), out.allocations.end(),
                   [](const Allocations& a, const Allocations& b) { return a.bytes > b.bytes; });
}

// A construct in a function made by the compiler, whose name was stripped, takes the name of its region's function: its
// caller's.
void name_by_region(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out) {
  const auto unnamed = [&](uint32_t source) {
    return source < out.sources.size() && out.sources[source].file.empty() && out.sources[source].function.empty();
  };
  auto name = [&](uint32_t source, uint32_t region) {
    if (!unnamed(source) || region >= out.regions.size() || out.regions[region].source >= out.sources.size()) return;
    out.sources[source].function = out.sources[out.regions[region].source].function;
  };
  for (const LoopInstance& loop : out.loops) name(loop.source, loop.region);
  for (const Grain& g : out.grains)
    if (g.kind == GrainKind::task || g.kind == GrainKind::chunk) name(g.source, g.region);
  // Constructs without a grain (barriers and other waits) tell in which region's function they are.
  std::map<uint64_t, uint32_t> regions;  // outlined function -> source of the region
  for (size_t i = 0; i < rec.sites.size() && i < site_source.size(); ++i)
    if (rec.sites[i].construct == record::Construct::parallel && rec.sites[i].function != 0 &&
        site_source[i] < out.sources.size())
      regions.emplace(rec.sites[i].function, site_source[i]);
  for (size_t i = 0; i < rec.sites.size() && i < site_source.size(); ++i)
    if (const auto at = regions.find(rec.sites[i].function); unnamed(site_source[i]) && at != regions.end())
      out.sources[site_source[i]].function = out.sources[at->second].function;
}

// The memory that tasks declared: from their footprints, otherwise from their dependences.
void gather_touches(const Recording& rec, std::vector<Touch>& out) {
  for (uint32_t t = 0; t < rec.tasks.size(); ++t) {
    const RawTask& task = rec.tasks[t];
    if (task.grain == kNone) continue;
    bool ranges = false;
    if (auto at = task.first_stay == kNone ? rec.touches_of.end() : rec.touches_of.find(task.first_stay);
        at != rec.touches_of.end())
      for (size_t i = at->second; i < rec.touches.size() && rec.touches[i].grain == task.first_stay; ++i) {
        out.push_back(rec.touches[i]);
        out.back().grain = task.grain;
        ranges |= rec.touches[i].access != 0;
      }
    for (uint32_t d = ranges ? kNone : task.depends; d != kNone; d = rec.depends[d].next) {
      const RawDepend& dep = rec.depends[d];
      if (dep.mode & record::kDependAllMemory) continue;
      out.push_back(
          {dep.address, dep.bytes, task.grain, uint8_t(dep.mode == record::kDependIn ? 1 : 3), dep.bytes == 0});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Touch& a, const Touch& b) { return a.grain < b.grain; });
}

// Also collects the states of threads that the time line needs.
IntervalSink with_pauses(IntervalSink sink, std::vector<std::vector<Pause>>& pauses) {
  return [sink = std::move(sink), &pauses](uint32_t thread, State s, int64_t begin, int64_t end) {
    if (sink) sink(thread, s, begin, end);
    if (s == State::work || s == State::serial) return;
    if (thread >= pauses.size()) pauses.resize(thread + 1);
    pauses[thread].push_back({begin, end, s});
  };
}

}  // namespace

bool load(const std::string& path, const LoadOptions& options, LoadDetails* details, Profile& out, LoadError& error) {
  // The fractions are where these phases end in a typical load.
  auto phase = [&](double from, double to, const char* what) -> std::function<void(double)> {
    if (!options.progress) return {};
    return [&options, from, to, what](double f) { options.progress(from + f * (to - from), what); };
  };
  out = Profile();
  Reader reader;
  if (!reader.open(path, phase(0, 0.1, "reading"), error)) return false;
  Recording rec;
  std::vector<std::vector<Pause>> pauses;
  IntervalSink intervals = details ? details->intervals : IntervalSink();
  if (options.timeline) intervals = with_pauses(std::move(intervals), pauses);
  StateBinsBuilder states;
  if (options.state_bins)
    intervals = [&states, seen = std::move(intervals)](uint32_t thread, State state, int64_t begin, int64_t end) {
      states.add(thread, state, begin, end);
      if (seen) seen(thread, state, begin, end);
    };
  uint64_t memory = options.memory_bytes ? options.memory_bytes : physical_memory() / 4 * 3;
  const uint64_t plausible = most_memory(reader.bytes());
  rec.wants_lock_points = options.lock_points && options.graph;
  if (uint64_t needed = decode(reader, std::min(memory, plausible), phase(0.1, 0.45, "decoding"), intervals, rec)) {
    if (plausible < memory && needed > plausible) {
      error.message = fmt::format(
          "'{}' of {:.0f} KiB would take {:.1f} GiB of memory and more, which no recording of that size does: it is damaged, or was "
          "made to fill memory. If it is yours, record again with --depth or --filter",
          path, double(reader.bytes()) / 0x1p10, double(plausible) / 0x1p30);
      return false;
    }
    error.message = fmt::format(
        "'{}' takes about {:.0f} GiB of memory to load, and {:.0f} GiB may be used here: load it on a "
        "larger machine, or record a shorter run",
        path, std::ceil(double(needed) / 0x1p30), double(memory) / 0x1p30);
    return false;
  }
  if (details) details->unmatched = rec.unmatched;
  if (options.state_bins) out.state_bins = states.finish(rec.threads.size(), rec.end);
  read_meta(rec, out);
  std::optional<Symbolizer> symbolizer(std::in_place, options.symbolize ? rec.modules : std::vector<Module>(),
                                       options.symbols, std::move(rec.code_names));
  std::vector<uint32_t> site_source = resolve_sites(rec, options.symbolize ? &*symbolizer : nullptr,
                                                    phase(0.45, 0.6, "finding source lines"), options.lines, out);
  if (details) details->code = code_of_sources(rec, site_source, out.sources.size());
  std::set<std::string> compiled_in = symbolizer->folders();
  if (!out.cache_bytes && rec.samples.empty())
    symbolizer.reset();  // debug information is large: kept only if accesses need it, too
  if (options.progress) options.progress(0.6, "linking grains");
  link(rec, site_source, out);
  find_phases(rec, site_source, out);
  name_by_region(rec, site_source, out);
  std::vector<uint32_t> named_by;
  name_shares(out, &named_by);
  if (details)
    for (const uint32_t barrier : named_by) details->code.push_back(details->code[barrier]);
  fill_allocations(rec, site_source, out);
  if (out.cache_bytes) attach_accesses(rec, *symbolizer, options.lines, out);
  if (options.symbolize) out.source_texts = std::move(rec.kept_lines.texts);
  if (!rec.samples.empty()) attach_samples(rec, *symbolizer, out);
  attach_counters(rec, out);
  if (symbolizer) compiled_in.merge(symbolizer->folders());
  out.source_folders.assign(compiled_in.begin(), compiled_in.end());
  symbolizer.reset();
  // Another runtime's tasks have the time of their creation, not its cost.
  if (!out.absent.empty())
    for (Grain& g : out.grains)
      if (g.kind == GrainKind::task) g.create_cost = -1;
  if (options.timeline) build_timeline(rec, site_source, pauses, out, *options.timeline);
  fill_totals(rec, out);
  fill_threads(rec, site_source, out);
  if (options.touches) gather_touches(rec, *options.touches);
  if (options.graph) {
    if (options.progress) options.progress(0.8, "building the grain graph");
    std::vector<ChainLink> chains = build_graph(rec, site_source, out);
    gather_codelets(rec, site_source, out);
    rec = Recording();  // as large as the graph: not needed while edges are sorted and paths are searched
    sort_edges(out.graph);
    if (options.progress) options.progress(0.95, "finding the critical path");
    critical_path(chains, out);
    time_codelets(out);
  }
  if (options.progress) options.progress(1, "done");
  return true;
}

bool load(const std::string& path, const LoadOptions& options, Profile& out, LoadError& error) {
  return load(path, options, nullptr, out, error);
}

}  // namespace einkorn::profile
