// The way to what few tasks have (TaskExtra in types.h).
#pragma once
#include "runtime/task/blocks.h"

namespace einkorn::runtime {

inline Slot* slot_of_implicit(Task* t) {
  return reinterpret_cast<Slot*>(reinterpret_cast<char*>(t) - offsetof(Slot, implicit));
}

// nullptr where the task has none.
inline TaskExtra* extra_of(Task* t) {
  if (!(t->flags & kTaskExtra)) return nullptr;
  if (t->flags & kTaskImplicit) return &slot_of_implicit(t)->implicit_extra;
  return static_cast<TaskExtra*>(last_word(t));
}

inline void init_extra(TaskExtra* x, Task* t) {
  x->task = t;
  x->table = nullptr;
  x->tool = nullptr;
  x->node.init();
  x->more_links = nullptr;
  x->event.store(0, std::memory_order_relaxed);
  x->priority = 0;
  x->items = 0;
  x->excludes = 0;
  x->kind = TaskExtra::of_task;
}

// By the thread that creates or runs the task, which must not lie on a stack (kTaskOnStack: those never need one).
// Where the task has one already, that is replaced by a larger.
TaskExtra* make_extra(Worker* w, Task* t, size_t bytes_behind = 0);

inline TaskExtra* new_extra_block(Worker* w, size_t bytes_behind) {
  // new_block() adds the size of a Task itself, which is that of a TaskExtra.
  return reinterpret_cast<TaskExtra*>(new_block(w, bytes_behind));
}
namespace tool {
void free_data(Worker* w, TaskExtra* x);
}
inline void free_extra_block(Worker* w, TaskExtra* x) {
  if (EK_UNLIKELY(x->tool != nullptr)) tool::free_data(w, x);
  free_block(w, reinterpret_cast<Task*>(x));
}

inline TaskExtra* need_extra(Worker* w, Task* t) {
  TaskExtra* x = extra_of(t);
  return x ? x : make_extra(w, t);
}

// The team that a task belongs to: its implicit ancestor's, which has no parent. All ancestors of a task that has not
// ended are there; their flags may be changing just now.
inline Team* team_of(Task* t) {
  while (t->parent != nullptr) t = t->parent;
  return slot_of_implicit(t)->team;
}

}  // namespace einkorn::runtime
