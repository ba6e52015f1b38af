#include "report/findings/findings.h"
#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <fmt/format.h>
#include "machine/load.h"
#include "report/findings/parts.h"
#include "report/recording_cost.h"
#include "report/validity.h"
#include "report/wording.h"

namespace einkorn::report {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Metric;
using profile::Metrics;
using profile::Profile;
using profile::State;

namespace {

// What is about a region's shares is about those, too, that have their own line (profile/share_names.h).
void with_shares(const Profile& p, GrainFilter& about) {
  if (!(about.kinds & profile::kOfShares) || about.sources.empty()) return;
  std::set<uint32_t> more;
  for (const Grain& g : p.grains) {
    if (g.kind != GrainKind::share || g.region >= p.regions.size() || g.source == p.regions[g.region].source) continue;
    if (std::find(about.sources.begin(), about.sources.end(), p.regions[g.region].source) != about.sources.end())
      more.insert(g.source);
  }
  for (const uint32_t s : about.sources) more.erase(s);
  about.sources.insert(about.sources.end(), more.begin(), more.end());
}

}  // namespace

Bounds::Bounds(const Profile& p, const Metrics& m)
    : wall(m.region_wall), work(time_in(p, State::work)), idle(time_in(p, State::idle)) {
  if (wall > 0) threads = m[Metric::threads];
  // The initial task's own execution is on every path through the program.
  if (!p.graph.nodes.empty() && !p.grains.empty()) span = std::max<int64_t>(0, p.critical_path_ns - p.grains[0].exec);
  for (const profile::ExclusiveSet& s : p.exclusive) exclusive = std::max(exclusive, s.held);
  open_room = std::max<int64_t>(0, wall - std::max(spread(work), span));
  room = std::max<int64_t>(0, std::min(open_room, wall - exclusive));
  split_room = std::max<int64_t>(0, wall - std::max(spread(work), exclusive));
}

bool Evidence::same_line(uint32_t one, uint32_t other) const {
  if (one == other || one >= p.sources.size() || other >= p.sources.size()) return one == other;
  const profile::Source &a = p.sources[one], &c = p.sources[other];
  return a.line > 0 && a.line == c.line && a.file == c.file;
}

profile::MetricOptions metric_options(const Profile& p) {
  profile::MetricOptions options;
  options.want_only({Metric::work_deviation, Metric::idle_caused, Metric::critical});
  // Not a machine from a file: the recording may come from elsewhere, and what it names there is none of our business.
  machine::Machine machine;
  std::string why;
  if (!p.machine_source.empty() && !machine::is_path(p.machine_source) &&
      machine::load(p.machine_source, &machine, &why)) {
    options.node_distance = machine.distance;
    options.cpus_of_a_node = uint32_t(machine.pus.size() / std::max<size_t>(1, machine.nodes.size()));
  }
  return options;
}

// What costs more than the times may be off by: where, what, and how much of the wall time, without a promise.
static void find_roughly(const Evidence& e, double off, std::vector<Finding>& out) {
  std::vector<Finding> found;
  find_idle(e, found);
  find_late_tasks(e, found);
  find_serial(e, found);
  find_locks(e, found);
  find_ordered(e, found);
  find_many_barriers(e, found);
  find_short_regions(e, found);
  for (Finding& f : found) {
    f.share = double(f.gain_ns) / double(e.p.wall_ns);
    f.gain_ns = -1;
    f.rough = true;
  }
  std::erase_if(found, [&](const Finding& f) { return f.share < std::max(off, kWorthTelling); });
  // By counts the same is told without doubt.
  std::erase_if(found, [&](const Finding& f) {
    return std::any_of(out.begin(), out.end(), [&](const Finding& o) {
      return o.kind == f.kind && e.same_line(o.source, f.source) && o.share >= kWorthTelling;
    });
  });
  std::move(found.begin(), found.end(), std::back_inserter(out));
}

std::vector<Finding> find_problems(const Profile& p, const Metrics& metrics) {
  std::vector<Finding> out;
  if (p.wall_ns <= 0) return out;
  const Bounds bounds(p, metrics);
  const std::vector<SourceCost> costs = source_costs(p);
  const Evidence evidence{p, metrics, bounds, costs};
  find_remote_data(evidence, out);
  find_loop_order(evidence, out);
  find_shared_lines(evidence, out);
  find_too_fine(evidence, out);
  find_few_threads(evidence, out);
  if (p.times_valid) {
    find_idle(evidence, out);
    find_late_tasks(evidence, out);
    find_serial(evidence, out);
    find_locks(evidence, out);
    find_exclusive(evidence, out);
    find_ordered(evidence, out);
    find_many_barriers(evidence, out);
    find_short_regions(evidence, out);
    find_inflation(evidence, out);
    // Of the wall time as it is without recording: gains are of that program.
    const double wall = double(p.wall_ns - recording_slowed(p, metrics).value_or(0));
    std::erase_if(out, [&](const Finding& f) { return double(f.gain_ns) < kWorthTelling * wall; });
    find_waiting(evidence, out);
    std::stable_sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) { return a.gain_ns > b.gain_ns; });
  } else {
    find_by_count(evidence, out);
    if (const double off = times_off_by(p); off > 0) find_roughly(evidence, off, out);
    std::erase_if(out, [&](const Finding& f) { return f.share < kWorthTelling; });
    std::stable_sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) { return a.share > b.share; });
  }
  // One line has one problem of a kind, the largest.
  std::set<std::tuple<ProblemKind, std::string, uint32_t>> told;
  std::erase_if(out, [&](const Finding& f) {
    if (f.source >= p.sources.size() || p.sources[f.source].line == 0) return false;
    return !told.insert({f.kind, p.sources[f.source].file, p.sources[f.source].line}).second;
  });
  for (Finding& f : out) {
    std::vector<uint32_t> lines;
    if (f.source != kNone) lines.push_back(f.source);
    for (uint32_t s : f.sources)
      if (s < p.sources.size() &&
          std::none_of(lines.begin(), lines.end(), [&](uint32_t l) { return evidence.same_line(l, s); }))
        lines.push_back(s);
    f.sources = std::move(lines);
    with_shares(p, f.about);
    if (!f.about.sources.empty()) f.grains = grains_of(p, f).size();
  }
  return out;
}

