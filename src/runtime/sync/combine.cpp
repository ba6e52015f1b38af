#include "runtime/sync/combine.h"

#include <algorithm>

#include "runtime/sync/barrier.h"
#include "runtime/sync/halted.h"
#include "runtime/sync/sleep.h"
#include "runtime/sync/wait.h"

namespace einkorn::runtime {

bool combines_along_tree(const Team* team) {
  const int n = team->n.load(std::memory_order_relaxed);
  return n > g_few_combine && n <= team->cpus && team->groups != nullptr && !team->one_thread && !g_config.cancellation;
}

bool combine(Worker* w, void* own, CombineValues combine_values) {
  Team* team = w->team;
  const int line = g_arrivals_a_line, n = team->n.load(std::memory_order_relaxed);
  // Where a thread's values go into another's: in the first group of which it is not the first. Thread 0's stay, and it
  // waits for the last group of all.
  Combining* end = nullptr;
  Groups where(team, w->slot);
  for (int all = n; all > 1; where.up(), all = groups_of(all)) {
    end = &where.group()->combining;
    if (where.index % line != 0) break;
  }
  // Nobody is through that one before this thread has come.
  const uint32_t before = end->over.load(std::memory_order_relaxed);

  Groups at(team, w->slot);
  void* values = own;
  for (int all = n; all > 1; at.up(), all = groups_of(all)) {
    Combining& c = at.group()->combining;
    const int place = at.index % line, members = std::min(line, all - (at.index - place));
    c.values[place] = values;
    // Release: the values, and where they are. Acquire: the others', for the last one.
    if (int(c.arrived.fetch_add(1, std::memory_order_acq_rel)) + 1 < members) break;
    for (int i = 1; i < members; ++i) combine_values(c.values[0], c.values[i]);
    values = c.values[0];
    c.arrived.store(0, std::memory_order_relaxed);  // who comes to the next reduction has seen `over`
    // Release: what was read of the others' values, which they may use again, and that `arrived` is 0; and all values
    // together, for thread 0. Nobody else writes it.
    c.over.store(c.over.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    flow::signal(c.event, c.waiters);
  }
  // Acquire: pairs with the release of `over`.
  auto done = [=] { return end->over.load(std::memory_order_acquire) != before; };
  if (!done()) {
    const Halted halted(w);
    record::Stream* s = w->stream;
    if (s) s->idle_begin(ticks());
    wait_event(end->event, end->waiters, StaysAwake(w), done);
    if (s) s->idle_end(ticks());
  }
  return w->thread_num == 0;
}

}  // namespace einkorn::runtime
