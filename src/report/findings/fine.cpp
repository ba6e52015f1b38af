#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/recording_cost.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Profile;

// Grains are too fine when the median one executes for less than this many times what it costs.
constexpr int64_t kFine = 10;
// A task that holds this many times its cost in work loses at most 5 % to it.
constexpr int64_t kCoarse = 20;

// The deepest level of recursion at which a task, with all tasks below it, holds kCoarse times the cost of creating it:
// creating tasks down to there loses at most 5 %. -1: there is no recursion to cut, or no such level.
int64_t cut_off_depth(const Profile& p, uint32_t source, int64_t cost) {
  std::vector<int64_t> subtree(p.grains.size());
  std::map<uint32_t, std::vector<int64_t>> by_depth;
  for (size_t i = p.grains.size(); i-- > 0;) {  // children stand after their parents
    const Grain& g = p.grains[i];
    subtree[i] += g.exec;
    if (g.kind == GrainKind::task && g.parent != kNone) subtree[g.parent] += subtree[i];
    if (g.kind == GrainKind::task && g.source == source) by_depth[g.depth].push_back(subtree[i]);
  }
  // A chain of tasks is deep, but nothing to cut off.
  constexpr size_t kTasksALevel = 4;
  size_t tasks = 0;
  for (const auto& [depth, below] : by_depth) tasks += below.size();
  if (by_depth.size() < 3 || tasks < kTasksALevel * by_depth.size()) return -1;
  // The deepest few tasks are often the first ones that ran, with cold caches.
  while (by_depth.size() > 1 && by_depth.rbegin()->second.size() < kTasksALevel)
    by_depth.erase(std::prev(by_depth.end()));
  for (auto it = by_depth.rbegin(); it != by_depth.rend(); ++it) {
    auto middle = it->second.begin() + long(it->second.size() / 2);
    std::nth_element(it->second.begin(), middle, it->second.end());
    if (*middle >= kCoarse * cost) return it == by_depth.rbegin() ? -1 : int64_t(it->first);
  }
  return -1;
}

int64_t median_creation(const Profile& p, uint32_t source) {
  std::vector<int64_t> costs;
  for (const Grain& g : p.grains)
    if (g.source == source && g.create_cost >= 0 && (g.kind == GrainKind::task || g.kind == GrainKind::chunk))
      costs.push_back(g.create_cost);
  if (costs.empty()) return 0;
  std::nth_element(costs.begin(), costs.begin() + long(costs.size() / 2), costs.end());
  return costs[costs.size() / 2];
}

std::string median_text(const SourceCost& c) {
  if (c.median <= 0) return "median too short to be timed";  // shorter than what the probe takes, which is taken off
  return fmt::format("median {}{}", 2 * c.perturbed >= c.executed ? "about " : "", duration(c.median, 2));
}

// Of times that are not valid only how they compare is told: "one executes for 2.0 times what its creation takes".
std::string ratio_text(const SourceCost& c, int64_t cost, bool at_once) {
  if (at_once) return "run at once by their creator";
  if (c.median <= 0) return "too short to be timed";
  return fmt::format("by the medians one executes for {} times what {}",
                     significant(double(c.median) / double(std::max<int64_t>(1, cost)), 2),
                     c.kind == GrainKind::task ? "its creation takes" : "the book-keeping before it takes");
}

// A thread's way to a task that is there, or the creation of one. What takes longer is waking up, or having no CPU.
constexpr int64_t kMostFetch = 10000;

// Where a recording does not tell what tasks cost on its machine, ns: what deferring a task costs inside of it, where
// it counts as its work: a call through a pointer instead of one that the compiler sees into, arguments by way of
// memory, cold lines. 10 to 20 were measured (fib, and trees with and without cut-off).
constexpr int64_t kInside = 15;

// Likewise: what a task costs that its creator runs at once: no record times that, and it counts as its work and its
// parent's. 11 to 14 were measured (docs/performance.md: if(0); a tree with an if clause and without tasks).
constexpr int64_t kAtOnce = 15;

// Of grains that one thread created. ns
struct CreatorCost {
  int64_t created = 0;  // as timed
  int64_t at_once = 0;  // for each task that it ran at once
  int64_t kept = 0;     // work that it kept from others
};

// What a task costs that was run at once.
int64_t at_once_ns(const Profile& p) {
  const profile::MeasuredCost& measured = p.costs(p.interface, profile::Cost::at_once);
  return measured.known() ? int64_t(std::lround(measured.plain)) : kAtOnce;
}

