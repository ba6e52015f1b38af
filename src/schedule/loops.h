// Loops by static, then steal (schmidl.md 4.2): each thread owns a block of chunks, the one that a static schedule would give
// it, and takes from its front; whose block is done takes from the end of another's.
#pragma once
#include "schedule/layout.h"
#include "schedule/victims.h"

namespace einkorn::schedule {

// Whose block to take from; -1: nobody has any. left(t): chunks that thread t has left, may be stale; node(t): where it is.
// nearest: by distance of the node, of equal ones the next after the thread. Deterministic but for `random`.
template <class Left, class NodeOf>
int choose_loop_victim(LoopVictim rule, int self, int threads, RandomState& random, Left&& left, NodeOf&& node,
                       const Layout* layout) {
  int best = -1;
  uint64_t most = 0;
  float least = 0;
  int start = rule == LoopVictim::random ? int(next_random(random) % uint32_t(threads)) : self + 1;
  for (int i = 0; i < threads; ++i) {
    int t = (start + i) % threads;
    if (t == self) continue;
    uint64_t n = left(t);
    if (n == 0) continue;
    switch (rule) {
      case LoopVictim::none:
      case LoopVictim::random: return t;
      case LoopVictim::most_loaded:
        if (n > most) best = t, most = n;
        break;
      case LoopVictim::nearest: {
        float d = layout ? (node(t) == node(self) ? 0 : layout->distance_between(node(self), node(t))) : 0;
        if (best < 0 || d < least) best = t, least = d;
        break;
      }
    }
  }
  return best;
}

}  // namespace einkorn::schedule
