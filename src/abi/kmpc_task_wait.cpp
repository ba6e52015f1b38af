// What clang's programs wait for: tasks, groups of them, events. LLVM 19: kmp_tasking.cpp.
#include "abi/kmpc_depend.h"
#include "runtime/task/kmp_body.h"

using namespace einkorn::abi;

// if(false) and depend: before __kmpc_omp_task_begin_if0().
EK_EXPORT void __kmpc_omp_wait_deps(const Ident* loc, int32_t, int32_t count, const KmpDepend* list, int32_t more,
                                    const KmpDepend* further) {
  const KmpDepends depends{count, list, more, further};
  auto* read = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * (depends.count() + 1)));
  depends.read(read);
  using namespace einkorn::record;
  Worker* w = self();
  const uint32_t site = kmp_site(w, Construct::task, kSiteUndeferred | kSiteHasDepend, nullptr, EK_CALLER, loc);
  wait_for_dependences_at(w, read, int(depends.count()), EK_CALLER, site);
}

EK_EXPORT void __kmpc_omp_taskwait_deps_51(const Ident*, int32_t, int32_t count, const KmpDepend* list, int32_t more,
                                           const KmpDepend* further, int32_t nowait) {
  const KmpDepends depends{count, list, more, further};
  auto* read = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * (depends.count() + 1)));
  depends.read(read);
  Worker* w = self();
  if (!nowait) taskwait_depend(w, read, int(depends.count()), EK_CALLER, einkorn::record::kSiteClang);
  else taskwait_depend_nowait(w, read, int(depends.count()), EK_CALLER, einkorn::record::kSiteClang);
}

// detach: the handle of the event. Between allocation and submission.
EK_EXPORT void* __kmpc_task_allow_completion_event(const Ident*, int32_t, KmpTask* kt) {
  make_detachable(self(), task_of(kt));
  return task_of(kt);
}

// A proxy task's work is done elsewhere (libomptarget); by which thread does not matter here.
EK_EXPORT void __kmpc_proxy_task_completed(int32_t, KmpTask* kt) { fulfill_event(self(), task_of(kt)); }
EK_EXPORT void __kmpc_proxy_task_completed_ooo(KmpTask* kt) { fulfill_event(self(), task_of(kt)); }

EK_EXPORT int32_t __kmpc_omp_taskwait(const Ident*, int32_t) {
  taskwait(self(), EK_CALLER, einkorn::record::kSiteClang);
  return 0;
}
EK_EXPORT int32_t __kmpc_omp_taskyield(const Ident*, int32_t, int) {
  taskyield(self(), EK_CALLER, einkorn::record::kSiteClang);
  return 0;
}

EK_EXPORT void __kmpc_taskgroup(const Ident*, int32_t) {
  Worker* w = self();
  taskgroup_begin(w, new_group(w), EK_CALLER, einkorn::record::kSiteClang);
}
EK_EXPORT void __kmpc_end_taskgroup(const Ident*, int32_t) {
  Worker* w = self();
  if (!w->current->group) fatal("__kmpc_end_taskgroup without __kmpc_taskgroup");
  end_kmp_group(w, EK_CALLER);
}
