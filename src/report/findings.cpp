#include "report/findings.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <fmt/format.h>
#include "report/source_costs.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Profile;
using profile::State;

// Below this part of the wall time a problem is not worth a line.
constexpr double kWorthTelling = 0.05;
// Grains are too fine when the median one executes for less than this many times what it costs.
constexpr int64_t kFine = 10;
// A task that holds this many times its cost in work loses at most 5 % to it.
constexpr int64_t kCoarse = 20;

int64_t time_in(const Profile& p, State s) { return p.thread_time[size_t(s)]; }

// The numbers that all bounds are made of.
//
// Inside the regions the threads' time is partitioned into work, overhead, idle, blocked and the rest:
//     threads x wall = work + overhead + idle + blocked + ...                                              (1)
// and no schedule ends before the longest path of the grain graph, nor before all work is done:
//     wall >= max(work / threads, span)                                                                    (2)
// So when a cost x of the threads' time goes away, with its share of (1) the wall time falls by x / threads; where x is
// not spread evenly, the others idle meanwhile and the wall time may fall by as much as the thread loses that bears most
// of it, as long as there is idle time for that: (x + idle) / threads. Never does it fall below (2).
struct Bounds {
  int64_t wall = 0;      // inside outermost regions
  double threads = 1;    // in them, on average
  int64_t work = 0, idle = 0;
  int64_t span = 0;      // of the critical path's part inside regions; 0: no graph
  int64_t room = 0;      // wall - max(work / threads, span): what better scheduling without overhead could gain

  explicit Bounds(const Profile& p);
  // Of taking away `total` thread time, of which no thread bears more than `most`.
  int64_t gain(int64_t total, int64_t most) const {
    return std::max<int64_t>(0, std::min({most, int64_t(double(total + idle) / threads), room}));
  }
  int64_t spread(int64_t total) const { return int64_t(double(total) / threads); }
};

Bounds::Bounds(const Profile& p) : work(time_in(p, State::work)), idle(time_in(p, State::idle)) {
  std::vector<std::pair<int64_t, int64_t>> outermost;
  double capacity = 0;
  for (const profile::Region& r : p.regions) {
    if (r.begin < 0 || r.end <= r.begin) continue;
    capacity += double(r.team) * double(r.end - r.begin);
    if (r.level <= 1) outermost.emplace_back(r.begin, r.end);
    else capacity -= double(r.end - r.begin);  // its primary thread counts in the inner team only
  }
  // Threads of the program's own may run regions at the same time.
  std::sort(outermost.begin(), outermost.end());
  int64_t until = INT64_MIN;
  for (auto [begin, end] : outermost) {
    if (end > until) wall += end - std::max(begin, until);
    until = std::max(until, end);
  }
  if (wall > 0) threads = std::max(1.0, capacity / double(wall));
  // The initial task's own execution is on every path through the program.
  if (!p.graph.nodes.empty() && !p.grains.empty()) span = std::max<int64_t>(0, p.critical_path_ns - p.grains[0].exec);
  room = std::max<int64_t>(0, wall - std::max(spread(work), span));
}

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
  if (by_depth.size() < 3) return -1;
  for (auto it = by_depth.rbegin(); it != by_depth.rend(); ++it) {
    auto middle = it->second.begin() + long(it->second.size() / 2);
    std::nth_element(it->second.begin(), middle, it->second.end());
    if (*middle >= kCoarse * cost) return it == by_depth.rbegin() ? -1 : int64_t(it->first);
  }
  return -1;
}

std::string median_text(const SourceCost& c) {
  return fmt::format("median {}{}", 2 * c.perturbed >= c.executed ? "about " : "", duration(c.median, 2));
}

// What grains that are too fine cost, at one line or at the lines of one function.
struct Fine {
  const SourceCost* line = nullptr;    // the one that costs most
  int64_t line_total = 0;
  int64_t total = 0, fetched = 0;
  uint64_t grains = 0;
  size_t lines = 0;
  std::map<uint32_t, int64_t> created_by;  // creation cost by thread
};

