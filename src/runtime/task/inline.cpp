#include "runtime/task/inline.h"

namespace einkorn::runtime {

bool asks_for_tiny(Worker* w, bool dependent) {
  const uint32_t created = w->current->created;
  schedule::Creation made{};
  made.creator = w->current;
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
