#include "runtime/task/cancel.h"

#include "runtime/sync/reduction.h"
#include "runtime/loop/share.h"
#include "runtime/task/task.h"
#include "runtime/sync/wait.h"

namespace einkorn::runtime {

namespace {

// Changes with every barrier, and not between two for a thread that is there.
uint64_t share_tag(const Team* team) {
  return uint64_t(1) << 32 | team->inner_barrier.load(std::memory_order_relaxed) >> 32;
}

bool share_is_cancelled(const Team* team) {
  return team->share_cancelled.load(std::memory_order_relaxed) == share_tag(team);
}

// Everybody who waits within the region looks again.
void wake_region(Team* team) {
  full_fence();  // orders the store of cancelled before the load of idle; pairs with heavy_fence() in sleep()
  int n = team->n;
  if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, n);
  for (int i = 0; i < Team::kShares; ++i) signal(team->shares[i].event, team->shares[i].waiters);
}

}  // namespace

// A group that was cancelled cancels those inside it. All of the chain are alive: the task that opened a group belongs
// to the next one out, or opened that too. Acquire: what the task that cancelled had done; pairs with cancel().
bool group_cancelled(const Taskgroup* g) {
  for (; g; g = g->outer)
    if (g->cancelled.load(std::memory_order_acquire)) return true;
  return false;
}

bool cancel(Worker* w, int construct) {
  if (!g_config.cancellation) return false;
  Team* team = w->team;
  switch (construct) {
    case kCancelParallel:
      // Outside all regions there is nothing to leave, and nobody would reset it.
      if (team->level == 0) return true;
      // Release: what this thread has done, for who leaves the region for it; pairs with region_cancelled().
      team->cancelled.store(true, std::memory_order_release);
      team->cancel_event.fetch_add(1, std::memory_order_release);  // who sees it sees `cancelled`
      futex_wake(&team->cancel_event, INT_MAX);
      wake_region(team);
      return true;
    case kCancelLoop:
    case kCancelSections: {
      // A thread alone leaves, and that is all: its barriers may do nothing, so none would end the cancellation.
      if (team->n == 1) return true;
      team->share_cancelled.store(share_tag(team), std::memory_order_relaxed);
      WorkShare* s = w->view.share;
      if (s && s->kind != LoopKind::static_) s->next.store(s->iterations, std::memory_order_relaxed);
      return true;
    }
    default: {
      Taskgroup* g = w->current->group;
      while (g && g->scope != Taskgroup::of_program) g = g->outer;
      // Release: what this task has done, for who finds its own cancelled; pairs with group_cancelled().
      if (g) g->cancelled.store(true, std::memory_order_release);
      return true;
    }
  }
}

bool cancellation_point(Worker* w, int construct) {
  if (!g_config.cancellation) return false;
  switch (construct) {
    case kCancelParallel: return region_cancelled(w->team);
    case kCancelLoop:
    case kCancelSections: return share_is_cancelled(w->team);
    default: return tasks_cancelled(w);
  }
}

bool tasks_cancelled(const Worker* w) { return region_cancelled(w->team) || group_cancelled(w->current->group); }

bool discards(Worker* w, Task* t) {
  // Copy constructors that have run want their destructors, which are in the body (gcc).
  if (t->flags & kTaskCopied) return false;
  // The second part of a task of clang's that has begun.
  if ((t->flags & kTaskKmp) && static_cast<KmpTask*>(t->body())->part_id != 0) return false;
  if (!region_cancelled(w->team) && !group_cancelled(t->group)) return false;
  t->flags &= uint16_t(~kTaskDetach);  // nobody will fulfil its event
  return true;
}

void drop_open_groups(Worker* w) {
  Task* t = &w->slot->implicit;
  while (Taskgroup* g = t->group) {
    while (has_reductions(g)) abandon_reductions(g);
    t->group = g->outer;
    free_group(w, g);
  }
}

void reset_cancellation(Team* team) {
  team->share_cancelled.store(0, std::memory_order_relaxed);
  if (!team->cancelled.load(std::memory_order_relaxed)) return;
  team->cancelled.store(false, std::memory_order_relaxed);
  // Threads left constructs without a word, or never came to them.
  for (int i = 0; i < Team::kShares; ++i) {
    WorkShare& s = team->shares[i];
    s.state.store(0, std::memory_order_relaxed);
    s.left.store(0, std::memory_order_relaxed);
    free_leftover_reductions(s.reductions);
  }
  for (auto& home : team->shared_reductions) free_leftover_reductions(home);
}

}  // namespace einkorn::runtime
