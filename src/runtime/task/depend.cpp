#include "runtime/task/depend.h"

#include <new>

#include "runtime/task/capture.h"
#include "runtime/task/dep_table.h"
#include "runtime/task/fast.h"
#include "runtime/team/placed.h"
#include "runtime/observe/dependences.h"
#include "runtime/sync/wait.h"

namespace einkorn::runtime {

namespace {

// Where a task is in taking its mutexes is its node's stage, which is 0 when it begins; the mutex's lock orders it.
bool take_mutexes(TaskExtra* x) {
  DepItem* items = items_of(x);
  for (uint32_t i = uint32_t(x->node.stage()); i < x->items && items[i].mutex; ++i) {
    DepMutex* m = items[i].mutex;
    m->lock.lock();
    if (m->held) {
      x->node.set_stage(int32_t(i) + 1);  // it is handed over: go on behind it
      x->next_in_line = nullptr;
      if (m->last) m->last->next_in_line = x;
      else m->first = x;
      m->last = x;
      m->lock.unlock();
      return false;
    }
    m->held = true;
    m->lock.unlock();
  }
  return true;
}

// What a release leaves to be done.
struct Releasing {
  Team* team;
  bool keeps;
  Task* next = nullptr;
  TaskExtra* joints = nullptr;  // ready ones: one can stand before another, and so on, so a loop instead of a recursion
};

// The predecessors have ended and the mutexes are taken. Where the thread waits at the outermost level, tasks run in
// the order in which they become ready, which mostly is that of their creation: what neighbours in the program have in
// common (pages, lines that were fetched ahead) is still there, as it is not where each is followed by its own
// successor at once. Inside a task the youngest goes first: only what descends from that task may run in its wait, and
// that is on top of the queue. So too outside all regions: run_queued().
inline void queue(Worker* w, TaskExtra* x, Releasing& r) {
  Task* t = x->task;
  if (EK_UNLIKELY(r.team != w->team) || EK_UNLIKELY(w->fulfills)) return push_elsewhere(r.team, t);
  if (EK_UNLIKELY(t->flags & (kTaskPriority | kTaskDetach)) || w->current->depth != 0 ||
      EK_UNLIKELY(r.team->level == 0) || is_placed(w, t))
    return push_task(w, t);
  Slot* slot = w->slot;
  if (r.keeps && r.next == nullptr && slot->inbox.seems_empty() && slot->deque.seems_empty()) {
    r.next = t;
    return;
  }
  note_tasks(w);
  slot->inbox.push(t);
  after_push(w);
}

EK_NOINLINE void release_mutexes(Worker* w, TaskExtra* x, Releasing& r) {
  DepItem* items = items_of(x);
  for (uint32_t i = 0; i < x->items && items[i].mutex; ++i) {
    DepMutex* m = items[i].mutex;
    m->lock.lock();
    TaskExtra* next = m->first;
    if (next) {
      m->first = next->next_in_line;
      if (!m->first) m->last = nullptr;
    } else {
      m->held = false;
    }
    m->lock.unlock();
    unname(m);
    if (next && take_mutexes(next)) queue(w, next, r);
  }
}

// x waits for nobody any more.
inline void ready(Worker* w, TaskExtra* x, Releasing& r) {
  if (EK_UNLIKELY(x->more_links != nullptr)) free_links(x);
  if (EK_UNLIKELY(x->kind == TaskExtra::of_joint)) {
    x->next_in_line = r.joints;
    r.joints = x;
    return;
  }
  if (EK_UNLIKELY(x->excludes)) {
    x->node.set_stage(0);
    if (!take_mutexes(x)) return;
  }
  queue(w, x, r);
}

// The whole list. The task's block may be gone by now.
void release_successors(Worker* w, uintptr_t head, Releasing& r) {
  // Made by the creator, mostly on another CPU: the lines that this thread will need come all at once.
  auto fetch = [](DepLink* link) {
    auto* t = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(link) & ~uintptr_t(kCacheLine - 1)) - kCacheLine);
    fetch_to_write(t);
    fetch_to_write(t + offsetof(DependentTask, extra));
  };
  flow::Node<TaskExtra>::for_each(head, fetch, [&](TaskExtra* succ) {
    if (EK_UNLIKELY(succ->kind == TaskExtra::of_wait)) {
      // Read before: its thread may go on, and free it, as soon as it is counted down.
      WorkerId waiter = succ->waiter;
      if (succ->node.count_down_for_sleeper()) wake(g_workers[waiter]);
    } else if (succ->node.count_down()) {
      ready(w, succ, r);
    }
  });
}

