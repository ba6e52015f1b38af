#include "tune/propose.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "hints/text.h"
#include "record/format.h"
#include "report/locality.h"
#include "report/source_costs.h"
#include "report/wording.h"
#include "tune/combine.h"

namespace einkorn::tune {

namespace {

using profile::GrainKind;
using profile::kNone;
using profile::Profile;
using report::ProblemKind;

// A chunk of this many ns costs little to fetch, and leaves enough of them for balance.
constexpr double kChunkNs = 20'000;
constexpr uint64_t kChunksAThread = 8, kTasksAThread = 16;

struct Proposer {
  const Profile& p;
  const std::vector<std::vector<profile::SourceCode>>& code;
  const report::Places places{p};
  const report::Locality where = report::locality(p);
  const bool bold;
  bool (*const is_set)(const char* variable);
  std::vector<Candidate> found;

  // One construct of the program's text may be several sources, by its function: a template's instances.
  bool is_same(uint32_t a, uint32_t b) const {
    const profile::Source &x = p.sources[a], &y = p.sources[b];
    return a == b || (x.line != 0 && x.line == y.line && x.file == y.file && x.construct == y.construct);
  }
  uint32_t first_same(uint32_t source) const {
    uint32_t first = 0;
    while (!is_same(first, source)) ++first;
    return first;
  }
  std::vector<profile::SourceCode> code_of(uint32_t source) const {
    std::vector<profile::SourceCode> all;
    for (uint32_t s = 0; s < code.size(); ++s)
      if (is_same(s, source)) all.insert(all.end(), code[s].begin(), code[s].end());
    return all;
  }

  // False: where its code is, is not known.
  bool add_hint(Candidate& to, hints::Construct construct, uint32_t source, hints::Hint values,
                uint64_t code_bytes = 1) const {
    if (source >= code.size()) return false;
    const std::vector<profile::SourceCode> its = code_of(source);
    if (its.empty()) return false;
    const profile::Source& s = p.sources[source];
    values.construct = construct;
    values.place = s.line || s.function.empty() ? places(source) : s.function;
    values.bold = bold && (construct == hints::Construct::loop || construct == hints::Construct::region);
    std::map<uint32_t, hints::Hint> by_object;
    for (const profile::SourceCode& c : its) {
      values.object = object_in(to.hints, {c.file.substr(c.file.rfind('/') + 1), c.build_id});
      hints::Hint& h = by_object.try_emplace(values.object, values).first->second;
      if (std::none_of(h.code.begin(), h.code.end(), [&](const hints::Code& k) { return k.begin == c.address; }))
        h.code.push_back({c.address, c.address + code_bytes});
    }
    for (auto& [object, h] : by_object) to.hints.hints.push_back(std::move(h));
    return true;
  }

  void keep(Candidate c, const report::Finding* f) {
    if (c.hints.hints.empty()) return;
    for (const hints::Hint& h : c.hints.hints)
      if (h.construct == hints::Construct::set && is_set && hints::overruled_by(h.place, is_set)) return;
    c.promised_ns = f ? f->gain_ns : -1;
    // Several problems may come to the same.
    const std::string text = hints::to_text(c.hints);
    if (std::none_of(found.begin(), found.end(), [&](const Candidate& k) { return hints::to_text(k.hints) == text; }))
      found.push_back(std::move(c));
  }

  double threads() const {
    uint32_t most = 1;
    for (const profile::Region& r : p.regions) most = std::max(most, r.team);
    return most;
  }

  // Depths from which on tasks of these sources might run at once: below the one that the report names; and below the
  // first one at which there are enough tasks for all threads.
  std::vector<int64_t> depths(const report::Finding& f) const {
    std::map<uint32_t, uint64_t> at_depth;
    std::set<uint32_t> sources;
    for (uint32_t s = 0; s < p.sources.size(); ++s)
      if (std::any_of(f.sources.begin(), f.sources.end(), [&](uint32_t named) { return is_same(s, named); }))
        sources.insert(s);
    for (const profile::Grain& g : p.grains)
      if (g.kind == GrainKind::task && sources.count(g.source)) ++at_depth[g.depth];
    std::vector<int64_t> depths;
    for (const auto& [depth, tasks] : at_depth)
      if (double(tasks) >= double(kTasksAThread) * threads()) {
        depths.push_back(int64_t(depth) + 1);
        break;
      }
    if (f.about.least_depth > 0) depths.push_back(f.about.least_depth);
    // Beyond the deepest task it would change nothing.
    if (at_depth.empty()) return {};
    const int64_t deepest = at_depth.rbegin()->first;
    std::erase_if(depths, [&](int64_t d) { return d > deepest; });
    if (depths.size() == 2 && depths[0] == depths[1]) depths.pop_back();
    return depths;
  }

