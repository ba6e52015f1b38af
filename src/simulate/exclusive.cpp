// Tasks of one mutexinoutset set: one at a time, in the order in which they come. Who waits for a set keeps those that
// it has, as in the runtime: all take theirs in one order.
#include "simulate/replay.h"

namespace einkorn::simulate {

double Engine::ready(uint32_t w, uint32_t task, double now, bool source) {
  const Task& t = p_.tasks[task];
  for (; t.sets > 0 && !t.undeferred && has_sets_[task] < t.sets; ++has_sets_[task]) {
    SetState& set = sets_[p_.exclusive[t.first_set + has_sets_[task]]];
    if (set.held) return set.waiting.push_back(task), 0;
    set.held = true;
  }
  return push(w, task, now, source);
}

double Engine::leave_sets(uint32_t w, const Task& t, double now) {
  double cost = 0;
  for (uint32_t i = 0; i < t.sets && !t.undeferred; ++i) {
    SetState& set = sets_[p_.exclusive[t.first_set + i]];
    if (set.waiting.empty()) {
      set.held = false;
      continue;
    }
    const uint32_t next = set.waiting.front();  // it has been handed over
    set.waiting.pop_front();
    ++has_sets_[next];
    cost += ready(w, next, now, false);
  }
  return cost;
}

}  // namespace einkorn::simulate
