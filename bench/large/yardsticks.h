// The published algorithms of barriers and locks, in our own words, for the timed platform: what the runtime's are held
// against.
#pragma once
#include <new>

#include "base/platform.h"

namespace large {

// Memory that several threads use: on lines of its own, gone after the run.
template <class T>
T* shared_array(size_t count) {
  T* all = static_cast<T*>(einkorn::allocate(sizeof(T) * count));
  for (size_t i = 0; i < count; ++i) new (all + i) T();
  return all;
}

struct alignas(64) Word {
  std::atomic<uint32_t> value{0};
};

// One counter and one generation, as libgomp's: all add to the counter, the last one starts anew and changes the
// generation, at which the others look.
class CentralBarrier {
 public:
  explicit CentralBarrier(int threads) : threads_(threads), words_(shared_array<Word>(2)) {}
  void wait(int) {
    std::atomic<uint32_t>&arrived = words_[0].value, &generation = words_[1].value;
    const uint32_t now = generation.load(std::memory_order_acquire);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == uint32_t(threads_)) {
      arrived.store(0, std::memory_order_relaxed);
      generation.store(now + 1, std::memory_order_release);
    }
    while (generation.load(std::memory_order_acquire) == now) einkorn::pause();
  }

 private:
  int threads_;
  Word* words_;
};

// A tree of branches of four, as libomp's hyper barrier has them: each waits for its children's words, then writes its
// own; released by words of their own, from the root down.
class TreeBarrier {
 public:
  explicit TreeBarrier(int threads)
      : threads_(threads),
        up_(shared_array<Word>(size_t(threads))),
        down_(shared_array<Word>(size_t(threads))),
        rounds_(shared_array<Word>(size_t(threads))) {}
  void wait(int me) {
    const uint32_t round = rounds_[me].value.load(std::memory_order_relaxed) + 1;
    rounds_[me].value.store(round, std::memory_order_relaxed);
    each_child(me, [&](int child) {
      while (up_[child].value.load(std::memory_order_acquire) != round) einkorn::pause();
    });
    if (me != 0) {
      up_[me].value.store(round, std::memory_order_release);
      while (down_[me].value.load(std::memory_order_acquire) != round) einkorn::pause();
    }
    each_child(me, [&](int child) { down_[child].value.store(round, std::memory_order_release); });
  }

 private:
  static constexpr int kBranches = 4;
  template <class F>
  void each_child(int me, F&& f) const {
    for (int i = 1; i <= kBranches; ++i)
      if (const int child = kBranches * me + i; child < threads_) f(child);
  }
  int threads_;
  Word *up_, *down_, *rounds_;
};

// Hensgen, Finkel and Manber 1988: in round r each tells who is 2^r further.
class DisseminationBarrier {
 public:
  explicit DisseminationBarrier(int threads) : threads_(threads) {
    while (1 << rounds_ < threads) ++rounds_;
    words_ = shared_array<Word>(size_t(threads) * size_t(rounds_ + 1));
  }
  void wait(int me) {
    std::atomic<uint32_t>& own = at(me, rounds_);
    const uint32_t number = own.load(std::memory_order_relaxed) + 1;
    own.store(number, std::memory_order_relaxed);
    for (int r = 0; r < rounds_; ++r) {
      at((me + (1 << r)) % threads_, r).store(number, std::memory_order_release);
      while (int32_t(at(me, r).load(std::memory_order_acquire) - number) < 0) einkorn::pause();
    }
  }

 private:
  std::atomic<uint32_t>& at(int thread, int round) const {
    return words_[size_t(thread) * size_t(rounds_ + 1) + size_t(round)].value;
  }
  int threads_, rounds_ = 0;
  Word* words_;
};

class TicketLock {
 public:
  explicit TicketLock(int) : words_(shared_array<Word>(2)) {}
  void lock(int) {
    const uint32_t mine = words_[0].value.fetch_add(1, std::memory_order_acq_rel);
    while (words_[1].value.load(std::memory_order_acquire) != mine) einkorn::pause();
  }
  void unlock(int) {
    std::atomic<uint32_t>& serves = words_[1].value;
    serves.store(serves.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  Word* words_;
};

// Mellor-Crummey and Scott 1991: who waits looks at a word of its own.
class McsLock {
 public:
  explicit McsLock(int threads)
      : tail_(shared_array<Word>(1)),
        next_(shared_array<Word>(size_t(threads))),
        waits_(shared_array<Word>(size_t(threads))) {}
  void lock(int me) {
    next_[me].value.store(0, std::memory_order_relaxed);
    waits_[me].value.store(1, std::memory_order_relaxed);
    const uint32_t before = tail_->value.exchange(uint32_t(me) + 1, std::memory_order_acq_rel);
    if (before == 0) return;
    next_[before - 1].value.store(uint32_t(me) + 1, std::memory_order_release);
    while (waits_[me].value.load(std::memory_order_acquire) != 0) einkorn::pause();
  }
  void unlock(int me) {
    if (next_[me].value.load(std::memory_order_acquire) == 0) {
      uint32_t own = uint32_t(me) + 1;
      if (tail_->value.compare_exchange_strong(own, 0, std::memory_order_acq_rel)) return;
      while (next_[me].value.load(std::memory_order_acquire) == 0) einkorn::pause();
    }
    waits_[next_[me].value.load(std::memory_order_relaxed) - 1].value.store(0, std::memory_order_release);
  }

 private:
  Word *tail_, *next_, *waits_;
};

}  // namespace large
