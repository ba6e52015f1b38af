// One run of a closed graph by any number of threads, each on a seat of its own.
//
// Who has a seat fires what is in its own queue, and what becomes ready by that: the first successor next, without a
// queue, the others from the queue; without work it looks into the others' queues, and leaves when it finds nothing for
// long. A thread's queue is empty when it leaves. So when all have left, all that could be fired has been.
//
// Nobody sleeps here. Threads come and go by invitations: who has more in its queue than it can run at once asks its
// Crew for another, as long as seats are free. The runtime's invitations are tasks (team_run.cpp), and waiting for the
// last thread to leave is waiting for tasks.
#pragma once
#include <algorithm>
#include <utility>

#include "codelet/graph.h"
#include "codelet/unwinding.h"
#include "base/clock.h"
#include "base/tunables.h"
#include "flow/deque.h"
#include "schedule/ws_search.h"

namespace einkorn::codelet {

struct alignas(kCacheLine) Seat {
  flow::Deque<void> queue;  // of Items
  schedule::RandomState random;
  bool taken = false;  // by its thread, which may come to be asked again while it fires
  // By class (their numbers modulo this many): so many codelets of it are over in kCodeletLook, as far as is known.
  // Until then all that is known of a codelet is that it may be long.
  static constexpr uint32_t kPaces = 16;
  uint8_t pace[kPaces];

  Seat() { std::fill_n(pace, kPaces, uint8_t(1)); }
  ~Seat() { queue.destroy(); }
};

struct Run {
  Run(Graph& g, Seat* const* s, int count) : graph(g), seats(s), n(count), began(ticks()) {}
  Graph& graph;
  Seat* const* seats;                                  // one for each number that work() may be called with
  int n;                                               // seats
  uint64_t began;                                      // ticks
  uint64_t alone_for = 0;                              // so long nobody is to be asked, ticks (schedule/runs.h)
  alignas(kCacheLine) std::atomic<uint64_t> fired{0};  // by those who ran out of work
  alignas(kCacheLine) std::atomic<int> hungry{0};      // threads that look into others' queues
  std::atomic<int> invited{1};                         // and have not left; the first is the one that runs the graph

  bool is_over() const { return fired.load(std::memory_order_acquire) == graph.size(); }
};

// What work() tells of itself: nothing. observe::Codelets is the other one.
struct Unwatched {
  void begins(uint32_t, uint32_t) const {}
  void ends() const {}
  void pauses() const {}
  template <class Search>
  Item looks(Search&& search) const {
    return search();
  }
};

inline constexpr int kMostStolen = 8;         // items
inline constexpr uint32_t kLooksSeldom = 64;  // codelets between two looks for whether others should help, at most
inline constexpr int kRounds = 200, kForceAt = 100;

// All that is ready at the beginning, into the seat of the thread that runs the graph.
inline void begin(Run& run, int num) {
  const std::vector<Item>& roots = run.graph.roots();
  for (size_t i = roots.size(); i-- > 0;) run.seats[num]->queue.push(roots[i].word());
}

// What another thread has. rounds: how long to look; the last time with force, also for what its owner keeps to itself.
__attribute__((noinline)) inline Item search(Run& run, int num, int rounds) {
  Seat& me = *run.seats[num];
  run.hungry.fetch_add(1, std::memory_order_relaxed);
  Item found;
  for (int round = 0; round < rounds && !found && !run.is_over(); ++round) {
    const bool last = round == rounds - 1, force = last || round == kForceAt;
    schedule::RandomSweep sweep(me.random, uint32_t(num), uint32_t(run.n));
    for (int v; !found && (v = sweep.next()) >= 0;) {
      Seat& victim = *run.seats[v];
      if (victim.queue.seems_empty()) continue;
      void* some[kMostStolen];
      int count;
      auto amount = [](int64_t length) { return schedule::steal_amount(length, int64_t(kMostStolen)); };
      if (victim.queue.steal_some(
              some, amount, count, force, [](const void*) { return true; }, last) != flow::Deque<void>::Steal::taken)
        continue;
      found = Item(some[0]);
      while (--count > 0) me.queue.push(some[count]);
    }
    if (!found) pause(std::min(round + 1, 20));
  }
  run.hungry.fetch_sub(1, std::memory_order_relaxed);
  return found;
}

// Of a thread in a run.
struct Hand {
  Seat& me;
  uint32_t left = 1, span = 1;  // codelets: until the next look, and between the latest and that one
  uint64_t looked;              // the latest, ticks
  uint64_t fired = 0;           // since it last said so in Run::fired
  bool alone;                   // no other thread has been asked to take part
  bool pushed = false;          // since it last looked whether others are hungry
  const Arcs arcs;
  const Class* of = nullptr;                   // the class in hand
  uint32_t wanted = Item::kMostClasses << 16;  // what an Item of one codelet of it begins with: Item::kind()
  uint32_t i = 0;                              // what it fires, for messages
  Hand* outer;                                 // a codelet of that one's runs this graph

