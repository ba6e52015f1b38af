// Sleep and wake of threads that look for work in the same queues. Knows neither whose threads these are nor what work
// is: the caller says where a member's park word is, and who may be woken for what.
//
// The idle word of a group counts members without work: searching (awake; Searchers) and parked (asleep). The protocol
// between a thread that makes something happen and one that goes to sleep is Dekker's: the sleeper announces itself
// (park word and idle word), passes a fence, and looks once more; the other side stores what it has to say, passes a
// fence, and reads the idle word. One of the two sees the other. Which fences: a pair of full ones, or, where the other
// side comes by often, light_fence() there and heavy_fence() here. An atomic update of what the sleeper has announced
// in (its own counter, say, with a bit for "waits") needs no fence beside it.
#pragma once
#include <algorithm>

#include "base/platform.h"
#include "base/tunables.h"

namespace einkorn::flow {

// One thread's: state | number of the group it sleeps in << 2 (0: in none). Asleep, or about to be. Beside `woken`, of
// one that slept in none: Sleepers.
using ParkWord = std::atomic<uint32_t>;
enum class ParkState : uint32_t { awake, asleep, woken, made_watcher };  // made_watcher: woken to be that (Group)
inline ParkState park_state(uint32_t word) { return ParkState(word & 3); }

inline constexpr uint64_t kSearching = 1;
inline constexpr uint64_t kParked = uint64_t(1) << 32;
inline uint32_t searching(uint64_t idle) { return uint32_t(idle); }
inline uint32_t parked(uint64_t idle) { return uint32_t(idle >> 32); }

// Who sleeps in a group can be woken alone, by its own park word, and with all others at once by the group's bell
// (where the kernel can wait for two words): that is one system call instead of one a thread, which counts where
// threads outnumber CPUs. The sleeper reads the bell before it says in its park word that it sleeps; who rings changes
// that word first, then the bell: so one of the two is not what the sleeper expects, or the ring finds it asleep.
// Always true: every sleep with the group in its park word hears the bell; who rings late takes from their sleep also
// those who wait for something else by now.
//
// With more threads than CPUs nobody is woken while as many are awake as there are CPUs (wants_work()). These may all
// be busy waiting in user code for work that only a further thread can do: so one of the sleepers, the watcher, looks
// up from time to time, until it finds something or its own wait is over. Then it makes another sleeper the watcher.
// Always true: `watched` is set while a member is the watcher (and knows it), or has been made it in its sleep (its
// park word says so), and no other time but while one is looked for. Who falls asleep where it is not set becomes the
// watcher.
struct alignas(kCacheLine) Group {
  std::atomic<uint64_t> idle{
      0};  // searching + parked << 32. Who has work to give reads it, so it has a line of its own
  std::atomic<uint32_t> bell{0};  // futex: what was rung last
  std::atomic<bool> watched{false};
  uint32_t number = 0;  // from 1 on; no other group of the process has it
};

// In a large group members count themselves as searching with their neighbours first, and only the first and the last
// of these in the next count, up to the group's: between two tasks each member goes there and back, and one word for
// all would be a line that is always on its way, also to who makes tasks and reads it. (The tree is that of SNZI, Ellen
// et al., PODC'07, without its half steps: here a member may go on before it is seen at the top.)
// Always true: `count` is how many members or counts below it are in it, and a few that are about to be: a member that
// brings one from zero is in the next one before it leaves this one, so none falls below zero; and when a member goes
// to sleep or runs a task it has left all that it brought to zero. So where the group's word says that nobody searches
// only those may that came in the moment in which one of their neighbours was on its way there: they see what is
// pushed all the same, but who pushes may not know that it is wanted.
struct alignas(kCacheLine) Searchers {
  std::atomic<uint32_t> count{0};
  Searchers* above = nullptr;  // constant; nullptr: the group's own word
};

inline uint32_t park_word(const Group& g, ParkState state) { return g.number << 2 | uint32_t(state); }

// Would a thread more be of use? With as many awake as there are CPUs it would only take time from them. members:
// signed, as threads late to leave the group, which may have had more of them, count as parked a moment longer.
inline bool wants_work(uint64_t idle, int members, int cpus) {
  return searching(idle) > 0 || (parked(idle) > 0 && members - int(parked(idle)) < cpus);
}

// ---- who searches ---------------------------------------------------------------------------------------------------

// A member counts as searching from here on, with those neighbours (nullptr: it counts in the group's word). What that
// word is now. Not ordered before what follows: fence_after_update().
inline uint64_t begin_search(Group& g, Searchers* near) {
  for (; near; near = near->above)
    if (near->count.fetch_add(1, std::memory_order_relaxed) != 0) return g.idle.load(std::memory_order_relaxed);
  return g.idle.fetch_add(kSearching, std::memory_order_relaxed) + kSearching;
}
// No longer. What the word is now: nobody searches there if it was the last. With the same neighbours as before.
inline uint64_t end_search(Group& g, Searchers* near) {
  // seq_cst, all: as in Sleep, of which it is a part; and who brings the next count to zero comes after those who were
  // in this one.
  for (; near; near = near->above)
    if (near->count.fetch_sub(1, std::memory_order_seq_cst) != 1) return g.idle.load(std::memory_order_relaxed);
  return g.idle.fetch_sub(kSearching, std::memory_order_seq_cst) - kSearching;
}
// About how many search, by the caller, which does, too: where `idle` is the group's word, and of `most` neighbours
// each. Other neighbours are taken for as many as its own and one more: its own are fewer where one of them has all the
// work.
inline uint32_t searching_about(uint64_t idle, const Searchers* near, uint32_t most) {
  uint32_t all = 1, others = 1;
  for (; near; near = near->above) {
    // Relaxed, and 0 in between where a neighbour comes and goes.
    const uint32_t count = std::max(near->count.load(std::memory_order_relaxed), 1u);
    all += (count - 1) * others;
    others *= std::min(count + 1, most);
  }
  return all + (std::max(searching(idle), 1u) - 1) * others;
}

// ---- who goes to sleep ---------------------------------------------------------------------------------------------

// One sleep of a member that has counted itself as searching:
//
//   Sleep sleep(group, park, near);  announces it; near: as for begin_search()
//   ...                              what else the others must see of it
//   sleep.fence(...)
//   if (there is nothing to do) sleep.wait(...)
//   if (sleep.end()) ...             it counts as searching again
class Sleep {
 public:
  Sleep(Group& g, ParkWord& park, Searchers* near = nullptr)
      : group_(g), park_(park), near_(near), asleep_(park_word(g, ParkState::asleep)) {
    rung_ = g.bell.load(std::memory_order_acquire);  // before park says that it sleeps: Group
    // Release: who finds it asleep sees what it stored before, of what it may be woken for.
    park.store(asleep_, std::memory_order_release);
    // Before fence(), which orders it before the looks behind; pairs with who reads idle behind a fence of its own.
    if (!near) {
      g.idle.fetch_add(kParked - kSearching, std::memory_order_seq_cst);
      return;
    }
    g.idle.fetch_add(kParked, std::memory_order_seq_cst);  // first: who leaves last sees that somebody sleeps
    end_search(g, near);
  }
  Sleep(const Sleep&) = delete;