  void cut_off(const report::Finding& f) {
    for (const int64_t depth : depths(f)) {
      Candidate c;
      for (const uint32_t source : f.sources) {
        hints::Hint h;
        h.cutoff = depth;
        if (p.sources[source].construct == "task") add_hint(c, hints::Construct::task, source, h);
      }
      c.what = fmt::format("run tasks with {} or more above them at once", depth);
      keep(std::move(c), &f);
    }
  }

  // The loop's chunks, as they were recorded.
  struct Loop {
    uint64_t instances = 0, iterations = 0, chunks = 0;
    int64_t exec = 0;
    uint32_t chunk = 0;
    uint8_t schedule = 0;
  };
  Loop loop_of(uint32_t source) const {
    Loop l;
    std::vector<bool> its(p.loops.size(), false);
    for (size_t i = 0; i < p.loops.size(); ++i)
      if (p.loops[i].source != kNone && is_same(p.loops[i].source, source)) {
        its[i] = true;
        ++l.instances;
        l.iterations += p.loops[i].iterations;
        l.chunk = p.loops[i].chunk;
        l.schedule = p.loops[i].schedule;
      }
    for (const profile::Grain& g : p.grains)
      if (g.kind == GrainKind::chunk && g.loop < its.size() && its[g.loop]) ++l.chunks, l.exec += g.exec;
    return l;
  }

  // Iterations of a chunk of kChunkNs; 0: not known, or no chunk of any size.
  uint32_t chunk_for(const Loop& l) const {
    if (l.instances == 0 || l.iterations == 0) return 0;
    const double each = std::max(0.5, double(l.exec) / double(l.iterations));
    const double fair = double(l.iterations) / double(l.instances) / (double(kChunksAThread) * threads());
    const double chunk = std::min(kChunkNs / each, fair);
    return chunk < 2 ? 0 : uint32_t(std::min(chunk, 1e9));
  }

  void larger_chunks(const report::Finding& f) {
    Candidate c;
    std::string sizes;
    for (const uint32_t source : f.sources) {
      const Loop l = loop_of(source);
      hints::Hint h;
      h.chunk = chunk_for(l);
      if (h.chunk == 0 || h.chunk <= l.chunk || (l.chunk > 1 && !bold)) continue;
      if (add_hint(c, hints::Construct::loop, source, h))
        sizes += (sizes.empty() ? "" : ", ") + std::to_string(h.chunk);
    }
    c.what = fmt::format("chunks of {} iterations", sizes);
    keep(std::move(c), &f);
  }

  // Static loops that ask the runtime, and large chunks.
  void balance(const report::Finding& f) {
    for (const uint32_t source : f.sources) {
      if (source >= p.sources.size() || p.sources[source].construct != "loop") continue;
      const Loop l = loop_of(source);
      if (l.chunks == 0 || (!bold && !report::is_static(record::Schedule(l.schedule)))) continue;
      hints::Hint h;
      h.kind = hints::Kind::dynamic;
      h.chunk = std::max(1u, chunk_for(l));
      Candidate c;
      add_hint(c, hints::Construct::loop, source, h);
      c.what = fmt::format("schedule(dynamic, {})", h.chunk);
      keep(std::move(c), &f);
    }
  }

  // Regions of several threads that take more than 5 % of the time, longest first, and their teams.
  struct Long {
    uint32_t source, team;
    int64_t ns;
  };
  std::vector<Long> long_regions() const {
    std::map<uint32_t, Long> all;
    for (const profile::Region& r : p.regions)
      if (r.level == 1 && r.source != kNone && r.end > r.begin) {
        const uint32_t source = first_same(r.source);
        Long& its = all.try_emplace(source, Long{source, 0, 0}).first->second;
        its.ns += r.end - r.begin;
        its.team = std::max(its.team, r.team);
      }
    std::vector<Long> found;
    for (const auto& [source, its] : all)
      if (its.team > 1 && double(its.ns) > 0.05 * double(p.wall_ns)) found.push_back(its);
    std::ranges::stable_sort(found, std::greater(), &Long::ns);
    return found;
  }