// What the grains of one line that went through a queue, or might have, cost on their machine, of all threads: where
// nobody records, and where somebody does. plain < 0: not known.
struct Unrecorded {
  double plain = 0, recorded = 0;
  std::map<uint32_t, double> by_thread;      // plain; with the work that it kept from others
  std::map<uint32_t, double> added_by_kept;  // of recorded, what those cost more than plain

  void add(const Profile& p, const Grain& g, const profile::MeasuredCost& cost) {
    if (plain < 0) return;
    if (!cost.known()) return void(plain = -1);
    plain += cost.plain;
    recorded += cost.recorded;
    if (kept_from_others(p, g)) {
      by_thread[g.creator] += cost.plain + double(g.exec);
      added_by_kept[g.creator] += cost.recorded - cost.plain;
      return;
    }
    // Its maker and who takes it bear about the same. Pieces are made where they run.
    const bool taken = g.kind == GrainKind::task && g.iterations < 0 && g.creator != kNone;
    by_thread[g.thread] += taken ? cost.plain / 2 : cost.plain;
    if (taken) by_thread[g.creator] += cost.plain / 2;
  }
  void add(const Unrecorded& other) {
    if (plain < 0 || other.plain < 0) return void(plain = -1);
    plain += other.plain;
    recorded += other.recorded;
    for (const auto& [thread, cost] : other.by_thread) by_thread[thread] += cost;
    for (const auto& [thread, cost] : other.added_by_kept) added_by_kept[thread] += cost;
  }
  bool known() const { return plain > 0; }
  double most() const { return most_of(by_thread); }
  // By which recording made the run longer. What one thread keeps from the others is nothing that they share.
  double slowed(double threads) const {
    double shared = recorded - plain;
    for (const auto& [thread, cost] : added_by_kept) shared -= cost;
    return shared / threads + most_of(added_by_kept);
  }

 private:
  static double most_of(const std::map<uint32_t, double>& costs) {
    double found = 0;
    for (const auto& [thread, cost] : costs) found = std::max(found, cost);
    return found;
  }
};

// What grains that are too fine cost, at one line or at the lines of one function.
struct Fine {
  const SourceCost* line = nullptr;  // the one that costs most
  int64_t line_total = 0;
  int64_t total = 0, fetched = 0, exec = 0;
  uint64_t grains = 0, deferred = 0, kept = 0;
  std::vector<uint32_t> lines;
  std::map<uint32_t, CreatorCost> by_creator;  // by thread
  Unrecorded unrecorded;

  bool mostly_kept() const { return 2 * kept > grains; }
};

// What is gained without tasks that cost U in an unrecorded run: as Bounds::gain(), but of the wall time and the work
// of that run. Recorded work holds what recording adds inside of tasks, and what these keep the processor from; it is
// at least that of all other grains.
int64_t gain_unrecorded(const Bounds& b, const Fine& fine) {
  const Unrecorded& u = fine.unrecorded;
  // That run lasts no less than what one thread bears in it: a cost of recording that was measured on a busy machine
  // may be more than the whole recording took.
  const double wall = std::max(double(b.wall) - u.slowed(b.threads), u.most());
  // What recording adds to tasks that their creator runs at once is in its own work, too, but not in what it bears.
  const double most_added =
      fine.mostly_kept() ? std::max(double(fine.exec), double(b.work) - u.most()) : double(fine.exec);
  const double work = double(b.work) - std::clamp(u.recorded - double(fine.total), 0.0, most_added);
  const double room = std::max(0.0, wall - work / b.threads);
  return int64_t(std::min({u.most(), (u.plain + double(b.idle)) / b.threads, room}));
}

