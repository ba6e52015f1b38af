// clang's parallel regions and thread queries. LLVM 19: kmp_csupport.cpp.
#include <cstdarg>

#include "abi/kmpc.h"
#include "runtime/team/team.h"
#include "runtime/observe/tool.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;

// num_threads(strict: list) for the next region; the list follows.
struct einkorn::runtime::PushedThreads {
  bool strict;
  int severity;
  const char* message;
  int count;
  int* values() { return reinterpret_cast<int*>(this + 1); }
};

namespace {

int pushed_threads(Worker* w) {
  int n = w->pushed_threads;
  w->pushed_threads = 0;
  return n;
}

void push(uint32_t count, const int32_t* values, bool strict, int severity, const char* message) {
  Worker* w = self();
  free(w->pushed_list);
  auto* p = static_cast<PushedThreads*>(malloc(sizeof(PushedThreads) + sizeof(int) * count));
  if (!p) fatal("out of memory: num_threads");
  p->strict = strict;
  p->severity = severity;
  p->message = message;
  p->count = int(count);
  for (uint32_t i = 0; i < count; ++i) p->values()[i] = values[i] > 0 ? values[i] : 1;
  w->pushed_list = p;
}

EK_NOINLINE void fork_with_list(Worker* w, void* microtask, Microtask* m, bool cond, Caller ra) {
  PushedThreads* p = w->pushed_list;
  w->pushed_list = nullptr;
  int asked = p->count > 0 ? p->values()[0] : 0;
  w->nested = p->values() + 1;
  w->nested_count = p->count - 1;
  Region r;
  region_begin(w, &r, run_microtask, m, cond ? asked : 1, microtask, ra, einkorn::record::kSiteClang);
  int got = r.team->n;
  if (cond && p->strict && got < asked) fewer_than_strict(asked, got, p->severity == 2, p->message);
  run_microtask(m);
  region_end(w, &r);
  free(p);
}

void fork(Worker* w, void* microtask, int argc, void** argv, bool cond, Caller ra) {
  Microtask m{microtask, argc, argv};
  int threads = pushed_threads(w);
  if (EK_UNLIKELY(w->pushed_list != nullptr)) return fork_with_list(w, microtask, &m, cond, ra);
  parallel(w, run_microtask, &m, cond ? threads : 1, microtask, ra, einkorn::record::kSiteClang);
}

}  // namespace

EK_EXPORT void __kmpc_fork_call(const Ident*, int32_t argc, void* microtask, ...) {
  auto** argv = static_cast<void**>(__builtin_alloca(sizeof(void*) * size_t(argc < kArgvRoom ? kArgvRoom : argc)));
  va_list args;
  va_start(args, microtask);
  for (int i = 0; i < argc; ++i) argv[i] = va_arg(args, void*);
  va_end(args);
  fork(self(), microtask, argc, argv, true, EK_CALLER);
}

// args is the region's only argument.
EK_EXPORT void __kmpc_fork_call_if(const Ident*, int32_t argc, void* microtask, int32_t cond, void* args) {
  void* argv[kArgvRoom] = {args};
  fork(self(), microtask, argc < 1 ? argc : 1, argv, cond != 0, EK_CALLER);
}

EK_EXPORT void __kmpc_push_num_threads(const Ident*, int32_t, int32_t n) { self()->pushed_threads = n > 0 ? n : 0; }
EK_EXPORT void __kmpc_push_num_threads_strict(const Ident*, int32_t, int32_t n, int severity, const char* message) {
  push(1, &n, true, severity, message);
}
EK_EXPORT void __kmpc_push_num_threads_list(const Ident*, int32_t, uint32_t count, const int32_t* list) {
  push(count, list, false, 0, nullptr);
}
EK_EXPORT void __kmpc_push_num_threads_list_strict(const Ident*, int32_t, uint32_t count, const int32_t* list,
                                                   int severity, const char* message) {
  push(count, list, true, severity, message);
}
EK_EXPORT void __kmpc_pop_num_threads(const Ident*, int32_t) {}
// clang's numbers: 2 master, 3 close, 4 spread, 5 primary; others say nothing.
EK_EXPORT void __kmpc_push_proc_bind(const Ident*, int32_t, int policy) {
  if (policy == 5) policy = 2;
  self()->pushed_bind = policy >= 2 && policy <= 4 ? ProcBind(policy) : ProcBind::off;
}

// if(false): the compiler calls the outlined function itself between these two.
EK_EXPORT void __kmpc_serialized_parallel(const Ident*, int32_t) {
  Worker* w = self();
  w->pushed_threads = 0;
  free(w->pushed_list);
  w->pushed_list = nullptr;
  region_begin(w, push_region(w), nullptr, nullptr, 1, nullptr, EK_CALLER, einkorn::record::kSiteClang);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::set_exit_frame(w, EK_CALLERS_FRAME);
}
EK_EXPORT void __kmpc_end_serialized_parallel(const Ident*, int32_t) {
  Worker* w = self();
  region_end(w, w->open_regions);
  pop_region(w);
}

EK_EXPORT int32_t __kmpc_global_thread_num(const Ident*) { return self()->id; }
EK_EXPORT int32_t __kmpc_global_num_threads(const Ident*) { return 1 + g_busy_threads.load(std::memory_order_relaxed); }
EK_EXPORT int32_t __kmpc_bound_thread_num(const Ident*) { return self()->thread_num; }
EK_EXPORT int32_t __kmpc_bound_num_threads(const Ident*) { return self()->team->n; }
EK_EXPORT int32_t __kmpc_in_parallel(const Ident*) { return self()->team->active_level > 0; }
EK_EXPORT int32_t __kmpc_ok_to_fork(const Ident*) { return 1; }
EK_EXPORT void __kmpc_begin(const Ident*, int32_t) {}
EK_EXPORT void __kmpc_end(const Ident*) {}
