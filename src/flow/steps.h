// How far a thread has got, which others wait for: point to point, where a barrier would make all wait for all.
#pragma once
#include "base/platform.h"

namespace einkorn::flow {

// One thread posts, by and by; any thread waits. A post is a plain store, whose line may be on its way while the owner
// looks for the others' already. Two threads that wait for each other have theirs on one line (codelet/beside.h).
//
// word_: how many were posted << 1, modulo 2^31 | kEnded. Always true: who sleeps counts in sleepers_, and has looked
// at the word behind its fence; so a post either is what it saw, or sees that it sleeps.
class Steps {
 public:
  // By its owner: the first `number` are done. The numbers count up by one. Release: all that it did before, for who
  // finds it by the acquire in reached().
  void post(uint32_t number) { change(number << 1); }
  // By its owner, once: no more come, and nobody has to wait for them.
  void end() { change(word_.load(std::memory_order_relaxed) | kEnded); }

  bool reached(uint32_t number) const { return reached(word_.load(std::memory_order_acquire), number); }

  // By one who looks in vain, and posts on the same line itself: brings the line to where it will be written, instead
  // of to be read first and once more for the post.
  void fetch() const { fetch_to_write(&word_); }

  // Sleeps until reached(number), if it is not.
  void sleep_until(uint32_t number) {
    if (reached(number)) return;
    sleepers_.fetch_add(1, std::memory_order_relaxed);
    heavy_fence();  // orders the update of sleepers_ before the look at word_; pairs with light_fence() in change()
    for (;;) {
      const uint32_t now = word_.load(std::memory_order_acquire);
      if (reached(now, number)) break;
      futex_wait(&word_, now);
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kEnded = 1;

  static bool reached(uint32_t word, uint32_t number) {
    return (word & kEnded) != 0 || int32_t(word - (number << 1)) >= 0;
  }
  void change(uint32_t to) {
    word_.store(to, std::memory_order_release);
    light_fence();  // orders the store of word_ before the load of sleepers_; pairs with heavy_fence() in sleep_until()
    if (EK_UNLIKELY(sleepers_.load(std::memory_order_relaxed) != 0)) futex_wake(&word_, INT_MAX);
  }

  std::atomic<uint32_t> word_{0};
  std::atomic<uint32_t> sleepers_{0};
};

}  // namespace einkorn::flow
