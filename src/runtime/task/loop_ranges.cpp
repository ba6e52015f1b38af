#include "runtime/task/loop_ranges.h"

namespace einkorn::runtime {

void push_range(Worker* w, RangeLoop& loop, uint64_t first, uint64_t last) {
  Task* t = new_block(w, sizeof(GompBody) + sizeof(LoopRange));
  Task* p = loop.creator;
  t->parent = p;
  t->group = loop.group;
  t->refs.store(Task::kAlive, std::memory_order_relaxed);
  t->record_id = 0;
  t->created = 0;
  t->done = 0;
  t->icv = loop.icv;
  t->depth = loop.depth;
  t->owner.store(kNoWorker, std::memory_order_relaxed);
  t->flags = 0;
  auto* body = static_cast<GompBody*>(t->body());
  auto* range = reinterpret_cast<LoopRange*>(body + 1);
  *range = {&loop, first, last};
  *body = {loop.run, range};
  if (loop.done) loop.ranges.fetch_add(1, std::memory_order_relaxed);
  note_tasks(w);
  // The range that is split has not ended, so that the creator's children are not all done in between.
  if (p->owner.load(std::memory_order_relaxed) == w->id) ++p->created;
  else p->refs.fetch_sub(1, std::memory_order_relaxed);
  if (t->group) join_group(w, t->group);
  add(w->slot->created, std::memory_order_relaxed);
  w->slot->deque.push(t);
  after_push(w);
}

void start_ranges(Worker* w, RangeLoop& loop) {
  const uint64_t tasks = loop.split.tasks();
  if (tasks == 0) return loop.done ? loop.done(w, &loop) : void();
  const auto credit = uint32_t(tasks < RangeLoop::kMostRanges ? tasks : RangeLoop::kMostRanges);
  loop.creator->created += credit;
  loop.creator->refs.fetch_add(credit, std::memory_order_relaxed);
  push_range(w, loop, 0, tasks);
}

}  // namespace einkorn::runtime
