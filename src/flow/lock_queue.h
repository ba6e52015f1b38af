// Of a crowd that waits for one lock, awake, only the first one looks at it; each of the others looks at a line of its
// own, and is told when it is the first. For large teams: tunables::kLooksApart.
#pragma once
#include "base/platform.h"

namespace einkorn::flow {

// All of that is advice on when to look, and so all of it is relaxed: who has the lock is decided at its word alone
// (flow/mutex.h), which orders what was done under it. No order between two words of the queue is relied on, either:
// the turn is lost to nobody because each of the two who decide about a place changes it in one update. Whoever waits
// here looks at the lock out of turn now and then (LockTurn::gap()), so a first one that is not on its CPU, or was
// cancelled, holds up nobody for long; and one far behind it, who sees that nobody had a turn meanwhile, begins a new
// one.
//
// Queues are none of a lock's memory, which may be gone as soon as it was released: they are found by its address. Of
// two crowds that share a queue one has it.
class LockQueue {
 public:
  // From so many on, all awake at one lock, they wait in turn, until there are so few. Two that look cost a hand-over
  // two ways of the lock's line; to wait in turn costs three, but no more with hundreds.
  static constexpr int kCrowd = 9, kFew = 4;
  static inline int g_crowd = kCrowd;  // a variable for tests' sake alone: few of many threads are awake on two CPUs

  static LockQueue& of(const void* lock) {
    // Mixed (Fibonacci hashing): the locks of a team's slots lie at one stride.
    return g_queues[uintptr_t(lock) / kCacheLine * 0x9E3779B97F4A7C15u >> (64 - kLogQueues)];
  }
  bool is_for(const void* lock) const { return lock_.load(std::memory_order_relaxed) == lock; }
  // So many look at the lock: do they wait in turn from here on?
  void gathers(const void* lock, int looking) {
    if (EK_LIKELY(looking < g_crowd)) return;
    const void* other = lock_.load(std::memory_order_relaxed);
    if (other == nullptr || (other != lock && is_empty())) lock_.store(lock, std::memory_order_relaxed);
  }
  // Is it the turn of who comes next? So it is when all have gone.
  bool is_empty() const {
    const uint32_t next = numbers_.load(std::memory_order_relaxed);
    return places_[next % kPlaces].word.load(std::memory_order_relaxed) == turn_of(next);
  }

  // In the child of a fork, whose thread is in none.
  static void forget() {
    for (LockQueue& q : g_queues) {
      if (q.lock_.load(std::memory_order_relaxed)) q.lock_.store(nullptr, std::memory_order_relaxed);
      if (q.numbers_.load(std::memory_order_relaxed) == 0) continue;  // its places are as they were made
      q.numbers_.store(0, std::memory_order_relaxed);
      q.passed_.store(0, std::memory_order_relaxed);
      for (Place& p : q.places_) p.word.store(0, std::memory_order_relaxed);
    }
  }

 private:
  friend class LockTurn;
  // More threads than places that wait at once only look out of turn more often. Memory of queues that nobody uses is
  // never touched.
  static constexpr int kLogQueues = 4, kPlaces = 512;
  static constexpr uint32_t kStep = 8;

  // turn_of(n): it is number n's turn; gone(n): that one went before. Else what an earlier number of this place left.
  struct alignas(kCacheLine) Place {
    std::atomic<uint32_t> word{0};
  };
  static uint32_t turn_of(uint32_t number) { return number * 2; }
  static uint32_t gone(uint32_t number) { return number * 2 + 1; }
  std::atomic<uint32_t>& place(uint32_t number) { return places_[number % kPlaces].word; }

  alignas(kCacheLine) std::atomic<const void*> lock_{nullptr};
  alignas(kCacheLine) std::atomic<uint32_t> numbers_{0};  // given
  // About: up to which number turns have been passed on. Of kStep that pass it on one writes it: all would cost a
  // hand-over a third more.
  alignas(kCacheLine) std::atomic<uint32_t> passed_{0};
  Place places_[kPlaces];

  static LockQueue g_queues[1 << kLogQueues];
};
inline LockQueue LockQueue::g_queues[1 << kLogQueues];

// A thread in a queue, until it leaves: with the lock, or to sleep.
class LockTurn {
 public:
  explicit LockTurn(LockQueue& queue)
      : queue_(queue),
        number_(queue.numbers_.fetch_add(1, std::memory_order_relaxed)),
        passed_(queue.passed_.load(std::memory_order_relaxed)) {}
  LockTurn(const LockTurn&) = delete;
  ~LockTurn() {
    // Updates: either who leaves sees that it is its turn, or who passes it on that the other has gone.
    if (!is_first())
      first_ = own_place().exchange(LockQueue::gone(number_), std::memory_order_relaxed) == LockQueue::turn_of(number_);
    if (first_ || nobody_passes()) pass_on();
  }

  bool is_first() {
    return first_ || (first_ = own_place().load(std::memory_order_relaxed) == LockQueue::turn_of(number_));
  }
  // After how many pauses to look out of turn: of all who wait one does so every kGap pauses.
  int gap() const {
    const auto before_it = int32_t(number_ - passed_);
    return kGap * (before_it < 1 ? 1 : before_it < kMostCounted ? before_it : kMostCounted);
  }
  // So many pauses, or until it is first.
  void waits(int pauses) {
    for (int i = 0; i < pauses && !is_first(); ++i) pause();
  }

 private:
  static constexpr int kGap = 64, kMostCounted = 512;  // 1 ms and a half: what a thread may miss

  std::atomic<uint32_t>& own_place() { return queue_.place(number_); }
  // Has the turn not moved since this one came, though it came far behind it? Who has it has been without a CPU for
  // long or is gone for ever, or waited when there were more than places. From here on another one is first. A turn
  // that is passed on behind it ends where this one has been.
  bool nobody_passes() const {
    return int32_t(number_ - passed_) >= int32_t(2 * LockQueue::kStep) &&
           passed_ == queue_.passed_.load(std::memory_order_relaxed);
  }
  void pass_on() {
    // Late: others have begun new turns, and one who came kPlaces later has had its place.
    if (const uint32_t now = own_place().load(std::memory_order_relaxed);
        now != LockQueue::turn_of(number_) && now != LockQueue::gone(number_))
      return;
    uint32_t next = number_ + 1;
    while (queue_.place(next).exchange(LockQueue::turn_of(next), std::memory_order_relaxed) == LockQueue::gone(next))
      ++next;
    if (next / LockQueue::kStep == number_ / LockQueue::kStep) return;
    queue_.passed_.store(next, std::memory_order_relaxed);
    if (int32_t(queue_.numbers_.load(std::memory_order_relaxed) - next) < LockQueue::kFew)
      queue_.lock_.store(nullptr, std::memory_order_relaxed);
  }

  LockQueue& queue_;
  bool first_ = false;
  const uint32_t number_, passed_;  // its own; up to where turns had been passed on when it came
};

}  // namespace einkorn::flow
