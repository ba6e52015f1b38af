// Loops by static, then steal (schmidl.md 4.2): each thread owns a block of chunks, the one that a static schedule would give
// it, and takes from its front; whose block is done takes from the end of another's.
#pragma once
#include "schedule/types.h"
#include "schedule/victims.h"

namespace einkorn::schedule {

// Whose block to take from; -1: nobody has any. left(t): chunks that thread t has left, may be stale; distance(t): from the
// thread that asks. nearest: of equal ones the next after the thread.
template <class Left, class Distance>
int choose_loop_victim(LoopVictim rule, int self, int threads, RandomState& random, Left&& left, Distance&& distance) {
  int best = -1;
  uint64_t most = 0;
  float least = 0;
  int start = rule == LoopVictim::random ? int(next_random(random) % uint32_t(threads)) : self + 1;
  for (int i = 0; i < threads; ++i) {
    int t = (start + i) % threads;
    uint64_t n = t == self ? 0 : left(t);
    if (n == 0) continue;
    if (rule == LoopVictim::most_loaded) {
      if (n > most) best = t, most = n;
    } else if (rule == LoopVictim::nearest) {
      if (float d = distance(t); best < 0 || d < least) best = t, least = d;
    } else {
      return t;
    }
  }
  return best;
}

}  // namespace einkorn::schedule
