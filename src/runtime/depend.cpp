#include "runtime/depend.h"

#include <new>

#include "runtime/dep_table.h"
#include "runtime/placed.h"
#include "runtime/task.h"
#include "runtime/tool.h"
#include "runtime/wait.h"

namespace einkorn::runtime {

namespace {

// Where a task is in taking its mutexes stands in waits_for, which is 0 when it begins; the mutex's lock orders it.
bool take_mutexes(TaskExtra* x) {
  DepItem* items = items_of(x);
  for (uint32_t i = uint32_t(x->waits_for.load(std::memory_order_relaxed)); i < x->items && items[i].mutex; ++i) {
    DepMutex* m = items[i].mutex;
    m->lock.lock();
    if (m->held) {
      x->waits_for.store(int32_t(i) + 1, std::memory_order_relaxed);  // it is handed over: go on behind it
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

// The predecessors have ended and the mutexes are taken.
void queue(Worker* w, TaskExtra* x, Team* team) {
  if (EK_LIKELY(team == w->team) && EK_LIKELY(!w->fulfills)) return push_task(w, x->task);
  push_elsewhere(team, x->task);
}

void release_mutexes(Worker* w, TaskExtra* x, Team* team) {
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
    if (next && take_mutexes(next)) queue(w, next, team);
  }
}

// x waits for nobody any more. Joints to be released are put on the list.
void ready(Worker* w, TaskExtra* x, Team* team, TaskExtra*& joints) {
  free_links(x);
  if (x->kind == TaskExtra::of_joint) {
    x->next_in_line = joints;
    joints = x;
  } else if (!x->items || !items_of(x)->mutex || take_mutexes(x)) {
    queue(w, x, team);
  }
}

// A joint can stand before another, and so on: a loop instead of a recursion.
void release_joints(Worker* w, TaskExtra* joints, Team* team);

void release_successors(Worker* w, TaskExtra* x, Team* team, TaskExtra*& joints) {
  // Release: what the task wrote comes before its end. Acquire: the links.
  uintptr_t head = x->successors.exchange(kClosed, std::memory_order_acq_rel);
  // From here on the block may be freed by the creator, unless that has let go of it before.
  auto* link = reinterpret_cast<DepLink*>(head & ~(kClosed | kDropped));
  while (link) {
    DepLink* next = link->next;
    TaskExtra* succ = link->successor;
    // Of a wait, read before: its thread may go on, and free it, as soon as it is counted down.
    bool waits = succ->kind == TaskExtra::of_wait;
    WorkerId waiter = waits ? succ->waiter : kNoWorker;
    // Acquire: the last predecessor to end has seen all the others end. seq_cst: also orders this before the load of the
    // waiter's park word in wake(); pairs with heavy_fence() in its sleep().
    if (succ->waits_for.fetch_sub(1, std::memory_order_seq_cst) == 1) {
      if (waits) wake(g_workers[waiter]);
      else ready(w, succ, team, joints);
    }
    link = next;
  }
  if (head & kDropped) free_extra_block(w, x);
}

void release_joints(Worker* w, TaskExtra* joints, Team* team) {
  while (joints) {
    TaskExtra* x = joints;
    joints = x->next_in_line;
    x->next_in_line = nullptr;
    release_successors(w, x, team, joints);
  }
}

DepTable* table_of(Worker* w) {
  TaskExtra* x = need_extra(w, w->current);
  if (!x->table) {
    void* p = malloc(sizeof(DepTable));
    if (!p) fatal("out of memory: dependences of tasks");
    x->table = new (p) DepTable;
  }
  return x->table;
}

// Adds `x` with its list to the current task's table.
void add_to_table(Worker* w, TaskExtra* x, const Dependence* list, int count) {
  DepTable* table = table_of(w);
  DepItem* items = items_of(x);
  x->items = uint32_t(count);
  for (int i = 0; i < count; ++i) {
    uint8_t mode = list[i].mode;
    if (x->kind == TaskExtra::of_joint && mode == kDepMutexInOutSet) mode = kDepOut;  // it holds no mutex: there is no body
    items[i] = {list[i].address, list[i].bytes, mode, nullptr};
  }
  x->waits_for.store(kGuard, std::memory_order_relaxed);
  x->named = 1;  // until all is added
  uint32_t predecessors = 0;
  for (int i = 0; i < count; ++i) table->add(w, x, items[i], predecessors);
  // Those with a mutex first, by address: the order in which they are taken.
  auto after = [](const DepItem& a, const DepItem& b) {
    return b.mutex && (!a.mutex || uintptr_t(a.mutex) > uintptr_t(b.mutex));
  };
  for (int i = 1; i < count; ++i)
    for (int j = i; j > 0 && after(items[j - 1], items[j]); --j) {
      DepItem swap = items[j];
      items[j] = items[j - 1];
      items[j - 1] = swap;
    }
  unname(w, x);
  finish_adding(w, x, predecessors);
}

void tell_dependences(Worker* w, tool::TaskData* t, const Dependence* list, int count) {
  auto* told = static_cast<ompt_dependence_t*>(__builtin_alloca(sizeof(ompt_dependence_t) * size_t(count)));
  for (int i = 0; i < count; ++i) {
    told[i].variable.value = list[i].address;
    switch (list[i].mode) {
      case kDepIn: told[i].dependence_type = ompt_dependence_type_in; break;
      case kDepOut: told[i].dependence_type = ompt_dependence_type_inout; break;  // out and inout are one here
      case kDepMutexInOutSet: told[i].dependence_type = ompt_dependence_type_mutexinoutset; break;
      case kDepInOutSet: told[i].dependence_type = ompt_dependence_type_inoutset; break;
      case kDepAllMemory: told[i].dependence_type = ompt_dependence_type_out_all_memory; break;
    }
  }
  tool::dependences(w, t, told, count);
}

size_t bytes_behind(int count) { return size_t(count) * (sizeof(DepItem) + sizeof(DepLink)); }

}  // namespace

void finish_adding(Worker* w, TaskExtra* x, uint32_t predecessors) {
  TaskExtra* joints = nullptr;
  if (predecessors == 0) x->waits_for.store(0, std::memory_order_relaxed);
  // seq_cst as in release_successors(): the thread that waits is this one.
  else if (x->waits_for.fetch_sub(kGuard - int32_t(predecessors), std::memory_order_seq_cst) != kGuard - int32_t(predecessors))
    return;
  if (x->kind == TaskExtra::of_wait) return;
  if (predecessors == 0 && x->task && is_placed(w, x->task) && x->task->base == kUndecided) x->task->base = kSource;
  ready(w, x, w->team, joints);
  release_joints(w, joints, w->team);
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

void submit_dependent(Worker* w, Task* t, const Dependence* list, int count) {
  TaskExtra* x = make_extra(w, t, bytes_behind(count));
  if (EK_UNLIKELY(w->stream != nullptr)) {
    record_dependences(w->stream, list, count);
    if (w->tool) tell_dependences(w, tool::data_of(t), list, count);
  }
  if (is_placed(w, t)) t->base = kUndecided;
  count_task(w, t);
  add_to_table(w, x, list, count);
}

void order_dependences(Worker* w, const Dependence* list, int count) {
  TaskExtra* x = new_extra_block(w, bytes_behind(count));
  init_extra(x, nullptr);
  x->kind = TaskExtra::of_joint;
  add_to_table(w, x, list, count);
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
  x->waits_for.store(kGuard, std::memory_order_relaxed);
  uint32_t predecessors = 0;
  for (int i = 0; i < count; ++i) mine->table->follow(x, list[i], predecessors);
  finish_adding(w, x, predecessors);
  wait_for_predecessors(w, x);
  x->tool = nullptr;
  free_links(x);
  free_extra_block(w, x);
}

}  // namespace

void wait_for_dependences(Worker* w, const Dependence* list, int count, Caller ra) {
  if (EK_LIKELY(w->tool == nullptr)) return wait(w, list, count, nullptr);
  tool::Inside inside(w, ra, ompt_state_wait_taskwait);
  tool::TaskData told;
  tool::taskwait_begin(w, &told, ra);
  tell_dependences(w, &told, list, count);
  wait(w, list, count, &told);
  tool::taskwait_end(w, &told);
}

void wait_for_dependences_at(Worker* w, const Dependence* list, int count, Caller ra, uint32_t site) {
  record::Stream* s = w->stream;
  if (s) {
    s->wait_begin(record::now(), site);
    record_dependences(s, list, count);
  }
  wait_for_dependences(w, list, count, ra);
  if (s) s->wait_end(record::now());
}

static uint32_t taskwait_site(Worker* w, uint16_t flags, Caller ra) {
  record::Stream* s = w->stream;
  return s ? s->site(record::Construct::taskwait, flags | record::kSiteHasDepend, current_function(w), ra) : 0;
}

void taskwait_depend(Worker* w, const Dependence* list, int count, Caller ra, uint16_t site_flags) {
  wait_for_dependences_at(w, list, count, ra, taskwait_site(w, site_flags, ra));
}

void taskwait_depend_nowait(Worker* w, const Dependence* list, int count, Caller ra, uint16_t site_flags) {
  // Where nothing has to be ordered any more it is recorded all the same: the program's graph does not depend on the schedule.
  if (record::Stream* s = w->stream) {
    s->wait_begin(record::now(), taskwait_site(w, site_flags | record::kSiteNowait, ra));
    record_dependences(s, list, count);
    s->wait_end(record::now());
  }
  if (has_unfinished_tasks(w)) order_dependences(w, list, count);
}

void record_dependences(record::Stream* s, const Dependence* list, int count) {
  for (int i = 0; i < count; ++i) s->depend(list[i].address, list[i].bytes, list[i].mode);
}

void release_extra(Worker* w, Task* t, Team* team) {
  TaskExtra* x = extra_of(t);
  if (x->table) {
    x->table->clear(w);
    free(x->table);
  }
  if (!x->items) return free_extra_block(w, x);
  if (items_of(x)->mutex) release_mutexes(w, x, team);
  TaskExtra* joints = nullptr;
  release_successors(w, x, team, joints);
  release_joints(w, joints, team);
}

void release_implicit_extra(Worker* w, Slot* slot) {
  TaskExtra* x = &slot->implicit_extra;
  if (x->table) {
    x->table->clear(w);
    free(x->table);
  }
  slot->implicit.flags &= uint16_t(~kTaskExtra);
}

}  // namespace einkorn::runtime
