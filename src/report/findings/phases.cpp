// What barriers and the beginnings and ends of regions cost by themselves, and what threads wait for that nothing else
// explains.
//
// Between two barriers each member of a team takes as long as it takes (profile::Phase). What a region's wall time has
// beyond the longest of each of its phases is its own cost: fork, join, and the barriers in between.
#include <algorithm>
#include <map>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::kNone;
using profile::Phase;
using profile::Profile;
using profile::Region;
using profile::State;

// Where a barrier, or a region, costs this part of what lies between two of them, there are too many of them, or they
// hold too little.
constexpr double kOwnCost = 0.1;
// Fewer than so many are not many: what holds up one is something else.
constexpr uint64_t kSome = 8;
// Of thread time: a wait that is long by itself, whatever comes after it.
constexpr int64_t kLongWait = 500'000;

// Waits in which tasks ran: who came when says nothing of them.
std::vector<bool> with_tasks(const Profile& p) {
  std::vector<bool> out(p.sources.size(), false);
  for (const profile::WaitUse& w : p.waits)
    if (w.source < out.size() && w.tasks > 0) out[w.source] = true;
  return out;
}

// Regions of one line, or the barriers of one line in these.
struct LineOfPhases {
  uint64_t times = 0;
  double own = 0;      // wall time, of the barrier or the fork and the join
  double between = 0;  // of the longest members, in phases that end there, or in all of the region's
  double waited = 0;   // for the last one to come, over the members
  double evened = 0;   // what imbalance would even out without barriers
  uint64_t team = 0, nested = 0;
  uint64_t alone = 0;    // inner regions of one thread
  double own_alone = 0;  // of `own`, theirs
};

// What they took in the recording, less what recording is known to add to each. No more than they took, as threads may
// be nearer to each other than those that were measured, and fewer.
double unrecorded(const Profile& p, profile::Cost cost, double recorded, uint64_t times) {
  const profile::MeasuredCost& measured = p.costs(p.interface, cost);
  if (!measured.known()) return recorded;
  const double added = std::max(0.0, measured.recorded - measured.plain) * double(times);
  const double least = measured.plain * double(times);
  return std::min(recorded, std::max(least, recorded - added));
}

// The same of regions of one thread. Those have no distances; and half of what they cost is that the processor does not
// look through them to the work behind, which is no time between their stamps.
double unrecorded_alone(const Profile& p, double recorded, uint64_t times) {
  const profile::MeasuredCost& measured = p.costs(p.interface, profile::Cost::inner);
  return measured.known() ? measured.plain * double(times) : recorded;
}

// Of an inner region only its part of the threads gains.
double part_of_threads(const Region& r, double threads) {
  return r.level <= 1 ? 1 : std::min(1.0, double(std::max(1u, r.team)) / std::max(1.0, threads));
}

// Time from the end of each outermost region to the begin of the next one of the same line, as in a loop around it: the
// calls into the runtime before its first stamp and after its last. Longer than the region's own cost it is work.
std::vector<double> between_stamps(const Profile& p, const std::vector<double>& own) {
  std::vector<uint32_t> order;
  for (uint32_t r = 0; r < p.regions.size(); ++r)
    if (p.regions[r].level <= 1 && p.regions[r].begin >= 0) order.push_back(r);
  std::ranges::stable_sort(order, {}, [&](uint32_t r) { return p.regions[r].begin; });
  std::vector<double> out(p.regions.size(), 0);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    const Region &region = p.regions[order[i]], &next = p.regions[order[i + 1]];
    const double time = double(next.begin - region.end);
    if (region.source == next.source && time > 0 && time < own[order[i]]) out[order[i]] = time;
  }
  return out;
}

// The source whose grains ran while threads idled, more than any other's; kNone: not known.
uint32_t ran_meanwhile(const Evidence& e) {
  const auto& caused = e.m.of_grains[size_t(profile::Metric::idle_caused)];
  std::vector<double> sums(e.p.sources.size(), 0);
  for (size_t i = 0; i < caused.size(); ++i)
    if (caused[i] > 0 && e.p.grains[i].source < sums.size()) sums[e.p.grains[i].source] += double(caused[i]);
  const auto most = std::max_element(sums.begin(), sums.end());
  return most != sums.end() && *most > 0 ? uint32_t(most - sums.begin()) : kNone;
}

}  // namespace