  // light(), asked behind a full fence: may others have work to give that pass light_fence() only?
  template <class Light>
  void fence(Light&& light) {
    full_fence();  // orders the stores of park and idle before the caller's looks; pairs with the full_fence() of who
                   // stores something and then reads idle
    if (light()) heavy_fence();  // the same; pairs with light_fence() there
  }
  // It is the watcher from here on, if none is.
  bool becomes_watcher() {
    // An update, so only one of several finds it clear; nothing needs its order.
    return !group_.watched.load(std::memory_order_relaxed) && !group_.watched.exchange(true, std::memory_order_seq_cst);
  }
  // Until woken, or, with nap >= 0, for so many ns; it may return for nothing.
  void wait(int64_t nap) {
    if (g_waits_for_two) futex_wait_either(&park_, asleep_, &group_.bell, rung_, nap);
    else futex_wait(&park_, asleep_, nap);
  }
  // true: it has been made the watcher.
  bool end() {
    // Acquire: what was stored before it was woken. Release: who finds it awake sees that it has gone on.
    const uint32_t word = park_.exchange(0, std::memory_order_acq_rel);
    // Who reads the count before this one takes it for a sleeper and rings in vain: nothing needs its order.
    if (near_) begin_search(group_, near_);
    group_.idle.fetch_add(near_ ? -kParked : kSearching - kParked, std::memory_order_seq_cst);
    return park_state(word) == ParkState::made_watcher;
  }