  static std::string threads_text(int threads, uint32_t team) {
    return threads == 1 ? "one thread" : fmt::format("{} threads instead of {}", threads, team);
  }

  // Half as many threads, for the region of the problem, or for each one.
  void half_the_threads(const report::Finding* f) {
    std::vector<Long> regions = long_regions();
    // The problem may be in a line inside of the region, and names it then among the others.
    if (f) {
      const auto named = std::find_if(f->sources.begin(), f->sources.end(), [&](uint32_t source) {
        return std::ranges::find(regions, first_same(source), &Long::source) != regions.end();
      });
      if (named != f->sources.end()) regions = {*std::ranges::find(regions, first_same(*named), &Long::source)};
    }
    for (const Long& region : regions) {
      hints::Hint h;
      h.threads = region.team / 2;
      Candidate c;
      add_hint(c, hints::Construct::region, region.source, h);
      c.what = threads_text(int(h.threads), region.team);
      keep(std::move(c), f);
      if (f) return;
    }
  }

  void threads_in_each_region(int threads, int recorded, Ratio predicted) {
    Candidate c;
    const std::vector<Long> regions = long_regions();
    for (const Long& region : regions) {
      if (int(region.team) <= threads) continue;
      hints::Hint h;
      h.threads = uint32_t(threads);
      add_hint(c, hints::Construct::region, region.source, h);
    }
    c.what = threads_text(threads, uint32_t(recorded)) + (regions.size() > 1 ? " in each region" : "");
    c.predicted = predicted;
    keep(std::move(c), nullptr);
  }

  // Threads of the regions around a region, one by each of the others.
  uint32_t threads_around(const profile::Region& r) const {
    uint32_t threads = 1;
    for (uint32_t grain = r.parent_grain; grain != kNone && p.grains[grain].region != kNone;) {
      const profile::Region& around = p.regions[p.grains[grain].region];
      threads *= std::max(1u, around.team);
      grain = around.parent_grain;
    }
    return threads;
  }

  // Teams inside of teams that have more threads than there are CPUs, all together: each its part of the CPUs. No
  // report promises anything of it, as times mean nothing where threads wait for CPUs.
  void fewer_inside() {
    struct Inner {
      uint32_t team = 1, around = 1;
    };
    std::map<uint32_t, Inner> all;
    for (const profile::Region& r : p.regions)
      if (r.level > 1 && r.source != kNone) {
        Inner& its = all[first_same(r.source)];
        its.team = std::max(its.team, r.team);
        its.around = std::max(its.around, threads_around(r));
      }
    Candidate c;
    for (const auto& [source, its] : all) {
      const uint32_t each = std::max(1u, p.cpus / its.around);
      if (its.around < 2 || its.team <= each) continue;
      hints::Hint h;
      h.threads = each;
      if (add_hint(c, hints::Construct::region, source, h))
        c.what += (c.what.empty() ? "" : ", ") + threads_text(int(each), its.team);
    }
    c.what += " in regions inside of others";
    keep(std::move(c), nullptr);
  }

  void set(Candidate& to, const char* variable, const char* value) const {
    hints::Hint h;
    h.construct = hints::Construct::set;
    h.place = variable;
    h.value = value;
    to.hints.hints.push_back(std::move(h));
  }

  void set_spread(Candidate& to) const {
    set(to, "OMP_PROC_BIND", "spread");
    set(to, "OMP_PLACES", "cores");
  }

  // Threads of several nodes: each stays with its memory. No recording says what that gains.
  void bind() {
    if (where.nodes < 2) return;
    Candidate c;
    set_spread(c);
    c.what = "threads bound to cores, spread over the machine";
    keep(std::move(c), nullptr);
  }

  // Of regions with at most half as many threads as there are CPUs: spread, each has more of the caches and of the
  // memory's bandwidth to itself; next to each other, what they share is near.
  void bind_regions_close() {
    if (where.nodes < 2) return;
    const bool user_binds = is_set && hints::overruled_by("OMP_PROC_BIND", is_set);
    for (const Long& region : long_regions()) {
      if (2 * region.team > p.cpus) continue;
      Candidate c;
      hints::Hint h;
      h.bind = hints::Bind::close;
      if (!add_hint(c, hints::Construct::region, region.source, h)) continue;
      if (!user_binds) set_spread(c);
      c.what = "its threads bound next to each other";
      keep(std::move(c), nullptr);
    }
  }

