// What gcc's programs wait for: tasks, groups of them, events. libgomp 12: task.c.
#include "abi/abi.h"
#include "abi/gomp_depend.h"
#include "runtime/task/task.h"

using namespace einkorn::abi;

EK_EXPORT void GOMP_taskwait_depend(void** depend) {
  const GompDepends depends{depend};
  auto* list = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * (depends.count() + 1)));
  depends.read(list);
  taskwait_depend(self(), list, int(depends.count()), EK_CALLER, 0);
}

EK_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
  const GompDepends depends{depend};
  auto* list = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * (depends.count() + 1)));
  depends.read(list);
  taskwait_depend_nowait(self(), list, int(depends.count()), EK_CALLER, 0);
}

EK_EXPORT void omp_fulfill_event(uintptr_t event);
EK_EXPORT void omp_fulfill_event_(uintptr_t event) { omp_fulfill_event(event); }  // Fortran, by value
EK_EXPORT void omp_fulfill_event(uintptr_t event) { fulfill_event(self(), reinterpret_cast<Task*>(event)); }

EK_EXPORT void GOMP_taskwait() { taskwait(self(), EK_CALLER, 0); }
EK_EXPORT void GOMP_taskyield() { taskyield(self(), EK_CALLER, 0); }

EK_EXPORT void GOMP_taskgroup_start() {
  Worker* w = self();
  taskgroup_begin(w, new_group(w), EK_CALLER, 0);
}

EK_EXPORT void GOMP_taskgroup_end() {
  Worker* w = self();
  Taskgroup* g = w->current->group;
  if (!g) fatal("GOMP_taskgroup_end without GOMP_taskgroup_start");
  taskgroup_end(w, EK_CALLER, 0);
  free_group(w, g);
}
