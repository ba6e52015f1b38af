// A team's tasks with a priority: looked into before all other queues, highest priority first. Priorities are rare (and
// count for nothing while OMP_MAX_TASK_PRIORITY is 0), so a lock is good enough; teams without them pay one load.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

class UrgentQueue {
 public:
  // The team's, made where it has none.
  static UrgentQueue* of(Team* team);

  void push(Team* team, Task* t, int priority);

  // The first of the highest priority that `allowed`; nullptr where there is none (or, without `wait`, the lock is
  // taken).
  template <class Allowed>
  Task* take(Allowed&& allowed, bool wait = false) {
    if (EK_UNLIKELY(wait)) lock_.lock();
    else if (!lock_.try_lock()) return nullptr;
    Task* found = nullptr;
    for (Level* l = highest_; l && !found; l = l->lower) {
      Task* before = nullptr;
      for (Task* t = l->head; t; before = t, t = next(t)) {
        if (!allowed(t)) continue;
        if (before) set_next(before, next(t));
        else l->head = next(t);
        if (l->tail == t) l->tail = before;
        found = t;
        break;
      }
    }
    if (found) team_->urgent_tasks.fetch_sub(1, std::memory_order_relaxed);
    lock_.unlock();
    return found;
  }

 private:
  struct Level {
    int priority;
    Level* lower;
    Task *head, *tail;  // through Task::link()
  };
  static Task* next(Task* t) { return *t->link(); }
  static void set_next(Task* t, Task* to) { *t->link() = to; }
  explicit UrgentQueue(Team* team) : team_(team) {}

  Team* team_;
  Mutex lock_;
  Level* highest_ = nullptr;  // levels stay: programs use few
};

void urgent_after_fork();  // in the child: who held a lock is not there any more

}  // namespace einkorn::runtime
