#include "runtime/task/inline.h"

namespace einkorn::runtime {

namespace {

// OpenMP 5.1, 2.12.1: the thread that meets a task construct may immediately execute the task, or defer its execution.
// A task that waits for an event, and what follows others, is not asked about: its creator would have to wait.
bool is_cut_off(const Worker* w, const void* function) {
  const hints::Hint* h = hint_for(hints::Construct::task, function);
  return h != nullptr && h->cutoff >= 0 && int64_t(w->current->depth) + w->calls >= h->cutoff;
}

}  // namespace

bool take_priority(Worker* w, Task* t, const void* function, bool clause) {
  const hints::Hint* h = hint_for(hints::Construct::task, function);
  if (h == nullptr || h->priority == 0) return clause;
  if (clause) return hint_is_refused(h, "the task has a priority clause"), true;
  // Whatever OMP_MAX_TASK_PRIORITY says: that is for the program's own.
  need_extra(w, t)->priority = int(h->priority);
  t->flags |= kTaskPriority;
  return true;
}

bool asks_for_tiny(Worker* w, bool dependent, const void* function) {
  if (EK_UNLIKELY(g_cuts_off)) return !dependent && is_cut_off(w, function);
  const uint32_t created = w->current->created;
  schedule::Creation made{};
  made.creator = w->current;
  made.function = w->current->flags & kTaskImplicit ? function_of_region(w->team) : nullptr;
  made.created = created;
  made.created_beside = uint32_t(w->slot->created.load(std::memory_order_relaxed)) - created;
  made.now = ticks();
  made.ticks_in_2_20_ns = g_ticks_in_2_20_ns;
  made.dependent = dependent;
  made.recorded = w->stream != nullptr;
  made.placed = !g_config.schedule->is_default || w->hints != nullptr;
  const schedule::TinyAnswer answer = schedule::tiny_at_once(w->inlining, made);
  if (answer.queue > 0) w->slot->deque.allow(answer.queue);
  if (answer.queues_no_more) w->slot->deque.limit(0);
  return answer.at_once;
}

}  // namespace einkorn::runtime
