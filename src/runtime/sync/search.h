// A thread that waits looks for a task. Where, in which order and how many it takes is decided by
// schedule::search_queues(), which is compiled in here; this file says how it gets at a team's queues.
#pragma once
#include "base/clock.h"
#include "base/tunables.h"
#include "runtime/sync/sleep.h"
#include "runtime/task/task.h"
#include "runtime/task/urgent.h"
#include "runtime/team/placed.h"
#include "runtime/team/worker.h"

namespace einkorn::runtime {

// Tasks besides the one that the thief runs now: into its own queue, so that it takes them in the order they were made.
// are_long: others may have them, without being hungry yet.
EK_NOINLINE inline void keep_stolen(Worker* w, Task** tasks, int count, bool are_long) {
  note_tasks(w);
  for (int i = 0; i < count; ++i) {
    __builtin_prefetch(tasks[i]);
    __builtin_prefetch(tasks[i] + 1);
  }
  while (count > 0) w->slot->deque.push(tasks[--count]);
  if (are_long) w->slot->deque.publish();
  after_push(w);
}

// From an inbox, several at once, so that its lock is worth it: the others go to the own queue, youngest first.
template <class Allowed>
EK_NOINLINE Task* take_in_order(Worker* w, Inbox<Task>& inbox, int most, Allowed&& allowed, bool last) {
  Task* some[schedule::kMostOfInbox];
  int count = inbox.take_some(some, most, allowed, last);
  for (int i = count; --i > 0;) w->slot->deque.push(some[i]);
  if (count > 1) note_tasks(w), w->published_at = 0, after_push(w);
  return count > 0 ? some[0] : nullptr;
}

// The queues of a team as one of its threads finds them: what search_queues() asks for. A wait says whether any task
// may start meanwhile (kAnyTask), and if so, whether it is not over yet: may_take().
template <class Wait>
struct TeamQueues {
  using Item = Task*;

  Worker* const w;
  const Wait& wait;
  const bool force, last;
  const int looks;
  Team* const team = w->team;
  Slot* const slot = w->slot;
  Task* const constraint = w->current;

  // Captures values: read once, whatever is written meanwhile.
  auto allowed() const {
    return [own = slot, constraint = constraint, w = w, &wait = wait]([[maybe_unused]] const Task* t) {
      if constexpr (Wait::kAnyTask) return wait.may_take(own);
      else return descends(t, constraint) || (w->refused = true, false);
    };
  }

  static constexpr bool any_task() { return Wait::kAnyTask; }
  schedule::RandomState& random() const { return w->random; }
  uint32_t self() const { return uint32_t(slot - team->slots); }
  uint32_t workers() const { return uint32_t(team->n); }
  schedule::Loot<uint64_t>& loot() const { return w->loot; }
  uint64_t now() const { return ticks(); }
  static uint64_t long_task() { return in_ticks(tunables::kLongTask); }

  Task* own() const {
    // Where that asks others it is asked only if there is something.
    if constexpr (requires { wait.may_take_own(); })
      if (!wait.may_take_own()) return nullptr;
    return slot->deque.pop(constraint->base());
  }
  Task* own_inbox(uint32_t most) const {
    return slot->inbox.seems_empty() ? nullptr : take_in_order(w, slot->inbox, int(most), allowed(), last);
  }
  bool beyond(Task** instead) const {
    *instead = nullptr;
    if (!team->has_tasks.load(std::memory_order_relaxed)) return false;
    if (EK_LIKELY(team->placed.load(std::memory_order_relaxed) == nullptr)) return true;
    auto one = allowed();
    auto may = [](const void* c, const Task* t) { return (*static_cast<decltype(one) const*>(c))(t); };
    *instead = search_placed(w, may, &one, Wait::kAnyTask, last);
    return false;
  }

  Slot* victim(int v) const {
    const uint64_t some = team->slots_with_tasks[v / 64].load(std::memory_order_relaxed);
    return some >> (v % 64) & 1 ? &team->slots[v] : nullptr;
  }
  int most_looks() const { return looks; }
  // What is private it asks for only if it may take that.
  bool has(Slot* victim) const {
    return victim->deque.has_public() || ((force || last) && !victim->deque.seems_empty());
  }
  bool inbox_has(Slot* victim, uint32_t least) const {
    return least == 1 ? !victim->inbox.seems_empty() : victim->inbox.seems_to_have(least);
  }
  bool is_stuck(Slot* victim) const {
    return schedule::is_stuck(w->seen[(victim - team->slots) % Worker::kSeen], victim,
                              victim->created.load(std::memory_order_relaxed), ticks(),
                              in_ticks(tunables::kSilentOwner));
  }
  // Of tasks that stay there it leaves word: Worker::refused and Worker::more. The last search before a sleep waits for
  // locks: a queue that another thief holds for a moment is not an empty one.
  template <class Amount>
  Task* steal(Slot* victim, Amount&& amount, bool by_force, bool are_long, uint32_t* taken) const {
    Task* some[schedule::kMostStolen];
    int count;
    Deque<Task>& deque = victim->deque;
    if (deque.steal_some(some, amount, count, by_force, allowed(), last) != Deque<Task>::Steal::taken) return nullptr;
    w->more = count > 1 || !deque.seems_empty();
    if (EK_UNLIKELY(count > 1)) keep_stolen(w, some + 1, count - 1, are_long);
    *taken = uint32_t(count);
    return some[0];
  }
  Task* take_sent(Slot* victim, uint32_t most) const {
    return take_in_order(w, victim->inbox, int(most), allowed(), last);
  }
};

// Takes a task: an urgent one, from the own queue, or another's; with force also what its owner keeps to itself. last:
// it is about to sleep. looks: into so many others' queues, else.
template <class Wait>
Task* search(Worker* w, const Wait& wait, bool force, bool last = false, int looks = schedule::kMostLooks) {
  TeamQueues<Wait> queues{w, wait, force, last, looks};
  // Acquire: `urgent`, made before the first was counted; pairs with UrgentQueue::push().
  if (EK_UNLIKELY(queues.team->urgent_tasks.load(std::memory_order_acquire) != 0))
    if (Task* t = queues.team->urgent->take(w->urgent_refused, queues.allowed(), Wait::kAnyTask, last)) return t;
  return schedule::search_queues(queues);
}

}  // namespace einkorn::runtime
