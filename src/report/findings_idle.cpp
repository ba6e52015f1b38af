// Threads that idle: who makes them, and what can be done about it.
//
// The idle time of a region's waits is exact. It is charged to the constructs whose grains executed meanwhile (the
// metric idle_caused): what the others wait for is what runs. With the idle time x of a construct gone, by dividing its
// work better, the wall time falls by x / threads (1), never below work / threads (2).
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <fmt/format.h>
#include "record/format.h"
#include "report/findings_parts.h"
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

// Grains of one kind at one line (tasks: in one function) in all regions of one line.
struct Construct {
  GrainKind kind{};
  uint32_t source = kNone;           // the line that has most of its execution
  std::map<uint32_t, int64_t> lines; // execution by source
  uint64_t grains = 0;
  int64_t exec = 0, longest = 0, critical = 0;
  double caused = 0;                 // idle time meanwhile
  double largest = 0;                // the longest grain of each instance of the region, added up
  uint64_t instances = 0;
  uint32_t region_at = kNone;        // of these, the one at hand
  int64_t longest_here = 0;
  uint64_t loops = 0;                // chunks: loop instances
  uint64_t guided = 0;               // of these
  int64_t iterations = 0;            // of the chunks
  int64_t in_longest = 0;            // of the longest one
};

struct Part {                        // regions of one line
  uint32_t source = kNone;
  int64_t idle = 0, work = 0, critical = 0, wall = 0;
  double even = 0;                   // work per thread
  uint64_t regions = 0;
  std::map<std::pair<GrainKind, uint32_t>, Construct> constructs;  // by kind and group of sources

  void count(Construct& c) const { c.largest += double(std::exchange(c.longest_here, 0)); }
};

class Idle {
 public:
  Idle(const Evidence& e, std::vector<Finding>& out) : e_(e), p_(e.p), out_(out) {}
  void run() {
    collect();
    for (auto& [source, part] : parts_)
      if (worth(part.idle)) explain(part);
  }

 private:
  bool worth(double idle) const { return idle / e_.b.threads >= kWorthTelling * double(p_.wall_ns); }
  bool worth(int64_t idle) const { return worth(double(idle)); }
  void collect();
  void explain(Part&);
  bool one_creator(Part&);
  void blame(Part&, Construct&, double idle);
  void of_chunks(const Part&, const Construct&, Finding&);
  bool of_shares(const Construct&, Finding&);
  void of_tasks(const Part&, const Construct&, Finding&);
  const profile::WaitUse* longest_wait(uint32_t near, bool of_tasks) const;
  std::string idle_text(double idle) const {
    return fmt::format("{} of thread time idle meanwhile", duration(int64_t(idle), 2));
  }

  const Evidence& e_;
  const Profile& p_;
  std::vector<Finding>& out_;
  std::map<uint32_t, Part> parts_;
};