void find_many_barriers(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  const std::vector<bool> tasks = with_tasks(p);
  // Of each region: what its phases' longest members take beyond its busiest member. That would be gone without
  // barriers.
  std::vector<double> beyond(p.regions.size(), 0), waited(p.regions.size(), 0);
  for (const Phase& phase : p.phases) {
    beyond[phase.region] += double(phase.longest);
    waited[phase.region] += double(phase.waited);
  }
  for (size_t r = 0; r < beyond.size(); ++r) beyond[r] = std::max(0.0, beyond[r] - double(p.regions[r].busiest));
  std::map<uint32_t, LineOfPhases> lines;
  std::map<uint32_t, uint32_t> region_of;
  for (const Phase& phase : p.phases) {
    if (phase.last || phase.members < 2 || (phase.source < tasks.size() && tasks[phase.source])) continue;
    const Region& region = p.regions[phase.region];
    const double part = part_of_threads(region, e.b.threads);
    LineOfPhases& line = lines[phase.source];
    region_of[phase.source] = region.source;
    ++line.times;
    line.team += phase.members;
    line.own += part * double(phase.leaving) / phase.members;
    line.between += part * double(phase.longest);
    line.waited += part * double(phase.waited) / phase.members;
    if (waited[phase.region] > 0)
      line.evened += part * beyond[phase.region] * double(phase.waited) / waited[phase.region];
  }
  for (const auto& [source, line] : lines) {
    if (line.times < kSome || line.own < kOwnCost * line.between) continue;
    Finding f;
    f.kind = ProblemKind::many_barriers;
    f.gain_ns =
        std::min(int64_t(unrecorded(p, profile::Cost::barrier, line.own, line.times) + line.evened), e.b.split_room);
    f.source = source;
    f.sources = {source, region_of[source]};
    f.about.sources = {region_of[source]};
    f.about.kinds = profile::kOfShares | profile::kOfChunks;
    const double n = double(line.times);
    f.what = fmt::format("too many barriers ({} here, one every {}, which takes {} by itself)", count(line.times),
                         duration(int64_t((line.between + line.own) / n), 2), duration(int64_t(line.own / n), 2));
    f.advice =
        "Leave out barriers that nothing needs (nowait), or do more between two of them: larger blocks, several steps "
        "at a time, the loop around the parallel one divided among the threads.";
    f.evidence = {
        fmt::format("{} of wall time in the barriers themselves, {} of thread time waiting for the last "
                    "to come",
                    duration(int64_t(line.own), 2), duration(int64_t(line.waited * e.b.threads), 2))};
    if (!p.costs(p.interface, profile::Cost::barrier).known()) f.evidence.push_back(kAsRecorded);
    out.push_back(std::move(f));
  }
}

void find_short_regions(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  std::vector<double> longest(p.regions.size(), 0), barriers(p.regions.size(), 0);
  std::vector<bool> known(p.regions.size(), false);
  const std::vector<bool> tasks = with_tasks(p);
  std::vector<bool> has_tasks(p.regions.size(), false);
  for (const Phase& phase : p.phases) {
    longest[phase.region] += double(phase.longest);
    if (!phase.last) barriers[phase.region] += double(phase.leaving) / std::max(1u, phase.members);
    known[phase.region] = true;
    if (phase.source < tasks.size() && tasks[phase.source]) has_tasks[phase.region] = true;
  }
  std::vector<double> own(p.regions.size(), 0);
  for (size_t r = 0; r < p.regions.size(); ++r)
    own[r] = std::max(0.0, double(p.regions[r].end - p.regions[r].begin) - longest[r] - barriers[r]);
  const std::vector<double> between = between_stamps(p, own);
  std::map<uint32_t, LineOfPhases> lines;
  for (size_t r = 0; r < p.regions.size(); ++r) {
    const Region& region = p.regions[r];
    if (!known[r] || has_tasks[r] || region.begin < 0 || region.end <= region.begin) continue;
    const double part = part_of_threads(region, e.b.threads);
    LineOfPhases& line = lines[region.source];
    ++line.times;
    line.team += region.team;
    line.nested += region.level > 1;
    line.alone += region.level > 1 && region.team <= 1;
    line.own += part * (own[r] + between[r]);
    if (region.level > 1 && region.team <= 1) line.own_alone += part * (own[r] + between[r]);
    line.between += part * longest[r];
  }
  for (const auto& [source, line] : lines) {
    if (line.times < kSome || line.own < kOwnCost * line.between) continue;
    const double n = double(line.times);
    Finding f;
    f.kind = ProblemKind::short_regions;
    // Inner ones of one thread: several run at a time.
    const double gain = unrecorded_alone(p, line.own_alone * e.b.threads, line.alone) / e.b.threads +
                        unrecorded(p, profile::Cost::region, line.own - line.own_alone, line.times - line.alone);
    f.gain_ns = std::min(int64_t(gain), e.b.wall);
    f.source = source;
    f.sources = {source};
    f.about.sources = {source};
    f.about.kinds = profile::kOfAll;
    f.what = fmt::format("parallel regions too short ({}{}, {} of work each, begin and end take {})", count(line.times),
                         line.nested == line.times ? " inside others" : "", duration(int64_t(line.between / n), 2),
                         duration(int64_t(line.own / n), 2));
    f.advice = line.nested > 0
                   ? "Divide the outer loop only, or let the inner region run by an if clause where there is "
                     "enough to do."
                   : "Divide the loop around them instead, put the region around that loop, or let it run in "
                     "parallel only where there is enough to do (an if clause).";
    f.evidence = {fmt::format("{} of wall time for beginning and ending {} of {} threads",
                              duration(int64_t(line.own), 2), plural(line.times, "region"),
                              significant(double(line.team) / n, 2))};
    const auto cost = line.alone == line.times ? profile::Cost::inner : profile::Cost::region;
    if (!p.costs(p.interface, cost).known()) f.evidence.push_back(kAsRecorded);
    out.push_back(std::move(f));
  }
}