Finding describe(const Evidence& e, const Fine& fine) {
  const Profile& p = e.p;
  const Bounds& b = e.b;
  const SourceCost& c = *fine.line;
  const bool task = c.kind == GrainKind::task;
  const bool mostly_at_once = task && 2 * fine.deferred < fine.grains, mostly_kept = fine.mostly_kept();
  const int64_t at_once = task ? at_once_ns(p) * int64_t(fine.grains - fine.deferred) : 0;
  int64_t most = 0, most_at_once = 0, kept = 0;
  for (const auto& [thread, cost] : fine.by_creator) {
    kept += cost.kept;
    most = std::max(most, cost.created + cost.kept);
    most_at_once = std::max(most_at_once, cost.at_once);
  }
  Finding f;
  f.kind = task ? ProblemKind::tasks_too_fine : ProblemKind::chunks_too_fine;
  // Recording takes another way through the runtime, and time: what goes away is what they cost without it.
  const bool known = fine.unrecorded.known();
  // What ran at once and is not in that.
  const int64_t beside = task && known ? at_once_ns(p) * int64_t(fine.grains - fine.deferred - fine.kept) : at_once;
  // Of chunks there are two witnesses: what empty ones cost on this machine, and the recording, of how threads dispute
  // the next one, less what it adds, of which bodies hide all or nothing. The middle of both.
  const double least = fine.unrecorded.plain, added = std::max(0.0, fine.unrecorded.recorded - least);
  const double unrecorded =
      !known ? double(fine.total)
      : task ? least
             : std::min(double(fine.total), (least + std::max(least, double(fine.total) - added)) / 2);
  if (p.times_valid && task && known) {
    f.gain_ns = gain_unrecorded(b, fine) + most_at_once;
  } else if (p.times_valid) {
    const double part = fine.total > 0 ? unrecorded / double(fine.total) : 1;
    const int64_t inside = task ? kInside * int64_t(fine.deferred) : 0;
    f.gain_ns = b.gain(int64_t(unrecorded), int64_t(part * double(most + b.spread(fine.fetched)))) + b.spread(inside) +
                most_at_once;
  }
  // Of the program's work, which is at least these grains': lines that are too fine, but hardly run, are no problem.
  const int64_t work = std::max(fine.exec, p.thread_time[size_t(profile::State::work)]);
  f.share = double(fine.total + at_once) / double(fine.total + std::max(at_once, work));
  f.grains = fine.grains;
  f.source = c.source;
  f.sources = fine.lines;
  const bool told = !p.times_valid || double(f.gain_ns) >= kWorthTelling * double(p.wall_ns);
  const int64_t depth = task && told ? cut_off_depth(p, c.source, fine.line_total / int64_t(c.grains)) : -1;
  const std::string others =
      fine.lines.size() > 1 ? fmt::format(", with {} of this function", plural(fine.lines.size() - 1, "other line"))
                            : "";
  const std::string cost =
      mostly_kept      ? "run at once by their creator, as handing them over would take longer"
      : mostly_at_once ? "run at once by their creator"
                       : fmt::format("{} {}", task ? "creation" : "book-keeping", duration(c.mean_create_cost(), 2));
  const std::string figures = p.times_valid ? fmt::format("{}, {}", median_text(c), cost)
                                            : ratio_text(c, fine.line_total / int64_t(c.grains), mostly_at_once);
  f.what = fmt::format("{}s too fine{} ({}{})", task ? "task" : "chunk",
                       depth < 0 ? "" : fmt::format(" below depth {}", depth), figures, others);
  f.advice =
      !task ? "Give each chunk more iterations: a larger chunk size, or schedule(guided) or schedule(static)."
      : depth < 0
          ? "Create fewer, larger tasks: several units of work in each, or none where there is little to do."
          : fmt::format("Stop creating tasks below depth {} and call the function there: a cut-off by depth or size.",
                        depth);
  if (mostly_at_once && !mostly_kept)
    f.advice += " An if clause, final, or one thread make each of them a task all the same.";
  f.about = {fine.lines, 1u << unsigned(c.kind), uint32_t(depth + 1), false};
  f.evidence = {plural(fine.grains, task ? "task" : "chunk")};
  if (p.times_valid)
    f.evidence[0] += fmt::format(
        ", {} of thread time for creating{} them{}", duration(fine.total + at_once, 2), task ? " and fetching" : "",
        known && int64_t(unrecorded) != fine.total
            ? fmt::format(" as recorded, {} without", duration(int64_t(unrecorded) + beside, 2))
            : "");
  else f.evidence.push_back("medians: sums of time mean nothing in this recording");
  if (p.times_valid && mostly_kept && b.idle > 0)
    f.evidence.push_back(fmt::format("{} of them kept {} of work from the other threads, which were idle for {}",
                                     count(fine.kept), duration(kept, 2), duration(b.idle, 2)));
  if (p.times_valid && !known && fine.total > 0) f.evidence.push_back(kAsRecorded);
  return f;
}

}  // namespace

