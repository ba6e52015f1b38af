// A tool's view of explicit tasks.
#include "runtime/task/extra.h"
#include "runtime/observe/tool.h"

namespace einkorn::runtime::tool {

namespace {

int told_flags(const Task* t) {
  return ompt_task_explicit | (t->flags & kTaskUntied ? ompt_task_untied : 0) |
         (t->flags & kTaskFinal ? ompt_task_final : 0);
}

void schedule(TaskData* prior, ompt_task_status_t status, TaskData* next) {
  if (auto f = callback<ompt_callback_task_schedule_t>(ompt_callback_task_schedule))
    f(&prior->data, status, next ? &next->data : nullptr);
}

void place(Worker* w, TaskData* t) {
  t->team = w->team;
  t->thread_num = w->thread_num;
  t->below = w->tool->task;
}

}  // namespace

TaskData* data_of(Task* t) {
  if (t->flags & kTaskImplicit) return slot_of_implicit(t)->tool;
  TaskExtra* x = extra_of(t);
  return x ? static_cast<TaskData*>(x->tool) : nullptr;
}

void task_create(Worker* w, Task* t, int flags, bool depends, Caller caller) {
  TaskExtra* x = need_extra(w, t);
  auto* d = static_cast<TaskData*>(new_block(w, sizeof(TaskData))->body());
  *d = TaskData{};
  x->tool = d;
  d->flags = told_flags(t) | flags;
  d->team = w->team;
  TaskData* creator = w->tool->task;
  if (auto f = callback<ompt_callback_task_create_t>(ompt_callback_task_create))
    f(&creator->data, &creator->frame, &d->data, d->flags, depends, caller);
}

void free_data(Worker* w, TaskExtra* x) {
  free_block(w, reinterpret_cast<Task*>(x->tool) - 1);
  x->tool = nullptr;
}

void task_create_end(Worker* w, Task* t) {
  if (auto f = callback<ompx_callback_task_create_end_t>(kEvents + ompx_callback_task_create_end))
    f(&w->tool->task->data, &data_of(t)->data);
}

void task_range(Worker*, Task* t, uint64_t first, uint64_t count) {
  TaskData* d = data_of(t);
  d->first = first;
  d->count = count;
}

void task_begin(Worker* w, Task* t, void* frame) {
  TaskData* d = data_of(t);
  Thread* me = w->tool;
  place(w, d);
  ompt_task_status_t status = me->yielding ? ompt_task_yield : ompt_task_switch;
  me->yielding = false;
  schedule(d->below, status, d);
  me->task = d;
  d->state_below = me->state;
  me->state = ompt_state_work_parallel;
  set_exit_frame(w, frame);
  if (d->count) dispatch(w, ompt_dispatch_taskloop_chunk, d->first, d->count);
}

void task_leave(Worker* w, ompt_task_status_t status) {
  Thread* me = w->tool;
  TaskData* d = me->task;
  d->frame = ompt_frame_t{};
  if (me->open_single == d) me->open_single = nullptr;
  me->task = d->below;
  if (d->cancelled && status == ompt_task_complete) status = ompt_task_cancel;
  schedule(d, status, d->below);
  d->below = nullptr;
  me->state = d->state_below;
}

void task_fulfill(Worker*, Task* t, bool late) {
  TaskData* d = data_of(t);
  if (d) schedule(d, late ? ompt_task_late_fulfill : ompt_task_early_fulfill, nullptr);
}

void dependences(Worker*, TaskData* t, const ompt_dependence_t* list, int count) {
  if (auto f = callback<ompt_callback_dependences_t>(ompt_callback_dependences)) f(&t->data, list, count);
}

void doacross(Worker* w, bool source, const uint64_t* vec, int count) {
  auto* list = static_cast<ompt_dependence_t*>(__builtin_alloca(sizeof(ompt_dependence_t) * size_t(count)));
  for (int i = 0; i < count; ++i) {
    list[i].variable.value = vec[i];
    list[i].dependence_type = source ? ompt_dependence_type_source : ompt_dependence_type_sink;
  }
  dependences(w, w->tool->task, list, count);
}

void task_dependence(TaskData* source, TaskData* sink) {
  if (auto f = callback<ompt_callback_task_dependence_t>(ompt_callback_task_dependence)) f(&source->data, &sink->data);
}

void taskwait_begin(Worker* w, TaskData* t, Caller caller) {
  *t = TaskData{};
  t->flags = ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable;
  t->team = w->team;
  TaskData* creator = w->tool->task;
  if (auto f = callback<ompt_callback_task_create_t>(ompt_callback_task_create))
    f(&creator->data, &creator->frame, &t->data, t->flags, 1, caller);
}

void taskwait_end(Worker*, TaskData* t) { schedule(t, ompt_taskwait_complete, nullptr); }

}  // namespace einkorn::runtime::tool
