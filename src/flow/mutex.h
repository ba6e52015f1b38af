// A lock of four bytes that sleeps: the futex mutex of Drepper, "Futexes are tricky", with some looks before.
// Serves omp_lock_t, critical, and the runtime's own rare paths.
#pragma once
#include "base/platform.h"
#include "flow/lock_queue.h"
#include "schedule/lock_looks.h"

namespace einkorn::flow {

// In the child of a fork only the forking thread lives. A lock that another thread held would stay held for ever, so
// what the program locks (critical, omp_lock_t) notes its holder; in the child, workers below g_gone_below but
// g_survivor are gone. Both are written while the child has one thread.
inline uint32_t g_gone_below = 0, g_survivor = 0;
inline bool gone_with_fork(uint32_t worker) { return worker < g_gone_below && worker != g_survivor; }

// A thread that looks at a lock, awake, and how many do so: at this one, or at another that shares the count. Relaxed:
// it decides how often each looks.
class Onlooker {
  struct alignas(kCacheLine) Line {
    std::atomic<int> count{0};
  };

 public:
  Onlooker() = default;
  Onlooker(const Onlooker&) = delete;
  ~Onlooker() { leaves(); }
  void looks_at(const void* lock) {
    if (count_) {
      all_ = count_->load(std::memory_order_relaxed);
    } else {
      // Mixed (Fibonacci hashing): the locks of a team's slots lie at one stride.
      count_ = &g_lines[uintptr_t(lock) / kCacheLine * 0x9E3779B97F4A7C15u >> (64 - kLogLines)].count;
      all_ = count_->fetch_add(1, std::memory_order_relaxed) + 1;
    }
  }
  void leaves() {
    if (count_) count_->fetch_sub(1, std::memory_order_relaxed);
    count_ = nullptr;
  }
  int all() const { return all_; }
  // In the child of a fork, whose thread is none.
  static void forget() {
    for (Line& l : g_lines) l.count.store(0, std::memory_order_relaxed);
    LockQueue::forget();
  }

 private:
  static constexpr int kLogLines = 6, kLines = 1 << kLogLines;
  static Line g_lines[kLines];
  std::atomic<int>* count_ = nullptr;
  int all_ = 1;
};
inline Onlooker::Line Onlooker::g_lines[kLines];

// state: 0 free; else kHeld, kSleepers if somebody may sleep, and from bit 2 on the holder's Worker::id + 1, or 0 for a
// lock that is not the program's. Only the holder writes 0. Whoever sets kHeld does so with acquire, and unlock()
// clears it with release: what was done under the lock comes before the next one who holds it. All else is relaxed: a
// look at the word, or kSleepers, which orders nothing: the kernel compares the word again before it lets anybody
// sleep.
class Mutex {
 public:
  static uint32_t holder(uint32_t worker) { return (worker + 1) << 2; }

