// clang's task reductions. LLVM 19: kmp_tasking.cpp. Copies are made and initialised when a thread first asks for its
// own.
#include "abi/kmpc.h"
#include "runtime/sync/reduction.h"

using namespace einkorn::abi;

namespace {

// kmp_task_red_input: of compilers before user-defined initialisers that read omp_orig.
struct OldInput {
  void* shared;
  size_t bytes;
  void (*init)(void*, void*);  // takes the first argument only, in the same register
  void (*fini)(void*);
  void (*combine)(void*, void*);
  uint32_t flags;
  static void* source(const OldInput& in) { return in.shared; }
};

// kmp_taskred_input
struct Input {
  void* shared;
  void* original;
  size_t bytes;
  void (*init)(void*, void*);
  void (*fini)(void*);
  void (*combine)(void*, void*);
  uint32_t flags;  // 1: initialise when a thread asks. We always do
  static void* source(const Input& in) { return in.original ? in.original : in.shared; }
};

// The handle that the program passes on to its tasks is the taskgroup. Alone, the originals serve.
template <class In>
void* begin(Worker* w, int count, const In* in, std::atomic<ReductionCopies*>* shared) {
  Taskgroup* g = w->current->group;
  if (w->team->n == 1 || count <= 0) return g;
  auto* inputs = static_cast<ReductionInput*>(__builtin_alloca(sizeof(ReductionInput) * size_t(count)));
  for (int i = 0; i < count; ++i)
    inputs[i] = {in[i].shared, In::source(in[i]), in[i].bytes, in[i].init, in[i].fini, in[i].combine};
  begin_reductions(w, inputs, count, shared);
  return g;
}

template <class In>
void* begin_in_group(int count, const In* in) {
  Worker* w = self();
  if (!w->current->group) fatal("__kmpc_taskred_init outside a taskgroup");
  return begin(w, count, in, nullptr);
}

template <class In>
void* begin_in_team(int workshare, int count, const In* in, Caller ra) {
  Worker* w = self();
  taskgroup_begin(w, new_group(w), ra, einkorn::record::kSiteClang);
  w->current->group->scope = workshare ? Taskgroup::of_workshare : Taskgroup::of_region;
  return begin(w, count, in, &w->team->shared_reductions[workshare != 0]);
}

}  // namespace

EK_EXPORT void* __kmpc_task_reduction_init(int32_t, int count, void* in) {
  return begin_in_group(count, static_cast<const OldInput*>(in));
}
EK_EXPORT void* __kmpc_taskred_init(int32_t, int count, void* in) {
  return begin_in_group(count, static_cast<const Input*>(in));
}

// reduction(task, ...) on parallel and on worksharing: each thread of the team, which
// __kmpc_task_reduction_modifier_fini follows.
EK_EXPORT void* __kmpc_task_reduction_modifier_init(const Ident*, int32_t, int workshare, int count, void* in) {
  return begin_in_team(workshare, count, static_cast<const OldInput*>(in), EK_CALLER);
}
EK_EXPORT void* __kmpc_taskred_modifier_init(const Ident*, int32_t, int workshare, int count, void* in) {
  return begin_in_team(workshare, count, static_cast<const Input*>(in), EK_CALLER);
}

EK_EXPORT void __kmpc_task_reduction_modifier_fini(const Ident*, int32_t, int) {
  Worker* w = self();
  if (!w->current->group) fatal("__kmpc_task_reduction_modifier_fini without its beginning");
  end_kmp_group(w, EK_CALLER);
}

// group: what __kmpc_taskred_init gave, or nullptr for in_reduction: then the innermost that has the variable.
EK_EXPORT void* __kmpc_task_reduction_get_th_data(int32_t, void* group, void* address) {
  Worker* w = self();
  if (w->team->n == 1) return address;
  Reductions* set = group ? static_cast<Taskgroup*>(group)->reductions : reductions_of(w);
  void* copy = reduction_copy(w, set, address, nullptr);
  if (!copy)
    fatal("in_reduction: no enclosing task_reduction, or reduction with the task modifier, has the variable at %p",
          address);
  return copy;
}