std::vector<Finding> find_problems(const Profile& p) { return find_problems(p, compute_metrics(p, metric_options(p))); }

std::vector<uint32_t> grains_of(const Profile& p, const Finding& f) {
  std::vector<uint32_t> out;
  const GrainFilter& about = f.about;
  if (about.sources.empty()) return out;
  std::vector<bool> wanted(p.sources.size(), false);
  bool unknown = false;  // those without a source
  for (uint32_t s : about.sources)
    if (s < wanted.size()) wanted[s] = true;
    else unknown = true;
  for (uint32_t i = 0; i < p.grains.size(); ++i) {
    const Grain& g = p.grains[i];
    if (!(about.kinds >> unsigned(g.kind) & 1) || !(g.source < wanted.size() ? wanted[g.source] : unknown)) continue;
    if (g.depth < about.least_depth) continue;
    if (about.remote && (g.footprint >= p.footprints.size() || p.footprints[g.footprint].remote == 0)) continue;
    out.push_back(i);
  }
  return out;
}

// Threads that slow each other down in the memory system are at work, by the clock.
static std::string not_seen(const Profile& p) {
  uint32_t most = 0;
  for (const profile::Region& r : p.regions) most = std::max(most, r.team);
  if (most < 2 || !p.predicted.empty()) return "";
  const std::string name = p.program.empty() ? "app" : printable(p.program.substr(p.program.rfind('/') + 1));
  return fmt::format(
      "; one recording does not show whether threads slow each other down: `OMP_NUM_THREADS=1 einkorn record -o one.grain -- ...`, "
      "then `einkorn report {}.grain --baseline one.grain`",
      name);
}

std::string verdict(const Profile& p, const std::vector<Finding>& findings) {
  if (const auto not_valid = why_not_valid(p))
    return findings.empty() ? not_valid->verdict
           : findings[0].rough
               ? fmt::format("{} costs about {:.0f} % of the time: {} ({})",
                             findings[0].source == kNone ? std::string("the program") : Places(p)(findings[0].source),
                             100 * findings[0].share, findings[0].what, not_valid->because)
               : fmt::format("{}: {} (no seconds can be given: {})", Places(p)(findings[0].source), findings[0].what,
                             not_valid->because);
  if (p.regions.empty()) return "no parallel region ran: there is nothing to compare";
  if (findings.empty()) {
    std::string text = fmt::format("no problem found: {} of the thread time is work",
                                   percent(double(time_in(p, State::work)), double(profile::all_thread_time(p))));
    const std::vector<SourceCost> costs = source_costs(p);
    int64_t work = 0;
    for (const SourceCost& c : costs) work += c.exec;
    // Where some were counted only, their lines may have had more of it.
    if (!costs.empty() && costs[0].source != kNone && work > 0 && p.aggregates.empty())
      text += fmt::format(", {} of it at {}", percent(double(costs[0].exec), double(work)), Places(p)(costs[0].source));
    return text + not_seen(p);
  }
  const Finding& f = findings[0];
  const std::string place = f.source == kNone ? std::string("the program") : Places(p)(f.source);
  if (f.kind == ProblemKind::serial)
    return fmt::format("the serial part costs up to {}: {}", part_of(f.gain_ns, p.wall_ns), f.what);
  return fmt::format("{} costs up to {}: {}", place, part_of(f.gain_ns, p.wall_ns), f.what);
}

}  // namespace einkorn::report