  uint32_t since() const { return span - left; }
  void next_look(uint32_t codelets) {
    fired += since();
    left = span = codelets;
  }
  // Of a class of which nothing is known but that.
  void look_within(uint32_t codelets) {
    if (left <= codelets) return;
    span -= left - codelets;
    left = codelets;
  }
  // Release: what the codelets wrote, to who sees that all have been fired. Acquire: what the others' did.
  void say_so(Run& run) {
    fired += since();
    span = left;
    const uint64_t mine = std::exchange(fired, 0);
    check(run.fired.fetch_add(mine, std::memory_order_acq_rel) + mine, run);
  }
  // A rule that answers otherwise than when the graph was closed may fire codelets again and again.
  static void check(uint64_t fired, const Run& run) {
    if (EK_UNLIKELY(fired > run.graph.size())) run.graph.fired_again();
  }
};

inline constinit thread_local Hand* t_hand = nullptr;

// The larger halves of it are the older: what thieves take. Codelets that are over at once stay together.
inline bool split(Seat& me, Item& item, uint8_t pace) {
  bool pushed = false;
  for (uint32_t n; (n = item.count()) > std::max(1u, pace / 4u); pushed = true) {
    me.queue.push(Item(item.of_class(), item.first() + n / 2, n - n / 2).word());
    item = Item(item.of_class(), item.first(), n / 2);
  }
  return pushed;
}

// How long have codelets of that pace's class taken, and should others help with what is left? False: stop here.
template <class Crew>
__attribute__((noinline)) bool look(Run& run, Hand& hand, uint8_t& pace, uint32_t count, Crew&& crew) {
  const uint64_t now = ticks(), passed = now - hand.looked;
  const uint64_t soon = in_ticks(tunables::kCodeletLook);
  const uint64_t fits = passed > soon ? hand.since() * soon / passed : 2 * uint64_t(pace);
  pace = uint8_t(std::clamp<uint64_t>(fits, 1, kLooksSeldom));
  hand.next_look(pace + count);
  hand.check(hand.fired, run);
  hand.looked = now;
  int64_t more = hand.me.queue.seems_to_hold();
  if (more <= 0) return true;
  if (crew.stops(run)) return false;
  // As many as find something, all at once: the next look may be far, behind a long codelet. (Where threads take
  // nothing from others' queues, this one's may be where the schedule puts an invitation.)
  int there = run.invited.load(std::memory_order_relaxed);
  for (; there < run.n && more > 0 && crew.wants(run); --more)
    if (run.invited.compare_exchange_strong(there, there + 1, std::memory_order_relaxed)) {
      hand.alone = false;  // what was counted before is visible to who takes the invitation, as all else is
      crew.invite(run);
      ++there;
    }
  return true;
}

__attribute__((noinline)) inline void push_ready(Hand& hand, Item ready) {
  hand.me.queue.push(ready.word());
  hand.pushed = true;
}

// Fires `count` codelets of the class in hand from i on; and as long as nothing is to be looked at, what becomes ready
// by them, one behind the other. What is left in hand then, if anything. A function of its own, so that nothing else
// takes registers from what each codelet needs.
template <bool alone, class Watch>
__attribute__((noinline)) Item fire_from(Hand& hand, uint32_t i, uint32_t count, Watch& watch) {
  const Class& c = *hand.of;
  for (uint32_t more = count - 1;;) {
    Item next;
    for (;; ++i, --more) {
      watch.begins(hand.wanted >> 16, c.first + i);
      hand.i = i;
      EK_NOTHING_LEAVES_TO_HERE(ek_left_graph);
      c.fire(c.context, i);
      watch.ends();
      hand.arcs.release_successors<alone>(c, i, [&](Item ready) __attribute__((always_inline)) {
        if (EK_LIKELY(!next)) next = ready;
        else push_ready(hand, ready);
      });
      if (EK_LIKELY(more == 0)) break;
    }
    if (EK_UNLIKELY(hand.pushed) || EK_UNLIKELY(!next.is_one(hand.wanted))) return next;
    // Invariant: it is 1 or more before, and behind.
    if (EK_UNLIKELY(--hand.left == 0)) return ++hand.left, next;
    i = next.first();
  }
}

// Takes part as number num, until there is nothing left to do, or for long nothing to be found. False: the crew has
// stopped it, and what is left is in its queue. alone: who runs the graph, and nobody has been asked yet. Crew:
// wants(run): should another thread be asked now? invite(run): ask one, which calls work() and then takes itself off
// Run::invited; stops(run): give up this way of running, see team_run.cpp; rounds(): how long to look for work.
template <class Crew, class Watch = Unwatched>
bool work(Run& run, int num, bool alone, Crew&& crew, Watch&& watch = {}) {
  Seat& me = *run.seats[num];
  if (me.taken) return true;
  me.taken = true;
  Hand hand{.me = me, .looked = run.began, .alone = alone, .arcs = run.graph.arcs(), .outer = t_hand};
  t_hand = &hand;
  uint8_t* pace = nullptr;
  bool goes_on = true;
  for (Item item;;) {
    if (!item) item = Item(me.queue.pop());
    if (!item) {
      hand.say_so(run);
      if (run.n == 1 || !(item = watch.looks([&] { return search(run, num, crew.rounds()); }))) break;
    }
    uint32_t count = 1;
    if (EK_UNLIKELY(!item.is_one(hand.wanted))) {
      const uint32_t of = item.of_class();
      hand.of = &hand.arcs.classes[of];
      hand.wanted = Item(of, 0, 1).kind();
      pace = &me.pace[of % Seat::kPaces];
      hand.pushed = split(me, item, *pace);
      if (EK_UNLIKELY(hand.pushed) && EK_UNLIKELY(run.hungry.load(std::memory_order_relaxed) != 0)) me.queue.publish();
      count = item.count();
      hand.look_within(*pace);
    }
    if (EK_UNLIKELY(hand.left <= count)) {
      watch.pauses();
      if (!look(run, hand, *pace, count, crew)) {
        me.queue.push(item.word());
        hand.say_so(run);
        goes_on = false;
        break;
      }
    }
    hand.left -= count;
    hand.pushed = false;
    item = hand.alone ? fire_from<true>(hand, item.first(), count, watch)
                      : fire_from<false>(hand, item.first(), count, watch);
    if (EK_UNLIKELY(hand.pushed)) {
      if (EK_UNLIKELY(run.hungry.load(std::memory_order_relaxed) != 0)) me.queue.publish();
      // Whoever has left is asked again, whatever is known of what comes now: it may take long for once. Who is asked
      // looks for a while, so this is not often; where looking is short, or nobody is to be asked, the paces alone
      // tell.
      if (EK_UNLIKELY(run.invited.load(std::memory_order_relaxed) < run.n) && run.alone_for == 0 &&
          crew.rounds() == kRounds)
        hand.look_within(1);
    }
  }
  t_hand = hand.outer;
  me.taken = false;
  return goes_on;
}

}  // namespace einkorn::codelet