// Idle and blocked time that is too much to be silent about, where no cause is worth its line alone: where it is spent.
void find_waiting(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  const int64_t idle = p.thread_time[size_t(State::idle)], blocked = p.thread_time[size_t(State::blocked)];
  const int64_t all = profile::all_thread_time(p);
  if (all <= 0 || double(idle + blocked) < kWorthTelling * double(all)) return;
  const auto explains = [](const Finding& f) {
    switch (f.kind) {
      case ProblemKind::serial:
      case ProblemKind::few_threads:
      case ProblemKind::work_inflation:
      case ProblemKind::remote_data:
      case ProblemKind::false_sharing:
      case ProblemKind::shared_variable:
      case ProblemKind::loop_order: return false;
      default: return true;
    }
  };
  if (std::any_of(out.begin(), out.end(), explains)) return;
  const profile::WaitUse* wait = nullptr;
  int64_t known = 0;
  for (const profile::WaitUse& w : p.waits) {
    known += w.idle;
    if (w.idle > 0 && (!wait || w.idle > wait->idle)) wait = &w;
  }
  const profile::LockUse* lock = nullptr;
  for (const profile::LockUse& l : p.locks)
    if (l.waited > 0 && (!lock || l.waited > lock->waited)) lock = &l;
  const bool locks = lock && lock->waited > (wait ? wait->idle : 0);
  Finding f;
  f.kind = ProblemKind::waiting;
  f.gain_ns = std::min(e.b.spread(idle + blocked), e.b.split_room);
  f.source = locks ? lock->source : wait ? wait->source : kNone;
  const int64_t here = locks ? lock->waited : wait ? wait->idle : 0;
  const uint64_t waits = locks ? lock->contended : wait ? wait->waits : 0;
  const std::string part = percent(double(idle + blocked), double(all));
  // One place, with waits that a person could see: there is one reason, though what the others did meanwhile has no
  // name.
  const bool one_place = 2 * here > idle + blocked, long_waits = waits > 0 && here > kLongWait * int64_t(waits);
  const std::string at = f.source == kNone             ? ""
                         : locks                       ? lock->turn ? "for their turn" : "for a lock"
                         : f.source < p.sources.size() ? "at the " + p.sources[f.source].construct
                                                       : "at a wait";
  if (f.source != kNone && one_place) {
    const int64_t within = std::min(here, idle + blocked);
    f.what = within == idle + blocked ? fmt::format("threads wait {} for {} of their time", at, part)
                                      : fmt::format("threads wait for {} of their time, {} of it {}", part,
                                                    percent(double(within), double(idle + blocked)), at);
    f.what +=
        fmt::format(" ({}, {} each)", plural(waits, "wait"), duration(waits > 0 ? here / int64_t(waits) : here, 2));
    f.advice = long_waits ? "Long waits for what other threads do meanwhile: see the time line for what runs then."
                          : "Many short waits: do more between two of them, or leave out those that nothing needs.";
  } else {
    f.what = fmt::format("threads wait for {} of their time, for no single reason", part);
    if (f.source != kNone)
      f.what += fmt::format("; {} of it here, {}", percent(double(here), double(idle + blocked)), at);
    f.advice =
        "Several causes that are small each: look at the time line for when threads idle, and at the grains that run "
        "meanwhile (idle time meanwhile).";
  }
  if (f.source != kNone) f.sources = {f.source};
  f.evidence = {fmt::format("{} idle, {} blocked of {} of thread time", duration(idle, 2), duration(blocked, 2),
                            duration(all, 2))};
  if (const uint32_t ran = ran_meanwhile(e); ran != kNone)
    f.evidence.push_back(fmt::format("meanwhile ran, most of all, {} of {}", p.sources[ran].construct, Places(p)(ran)));
  for (const profile::WaitUse& w : p.waits)
    if (&w != wait && w.source != kNone && 10 * w.idle > known && known > 0)
      f.evidence.push_back(fmt::format("{} idle at {}", duration(w.idle, 2), Places(p)(w.source)));
  out.push_back(std::move(f));
}

}  // namespace einkorn::report
