// Threads that idle: who makes them, and what can be done about it.
//
// The idle time of a region's waits is exact. It is charged to the constructs whose grains executed meanwhile (the
// metric idle_caused): what the others wait for is what runs. With the idle time x of a construct gone, by dividing its
// work better, the wall time falls by x / threads (1), never below work / threads (2).
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <fmt/format.h>
#include "record/format.h"
#include "report/findings/parts.h"
#include "report/recording_cost.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Metric;
using profile::Profile;

// A grain of this part of the work per thread, or larger, is a matter of division: a greedy schedule can lose so much.
constexpr double kLarge = 0.2;
// Grains of one construct are uneven where the longest exceeds the mean so many times.
constexpr double kUneven = 2;
// A chunk with this part of its loop's iterations is no "few iterations".
constexpr double kMany = 0.1;
constexpr const char* kDivideEvenly =
    "Some threads get more to do than others: use schedule(dynamic) or (guided), a static schedule with small "
    "chunks, or divide by work.";

// Grains of one kind at one line (tasks: in one function; shares: before one barrier) in all regions of one line. A
// task counts with those that it ran at once: nobody else could take them.
struct IdleConstruct {
  GrainKind kind{};
  uint32_t source = kNone;            // the line that has most of its execution
  std::map<uint32_t, int64_t> lines;  // execution by source
  uint64_t grains = 0;
  int64_t exec = 0, longest = 0, critical = 0;
  double caused = 0;   // idle time meanwhile
  double largest = 0;  // the longest grain of each instance of the region, added up
  uint64_t instances = 0;
  uint32_t region_at = kNone;  // of these, the one at hand
  int64_t longest_here = 0;
  uint64_t loops = 0;            // chunks: loop instances
  uint64_t guided = 0;           // of these
  uint64_t even_parts = 0;       // of these: schedule(static), a chunk a thread, of equally many iterations
  int64_t iterations = 0;        // of the chunks
  int64_t in_longest = 0;        // of the longest one
  uint32_t barrier = kNone;      // shares: of the wait that ends their phases; kNone: the region's end, or unknown
  double busiest = 0, even = 0;  // shares: of each phase, the thread that has most; the mean of all threads
  uint64_t at_once = 0;          // tasks: with what they ran at once themselves, which is not in `grains`

  int64_t mean() const { return exec / int64_t(std::max<uint64_t>(1, grains)); }
};

struct Part {                              // regions of one line
  std::map<uint32_t, InnerRegions> inner;  // that their members have met, by source
  uint32_t source = kNone;
  int64_t idle = 0, work = 0, critical = 0, wall = 0;
  uint64_t tasks = 0,
           kept = 0;      // of the tasks, those that one thread kept from the others, too short to be handed over
  int64_t kept_work = 0;  // of these
  double recording = 0;   // ns that recording these adds, most of it to their creator's own work
  double even = 0;        // work per thread
  uint64_t regions = 0;
  std::map<std::tuple<GrainKind, uint32_t, uint32_t>, IdleConstruct>
      constructs;  // by kind, group of sources, and barrier

  void count(IdleConstruct& c) const { c.largest += double(std::exchange(c.longest_here, 0)); }
};

class Idle {
 public:
  Idle(const Evidence& e, std::vector<Finding>& out) : e_(e), p_(e.p), out_(out) {}
  void run() {
    collect();
    const bool told = std::ranges::any_of(out_, [&](const Finding& f) {
      return f.kind == ProblemKind::tasks_too_fine && double(f.gain_ns) >= kWorthTelling * double(p_.wall_ns);
    });
    for (auto& [source, part] : parts_)
      if (worth(part.idle) && !(told && too_fine(part))) explain(part);
  }

 private:
  // Its threads idle as they have none but tasks that are too fine for them. Their creator's own time is in the way of
  // the others, too, and short tasks' times are not exact.
  static bool too_fine(const Part& part) {
    return 2 * part.kept > part.tasks && 4 * double(part.kept_work) > double(part.work) - part.recording;
  }
  bool worth(double idle) const { return idle / e_.b.threads >= kWorthTelling * double(p_.wall_ns); }
  bool worth(int64_t idle) const { return worth(double(idle)); }
  void collect();
  void explain(Part&);
  bool one_creator(Part&);
  void blame(Part&, IdleConstruct&, double idle);
  void of_chunks(const Part&, const IdleConstruct&, Finding&);
  bool of_shares(const IdleConstruct&, Finding&);
  void of_tasks(const Part&, const IdleConstruct&, Finding&);
  const profile::WaitUse* longest_wait() const;
  std::string idle_text(double idle) const {
    return fmt::format("{} of thread time idle meanwhile", duration(int64_t(idle), 2));
  }

