// The first chunks of a loop, one of each thread's: each is taken by its owner, or, when all else is given out, shared
// by those who ask, an owner that comes late among them.
//
// Invariants: a chunk belongs to the thread that clears its bit. `late_` is what was left of one chunk by who took it
// for its owner, filled only while it is empty; its word never has the same value twice in a loop while it is not
// empty, as iterations are numbered: so there is no ABA. All orders are relaxed: what iterations read and write is
// ordered by the construct's beginning and its barrier. Who looks between another one's claim and what that leaves
// finds nothing: no iteration is lost, as who leaves something comes back for it, but it has one helper less.
#pragma once
#include "base/platform.h"
#include "runtime/loop/range.h"
#include "schedule/loops.h"

namespace einkorn::runtime {

class OwnChunks {
 public:
  static constexpr int kMost = int(schedule::kMostOwnChunks);  // threads

  // By thread `num`, which takes its own without a word, before the others come; the first `chunks` threads, 1 to
  // kMost, have one.
  void open(int num, int chunks) {
    const uint64_t all = ~uint64_t(0) >> (kMost - chunks);
    late_.store(0, std::memory_order_relaxed);
    unclaimed_.store(num < chunks ? all & ~(uint64_t(1) << num) : all, std::memory_order_relaxed);
  }

  bool claim(int num) {
    const uint64_t bit = uint64_t(1) << num;
    return unclaimed_.fetch_and(~bit, std::memory_order_relaxed) & bit;
  }

  // Part of a chunk whose owner has not come. chunk_of(num, first, count): which iterations, < 2^32, are thread num's;
  // size_of(left): how many of so many are taken at once. False: there is nothing.
  template <class ChunkOf, class SizeOf>
  bool take_late(uint64_t& first, uint64_t& count, ChunkOf chunk_of, SizeOf size_of) {
    for (;;) {
      const uint64_t unclaimed = unclaimed_.load(std::memory_order_relaxed);
      uint64_t late = late_.load(std::memory_order_relaxed);
      while (!is_empty(late)) {
        first = begin_of(late), count = size_of(end_of(late) - first);
        if (late_.compare_exchange_weak(late, range(first + count, end_of(late)), std::memory_order_relaxed))
          return true;
      }
      if (unclaimed == 0) return false;
      const int num = __builtin_ctzll(unclaimed);
      uint64_t all;
      chunk_of(num, first, all);
      if (!claim(num)) continue;
      count = size_of(all);
      // Where somebody else has left something there meanwhile, this one takes its own as a whole.
      while (count < all &&
             !late_.compare_exchange_weak(late, range(first + count, first + all), std::memory_order_relaxed))
        if (!is_empty(late)) count = all;
      return true;
    }
  }

 private:
  std::atomic<uint64_t> unclaimed_;  // bit t: thread t has not come for its own, nor another one for it
  std::atomic<uint64_t> late_;
};

}  // namespace einkorn::runtime