void release_joints(Worker* w, Releasing& r) {
  while (TaskExtra* x = r.joints) {
    r.joints = x->next_in_line;
    x->next_in_line = nullptr;
    Task* empty = x->task;  // before: from the end on the creator may free the node
    uintptr_t head = x->node.close();
    if (x->node.is_dropped(head)) free_extra_block(w, x);
    if (x->node.has_successors(head)) release_successors(w, head, r);
    if (empty) end_task_anywhere(w, empty, r.team);  // like any other it counts as ended when its successors know
  }
}

EK_NOINLINE void clear_table(Worker* w, TaskExtra* x) {
  x->table->clear(w);
  free(x->table);
}

void fill_items(TaskExtra* x, const Dependence* list, int count) {
  DepItem* items = items_of(x);
  for (int i = 0; i < count; ++i) items[i] = {list[i].address, list[i].bytes, list[i].mode, nullptr};
}

size_t bytes_behind(int count) { return size_t(count) * (sizeof(DepItem) + sizeof(DepLink)); }

}  // namespace

void start(Worker* w, TaskExtra* x) {
  Releasing r{w->team, false};
  ready(w, x, r);
  if (EK_UNLIKELY(r.joints != nullptr)) release_joints(w, r);
}

TaskExtra* make_extra(Worker* w, Task* t, size_t bytes_behind) {
  EK_ASSERT(!(t->flags & kTaskOnStack));
  if (t->flags & kTaskImplicit) {
    TaskExtra* x = &slot_of_implicit(t)->implicit_extra;
    init_extra(x, t);
    t->flags |= kTaskExtra;
    return x;
  }
  TaskExtra* x = new_extra_block(w, bytes_behind);
  init_extra(x, t);
  if (TaskExtra* old = extra_of(t)) {
    x->table = old->table;
    x->tool = old->tool;
    old->tool = nullptr;
    x->event.store(old->event.load(std::memory_order_relaxed), std::memory_order_relaxed);
    x->priority = old->priority;
    free_extra_block(w, old);
  }
  last_word(t) = x;
  t->flags |= kTaskExtra;
  return x;
}

TaskExtra* begin_dependent(Worker* w, Task* t, uint16_t flags, uint32_t count, char** data) {
  init_short(w, t, flags | kTaskExtra | kTaskNode);
  TaskExtra* x = extra_in_block(t);
  init_extra(x, t);
  x->kind = TaskExtra::of_this_task;
  x->items = count;
  x->home = t->home;
  x->size_class = t->size_class;
  last_word(t) = x;
  auto* end = reinterpret_cast<DepLink*>(items_of(x) + count) + links_behind(count, true);
  *data = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(end) + 15) & ~uintptr_t(15));
  return x;
}

TaskExtra* begin_dependent(Worker* w, Task* t, uint16_t flags, uint32_t count) {
  init_short(w, t, flags | kTaskExtra);
  TaskExtra* x = new_extra_block(w, bytes_behind(int(count)));
  init_extra(x, t);
  x->items = count;
  last_word(t) = x;
  return x;
}

void submit_dependent(Worker* w, Task* t, const Dependence* list, int count) {
  TaskExtra* x = make_extra(w, t, bytes_behind(count));
  x->items = uint32_t(count);
  observe::queued_with(w, t, list, count);
  if (is_placed(w, t)) place_dependent(w, t, list, count);
  fill_items(x, list, count);
  submit_begun(w, t, x);
}

void order_dependences(Worker* w, const Dependence* list, int count) {
  // Who waits for the current task's children, its group or the team waits for it, too.
  own_task(w);
  Task* t = new_block(w, 0);
  init_task(w, t, 0);
  count_task(w, t);
  TaskExtra* x = new_extra_block(w, bytes_behind(count));
  init_extra(x, t);
  x->kind = TaskExtra::of_joint;
  x->items = uint32_t(count);
  fill_items(x, list, count);
  // It holds no mutex: there is no body.
  for (DepItem* item = items_of(x); item != items_of(x) + count; ++item)
    if (item->mode == kDepMutexInOutSet) item->mode = kDepOut;
  add_to_table(w, x);
}

namespace {

// told: the wait as a tool knows it, if there is one.
void wait(Worker* w, const Dependence* list, int count, tool::TaskData* told) {
  TaskExtra* mine = extra_of(w->current);
  if (!mine || !mine->table) return;
  TaskExtra* x = new_extra_block(w, 0);
  init_extra(x, nullptr);
  x->kind = TaskExtra::of_wait;
  x->waiter = w->id;
  x->tool = told;
  Adding adding{x};
  for (int i = 0; i < count; ++i) mine->table->follow(adding, list[i]);
  if (!publish(w, adding)) wait_for_predecessors(w, x);
  x->tool = nullptr;
  free_links(x);
  free_extra_block(w, x);
}

}  // namespace

