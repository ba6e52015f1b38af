// One search of a worker whose schedule has queues by place: search_places(), which the runtime (placed_search.cpp) and
// the simulator (asking.h) both make. It decides who looks beyond its own places, and how often (the axes `thieves` and
// `backoff`), and which end of a queue is taken from. The default's search is in ws_search.h.
#pragma once
#include "schedule/visits.h"

namespace einkorn::schedule {

// One worker's: searches to leave others' places out of, and how many after the next one in vain. Where levels have
// caps (us, by the caller's clock): when its latest search was, until when it looks into none of a level, and for how
// long that was meant to be.
struct BackoffState {
  uint32_t skip = 0, step = 0;
  uint64_t now = 0;
  struct {
    uint64_t until = 0, pause = 0;
  } levels[kLevels];
};

// A search begins: does it leave others' places out? must: it is thorough, see below.
inline bool stays_home(BackoffState& b, bool must) {
  if (must || b.skip == 0) return false;
  --b.skip;
  return true;
}

// The same for any schedule: what it leaves out. now: us.
inline LeftOut leaves_out(const Schedule& s, BackoffState& b, bool must, uint64_t now) {
  LeftOut out;
  if (!has_level_caps(s)) {
    out.others = stays_home(b, must);
    return out;
  }
  b.now = now;
  for (const Level l : {kBeyond, kWithin}) out.level[l] = !must && now < b.levels[l].until;
  return out;
}
// The pause of a level after a search in vain, us: twice the one before.
constexpr uint64_t next_pause(const Schedule& s, Level l, uint64_t pause) {
  const auto cap = uint64_t(s.cap_us[l]);
  return pause == 0 ? 1 : pause * 2 < cap ? pause * 2 : cap;
}

// A search that did not leave them out, and had the place's turn, has ended.
inline void after_search(const Schedule& s, BackoffState& b, bool found, const LeftOut& left = {}) {
  if (s.backoff != Backoff::exponential) return;
  if (has_level_caps(s)) {
    for (const Level l : {kBeyond, kWithin}) {
      auto& level = b.levels[l];
      if (found) level = {};
      else if (!left.level[l]) level.pause = next_pause(s, l, level.pause), level.until = b.now + level.pause;
    }
    return;
  }
  const auto most = uint32_t(s.cap);
  if (found) b = {};
  else b.skip = b.step = b.step == 0 ? 1 : b.step * 2 < most ? b.step * 2 : most;
}

// Of the workers that share a queue one at a time looks elsewhere: who looks needs its place's turn, for one search.
constexpr bool takes_turns(const Schedule& s) { return s.thieves == Thieves::one_per_place; }

// How far a search goes. stays: LeftOut::others.
constexpr Search::Who who_looks(bool stays, bool has_turn, bool in_task) {
  return stays || !has_turn ? Search::Who::own_only : in_task ? Search::Who::in_task : Search::Who::idle;
}

// Which waits take what others have left to itself: those in tasks, and with helps_late those in barriers.
constexpr bool may_rescue(const Schedule& s, bool any_task) { return !any_task || s.helps_late; }

// The last search before a sleep leaves nothing out; nor does every so many of a wait that may rescue, which may be
// awake for ever. searches: of that kind, this one included.
inline constexpr uint32_t kThorough = 32;
constexpr bool is_thorough(bool last, bool rescues, uint32_t searches) {
  return last || (rescues && searches % kThorough == 0);
}

// At which end of a place's queue: from the oldest on, up to Visit::most, until one may not start; the youngest alone;
// or the youngest of those that may start, which is how a worker finds what descends from the task that it waits in.
enum class End : uint8_t { oldest, youngest, youngest_allowed };
constexpr End end_of(const Schedule& s, bool own, bool any_task) {
  return !any_task ? End::youngest_allowed : own && s.order == Order::lifo ? End::youngest : End::oldest;
}

// Of these so many, from the youngest on: what it waits for is young, mostly.
constexpr uint32_t walk_of(bool thorough) { return thorough ? ~0u : 64; }

struct Looking {
  bool any_task;  // it waits in a barrier, where any task may start
  bool in_task;   // it waits in an explicit task
  bool last;      // before a sleep
  bool thorough;  // is_thorough()
  LeftOut left;   // leaves_out()
  bool has_turn;  // of its place, to look elsewhere; where workers take turns
};
// Queues: how the caller gets at them:
//   Item                 a task; none is false
//   take(visit, end)     Item: the one to run; the others of several go where kept_at() says, oldest first
//   rescue()             Item: what nobody else can run, after a thorough search in vain of a closed schedule
template <class Queues>
typename Queues::Item search_places(const Context& c, BackoffState& backoff, const Looking& how, Queues& q) {
  const Schedule& s = c.schedule;
  Search search(c, who_looks(how.left.others, how.has_turn, how.in_task), how.last, how.left);
  typename Queues::Item found{};
  for (Visit v; !found && search.next(&v);) found = q.take(v, end_of(s, v.own, how.any_task));
  if (!found && how.thorough && may_rescue(s, how.any_task) && how.has_turn && is_closed(s)) found = q.rescue();
  if (!how.left.others && how.has_turn) after_search(s, backoff, bool(found), how.left);
  return found;
}

}  // namespace einkorn::schedule