// Tasks too fine: what goes away when their lines create (almost) none.
//   total: creation, as timed, scaled to the tasks whose creation was not (creation is sampled); plus what the runtime
//          took in waits in which tasks ran (fetching, starting, ending them), shared by the deferred tasks of all
//          lines by their number: one fetch costs the same whatever is fetched;
//   most:  the creation cost of the thread that created most; fetching is done by all.
// For chunks the book-keeping before each is all there is. The lines of one function are one problem: a recursion that
// creates its tasks at four lines has one cut-off.
// Tasks that ran at once have at_once_ns() instead, all on the thread that created them. Where the runtime chose that,
// as they are too short to be handed over, their work could be others' if they were larger: it counts as what that
// thread bears. Where the recording tells what they cost on its machine without recording, that is what is gained: of
// tasks gain_unrecorded(), of chunks as far as it is less. Where times are not valid, sums of them hold stretches in
// which a thread had no CPU. Most creations and most grains are too short to be met by one: the medians, times the
// number, stand for the sums, and there is no gain. A median creation that takes longer than any does (kMostFetch) was
// met by one.
void find_too_fine(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  const auto& costs = e.costs;
  int64_t fetching = 0;
  uint64_t deferred = 0;
  for (const profile::WaitUse& w : p.waits)
    if (w.tasks > 0) fetching += std::min(w.overhead, kMostFetch * int64_t(w.tasks));
  for (const SourceCost& c : costs) deferred += c.deferred;

  const bool known = p.costs.threads > 0;
  std::map<std::pair<uint32_t, uint32_t>, CreatorCost> by_creator;  // by source and creating thread
  for (const Grain& g : p.grains) {
    if (g.kind != GrainKind::task && g.kind != GrainKind::chunk) continue;
    const bool runs_at_once = g.kind == GrainKind::task && at_once(g);
    if (g.create_cost <= 0 && !runs_at_once) continue;
    CreatorCost& cost = by_creator[{g.source, g.creator}];
    cost.created += std::max<int64_t>(0, g.create_cost);
    if (kept_from_others(p, g)) cost.kept += g.exec;
    if (runs_at_once && (!known || !kept_from_others(p, g))) cost.at_once += at_once_ns(p);
  }

  std::map<uint32_t, Unrecorded> unrecorded;  // by source
  if (known)
    for (const Grain& g : p.grains)
      if (g.kind == GrainKind::chunk || (g.kind == GrainKind::task && !at_once(g)) || kept_from_others(p, g))
        unrecorded[g.source].add(p, g, grain_cost(p, g));

  std::map<std::tuple<GrainKind, std::string, std::string, uint32_t>, Fine> functions;
  for (const SourceCost& c : costs) {
    if ((c.kind != GrainKind::task && c.kind != GrainKind::chunk) || !c.created || !c.executed) continue;
    const double scale = double(c.grains) / double(c.created);
    const int64_t fetched = deferred ? int64_t(double(fetching) * double(c.deferred) / double(deferred)) : 0;
    const int64_t total = p.times_valid ? int64_t(double(c.create_cost) * scale) + fetched
                                        : std::min(median_creation(p, c.source), kMostFetch) * int64_t(c.grains);
    const Unrecorded& without = unrecorded[c.source];
    // Fine is what costs much where nobody records, or what the runtime found too short.
    const bool told = c.kind == GrainKind::task && without.known();
    const uint64_t at_once = c.kind == GrainKind::task ? c.grains - c.deferred - (told ? c.kept : 0) : 0;
    const int64_t cost = (told ? int64_t(without.plain) : total) + at_once_ns(p) * int64_t(at_once);
    const bool mostly_kept = 2 * c.kept > c.grains;
    if (cost <= 0 || (!mostly_kept && c.median >= kFine * (cost / int64_t(c.grains)))) continue;
    const bool has_function = c.source < p.sources.size() && !p.sources[c.source].function.empty();
    Fine& fine = functions[{c.kind, has_function ? p.sources[c.source].file : "",
                            has_function ? p.sources[c.source].function : "", has_function ? kNone : c.source}];
    if (!fine.line || cost > fine.line_total) {
      fine.line = &c;
      fine.line_total = cost;
    }
    fine.total += total;
    fine.unrecorded.add(without);
    fine.kept += c.kept;
    fine.exec += p.times_valid ? c.exec : c.median * int64_t(c.grains);
    fine.fetched += fetched;
    fine.grains += c.grains;
    fine.deferred += c.deferred;
    fine.lines.push_back(c.source);
    for (auto it = by_creator.lower_bound({c.source, 0}); it != by_creator.end() && it->first.first == c.source; ++it) {
      CreatorCost& cost_of_thread = fine.by_creator[it->first.second];
      cost_of_thread.created += int64_t(double(it->second.created) * scale);
      cost_of_thread.at_once += it->second.at_once;
      cost_of_thread.kept += it->second.kept;
    }
  }
  for (const auto& [function, fine] : functions) out.push_back(describe(e, fine));
}

}  // namespace einkorn::report