Finding describe(const Profile& p, const Bounds& b, const Fine& fine) {
  const SourceCost& c = *fine.line;
  const bool task = c.kind == GrainKind::task;
  int64_t most = 0;
  for (auto [thread, cost] : fine.created_by) most = std::max(most, cost);
  Finding f;
  f.kind = task ? ProblemKind::tasks_too_fine : ProblemKind::chunks_too_fine;
  f.gain_ns = b.gain(fine.total, most + b.spread(fine.fetched));
  f.grains = fine.grains;
  f.source = c.source;
  const bool told = double(f.gain_ns) >= kWorthTelling * double(p.wall_ns);
  const int64_t depth = task && told ? cut_off_depth(p, c.source, fine.line_total / int64_t(c.grains)) : -1;
  const std::string others = fine.lines > 1 ? fmt::format(", with {} of this function", plural(fine.lines - 1, "other line")) : "";
  f.what = fmt::format("{}s too fine{} ({}, {} {}{})", task ? "task" : "chunk",
                       depth < 0 ? "" : fmt::format(" below depth {}", depth), median_text(c),
                       task ? "creation" : "book-keeping", duration(c.mean_create_cost(), 2), others);
  f.advice = !task ? "Give each chunk more iterations: a larger chunk size, or schedule(guided) or schedule(static)."
             : depth < 0 ? "Create fewer, larger tasks: several units of work in each, or none where there is little to do."
                         : fmt::format("Stop creating tasks below depth {} and call the function there: a cut-off by depth or size.", depth);
  return f;
}

// Tasks too fine: what goes away when their lines create (almost) none.
//   total: creation, as timed, scaled to the tasks whose creation was not (creation is sampled); plus what the runtime
//          took in waits in which tasks ran (fetching, starting, ending them), shared by the deferred tasks of all lines
//          by their number: one fetch costs the same whatever is fetched;
//   most:  the creation cost of the thread that created most; fetching is done by all.
// For chunks the book-keeping before each is all there is. The lines of one function are one problem: a recursion that
// creates its tasks at four lines has one cut-off.
void too_fine(const Profile& p, const Bounds& b, const std::vector<SourceCost>& costs, std::vector<Finding>& out) {
  int64_t fetching = 0;
  uint64_t deferred = 0;
  for (const profile::WaitUse& w : p.waits)
    if (w.tasks > 0) fetching += w.overhead;
  for (const SourceCost& c : costs) deferred += c.deferred;

  std::map<std::pair<uint32_t, uint32_t>, int64_t> by_creator;  // creation cost by source and creating thread
  for (const Grain& g : p.grains)
    if ((g.kind == GrainKind::task || g.kind == GrainKind::chunk) && g.create_cost > 0)
      by_creator[{g.source, g.creator}] += g.create_cost;

  std::map<std::tuple<GrainKind, std::string, std::string, uint32_t>, Fine> functions;
  for (const SourceCost& c : costs) {
    if ((c.kind != GrainKind::task && c.kind != GrainKind::chunk) || !c.created || !c.executed) continue;
    const double scale = double(c.grains) / double(c.created);
    const int64_t fetched = deferred ? int64_t(double(fetching) * double(c.deferred) / double(deferred)) : 0;
    const int64_t total = int64_t(double(c.create_cost) * scale) + fetched;
    if (total <= 0 || c.median >= kFine * (total / int64_t(c.grains))) continue;
    const bool known = c.source < p.sources.size() && !p.sources[c.source].function.empty();
    Fine& fine = functions[{c.kind, known ? p.sources[c.source].file : "", known ? p.sources[c.source].function : "",
                            known ? kNone : c.source}];
    if (!fine.line || total > fine.line_total) {
      fine.line = &c;
      fine.line_total = total;
    }
    fine.total += total;
    fine.fetched += fetched;
    fine.grains += c.grains;
    ++fine.lines;
    for (auto it = by_creator.lower_bound({c.source, 0}); it != by_creator.end() && it->first.first == c.source; ++it)
      fine.created_by[it->first.second] += int64_t(double(it->second) * scale);
  }
  for (const auto& [function, fine] : functions) out.push_back(describe(p, b, fine));
}

const char* kind_of_wait(const Profile& p, uint32_t source) {
  if (source >= p.sources.size()) return "a wait";
  const std::string& c = p.sources[source].construct;
  return c == "taskwait" ? "the taskwait" : c == "taskgroup" ? "the end of the taskgroup"
         : c == "implicit barrier" ? "the barrier at its end" : "the barrier";
}