  uint32_t barrier_of(const Grain& g) const {
    const bool known = g.kind == GrainKind::share && g.phase < p_.phases.size();
    return known && !p_.phases[g.phase].last ? p_.phases[g.phase].source : kNone;
  }
  void count_units();
  void count_phases();

  const Evidence& e_;
  const Profile& p_;
  std::vector<Finding>& out_;
  std::map<uint32_t, Part> parts_;
  // By grain, where tasks were run at once: the one that it is a part of, and what it executes with its parts. Else
  // empty.
  std::vector<uint32_t> unit_;
  std::vector<int64_t> unit_exec_;
};

void Idle::count_units() {
  if (std::none_of(p_.grains.begin(), p_.grains.end(),
                   [](const Grain& g) { return g.kind == GrainKind::task && profile::at_once(g); }))
    return;
  unit_.resize(p_.grains.size());
  unit_exec_.assign(p_.grains.size(), 0);
  for (uint32_t i = 0; i < p_.grains.size(); ++i) {  // parents stand before their children
    const Grain& g = p_.grains[i];
    const bool part =
        g.kind == GrainKind::task && profile::at_once(g) && g.parent < i && p_.grains[g.parent].kind == GrainKind::task;
    unit_[i] = part ? unit_[g.parent] : i;
    unit_exec_[unit_[i]] += g.exec;
  }
}

// How even the shares of each phase are. Those of one member stand in the order of its phases, and member after member.
void Idle::count_phases() {
  struct Sum {
    uint32_t member = kNone;
    int64_t of_member = 0, most = 0, all = 0;
    IdleConstruct* construct = nullptr;
  };
  std::vector<Sum> sums(p_.phases.size());
  for (const Grain& g : p_.grains) {
    if (g.kind != GrainKind::share || g.phase >= sums.size() || g.region >= p_.regions.size()) continue;
    Sum& s = sums[g.phase];
    if (s.member != g.parent) s.member = g.parent, s.of_member = 0;
    s.of_member += g.exec;
    s.all += g.exec;
    s.most = std::max(s.most, s.of_member);
    if (s.construct) continue;
    auto& constructs = parts_[p_.regions[g.region].source].constructs;
    if (const auto at = constructs.find({g.kind, g.source, barrier_of(g)}); at != constructs.end())
      s.construct = &at->second;
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!sums[i].construct) continue;
    sums[i].construct->busiest += double(sums[i].most);
    sums[i].construct->even += double(sums[i].all) / std::max(1u, p_.regions[p_.phases[i].region].team);
  }
}