  bool try_lock(uint32_t who = 0) {
    return EK_LIKELY(lock_if_free(who)) || (EK_UNLIKELY(g_gone_below != 0) && take_over(who));
  }
  // Only if nobody holds it, not even a thread that went with a fork. What fails here is for lock().
  bool lock_if_free(uint32_t who) {
    uint32_t state = 0;
    return state_.compare_exchange_strong(state, kHeld | who, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void lock(uint32_t who = 0) {
    if (EK_UNLIKELY(!try_lock(who))) lock_slow(who, false, sleeps);
  }
  // The same for sections of any length: a program's.
  template <class Stays>
  void lock_while(uint32_t who, Stays&& stays) {
    if (EK_UNLIKELY(!try_lock(who))) lock_slow(who, false, stays);
  }
  // The same for one of so many that a crowd of them waits in turn (flow/lock_queue.h).
  template <class Stays>
  void lock_in_turn(uint32_t who, Stays&& stays) {
    if (EK_UNLIKELY(!try_lock(who))) lock_slow<true>(who, false, stays);
  }
  // For who may meet a holder in membarrier(2), which takes as long as a sleep and a wake: stays awake that long, and
  // is none of the crowd, as it is the owner of what the lock protects.
  void lock_patiently() {
    if (EK_UNLIKELY(!try_lock())) lock_slow(0, true, sleeps);
  }
  // true: somebody may have slept, and was woken: a system call.
  bool unlock() {
    EK_ASSERT(state_.load(std::memory_order_relaxed) != 0);
    if (EK_LIKELY(!(state_.exchange(0, std::memory_order_release) & kSleepers))) return false;
    return wake_sleeper(), true;
  }
  bool held() const { return state_.load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr uint32_t kHeld = 1, kSleepers = 2;
  static int sleeps(int) { return 0; }

  EK_NOINLINE void wake_sleeper() { futex_wake(&state_, 1); }

  // From a holder that went with a fork; others may try it as well.
  EK_NOINLINE bool take_over(uint32_t who) {
    uint32_t state = state_.load(std::memory_order_relaxed);
    return state >> 2 != 0 && gone_with_fork((state >> 2) - 1) &&
           state_.compare_exchange_strong(state, kHeld | kSleepers | who, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  // stays(pauses): has looked in vain so often that it would sleep: after how many pauses does it look again (so many,
  // it is thought), 0: it sleeps?
  template <bool kInTurn = false, class Stays>
  EK_NOINLINE void lock_slow(uint32_t who, bool patient, Stays&& stays) {
    if (look<kInTurn>(who, patient, stays)) return;
    for (;;) {
      uint32_t state = 0;
      // As one of several sleepers, maybe: our unlock() wakes the next.
      if (state_.compare_exchange_strong(state, kHeld | kSleepers | who, std::memory_order_acquire,
                                         std::memory_order_relaxed))
        return;
      if ((state & kSleepers) || state_.compare_exchange_strong(state, state | kSleepers, std::memory_order_relaxed,
                                                                std::memory_order_relaxed))
        futex_wait(&state_, state | kSleepers);
      // Whoever woke us released it, and often has it again by now: a wake takes longer than a section. To sleep at
      // once would be to miss its next end as well, and to cost it a wake each time.
      if (look<kInTurn>(kSleepers | who, patient, stays)) return;
    }
  }

  // Stays awake for a while. true: it is ours.
  template <bool kInTurn, class Stays>
  bool look(uint32_t who, bool patient, Stays&& stays) {
    schedule::LockLooks looks(patient ? schedule::LockLooks::kPatience : schedule::LockLooks::kShort);
    Onlooker me;
    for (uint32_t before = 0;;) {
      if constexpr (kInTurn)
        if (LockQueue& queue = LockQueue::of(this); queue.is_for(this))
          return me.leaves(), look_in_turn(who, looks, stays, queue);
      const uint32_t state = state_.load(std::memory_order_relaxed);
      int gap = looks.next(me.all());
      if (gap == 0) gap = stays(schedule::LockLooks::later_gap(state >> 2 == before >> 2, me.all()));
      if (gap == 0) return false;
      if (state == 0 && try_lock(who)) return true;
      before = state;
      pause(gap);
      if (looks.stays() && !patient) me.looks_at(this);
      if constexpr (kInTurn) LockQueue::of(this).gathers(this, me.all());
    }
  }

  // The same in a queue, which it leaves with the lock or before it sleeps: behind another one it looks at a line of
  // its own, and seldom at the lock; as the first one at the lock. Nothing here orders anything but try_lock().
  template <class Stays>
  bool look_in_turn(uint32_t who, schedule::LockLooks& looks, Stays&& stays, LockQueue& queue) {
    LockTurn turn(queue);
    while (!turn.is_first()) {
      for (int left = turn.gap(); left > 0 && !turn.is_first();) {
        int gap = looks.rest(left);
        if (gap == 0) gap = stays(looks.longest(left));
        if (gap == 0) return false;
        turn.waits(gap);
        left = gap > 1 ? left - gap : 0;  // one: it was a yield
      }
      if (!turn.is_first() && state_.load(std::memory_order_relaxed) == 0 && try_lock(who)) return true;
    }
    // A look that takes the lock's line for itself at once, as nobody else looks; where the section is a long one, the
    // holder may use what else lies there.
    for (int looked = 0;; ++looked) {
      const bool eager = looked < schedule::LockLooks::kEagerLooks;
      if ((eager || state_.load(std::memory_order_relaxed) == 0) && try_lock(who)) return true;
      int gap = looks.rest(eager ? 1 : schedule::LockLooks::kLongSectionGap);
      if (gap == 0) gap = stays(eager ? 1 : schedule::LockLooks::kLongSectionGap);
      if (gap == 0) return false;
      pause(gap);
    }
  }

  std::atomic<uint32_t> state_{0};
};
static_assert(sizeof(Mutex) == 4);

}  // namespace einkorn::flow