// Idle at a wait, beyond what the critical path enforces: with all its idle time gone the wall time falls by idle /
// threads (1), never below (2).
void idle_at_waits(const Profile& p, const Bounds& b, std::vector<Finding>& out) {
  for (const profile::WaitUse& w : p.waits) {
    if (w.idle <= 0) continue;
    Finding f;
    f.kind = ProblemKind::load_imbalance;
    f.gain_ns = std::min(b.spread(w.idle), b.room);
    f.source = w.source;
    f.what = fmt::format("threads idle at {} ({} of thread time in {})", kind_of_wait(p, w.source), duration(w.idle, 2),
                         plural(w.waits, "wait"));
    f.advice = "Some threads have nothing to do while others still work: divide the work into more even pieces, or create "
               "tasks earlier and from more threads.";
    out.push_back(std::move(f));
  }
}

struct OnPath {
  int64_t time = 0;
  uint64_t grains = 0;
};

// Too little parallelism: the span exceeds work / threads, so that whatever the schedule threads idle. If there were
// parallelism enough, wall would fall to work / threads, by idle / threads at most. The line is the one that has most of
// the path. Where that is a share or chunk whose siblings have work too, the work is there but unevenly divided.
void path_too_long(const Profile& p, const Bounds& b, const std::vector<SourceCost>& costs, std::vector<Finding>& out) {
  if (b.span <= b.spread(b.work)) return;
  std::map<uint32_t, OnPath> path;
  uint32_t last = kNone;
  for (const profile::Node& n : p.graph.nodes) {
    if (!n.critical || n.grain == kNone || n.grain == 0) continue;
    if (n.kind != profile::NodeKind::fragment && n.kind != profile::NodeKind::chunk) continue;
    OnPath& at = path[p.grains[n.grain].source];
    at.time += n.weight;
    at.grains += n.grain != last;
    last = n.grain;
  }
  auto most = std::max_element(path.begin(), path.end(), [](auto& a, auto& c) { return a.second.time < c.second.time; });
  if (most == path.end()) return;
  const auto cost = std::find_if(costs.begin(), costs.end(), [&](const SourceCost& c) { return c.source == most->first; });
  const bool divided = cost != costs.end() && cost->kind != GrainKind::task;
  const bool shared = divided && double(cost->exec) >= 1.2 * double(most->second.time);
  Finding f;
  f.kind = shared ? ProblemKind::load_imbalance : ProblemKind::little_parallelism;
  f.gain_ns = std::max<int64_t>(0, std::min(b.spread(b.idle), b.wall - b.spread(b.work)));
  f.grains = most->second.grains;
  f.source = most->first;
  const std::string part = fmt::format("{} of the critical path", percent(double(most->second.time), double(p.critical_path_ns)));
  if (shared) {
    f.what = fmt::format("work unevenly divided ({}, mean {} a {}, longest {})", part, duration(cost->mean(), 2),
                         profile::kGrainKindNames[size_t(cost->kind)], duration(cost->longest, 2));
    f.advice = "Some threads get more to do than others: use schedule(dynamic) or smaller chunks, or divide by work.";
  } else {
    f.what = fmt::format("too little parallelism (parallelism {} inside regions, {})",
                         significant(double(b.work) / double(b.span), 2), part);
    f.advice = divided ? "One thread does this alone inside the region: split it into tasks, or move it out."
                       : "Tasks wait for one another here: split the long ones, and wait later or for less.";
  }
  out.push_back(std::move(f));
}

// Serial: time outside regions, if it were spread over the threads (Amdahl): serial x (1 - 1 / threads). The line is that
// of the region after the longest stretch: the code to look at stands before it.
void serial_part(const Profile& p, const Bounds& b, std::vector<Finding>& out) {
  if (b.wall == 0) return;
  int64_t longest = -1;
  uint32_t before = kNone;
  const profile::Node* stretch = nullptr;
  for (const profile::Node& n : p.graph.nodes) {
    if (n.grain != 0) continue;
    if (n.kind == profile::NodeKind::fragment) {
      stretch = &n;
      if (n.weight <= longest) continue;
      longest = n.weight;
      before = kNone;
    } else if (n.kind == profile::NodeKind::fork && stretch) {
      if (stretch->weight == longest) before = n.source;
      stretch = nullptr;
    }
  }
  const int64_t serial = time_in(p, State::serial);
  Finding f;
  f.kind = ProblemKind::serial;
  f.gain_ns = int64_t(double(serial) * (1 - 1 / b.threads));
  f.source = before;
  f.what = fmt::format("{} outside parallel regions", duration(serial, 2));
  if (longest > 0)
    f.what += fmt::format(", {} of it {}", duration(longest, 2),
                          before != kNone ? "before the one at " + Places(p)(before) : "after the last one");
  f.advice = "One thread runs while the others have nothing to do: bring more of the program into parallel regions.";
  out.push_back(std::move(f));
}