constexpr char kWaits[] = "a wait for dependences (a taskwait, or a task with an if clause that is false)";

void wait_for_dependences(Worker* w, const Dependence* list, int count, Caller ra) {
  refuse_if_captures(w, kWaits);
  if (EK_LIKELY(w->stream == nullptr)) return wait(w, list, count, nullptr);
  observe::DependentWait observed(w, list, count, ra, false, 0);
  wait(w, list, count, observed.told());
}

void wait_for_dependences_at(Worker* w, const Dependence* list, int count, Caller ra, uint32_t site) {
  refuse_if_captures(w, kWaits);
  if (EK_LIKELY(w->stream == nullptr)) return wait(w, list, count, nullptr);
  observe::DependentWait observed(w, list, count, ra, true, site);
  wait(w, list, count, observed.told());
}

void taskwait_depend(Worker* w, const Dependence* list, int count, Caller ra, uint16_t site_flags) {
  wait_for_dependences_at(w, list, count, ra, observe::taskwait_site(w, site_flags, ra));
}

void taskwait_depend_nowait(Worker* w, const Dependence* list, int count, Caller ra, uint16_t site_flags) {
  refuse_if_captures(w, "a taskwait");
  observe::ordered_without_wait(w, list, count, ra, site_flags);
  if (has_unfinished_tasks(w)) order_dependences(w, list, count);
}

namespace {

inline void release_rest(Worker* w, Releasing& r) {
  if (EK_UNLIKELY(r.joints != nullptr)) release_joints(w, r);
}

// A block of its own: frees or drops it.
void release_extra(Worker* w, Task* t, Releasing& r) {
  TaskExtra* x = extra_of(t);
  if (EK_UNLIKELY(x->table != nullptr)) clear_table(w, x);
  if (EK_UNLIKELY(!x->items)) return free_extra_block(w, x);
  if (EK_UNLIKELY(x->excludes)) release_mutexes(w, x, r);
  uintptr_t head = x->node.close();
  if (x->node.is_dropped(head)) free_extra_block(w, x);
  if (x->node.has_successors(head)) release_successors(w, head, r);
  release_rest(w, r);
}

// The task's block goes with the node. False: not yet, the task has children that have not ended.
inline bool release_node(Worker* w, Task* t, Releasing& r) {
  TaskExtra* x = extra_in_block(t);
  if (EK_UNLIKELY(x->table != nullptr)) clear_table(w, x);
  if (EK_UNLIKELY(x->excludes)) release_mutexes(w, x, r);
  const bool last = nothing_left_of(t);
  uintptr_t head = x->node.close(EK_UNLIKELY(!last));
  if (EK_LIKELY(last) && x->node.is_dropped(head)) free_block(w, t);
  if (x->node.has_successors(head)) release_successors(w, head, r);
  release_rest(w, r);
  return last;
}

}  // namespace

void release_extra(Worker* w, Task* t, Team* team) {
  Releasing r{team, false};
  release_extra(w, t, r);
}

template <bool batch, bool keeps>
Task* end_task_with_extra(Worker* w, Task* t) {
  Task* p = t->parent;
  Taskgroup* g = t->group;
  Releasing r{w->team, keeps};
  bool last;
  if (EK_LIKELY(t->flags & kTaskNode)) {
    last = release_node(w, t, r);
  } else {
    // Acquire: what the thread that fulfilled it did before. Release: the body, for the thread that will end the task.
    if ((t->flags & kTaskDetach) && !(extra_of(t)->event.fetch_or(kBodyDone, std::memory_order_acq_rel) & kFulfilled))
      return keep_credit_of(w, w->current->group), nullptr;
    release_extra(w, t, r);
    last = nothing_left_of(t);
    if (EK_LIKELY(last)) free_block(w, t);
  }
  if (EK_LIKELY(last)) {
    count_end<batch>(w, p, g);
  } else {
    end_with_children(w, t, w->team);
    // Release: the body, and that its children were counted as created, for no_tasks().
    add(w->slot->executed, std::memory_order_release);
  }
  return r.next;
}
template Task* end_task_with_extra<false, false>(Worker* w, Task* t);
template Task* end_task_with_extra<false, true>(Worker* w, Task* t);
template Task* end_task_with_extra<true, true>(Worker* w, Task* t);

void let_go_of_node(Worker* w, Task* t) {
  if (extra_in_block(t)->node.let_go()) free_block(w, t);
}

void release_implicit_extra(Worker* w, Slot* slot) {
  TaskExtra* x = &slot->implicit_extra;
  if (x->table) clear_table(w, x);
  slot->implicit.flags &= uint16_t(~kTaskExtra);
}

}  // namespace einkorn::runtime
