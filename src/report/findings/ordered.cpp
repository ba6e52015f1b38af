// Ordered sections: a loop's chunks go through them one after the other.
#include <algorithm>
#include <map>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

// Iterations that wait for others of a doacross loop (ordered depend): a wait of its own at each sink, and no turn.
// What is blocked there goes with the order, as for turns.
void find_doacross(const Evidence& e, int64_t blocked_most, const std::map<uint32_t, profile::LockUse>& turns,
                   std::vector<Finding>& out) {
  const profile::Profile& p = e.p;
  const int64_t blocked = time_in(p, profile::State::blocked);
  for (const profile::WaitUse& w : p.waits) {
    if (w.blocked <= 0 || blocked <= 0 || w.source >= p.sources.size() || turns.contains(w.source)) continue;
    if (p.sources[w.source].construct != "ordered") continue;
    const double part = std::min(1.0, double(w.blocked) / double(blocked));
    Finding f;
    f.kind = ProblemKind::ordered;
    f.gain_ns =
        std::min({int64_t(double(blocked_most) * part), e.b.spread(w.blocked + w.overhead + e.b.idle), e.b.split_room});
    f.source = w.source;
    f.sources = {w.source};
    f.what = fmt::format("iterations wait for others (doacross: {} of thread time in {})", duration(w.blocked, 2),
                         plural(w.waits, "wait"));
    f.advice =
        "Do before the sink what does not need the other iteration, and come to the source sooner; or go through the "
        "iteration space in blocks, so that there is more to do between two waits.";
    f.evidence = {fmt::format("{} blocked of {} in regions on {} threads", duration(w.blocked, 2),
                              duration(e.b.wall, 2), significant(e.b.threads, 2))};
    out.push_back(std::move(f));
  }
}

}  // namespace

using profile::LockUse;
using profile::Profile;
using profile::State;

// Ordered: the threads' time spent waiting for their turn, which would be gone with the order; the thread that waited
// most bears its part of it. The longest path goes through the ordered sections: what takes them out changes the graph,
// so that only the work holds.
void find_ordered(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  const Bounds& b = e.b;
  std::map<uint32_t, LockUse> by_source;
  for (const LockUse& l : p.locks) {
    if (!l.turn) continue;
    LockUse& u = by_source[l.source];
    u.waited += l.waited, u.held += l.held, u.contended += l.contended, u.acquired += l.acquired;
  }
  const int64_t blocked = p.thread_time[size_t(State::blocked)];
  int64_t blocked_most = 0;
  for (const profile::Thread& t : p.threads) blocked_most = std::max(blocked_most, t.times[size_t(State::blocked)]);
  for (const auto& [source, u] : by_source) {
    if (u.waited <= 0 || blocked <= 0) continue;
    const double part = std::min(1.0, double(u.waited) / double(blocked));
    Finding f;
    f.kind = ProblemKind::ordered;
    f.gain_ns = std::min({int64_t(double(blocked_most) * part), b.spread(u.waited + b.idle), b.split_room});
    f.source = source;
    f.sources = {source};
    const profile::Source& at = p.sources[source];
    for (const SourceCost& c : e.costs) {
      if (c.kind != profile::GrainKind::chunk || c.source >= p.sources.size()) continue;
      const profile::Source& loop = p.sources[c.source];
      if (loop.file != at.file || loop.function != at.function) continue;
      f.sources.push_back(c.source);
      f.about.sources.push_back(c.source);
      f.about.kinds |= 1u << unsigned(c.kind);
    }
    f.what = fmt::format("ordered serialises: threads wait for their turn ({} of thread time, {} of the turns)",
                         duration(u.waited, 2), percent(double(u.contended), double(u.acquired)));
    f.advice =
        "Leave in the ordered construct only what must come in that order; or keep the results by iteration and use "
        "them in order after the loop. A chunk keeps its turn until its end: chunks of one iteration "
        "(schedule(dynamic, 1)) pass it on soonest.";
    f.evidence = {fmt::format("{}, in which {} of {} in regions passed", plural(u.acquired, "turn"),
                              duration(u.held, 2), duration(b.wall, 2))};
    out.push_back(std::move(f));
  }
  find_doacross(e, blocked_most, by_source, out);
}

}  // namespace einkorn::report
