// A team's tasks with a priority: looked into before all other queues, highest priority first. Priorities are rare (a
// program's count for nothing while OMP_MAX_TASK_PRIORITY is 0), so a lock is good enough; teams without them pay one
// load.
#pragma once
#include <climits>

#include "runtime/task/extra.h"

namespace einkorn::runtime {

class UrgentQueue {
 public:
  // The team's, made where it has none.
  static UrgentQueue* of(Team* team);

  void push(Team* team, Task* t, int priority);

  // One of the highest priority of which there are some that are `allowed`; nullptr where there is none, or, without
  // `wait`, the lock is taken. any: all are, or none: the oldest. Else the youngest: who waits in a task may only run
  // what descends from that, which mostly is what came last. It looks at few of the others, and at all of them only
  // when it has looked at as many since it last did (`refused`, the thread's own): else each wait would take as long as
  // the queue is.
  template <class Allowed>
  Task* take(uint32_t& refused, Allowed&& allowed, bool any, bool wait = false) {
    if (EK_UNLIKELY(wait)) lock_.lock();
    else if (!lock_.try_lock()) return nullptr;
    const bool all = wait || refused >= team_->urgent_tasks.load(std::memory_order_relaxed);
    int left = all ? INT_MAX : kMostRefused;
    Task* found = nullptr;
    for (Level* l = highest_; l && !found && left > 0; l = l->lower)
      for (Task* t = any ? l->head : l->tail; t && left > 0; t = any ? nullptr : before(t), --left)
        if (allowed(t)) {
          take_out(l, t);
          found = t;
          break;
        }
    if (!any) refused = found || all ? 0 : refused + kMostRefused;
    if (found) team_->urgent_tasks.fetch_sub(1, std::memory_order_relaxed);
    lock_.unlock();
    return found;
  }

 private:
  struct Level {
    int priority;
    Level* lower;
    Task *head, *tail;  // through Task::link(), and back through TaskExtra::next_in_line
  };
  static constexpr int kMostRefused = 32;
  static Task* next(Task* t) { return *t->link(); }
  static void set_next(Task* t, Task* to) { *t->link() = to; }
  static Task* before(Task* t) {
    TaskExtra* x = extra_of(t)->next_in_line;
    return x ? x->task : nullptr;
  }
  static void set_before(Task* t, Task* to) { extra_of(t)->next_in_line = to ? extra_of(to) : nullptr; }
  static void take_out(Level* l, Task* t) {
    Task *b = before(t), *n = next(t);
    if (b) set_next(b, n);
    else l->head = n;
    if (n) set_before(n, b);
    else l->tail = b;
    set_before(t, nullptr);
  }
  explicit UrgentQueue(Team* team) : team_(team) {}

  Team* team_;
  Mutex lock_;
  Level* highest_ = nullptr;  // levels stay: programs use few
};

void urgent_after_fork();  // in the child: who held a lock is not there any more

}  // namespace einkorn::runtime