void Idle::collect() {
  count_units();
  for (const profile::Region& r : p_.regions) {
    Part& part = parts_[r.source];
    part.source = r.source;
    ++part.regions;
    if (r.end > r.begin) part.wall += r.end - r.begin;
    const uint32_t outer = r.level > 1 && r.parent_grain < p_.grains.size() ? p_.grains[r.parent_grain].region : kNone;
    if (outer < p_.regions.size()) parts_[p_.regions[outer].source].inner[r.source].add(r);
  }
  // Sources of one function have one number: a recursion that creates its tasks at four lines is one construct.
  std::vector<uint32_t> function_of(p_.sources.size());
  std::map<std::pair<std::string, std::string>, uint32_t> functions;
  for (uint32_t s = 0; s < p_.sources.size(); ++s) {
    const profile::Source& at = p_.sources[s];
    function_of[s] = at.function.empty() ? s : functions.emplace(std::pair(at.file, at.function), s).first->second;
  }
  std::vector<uint32_t> loop_seen(p_.loops.size(), 0);
  uint32_t region = kNone, source = kNone, barrier = kNone;
  Part* part = nullptr;
  IdleConstruct* construct = nullptr;
  for (uint32_t i = 0; i < p_.grains.size(); ++i) {
    const Grain& g = p_.grains[i];
    if (g.region >= p_.regions.size()) continue;
    if (g.region != region || !part) {
      region = g.region;
      part = &parts_[p_.regions[region].source];
      construct = nullptr;
    }
    part->idle += g.wait_idle;
    if (g.kind == GrainKind::implicit || g.kind == GrainKind::initial || g.fragments == 0) continue;
    part->work += g.exec;
    part->tasks += g.kind == GrainKind::task;
    if (kept_from_others(p_, g)) {
      const profile::MeasuredCost cost = grain_cost(p_, g);
      ++part->kept, part->kept_work += g.exec;
      if (cost.known()) part->recording += std::max(0.0, cost.recorded - cost.plain);
    }
    part->even += double(g.exec) / std::max(1u, p_.regions[region].team);
    if (!construct || source != g.source || construct->kind != g.kind || barrier != barrier_of(g)) {
      source = g.source;
      barrier = barrier_of(g);
      const bool together = g.kind == GrainKind::task && source < function_of.size();
      construct = &part->constructs[{g.kind, together ? function_of[source] : source, barrier}];
      construct->kind = g.kind;
      construct->barrier = barrier;
    }
    IdleConstruct& c = *construct;
    if (c.region_at != region) {
      part->count(c);
      c.region_at = region;
      ++c.instances;
    }
    c.exec += g.exec;
    c.lines[g.source] += g.exec;
    if (unit_.empty() || unit_[i] == i) {
      const int64_t exec = unit_.empty() ? g.exec : unit_exec_[i];
      ++c.grains;
      if (exec > c.longest) c.in_longest = g.iterations;
      c.iterations += std::max<int64_t>(0, g.iterations);
      c.longest = std::max(c.longest, exec);
      c.longest_here = std::max(c.longest_here, exec);
    } else {
      ++c.at_once;
    }
    if (g.kind == GrainKind::chunk && g.loop < loop_seen.size() && !loop_seen[g.loop]++) {
      ++c.loops;
      c.guided += p_.loops[g.loop].schedule == uint8_t(record::Schedule::guided);
      c.even_parts += p_.loops[g.loop].schedule == uint8_t(record::Schedule::static_);
    }
    if (const float v = e_.m.of_grain(Metric::idle_caused, i); v > 0) c.caused += double(v);
    if (const float v = e_.m.of_grain(Metric::critical, i); v > 0) {
      c.critical += int64_t(v);
      part->critical += int64_t(v);
    }
  }
  for (auto& [at, all] : parts_)
    for (auto& [key, c] : all.constructs) {
      all.count(c);
      c.source =
          std::max_element(c.lines.begin(), c.lines.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
    }
  count_phases();
}

void Idle::explain(Part& part) {
  if (part.constructs.empty() || one_creator(part)) return;
  // Without a graph nobody knows what ran meanwhile: by execution.
  double caused = 0;
  for (auto& [key, c] : part.constructs) caused += c.caused;
  if (2 * caused < double(part.idle) && blame_inner(e_, part.inner, part.idle, out_)) return;
  if (caused <= 0)
    for (auto& [key, c] : part.constructs) caused += c.caused = double(c.critical > 0 ? c.critical : c.exec);
  if (caused <= 0) return;
  IdleConstruct* most = nullptr;
  bool told = false;
  const size_t before = out_.size();
  for (auto& [key, c] : part.constructs) {
    if (!most || c.caused > most->caused) most = &c;
    const double idle = double(part.idle) * c.caused / caused;
    if (!worth(idle)) continue;
    blame(part, c, idle);
    told = true;
  }
  if (!told) blame(part, *most, double(part.idle));
  join_one_cause(e_, before, out_);
}

// One thread creates (nearly) all tasks, and the others run out of them.
bool Idle::one_creator(Part& part) {
  const double ratio = e_.m[Metric::creation_bottleneck];
  if (!e_.m.is_problem(Metric::creation_bottleneck, ratio)) return false;
  const IdleConstruct* tasks = nullptr;
  for (auto& [key, c] : part.constructs)
    if (c.kind == GrainKind::task && (!tasks || c.grains > tasks->grains)) tasks = &c;
  if (!tasks) return false;
  Finding f;
  f.kind = ProblemKind::one_creator;
  f.gain_ns = std::min(e_.b.spread(part.idle), e_.b.split_room);
  f.grains = tasks->grains;
  f.source = tasks->source;
  for (auto& [source, exec] : tasks->lines) f.about.sources.push_back(source);
  f.about.kinds = profile::kOfTasks;
  f.sources = {part.source};
  const double others = std::round(std::max(1.0, e_.b.threads - 1));
  f.what = fmt::format("one thread creates the tasks of {} them {} times as fast",
                       others > 1 ? fmt::format("{:.0f} others, who run", others) : "another, who runs",
                       significant(ratio, 2));
  f.advice =
      "Let several threads create tasks: a parallel loop over the creators, taskloop, or tasks that create tasks; or "
      "make the tasks larger.";
  f.evidence = {fmt::format("{} created by one thread, mean execution {}", plural(tasks->grains, "task"),
                            duration(tasks->mean(), 2)),
                fmt::format("{} of thread time idle in these regions", duration(part.idle, 2))};
  out_.push_back(std::move(f));
  return true;
}

void Idle::blame(Part& part, IdleConstruct& c, double idle) {
  Finding f;
  f.gain_ns = std::min(int64_t(idle / e_.b.threads), e_.b.split_room);
  f.grains = c.grains;
  f.source = c.source;
  for (auto& [source, exec] : c.lines) f.sources.push_back(source);
  f.about.sources = f.sources;
  f.about.kinds = 1u << unsigned(c.kind);
  switch (c.kind) {
    case GrainKind::chunk: of_chunks(part, c, f); break;
    case GrainKind::task: of_tasks(part, c, f); break;
    default:
      if (!of_shares(c, f)) return;
      // Waiting at a barrier is its own cost, too: the imbalance is what its busiest members have beyond the mean.
      if (c.even > 0) f.gain_ns = std::min(f.gain_ns, int64_t(c.busiest - c.even));
  }
  f.evidence.push_back(idle_text(idle));
  out_.push_back(std::move(f));
}

void Idle::of_chunks(const Part& part, const IdleConstruct& c, Finding& f) {
  const int64_t mean = c.mean();
  const double a_loop = double(c.grains) / double(std::max<uint64_t>(1, c.loops));
  const bool large = c.largest > kLarge * part.even, uneven = double(c.longest) > kUneven * double(mean);
  const double of_loop = c.iterations > 0 ? double(c.in_longest) * double(c.loops) / double(c.iterations) : 0;
  f.evidence.push_back(fmt::format("{} in {}, mean {}, longest {}", plural(c.grains, "chunk"), plural(c.loops, "loop"),
                                   duration(mean, 2), duration(c.longest, 2)));
  if (large && 2 * c.guided > c.loops && of_loop >= kMany) {
    f.kind = ProblemKind::too_coarse;
    f.what =
        fmt::format("the first chunks of schedule(guided) are too large ({} of a loop's iterations in the longest, {})",
                    percent(of_loop, 1), duration(c.longest, 2));
    f.advice =
        "schedule(guided) begins with chunks of what is left divided by the number of threads: where iterations differ, one of these is "
        "more than a thread's share. Use schedule(dynamic) with some ten chunks for each thread.";
    return;
  }
  if (c.source < p_.sources.size() && p_.sources[c.source].construct == "sections") {
    f.kind = ProblemKind::load_imbalance;
    f.what = fmt::format("sections of uneven length (longest {}, mean {})", duration(c.longest, 2), duration(mean, 2));
    f.advice =
        "Each section runs on one thread, and the others wait for the longest: divide it, or put the longest first "
        "and more of them, so that a thread that has ended one finds another; or make tasks of them.";
    return;
  }
  // As where gcc divides such a loop: then its shares are all that is seen (of_shares()).
  if (2 * c.even_parts > c.loops && a_loop > e_.b.threads - 0.5) {
    f.kind = ProblemKind::load_imbalance;
    f.what = fmt::format("work unevenly divided by schedule(static) (longest chunk {}, mean {})",
                         duration(c.longest, 2), duration(mean, 2));
    f.advice = kDivideEvenly;
    return;
  }
  if (large && !uneven) {
    f.kind = ProblemKind::too_coarse;
    f.what = fmt::format("too few, large chunks ({} a loop for {:.0f} threads, {} each)", significant(a_loop, 2),
                         e_.b.threads, duration(mean, 2));
    f.advice = "Smaller chunks, so that there are some ten for each thread: a smaller chunk size, or schedule(guided).";
    return;
  }
  f.kind = ProblemKind::load_imbalance;
  f.what = fmt::format("work unevenly divided (chunks of {} on average, longest {})", duration(mean, 2),
                       duration(c.longest, 2));
  f.advice =
      large ? "A few iterations take much longer than the others: start them first, divide them, or put tasks into "
              "them."
            : "Use schedule(dynamic) or smaller chunks, or divide by work.";
}

// False: they are even, and the others wait for something else, a lock.
bool Idle::of_shares(const IdleConstruct& c, Finding& f) {
  constexpr double kEven = 1.1;
  const double balance = c.even > 0 ? c.busiest / c.even : double(e_.m.of_source(Metric::load_balance, c.source));
  if (balance < kEven) return false;
  // Where the share is a loop inside of a larger region, the barrier at the loop's end knows its line.
  if (c.barrier != kNone && !e_.same_line(c.barrier, c.source)) {
    f.sources.insert(f.sources.begin(), c.barrier);
    f.source = c.barrier;
  }
  if (balance >= 0.9 * e_.b.threads) {
    f.kind = ProblemKind::little_parallelism;
    f.what = fmt::format("one thread works alone ({} in {})", duration(c.exec, 2), plural(c.instances, "region"));
    f.advice = "The other threads wait for this one inside the region: divide what it does, or create tasks for it.";
    return true;
  }
  f.kind = ProblemKind::load_imbalance;
  f.what =
      fmt::format("work unevenly divided (longest share {}, mean {})", duration(c.longest, 2), duration(c.mean(), 2));
  f.advice = kDivideEvenly;
  if (!std::isnan(balance))
    f.evidence.push_back(fmt::format("the busiest thread has {} times the mean work{}", significant(balance, 2),
                                     c.barrier != kNone ? " between two barriers" : ""));
  return true;
}

void Idle::of_tasks(const Part& part, const IdleConstruct& c, Finding& f) {
  f.evidence.push_back(
      fmt::format("{}, mean {}, longest {}", plural(c.grains, "task"), duration(c.mean(), 2), duration(c.longest, 2)));
  const profile::WaitUse* wait = longest_wait();
  if (wait) f.evidence.push_back(fmt::format("{} idle at {}", duration(wait->idle, 2), Places(p_)(wait->source)));
  const bool long_path = double(part.critical) > part.even;
  if (c.largest > kLarge * part.even) {
    f.kind = ProblemKind::too_coarse;
    f.what = fmt::format("tasks too large (longest {}, where the work for each thread is {})", duration(c.longest, 2),
                         duration(int64_t(part.even / double(std::max<uint64_t>(1, part.regions))), 2));
    f.advice = "The others wait for the longest task: divide it, or create the longest first.";
    if (c.at_once > 0) {
      f.evidence.push_back(fmt::format("with {} that they ran at once themselves", plural(c.at_once, "task")));
      f.advice = "An if clause, or final, cuts off where tasks are still large: let it defer some levels more.";
    }
  } else if (long_path) {
    f.kind = ProblemKind::little_parallelism;
    f.what = fmt::format("too little parallelism ({} inside regions)",
                         significant(double(part.work) / double(part.critical), 2));
    f.advice = "Tasks wait for one another here: wait later or for less (taskgroup, depend), and split the long ones.";
  } else {
    f.kind = ProblemKind::load_imbalance;
    if (wait) {
      f.source = wait->source;
      f.sources.insert(f.sources.begin(), wait->source);
      f.what = fmt::format("threads idle at {} ({} of thread time in {})",
                           p_.sources[wait->source].construct == "taskwait" ? "the taskwait" : "the wait for tasks",
                           duration(wait->idle, 2), plural(wait->waits, "wait"));
    } else {
      f.what = "threads find no task, though there is enough to do";
    }
    f.advice =
        "Some threads have nothing to do while others still work: create tasks earlier and from more threads, or "
        "divide the work into more even pieces.";
  }
}

// The wait in which tasks ran with the most idle time.
const profile::WaitUse* Idle::longest_wait() const {
  const profile::WaitUse* longest = nullptr;
  for (const profile::WaitUse& w : p_.waits)
    if (w.idle > 0 && w.source < p_.sources.size() && w.tasks > 0 && (!longest || w.idle > longest->idle)) longest = &w;
  return longest;
}

}  // namespace

void find_idle(const Evidence& e, std::vector<Finding>& out) { Idle(e, out).run(); }

}  // namespace einkorn::report
