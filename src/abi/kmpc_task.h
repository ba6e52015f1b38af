// What clang's entry points for tasks and for taskloop share.
#pragma once
#include "abi/kmpc.h"

namespace einkorn::abi {

using record::Construct;
using Entry = int32_t (*)(int32_t, KmpTask*);

inline Task* task_of(KmpTask* kt) { return reinterpret_cast<Task*>(kt) - 1; }

inline uint16_t site_flags(const Worker* w, const Task* t, bool undeferred) {
  using namespace einkorn::record;
  return uint16_t(kSiteClang | (undeferred ? kSiteUndeferred : 0) | (t->flags & kTaskFinal ? kSiteFinal : 0) |
                  (t->flags & kTaskUntied ? kSiteUntied : 0) | (w->current->flags & kTaskFinal ? kSiteIncluded : 0));
}

inline uint32_t site_of(Worker* w, Construct c, Task* t, bool undeferred, const void* fn, const void* ra, const Ident* loc,
                        uint16_t more = 0) {
  return w->stream ? w->stream->site(c, site_flags(w, t, undeferred) | more, fn, ra, source_of(loc)) : 0;
}

inline void destroy_privates(Worker* w, Task* t, KmpTask* kt) {
  if (t->flags & kTaskDestructors) reinterpret_cast<Entry>(kt->data1)(w->id, kt);
}

// The compiler stored the priority after the task was allocated.
inline void set_priority(Worker* w, Task* t, const KmpTask* kt) {
  int priority = int(intptr_t(kt->data2));
  if (priority > g_config.max_task_priority) priority = g_config.max_task_priority;
  if (priority > 0) need_extra(w, t)->priority = priority;
  else t->flags &= uint16_t(~kTaskPriority);
}

// Runs a task now; defined in kmpc_task.cpp.
void run_now(Worker* w, Task* t, uint32_t site, Caller caller, bool depends = false, const Range* range = nullptr);

}  // namespace einkorn::abi