void Idle::collect() {
  for (const profile::Region& r : p_.regions) {
    Part& part = parts_[r.source];
    part.source = r.source;
    ++part.regions;
    if (r.end > r.begin) part.wall += r.end - r.begin;
  }
  // Sources of one function have one number: a recursion that creates its tasks at four lines is one construct.
  std::vector<uint32_t> function_of(p_.sources.size());
  std::map<std::pair<std::string, std::string>, uint32_t> functions;
  for (uint32_t s = 0; s < p_.sources.size(); ++s) {
    const profile::Source& at = p_.sources[s];
    function_of[s] = at.function.empty() ? s : functions.emplace(std::pair(at.file, at.function), s).first->second;
  }
  std::vector<uint32_t> loop_seen(p_.loops.size(), 0);
  uint32_t region = kNone, source = kNone;
  Part* part = nullptr;
  Construct* construct = nullptr;
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
    part->even += double(g.exec) / std::max(1u, p_.regions[region].team);
    if (!construct || source != g.source || construct->kind != g.kind) {
      source = g.source;
      const bool together = g.kind == GrainKind::task && source < function_of.size();
      construct = &part->constructs[{g.kind, together ? function_of[source] : source}];
      construct->kind = g.kind;
    }
    Construct& c = *construct;
    if (c.region_at != region) {
      part->count(c);
      c.region_at = region;
      ++c.instances;
    }
    ++c.grains;
    c.exec += g.exec;
    c.lines[g.source] += g.exec;
    if (g.exec > c.longest) c.in_longest = g.iterations;
    c.iterations += std::max<int64_t>(0, g.iterations);
    c.longest = std::max(c.longest, g.exec);
    c.longest_here = std::max(c.longest_here, g.exec);
    if (g.kind == GrainKind::chunk && g.loop < loop_seen.size() && !loop_seen[g.loop]++) {
      ++c.loops;
      c.guided += p_.loops[g.loop].schedule == uint8_t(record::Schedule::guided);
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
}

void Idle::explain(Part& part) {
  if (part.constructs.empty() || one_creator(part)) return;
  // Without a graph nobody knows what ran meanwhile: by execution.
  double caused = 0;
  for (auto& [key, c] : part.constructs) caused += c.caused;
  if (caused <= 0)
    for (auto& [key, c] : part.constructs) caused += c.caused = double(c.critical > 0 ? c.critical : c.exec);
  if (caused <= 0) return;
  Construct* most = nullptr;
  bool told = false;
  for (auto& [key, c] : part.constructs) {
    if (!most || c.caused > most->caused) most = &c;
    const double idle = double(part.idle) * c.caused / caused;
    if (!worth(idle)) continue;
    blame(part, c, idle);
    told = true;
  }
  if (!told) blame(part, *most, double(part.idle));
}

// One thread creates (nearly) all tasks, and the others run out of them.
bool Idle::one_creator(Part& part) {
  const double ratio = e_.m[Metric::creation_bottleneck];
  if (!e_.m.is_problem(Metric::creation_bottleneck, ratio)) return false;
  const Construct* tasks = nullptr;
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
                       others > 1 ? fmt::format("{:.0f} others, who run", others) : "another, who runs", significant(ratio, 2));
  f.advice =
      "Let several threads create tasks: a parallel loop over the creators, taskloop, or tasks that create tasks; or "
      "make the tasks larger.";
  f.evidence = {fmt::format("{} created by one thread, mean execution {}", plural(tasks->grains, "task"),
                            duration(tasks->exec / int64_t(tasks->grains), 2)),
                fmt::format("{} of thread time idle in these regions", duration(part.idle, 2))};
  out_.push_back(std::move(f));
  return true;
}

void Idle::blame(Part& part, Construct& c, double idle) {
  Finding f;
  f.gain_ns = std::min(int64_t(idle / e_.b.threads), e_.b.split_room);
  f.grains = c.grains;
  f.source = c.source;
  for (auto& [source, exec] : c.lines) f.sources.push_back(source);
  f.about.sources = f.sources;
  f.about.kinds = 1u << unsigned(c.kind);
  switch (c.kind) {
    case GrainKind::chunk:
      of_chunks(part, c, f);
      break;
    case GrainKind::task:
      of_tasks(part, c, f);
      break;
    default:
      if (!of_shares(c, f)) return;
  }
  f.evidence.push_back(idle_text(idle));
  out_.push_back(std::move(f));
}

