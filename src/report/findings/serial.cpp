// What runs alone, or with too few: the part outside parallel regions, small teams, and what a lock is held for.
#include <algorithm>
#include <map>
#include <vector>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {

using profile::kNone;
using profile::Profile;
using profile::State;

namespace {

// By region: its threads, with those of teams inside of it.
std::vector<uint32_t> threads_inside(const Profile& p) {
  std::vector<uint32_t> threads(p.regions.size());
  for (size_t r = 0; r < p.regions.size(); ++r) threads[r] = std::max(1u, p.regions[r].team);
  for (size_t r = p.regions.size(); r-- > 0;) {  // inner ones stand behind outer ones
    const uint32_t met_by = p.regions[r].parent_grain;
    const uint32_t outer = met_by < p.grains.size() ? p.grains[met_by].region : kNone;
    if (threads[r] > 1 && outer < r) threads[outer] = std::max(threads[outer], p.regions[outer].team * threads[r]);
  }
  return threads;
}

}  // namespace

namespace {

// "92 % of that in read_input() (serial.c:3)": of the samples before the region of that line, or of all.
std::string in_function(const Profile& p, uint32_t before, Finding& f) {
  std::map<uint32_t, uint64_t> samples;
  uint64_t all = 0;
  for (const profile::SerialSample& s : p.serial_samples) {
    const uint32_t source = s.before < p.regions.size() ? p.regions[s.before].source : kNone;
    if (source != before) continue;
    ++all;
    if (s.source != kNone) ++samples[s.source];
  }
  const auto most =
      std::max_element(samples.begin(), samples.end(), [](auto& a, auto& b) { return a.second < b.second; });
  if (most == samples.end() || 2 * most->second < all) return "";
  f.sources.push_back(most->first);
  f.evidence.push_back(fmt::format("{} samples, one every 2 ms of CPU time", count(all)));
  return fmt::format(", {:.0f} % of that in {}() at {}", 100 * double(most->second) / double(all),
                     p.sources[most->first].function, Places(p)(most->first));
}

}  // namespace

// Serial: time outside regions, if it were spread over the threads (Amdahl): serial x (1 - 1 / threads). The line is
// that of the region after the longest stretch: the code to look at stands before it.
void find_serial(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  const Bounds& b = e.b;
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
  if (before != kNone) f.sources = {before};
  f.what = fmt::format("{} outside parallel regions", duration(serial, 2));
  if (longest > 0)
    f.what += fmt::format(", {} of it {}", duration(longest, 2),
                          before != kNone ? "before the one at " + Places(p)(before) : "after the last one");
  f.advice = "One thread runs while the others have nothing to do: bring more of the program into parallel regions.";
  f.evidence = {fmt::format("{} of the wall time, on {} threads", percent(double(serial), double(p.wall_ns)),
                            significant(b.threads, 2))};
  f.what += in_function(p, before, f);
  out.push_back(std::move(f));
}

// Few threads: outermost regions of fewer threads than the process may use CPUs. Their time, if as much were shared by
// all CPUs.
void find_few_threads(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  if (p.cpus < 2) return;
  struct Use {
    int64_t wall = 0;
    double saved = 0;  // of the wall time
    uint64_t regions = 0;
    uint32_t least = UINT32_MAX, most = 0;
  };
  std::map<uint32_t, Use> by_source;
  uint64_t outermost = 0, few = 0;
  uint32_t least = UINT32_MAX, most = 0;
  int64_t wall = 0;
  double saved = 0, share = 0;
  const std::vector<uint32_t> threads_of = threads_inside(p);
  for (size_t i = 0; i < p.regions.size(); ++i) {
    const profile::Region& r = p.regions[i];
    if (r.level > 1 || r.begin < 0 || r.end <= r.begin) continue;
    ++outermost;
    if (threads_of[i] >= p.cpus) continue;
    const double part = 1 - double(threads_of[i]) / p.cpus;
    Use& use = by_source[r.source];
    ++use.regions, ++few;
    use.wall += r.end - r.begin, wall += r.end - r.begin;
    use.saved += part * double(r.end - r.begin), saved += part * double(r.end - r.begin);
    share += part;
    least = std::min(least, threads_of[i]), most = std::max(most, threads_of[i]);
  }
  if (few == 0) return;
  const auto longest = std::max_element(by_source.begin(), by_source.end(),
                                        [](auto& a, auto& b) { return a.second.wall < b.second.wall; });
  const std::string threads = most == 1       ? "one thread"
                              : least == most ? plural(most, "thread")
                                              : fmt::format("{} to {} threads", least, most);
  Finding f;
  f.kind = ProblemKind::few_threads;
  f.share = share / double(outermost);
  if (p.times_valid) f.gain_ns = int64_t(saved);
  f.source = longest->first;
  for (const auto& [source, use] : by_source) f.about.sources.push_back(source);
  f.sources = f.about.sources;
  f.about.kinds = profile::kOfAll;
  f.what = fmt::format("teams of {}, where {} could be used", threads, plural(p.cpus, "CPU"));
  f.advice = fmt::format(
      "{}: use more threads. What makes a small team is OMP_NUM_THREADS or num_threads, an if clause, a thread limit, "
      "or a region inside another one's.",
      most == 1 ? "Nothing runs in parallel there" : "CPUs are left alone there");
  f.evidence = {fmt::format("{} of {} of {}", count(few), plural(outermost, "parallel region"), threads)};
  if (p.times_valid) f.evidence[0] += fmt::format(", {} of {} in them", duration(wall, 2), duration(p.wall_ns, 2));
  out.push_back(std::move(f));
}

// Blocked on a lock: the threads' time spent waiting for it, total; the thread that was blocked most bears its part of
// it (which thread waited for which lock is not kept: the lock's part of all blocked time is taken for each). And
// whoever releases a lock that others wait for wakes one of them, which takes some microseconds.
void find_locks(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  const Bounds& b = e.b;
  struct Use {
    int64_t waited = 0, held = 0, waking = 0;
    uint64_t contended = 0, acquired = 0;
  };
  std::map<uint32_t, Use> by_source;
  for (const profile::LockUse& l : p.locks) {
    if (l.turn) continue;  // findings/ordered.cpp
    Use& u = by_source[l.source];
    u.waited += l.waited;
    u.held += l.held;
    u.waking += l.waking;
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
    f.gain_ns = std::min(
        std::min(int64_t(double(blocked_most) * part), b.spread(u.waited + b.idle)) + b.spread(u.waking), b.room);
    f.source = source;
    // Tasks and chunks of the function that takes it: who holds a lock is not kept.
    uint64_t inside = 0;
    if (source < p.sources.size()) {
      f.sources = {source};
      for (const SourceCost& c : e.costs) {
        if (c.source >= p.sources.size() || p.sources[c.source].file != p.sources[source].file ||
            p.sources[c.source].function != p.sources[source].function)
          continue;
        f.sources.push_back(c.source);
        f.about.sources.push_back(c.source);
        f.about.kinds |= 1u << unsigned(c.kind);
        inside += c.grains;
      }
    }
    f.grains = inside;
    f.what = fmt::format("threads wait for a lock ({} of thread time, {} acquisitions contended)",
                         duration(u.waited, 2), percent(double(u.contended), double(u.acquired)));
    f.advice =
        "Hold it for less long, take it less often, or give each thread its own copy and combine them (reduction).";
    f.evidence = {fmt::format("{}, held for {} of {} in regions", plural(u.acquired, "acquisition"),
                              duration(u.held, 2), duration(b.wall, 2))};
    out.push_back(std::move(f));
  }
}

}  // namespace einkorn::report
