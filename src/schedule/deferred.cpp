// The schedule for tools that look for races: two tasks that nothing orders are run by two threads, if that can be.
// ThreadSanitizer takes what one thread does for ordered, so a race between tasks of one thread stays unseen.
//
// deferred: a task goes to another thread's queue than its creator's, to each in turn. A thread takes what was dealt to
// others only when they have left it for a while. The creator is at the next barrier first, and others may still have
// to be woken: it would often run all tasks.
#include "schedule/freeing.h"
#include "schedule/own_rules.h"
#include "schedule/push.h"

namespace einkorn::schedule {

namespace {

// The n-th turn's worker. Turns shift by one after each round: a loop that makes two tasks, or as many as there are
// threads, would otherwise send all tasks of a kind to the same thread.
uint32_t worker_of(uint32_t turn, uint32_t workers) { return (turn + turn / workers) % workers; }

int next_in_turn(const Context& c, const TaskFacts&) {
  const auto workers = uint32_t(c.layout.workers.size());
  uint32_t to = worker_of(c.view.ticket(), workers);
  // In a team of two the creator has its turn, or one thread would run all.
  if (workers > 2 && to == uint32_t(c.worker)) to = worker_of(c.view.ticket(), workers);
  return c.layout.workers[to].own[0];
}

}  // namespace

const Schedule kDeferred{.name = "deferred",
                         .what =
                             "new tasks to the other cores' queues in turn, idle threads steal late: for tools "
                             "that look for races, and the default where there is one",
                         .select = Select::none,
                         .free = Free::idle,
                         .free_number = int(kMostKept),
                         .helps_late = true,
                         .place_task = next_in_turn};

}  // namespace einkorn::schedule
