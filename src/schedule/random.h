// Random numbers, and by them the order in which the default's thieves look into queues.
#pragma once
#include <cstdint>

namespace einkorn::schedule {

// One worker's state; seed differs from worker to worker. xorshift32 (Marsaglia 2003): never 0.
struct RandomState {
  uint32_t x = 2463534242u;
};

inline uint32_t next_random(RandomState& s) {
  s.x ^= s.x << 13;
  s.x ^= s.x >> 17;
  s.x ^= s.x << 5;
  return s.x;
}

// A sweep over all queues but the worker's own: starts at a random one and goes round, so that every queue is asked
// once, and where all are, a failed sweep means that each was seen empty.
class RandomSweep {
 public:
  RandomSweep(RandomState& state, uint32_t self, uint32_t queues)
      : self_(self), queues_(queues), at_(uint32_t((uint64_t(next_random(state)) * queues) >> 32)), left_(queues) {}
  // The next queue to ask, or -1 when all were.
  int next() {
    while (left_ > 0) {
      --left_;
      uint32_t q = at_;
      at_ = at_ + 1 == queues_ ? 0 : at_ + 1;
      if (q != self_) return int(q);
    }
    return -1;
  }

 private:
  uint32_t self_, queues_, at_, left_;
};

}  // namespace einkorn::schedule