void Idle::of_chunks(const Part& part, const Construct& c, Finding& f) {
  const int64_t mean = c.exec / int64_t(c.grains);
  const double a_loop = double(c.grains) / double(std::max<uint64_t>(1, c.loops));
  const bool large = c.largest > kLarge * part.even, uneven = double(c.longest) > kUneven * double(mean);
  const double of_loop = c.iterations > 0 ? double(c.in_longest) * double(c.loops) / double(c.iterations) : 0;
  f.evidence.push_back(fmt::format("{} in {}, mean {}, longest {}", plural(c.grains, "chunk"), plural(c.loops, "loop"),
                                   duration(mean, 2), duration(c.longest, 2)));
  if (large && 2 * c.guided > c.loops && of_loop >= kMany) {
    f.kind = ProblemKind::too_coarse;
    f.what = fmt::format("the first chunks of schedule(guided) are too large ({} of a loop's iterations in the longest, {})", percent(of_loop, 1),
                         duration(c.longest, 2));
    f.advice =
        "schedule(guided) begins with chunks of what is left divided by the number of threads: where iterations differ, one of these is "
        "more than a thread's share. Use schedule(dynamic) with some ten chunks for each thread.";
    return;
  }
  if (large && !uneven) {
    f.kind = ProblemKind::too_coarse;
    f.what = fmt::format("too few, large chunks ({} a loop for {:.0f} threads, {} each)", significant(a_loop, 2), e_.b.threads,
                         duration(mean, 2));
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
bool Idle::of_shares(const Construct& c, Finding& f) {
  constexpr double kEven = 1.1;
  const double balance = double(e_.m.of_source(Metric::load_balance, c.source));
  if (balance < kEven) return false;
  // Where the share is a loop inside of a larger region, the barrier at the loop's end knows its line.
  if (const profile::WaitUse* w = longest_wait(c.source, false); w && !e_.same_line(w->source, c.source)) {
    f.sources.insert(f.sources.begin(), w->source);
    f.source = w->source;
  }
  if (balance >= 0.9 * e_.b.threads) {
    f.kind = ProblemKind::little_parallelism;
    f.what = fmt::format("one thread works alone ({} in {})", duration(c.exec, 2), plural(c.instances, "region"));
    f.advice = "The other threads wait for this one inside the region: divide what it does, or create tasks for it.";
    return true;
  }
  f.kind = ProblemKind::load_imbalance;
  f.what = fmt::format("work unevenly divided (longest share {}, mean {})", duration(c.longest, 2),
                       duration(c.exec / int64_t(c.grains), 2));
  f.advice =
      "Some threads get more to do than others: use schedule(dynamic) or (guided), a static schedule with small "
      "chunks, or divide by work.";
  if (!std::isnan(balance))
    f.evidence.push_back(fmt::format("the busiest thread has {} times the mean work", significant(balance, 2)));
  return true;
}

void Idle::of_tasks(const Part& part, const Construct& c, Finding& f) {
  f.evidence.push_back(fmt::format("{}, mean {}, longest {}", plural(c.grains, "task"),
                                   duration(c.exec / int64_t(c.grains), 2), duration(c.longest, 2)));
  const profile::WaitUse* wait = longest_wait(c.source, true);
  if (wait) f.evidence.push_back(fmt::format("{} idle at {}", duration(wait->idle, 2), Places(p_)(wait->source)));
  const bool long_path = double(part.critical) > part.even;
  if (c.largest > kLarge * part.even) {
    f.kind = ProblemKind::too_coarse;
    f.what = fmt::format("tasks too large (longest {}, where the work for each thread is {})", duration(c.longest, 2),
                         duration(int64_t(part.even / double(std::max<uint64_t>(1, part.regions))), 2));
    f.advice = "The others wait for the longest task: divide it, or create the longest first.";
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

// The wait with the most idle time in the function of `near`.
const profile::WaitUse* Idle::longest_wait(uint32_t near, bool of_tasks) const {
  const profile::WaitUse* longest = nullptr;
  for (const profile::WaitUse& w : p_.waits) {
    if (w.idle <= 0 || w.source >= p_.sources.size() || (of_tasks && w.tasks == 0)) continue;
    const profile::Source &at = p_.sources[w.source], &here = p_.sources[std::min<size_t>(near, p_.sources.size() - 1)];
    if (!of_tasks && (at.file != here.file || at.function != here.function)) continue;
    if (!longest || w.idle > longest->idle) longest = &w;
  }
  return longest;
}

}  // namespace

void find_idle(const Evidence& e, std::vector<Finding>& out) { Idle(e, out).run(); }

}  // namespace einkorn::report
