#include "runtime/task/urgent.h"

#include <new>

namespace einkorn::runtime {

namespace {
Mutex g_making;

void* get_urgent_memory(size_t bytes) {
  void* p = malloc(bytes);
  if (!p) fatal("out of memory: queue of tasks with a priority");
  return p;
}
}  // namespace

UrgentQueue* UrgentQueue::of(Team* team) {
  // Under the lock also where it is there: two threads may create the first two such tasks.
  g_making.lock();
  if (!team->urgent) team->urgent = new (get_urgent_memory(sizeof(UrgentQueue))) UrgentQueue(team);
  UrgentQueue* q = team->urgent;
  g_making.unlock();
  return q;
}

void UrgentQueue::push(Team* team, Task* t, int priority) {
  lock_.lock();
  Level** at = &highest_;
  while (*at && (*at)->priority > priority) at = &(*at)->lower;
  if (!*at || (*at)->priority != priority)
    *at = new (get_urgent_memory(sizeof(Level))) Level{priority, *at, nullptr, nullptr};
  Level* l = *at;
  set_next(t, nullptr);
  set_before(t, l->tail);
  if (l->tail) set_next(l->tail, t);
  else l->head = t;
  l->tail = t;
  // Release: whoever sees the count sees team->urgent.
  team->urgent_tasks.fetch_add(1, std::memory_order_release);
  lock_.unlock();
}

void urgent_after_fork() { new (&g_making) Mutex; }

}  // namespace einkorn::runtime
