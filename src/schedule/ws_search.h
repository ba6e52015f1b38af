// One search of the default, ws: search_queues(). It decides whose queue a worker without work looks into, in which
// order, how many tasks it takes, when it takes by force what an owner keeps to itself, how long it waits between two
// searches. All inline: search_queues() is compiled into the runtime's search (runtime/sync/search.h), where queues are
// by place too (placed_search.cpp), and the simulator makes the same (asking.h). How tasks are created that are better
// run at once: tiny.h.
#pragma once
#include <climits>

#include "schedule/random.h"

namespace einkorn::schedule {

// Of a queue a thief takes the oldest quarter, no more than so many at once, however long it is; one where it waits in
// a task.
inline constexpr uint32_t kMostStolen = 32;
// The latest loot: so many tasks, so long ago. long_task: in the same unit.
template <class Time>
struct Loot {
  uint32_t count = 0;
  Time at{};
};
template <class Time, class Long>
constexpr bool were_short(Time since, Long long_task, uint32_t count) {
  return since <= Time(long_task * count);
}
// Of `length` tasks, no more than `most`.
template <class Count>
constexpr Count steal_amount(Count length, Count most) {
  const Count quarter = length / 4;
  return quarter < 1 ? 1 : quarter < most ? quarter : most;
}
// Where its latest loot was not short (a task lasted longer than some microseconds), a quarter of what each of the
// workers would get of that queue: so one of few, since several would be far from an equal part. In a large team as if
// no more of them shared it: the others get theirs from who took some, as all that come for each single one are in each
// other's way.
inline constexpr uint32_t kMostSharing = 16;
// A team of more than that is large. (What large teams do besides gains nothing, or loses some percent, with 16 threads
// on 16 cores.)
inline constexpr uint32_t kLargeTeam = 16;
template <class Count>
constexpr Count amount_to_take(Count length, bool any_task, bool were_short, uint32_t workers) {
  if (!any_task) return 1;
  const uint32_t sharing = workers < kMostSharing ? workers : kMostSharing;
  return steal_amount(were_short ? length : length / Count(sharing), Count(kMostStolen));
}

// An owner's tasks are taken by force by the last search before a sleep; else after a few searches in vain, if the
// owner does nothing about them.
constexpr bool may_force(int round, int rounds) { return round > 8 || round >= rounds; }

// Has the victim created nothing for a while? Then its owner is deep in user code, or has no CPU. To take its tasks by
// force costs both some microseconds.
struct SeenVictim {
  const void* victim = nullptr;
  uint64_t created = 0;
  uint64_t since = 0;
};
// now, a_while: in one unit.
inline bool is_stuck(SeenVictim& seen, const void* victim, uint64_t created, uint64_t now, uint64_t a_while) {
  if (seen.victim == victim && seen.created == created) return now - seen.since > a_while;
  seen = {victim, created, now};
  return false;
}

// From an inbox, in the order in which they came: several at once, so that its lock is worth it. An owner takes all it
// can of that; a thief as many only of a long one, and if it may run any of them.
inline constexpr uint32_t kMostOfInbox = 8, kLongInbox = 4 * kMostOfInbox;
constexpr uint32_t most_of_inbox(bool any_task, bool is_long) { return any_task && is_long ? kMostOfInbox : 1; }

// In a large team a search looks into so many queues only: all of them are more lines than a task takes time. Not the
// last before a sleep, nor the first after one. (To find an owner stuck a thief must come by twice: later in a large
// team.)
inline constexpr int kMostLooks = 8;
// There it looks at its neighbours first, a power of two of workers who mostly are on CPUs near by: their lines are on
// a short way, and so is what they have taken from afar. One look is left for others.
inline constexpr uint32_t kNeighbours = 8;
constexpr uint32_t near_looks(uint32_t workers) { return workers > kLargeTeam ? kNeighbours - 1 : 0; }
// The ith of these.
constexpr uint32_t neighbour(uint32_t self, uint32_t i) {
  return (self & ~(kNeighbours - 1)) | ((self + 1 + i) & (kNeighbours - 1));
}

// A search of one worker: its own queue, what was sent to it, then others' queues: in a large team its neighbours',
// then all from a random one on, as far as it looks (its neighbours' once more, if it is the last one). Queues is how
// the caller gets at them; what it says of others' may be out of date:
//   Item                               a task; none is false
//   any_task()                         it waits in a barrier, so that any task may start; else in a task
//   last, force                        bool: the last search before a sleep; may_force()
//   own()                              Item: the youngest of its own queue that may start
//   own_inbox(most)                    Item: the oldest of what was sent to it; up to most - 1 that follow are kept
//   beyond(item)                       bool: into others' queues at all? else *item is what the search has found
//   random(), self(), workers(), loot()  the worker's RandomState, its number of how many, its Loot, which is changed
//   victim(v)                          that worker's queue, a pointer; none: it has queued nothing in this region
//   has(victim), inbox_has(victim, least)  bool: does its queue seem to hold a task, its inbox so many?
//   is_stuck(victim)                   bool: see above
//   now(), long_task()                 in one unit
//   steal(victim, amount, by_force, are_long, count)  Item: the oldest, if it may start, and what follows, up to
//                                      amount(length) in all: *count of them. The others are kept; are_long: for whoever
//                                      comes first, as the thief may be away for long
//   take_sent(victim, most)            Item: as own_inbox(), of another's
//   most_looks()                       so many queues are looked into by a search that is not the last one
// Kept is what goes to the own queue, so that the worker takes it in the order in which it was made.
template <class Queues>
[[gnu::always_inline]] inline typename Queues::Item search_queues(Queues& q) {
  using Item = typename Queues::Item;
  if (Item t = q.own()) return t;
  if (Item t = q.own_inbox(kMostOfInbox)) return t;
  if (Item t{}; !q.beyond(&t)) return t;
  RandomSweep sweep(q.random(), q.self(), q.workers());
  int looks = q.last ? INT_MAX : q.most_looks();
  uint32_t near = near_looks(q.workers());
  while (looks > 0) {
    const int v = near > 0 ? int(neighbour(q.self(), --near)) : sweep.next();
    if (v < 0) break;
    if (v >= int(q.workers())) continue;
    auto* const victim = q.victim(v);
    if (!victim) continue;
    --looks;
    if (q.has(victim)) {
      // Where any task may start a thief takes several of many: one trip for all of them.
      const bool by_force = q.last || (q.force && q.is_stuck(victim));
      const auto now = q.now();
      const bool brief = were_short(now - q.loot().at, q.long_task(), q.loot().count);
      auto amount = [&q, brief](auto length) { return amount_to_take(length, q.any_task(), brief, q.workers()); };
      uint32_t count = 0;
      if (Item t = q.steal(victim, amount, by_force, !brief, &count)) {
        q.loot() = {count, now};
        return t;
      }
    }
    if (q.inbox_has(victim, 1)) {
      const uint32_t most = most_of_inbox(q.any_task(), q.any_task() && q.inbox_has(victim, kLongInbox));
      if (Item t = q.take_sent(victim, most)) return t;
    }
  }
  return {};
}

// Every search takes others' lines from them. So many pauses after the search of that round; rounds: after so many a
// thread sleeps, or lingers.
inline constexpr int kEagerRounds = 32, kPausesPerRound = 8, kPausesLingering = 32;
constexpr int pauses_after(int round, int rounds) {
  return round < kEagerRounds ? 1 : round <= rounds ? kPausesPerRound : kPausesLingering;
}
// Of many thieves each waits longer, so that they are not in each other's way, and in that of who has work: so many
// times, where so many search, and `busy` may have something for them. No longer than that it still looks some times in
// `rounds`; nor, where it lingers, that a turn (64 times 32 pauses, 50 to 130 us) is taken for one of somebody else's
// on its CPU (tunables::kAway).
inline constexpr int kMostTurns = 64, kTurnsAtLeast = 8;
constexpr int turns(uint32_t searching, uint32_t busy, int rounds) {
  const int most = rounds / kTurnsAtLeast < kMostTurns ? rounds / kTurnsAtLeast : kMostTurns;
  const int turns = busy == 0 ? 1 : int(searching / busy);
  return turns < 1 || most < 1 ? 1 : turns < most ? turns : most;
}
// For so many pauses it looks around before it sleeps, some 170 us: to wake a thread costs its waker 10 us and more
// where CPUs are virtual, too much for a pause between two loops or two rounds of tasks. Shared: where several teams at
// once (nested, or of foreign threads) need the CPUs. Active: what the program asks for by OMP_WAIT_POLICY.
inline constexpr int kPausesAwake = 4000, kPausesShared = 1000, kPausesActive = 2'000'000;
inline constexpr int kPausesBeforeYield = 64;  // sleep.h
// spin: pauses for which the thread may stay awake.
constexpr int rounds_awake(int spin) { return spin == 0 ? 0 : kEagerRounds + spin / kPausesPerRound; }

}  // namespace einkorn::schedule