// Blocked on a lock: the threads' time spent waiting for it, total; the thread that was blocked most bears its part of it
// (which thread waited for which lock is not kept: the lock's part of all blocked time is taken for each).
void locks(const Profile& p, const Bounds& b, std::vector<Finding>& out) {
  struct Use { int64_t waited = 0; uint64_t contended = 0, acquired = 0; };
  std::map<uint32_t, Use> by_source;
  for (const profile::LockUse& l : p.locks) {
    Use& u = by_source[l.source];
    u.waited += l.waited;
    u.contended += l.contended;
    u.acquired += l.acquired;
  }
  int64_t blocked_most = 0;
  for (const profile::Thread& t : p.threads) blocked_most = std::max(blocked_most, t.times[size_t(State::blocked)]);
  const int64_t blocked = time_in(p, State::blocked);
  for (const auto& [source, u] : by_source) {
    if (u.waited <= 0 || blocked <= 0) continue;
    const double part = std::min(1.0, double(u.waited) / double(blocked));
    Finding f;
    f.kind = ProblemKind::lock;
    f.gain_ns = b.gain(u.waited, int64_t(double(blocked_most) * part));
    f.source = source;
    f.what = fmt::format("threads wait for a lock ({} of thread time, {} acquisitions contended)", duration(u.waited, 2),
                         percent(double(u.contended), double(u.acquired)));
    f.advice = "Hold it for less long, take it less often, or give each thread its own copy and combine them (reduction).";
    out.push_back(std::move(f));
  }
}

}  // namespace

std::vector<Finding> find_problems(const Profile& p) {
  std::vector<Finding> out;
  if (!p.times_valid || p.wall_ns <= 0) return out;
  const Bounds bounds(p);
  const std::vector<SourceCost> costs = source_costs(p);
  too_fine(p, bounds, costs, out);
  idle_at_waits(p, bounds, out);
  path_too_long(p, bounds, costs, out);
  serial_part(p, bounds, out);
  locks(p, bounds, out);
  std::erase_if(out, [&](const Finding& f) { return double(f.gain_ns) < kWorthTelling * double(p.wall_ns); });
  std::stable_sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) { return a.gain_ns > b.gain_ns; });
  // An uneven loop is seen on the critical path and at its barrier: one problem.
  std::set<std::tuple<ProblemKind, std::string, uint32_t>> told;
  std::erase_if(out, [&](const Finding& f) {
    if (f.source >= p.sources.size() || p.sources[f.source].line == 0) return false;
    return !told.insert({f.kind, p.sources[f.source].file, p.sources[f.source].line}).second;
  });
  return out;
}

std::string verdict(const Profile& p, const std::vector<Finding>& findings) {
  int64_t all = 0;
  for (int64_t t : p.thread_time) all += t;
  if (!p.machine.empty())
    return fmt::format("the program ran as on {}, which is not this computer: look at counts, structure and places, not at times",
                       p.machine);
  if (!p.times_valid)
    return fmt::format("times cannot be trusted: {} of the thread time was spent off the CPU, because {}; run it with fewer "
                       "threads or on a quiet machine",
                       percent(double(time_in(p, State::offcpu)), double(all)),
                       p.cpus > 0 && p.threads.size() > p.cpus
                           ? fmt::format("{} threads share {}", p.threads.size(), plural(p.cpus, "CPU"))
                           : "other programs or threads used the CPUs");
  if (p.regions.empty()) return "no parallel region ran: there is nothing to compare";
  if (findings.empty())
    return fmt::format("no problem found: {} of the thread time is work", percent(double(time_in(p, State::work)), double(all)));
  const Finding& f = findings[0];
  const std::string place = f.source == kNone ? std::string("the program") : Places(p)(f.source);
  if (f.kind == ProblemKind::serial)
    return fmt::format("the serial part costs up to {}: {}", part_of(f.gain_ns, p.wall_ns), f.what);
  return fmt::format("{} costs up to {}: {}", place, part_of(f.gain_ns, p.wall_ns), f.what);
}

}  // namespace einkorn::report