 private:
  Group& group_;
  ParkWord& park_;
  Searchers* const near_;
  const uint32_t asleep_;
  uint32_t rung_;
};

// Of who must look up from time to time: how long it sleeps after a sleep of `nap` ns in vain (negative: none).
inline int64_t next_nap(int64_t nap) {
  using namespace tunables;
  return nap < 0 ? kFirstNap : nap * 2 < kLongestNap ? nap * 2 : kLongestNap;
}

// Some that sleep in no group, which one of them is to wake that has just been woken itself: `count` of them before
// `end`, by their numbers among who was told something (orders.h). In a park word beside ParkState::woken: who wakes it
// hands them over by the same update, or keeps them.
struct Sleepers {
  static constexpr uint32_t kEndBits = 16, kEnds = 1 << kEndBits, kMost = (1 << (30 - kEndBits)) - 1;
  uint32_t end = 0, count = 0;  // below kEnds; at most kMost
  uint32_t word() const { return (count << kEndBits | end) << 2; }
  static Sleepers of(uint32_t word) { return {word >> 2 & (kEnds - 1), word >> (2 + kEndBits)}; }
};

// Sleeps in no group until done(), which others make true before they pass a full_fence() and call wake(). Whom it is
// to wake now.
template <class Done>
Sleepers park_until(ParkWord& park, Done&& done) {
  Sleepers others;
  while (!done()) {
    constexpr uint32_t asleep = uint32_t(ParkState::asleep);
    park.store(asleep, std::memory_order_relaxed);
    full_fence();  // orders the store of park before the look in done(); pairs with the full_fence() before wake()
    if (!done()) futex_wait(&park, asleep);
    // Acquire: what who woke it had seen, of what the others are woken for; pairs with the update in wake().
    if (const uint32_t word = park.exchange(0, std::memory_order_acquire); park_state(word) == ParkState::woken)
      others = Sleepers::of(word);
    EK_ASSERT(others.count == 0 || done());  // who is given some has been told something: workers.h, run()
  }
  return others;
}

// ---- who wakes -----------------------------------------------------------------------------------------------------

// Wakes that thread if it sleeps, wherever. True: it was in park_until(), and will wake the others, too.
inline bool wake(ParkWord& park, Sleepers others = {}) {
  uint32_t asleep = park.load(std::memory_order_relaxed);
  if (park_state(asleep) != ParkState::asleep) return false;
  const bool in_no_group = asleep == uint32_t(ParkState::asleep);
  // seq_cst: a full barrier. It releases to end(), and to park_until(), what the caller has stored.
  const uint32_t woken = uint32_t(ParkState::woken) | (in_no_group ? others.word() : 0);
  if (!park.compare_exchange_strong(asleep, woken, std::memory_order_seq_cst)) return false;
  futex_wake(&park, 1);
  return in_no_group;
}

inline bool sleeps_in(const Group& g, const ParkWord& park) {
  // Acquire: what it stored before it said so; pairs with the release in Sleep.
  return park.load(std::memory_order_acquire) == park_word(g, ParkState::asleep);
}

// If it sleeps in that group it does not count as a sleeper any more; the caller has to ring for it. Of the update's
// order the release matters: what the caller stored is seen by who wakes (Sleep::end()).
inline bool take_from_sleep(const Group& g, ParkWord& park) {
  uint32_t asleep = park_word(g, ParkState::asleep);
  return park.load(std::memory_order_relaxed) == asleep &&
         park.compare_exchange_strong(asleep, uint32_t(ParkState::woken), std::memory_order_seq_cst);
}

// Below: member(i), for i < n, is a pointer to what has the ith member's ParkWord `park`, or nullptr.

template <class Member>
bool any_sleeps(const Group& g, uint32_t n, Member&& member) {
  for (uint32_t i = 0; i < n; ++i)
    if (auto* v = member(i); v && sleeps_in(g, v->park)) return true;
  return false;
}

// Some sleeper of the group that fits(*member) is woken, as what `state` says; false: there is none. The park word
// names the group: its members may sleep in another, or in none.
template <class Member, class Fits>
bool wake_some(Group& g, uint32_t n, uint32_t start, ParkState state, Member&& member, Fits&& fits) {
  for (uint32_t i = 0; i < n; ++i) {
    auto* v = member((start + i) % n);
    if (!v || !sleeps_in(g, v->park) || !fits(*v)) continue;
    uint32_t asleep = park_word(g, ParkState::asleep);
    // As in take_from_sleep().
    if (v->park.compare_exchange_strong(asleep, park_word(g, state), std::memory_order_seq_cst))
      return futex_wake(&v->park, 1), true;
  }
  return false;
}

// All who sleep in it, at once. `number`: other than the one rung before, and rung by nobody else: so what a sleeper
// has read of the bell before it was taken from its sleep is another.
template <class Member>
void wake_group(Group& g, int n, uint32_t number, Member&& member) {
  bool any = false;
  for (int i = 0; i < n; ++i) {
    auto* v = member(i);
    if (!v) continue;
    if (!g_waits_for_two) wake(v->park);
    else any |= take_from_sleep(g, v->park);
  }
  if (!any) return;
  g.bell.store(number, std::memory_order_release);  // after the park words: see Group
  futex_wake(&g.bell, INT_MAX);  // not n: who was woken by its own word counts as long as it has not run
}

// The caller was the watcher: another sleeper is now, one that fits before one that does not.
template <class Member, class Fits>
void pass_watch(Group& g, uint32_t n, Member&& member, Fits&& fits) {
  auto any = [](const auto&) { return true; };
  for (;;) {
    if (parked(g.idle.load(std::memory_order_relaxed)) != 0 &&
        (wake_some(g, n, 0, ParkState::made_watcher, member, fits) ||
         wake_some(g, n, 0, ParkState::made_watcher, member, any)))
      return;
    g.watched.store(false, std::memory_order_relaxed);
    full_fence();  // orders the store of watched before the loads of idle and park; pairs with the fence in Sleep
    if (parked(g.idle.load(std::memory_order_relaxed)) == 0) return;
    const bool asleep = any_sleeps(g, n, member);
    // One that has read watched before it was cleared? Then look for it again, unless another is the watcher by now.
    // An update, so only one of several finds it clear; nothing needs its order.
    if (!asleep || g.watched.exchange(true, std::memory_order_seq_cst)) return;
  }
}

}  // namespace einkorn::flow