  // Threads that wait awake take energy, as those that work do.
  void sleep_in_waits() {
    const int64_t all = profile::all_thread_time(p);
    const int64_t waits = p.thread_time[size_t(profile::State::idle)] + p.thread_time[size_t(profile::State::serial)];
    if (all <= 0 || double(waits) < 0.05 * double(all)) return;
    Candidate c;
    set(c, "OMP_WAIT_POLICY", "passive");
    c.what = "threads that wait sleep at once";
    keep(std::move(c), nullptr);
  }

  // Tasks whose data is on other nodes than they run on.
  void run_at_data(const report::Finding& f) {
    Candidate c;
    set(c, "EINKORN_SCHEDULE", "deal");
    c.what = "tasks run where their data is";
    keep(std::move(c), &f);
  }

  // What one thread has put on its node, though threads of several nodes run: each node its part, as the iterations of
  // static loops and the first touch of threads would have it; or page by page. What it gains no recording says: who
  // uses the memory is not in it.
  void spread_memory() {
    const std::vector<const profile::Allocations*> lines = report::on_one_node(p, where);
    for (const hints::Spread spread : {hints::Spread::blocked, hints::Spread::fine}) {
      Candidate c;
      std::set<uint32_t> told;  // instances of a template are one line
      for (const profile::Allocations* a : lines) {
        if (a->source == kNone || !told.insert(first_same(a->source)).second) continue;
        hints::Hint h;
        h.spread = spread;
        const bool is_variable = report::is_variable(p, *a);
        add_hint(c, is_variable ? hints::Construct::variable : hints::Construct::allocation, a->source, h,
                 is_variable ? a->largest : 1);
      }
      c.what = spread == hints::Spread::blocked ? "large blocks of memory and variables in equal parts on all nodes"
                                                : "large blocks of memory and variables page by page on all nodes";
      keep(std::move(c), nullptr);
    }
  }

  void run_first(const report::Finding& f) {
    Candidate c;
    for (const uint32_t source : f.sources) {
      hints::Hint h;
      h.priority = 1;
      add_hint(c, hints::Construct::task, source, h);
    }
    c.what = "tasks of the critical path before others";
    keep(std::move(c), &f);
  }

  void for_cores(const Fewest& fewest) {
    if (fewest.known()) {
      if (fewest.may < fewest.recorded) threads_in_each_region(fewest.may, fewest.recorded, fewest.with_may);
      if (fewest.sure != fewest.may && fewest.sure < fewest.recorded)
        threads_in_each_region(fewest.sure, fewest.recorded, fewest.with_sure);
      if (long_regions().size() < 2) return;  // one may need fewer than another
    }
    half_the_threads(nullptr);
  }

  // For each kind of which report::tune_tries() says so.
  void for_problem(const report::Finding& f) {
    switch (f.kind) {
      case ProblemKind::tasks_too_fine: return cut_off(f);
      case ProblemKind::chunks_too_fine: return larger_chunks(f);
      case ProblemKind::load_imbalance:
      case ProblemKind::too_coarse: return balance(f);
      // More threads than the work or a lock feeds.
      case ProblemKind::short_regions:
      case ProblemKind::many_barriers:
      case ProblemKind::lock: return half_the_threads(&f);
      case ProblemKind::remote_data: return run_at_data(f);
      case ProblemKind::late_tasks: return run_first(f);
      default: return;
    }
  }
};

}  // namespace

std::vector<Candidate> propose(const Profile& p, const std::vector<std::vector<profile::SourceCode>>& code,
                               const std::vector<report::Finding>& findings, Goal goal, bool bold, const Fewest& fewest,
                               bool (*is_set)(const char* variable)) {
  Proposer proposer{.p = p, .code = code, .bold = bold, .is_set = is_set, .found = {}};
  // A run takes less energy if it is shorter, or on fewer cores.
  if (goal != Goal::cores) {
    proposer.fewer_inside();
    for (const report::Finding& f : findings) proposer.for_problem(f);
  }
  if (goal == Goal::energy) {
    if (proposer.found.size() > kMostCandidates / 2) proposer.found.resize(kMostCandidates / 2);
    proposer.sleep_in_waits();
  }
  if (goal != Goal::time) proposer.for_cores(fewest);
  if (goal != Goal::cores) {
    proposer.bind();
    proposer.spread_memory();
    proposer.bind_regions_close();
  }
  if (proposer.found.size() > kMostCandidates) proposer.found.resize(kMostCandidates);
  return std::move(proposer.found);
}

}  // namespace einkorn::tune
