// What is always true of teams and slots (types.h), where it can be asked: in debug builds, at the ends of regions.
// Inline, so that nothing of it is in a library that does not ask.
#pragma once
#include "runtime/sync/sleep.h"
#include "runtime/task/task.h"
#include "runtime/team/placed.h"

namespace einkorn::runtime {

// By the slot's thread, while its current task is the slot's implicit one, at any time: also late, when the team's next
// region has begun.
inline bool slot_stands(Slot& slot) {
  const Team* team = slot.team;
  const Worker* w = slot.worker;
  const Task& t = slot.implicit;
  if (!team || &slot < team->slots || &slot >= team->slots + team->capacity) return false;
  if (!w || w->slot != &slot || w->team != team || &slot != team->slots + w->thread_num || w->current != &t)
    return false;
  if (!(t.flags & kTaskImplicit) || t.parent != nullptr || t.depth != 0) return false;
  return t.owner.load(std::memory_order_relaxed) == w->id && t.base() <= slot.deque.bottom();
}

// The same before it has arrived at the region's last barrier.
inline bool slot_is_valid(Slot& slot) {
  if (!slot_stands(slot)) return false;
  const ptrdiff_t at = &slot - slot.team->slots;
  return !slot.has_tasks || (slot.team->slots_with_tasks[at / 64].load(std::memory_order_relaxed) >> (at % 64) & 1);
}

// Behind that barrier, in which all tasks have ended, and when the implicit task has let go of what it had: nothing is
// queued, nobody is waited for. Of inboxes the primary thread's only: others may get what belongs to the next region.
inline bool slot_is_done(Slot& slot) {
  const Task& t = slot.implicit;
  return slot_stands(slot) && slot.deque.is_valid() && slot.deque.seems_empty() &&
         (&slot != slot.team->slots || slot.inbox.seems_empty()) && nothing_left_of(&t) && t.group == nullptr &&
         !(t.flags & kTaskExtra);
}

// Between regions nothing is queued.
inline bool placed_is_done(const Placed& p) {
  for (size_t i = 0; i < p.layout.places.size(); ++i)
    if (!p.queues[i].is_valid() || p.queues[i].length() != 0) return false;
  return true;
}

// By the primary thread, before it lets the others in and when all have passed the last barrier. A thread that is late
// to leave looks at the team's atomics and writes its own slot, so of other slots only what is constant is asked here.
inline bool team_is_valid(const Team* team) {
  const int n = team->n, capacity = team->capacity;
  if (n < 1 || n > capacity || (capacity & (capacity - 1)) != 0) return false;
  if (uintptr_t(&team->active_level) / kCacheLine != uintptr_t(&team->fn) / kCacheLine) return false;
  if (!team->slots || !team->shares || !team->slots_with_tasks || team->number == 0) return false;
  if (team->level < 0 || team->active_level < 0 || team->active_level > team->level) return false;
  // Nobody is in a barrier.
  if (uint32_t(team->barrier.load(std::memory_order_relaxed)) != 0) return false;
  if (uint32_t(team->inner_barrier.load(std::memory_order_relaxed)) != 0) return false;
  for (int first = 0; team->groups && first < n; first += g_arrivals_a_line)
    if (team->groups[first / g_arrivals_a_line].arrived.load(std::memory_order_relaxed) != 0) return false;
  // And all have begun.
  if (team->unseen.load(std::memory_order_relaxed) != 0) return false;
  const uint64_t idle = team->idle.load(std::memory_order_relaxed);
  // Where they count with their neighbours who is about to sleep, or to wake, is in both for a moment: one a top count.
  const uint64_t both = team->groups ? 2 : 0;
  if (uint64_t(searching(idle)) + parked(idle) > uint64_t(capacity) + both) return false;
  if (team->urgent_tasks.load(std::memory_order_relaxed) != 0) return false;
  for (int i = 0; i < capacity; ++i)
    if (team->slots[i].team != team || (i < n && !worker_of(team->slots[i]))) return false;
  const Placed* placed = team->placed.load(std::memory_order_relaxed);
  return !placed || placed_is_done(*placed);
}

// The same, and the region has not begun: no task and no construct of it has been met, but for the loop that a combined
// construct has set up.
inline bool team_is_fresh(const Team* team) {
  if (!team_is_valid(team) || team->has_tasks.load(std::memory_order_relaxed)) return false;
  if (team->generation != uint32_t(team->barrier.load(std::memory_order_relaxed) >> 32)) return false;
  for (int i = 0; i <= (team->capacity - 1) / 64; ++i)
    if (team->slots_with_tasks[i].load(std::memory_order_relaxed) != 0) return false;
  for (int i = team->first_share_open; i < Team::kShares; ++i)
    if (team->shares[i].state.load(std::memory_order_relaxed) != 0) return false;
  return team->departed.load(std::memory_order_relaxed) == 0 && !team->cancelled.load(std::memory_order_relaxed);
}

}  // namespace einkorn::runtime
