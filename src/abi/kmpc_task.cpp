// clang's tasks. LLVM 19: kmp_tasking.cpp. The runtime allocates, the compiler fills, then the task is handed over.
#include "abi/kmpc_depend.h"
#include "runtime/task/helpers.h"
#include "runtime/task/kmp_body.h"

using namespace einkorn::abi;
using Entry = int32_t (*)(int32_t, KmpTask*);

namespace {

enum KmpTaskFlags : int32_t {
  kTied = 1,
  kFinal = 2,
  kMerged = 4,
  kDestructors = 8,
  kProxy = 16,
  kPriority = 32,
  kDetachable = 64,
  kHidden = 128,
};

// Shared data is pointers: 8-byte aligned behind the private part, whose alignment the compiler put into task_bytes.
size_t shareds_at(size_t task_bytes) { return (task_bytes + 7) & ~size_t(7); }

// Whatever the task's clauses are.
void hand_over(Worker* w, Kmp body, Caller ra, const Dependence* list = nullptr, int count = 0) {
  body.depends = count != 0;
  if (is_target_task(body.task))
    return create_target(w, body, {true, false, bool(body.task->flags & kTaskPriority), list, count}, false, ra);
  const uint16_t flags = body.task->flags;
  create(w, body, {true, bool(flags & kTaskDetach), bool(flags & kTaskPriority), list, count}, ra);
}

}  // namespace

EK_JUMPED_TO static int32_t task_slow_path(const Ident* loc, int32_t, KmpTask* kt) {
  Worker* w = self();
  Task* t = task_of(kt);
  if (EK_UNLIKELY(t == w->current)) return hand_over_current(w, t);
  hand_over(w, {t, source_of(loc)}, EK_CALLER);
  return 0;
}

// In functions of their own, so that __kmpc_omp_task() needs no frame.
__attribute__((noinline)) static int32_t run_inlined(Worker* w, Task* t) { return Kmp{t}.run_inlined(w), 0; }

// Not cut off by a hint.
__attribute__((noinline)) static int32_t task_queued(Worker* w, Task* t) {
  init_short(w, t, t->flags);
  return submit_plain(w, t), 0;
}

// A task with nothing special about it whose creator has to run it at once, in a program that is not recorded.
__attribute__((noinline)) static int32_t run_alone(Worker* w, Task* t) {
  own_task(w);
  return Kmp{t}.run(w), 0;
}

__attribute__((noinline)) static int32_t task_recorded(Worker* w, Task* t, const Ident* loc, Caller ra) {
  return create_recorded(w, Kmp{t, source_of(loc)}, ra), 0;
}

// noipa: a compiler that knows what it returns would call it and return that itself, where a jump is meant.
__attribute__((noipa, cold)) static int32_t share_queued(Worker* w, uint64_t idle) { return share_work(w, idle), 0; }

// Of is_fast_path(), with room in the queue.
__attribute__((always_inline)) static inline int32_t queue_task(Worker* w, Task* t) {
  t->owner.store(kNoWorker, std::memory_order_relaxed);  // flags: as __kmpc_omp_task_alloc() set them
  init_child(w, t);
  const uint64_t idle = queue_short(w, t);
  return EK_LIKELY(idle == 0) ? 0 : share_queued(w, idle);
}

// What is not in __kmpc_omp_task() itself is reached from there by jumps.
EK_JUMPED_TO static int32_t task_of_full_queue(const Ident* loc, int32_t gtid, KmpTask* kt) {
  Worker* w = t_worker;
  const FullQueue full = full_queue(w, reinterpret_cast<const void*>(kt->routine));
  if (full == FullQueue::run_inlined) return run_inlined(w, task_of(kt));
  return EK_UNLIKELY(full == FullQueue::queue) ? task_queued(w, task_of(kt)) : task_slow_path(loc, gtid, kt);
}

// Of one that merges what it creates (merged.h).
__attribute__((noinline)) static int32_t run_called(Worker* w, Task* t) { return Kmp{t}.run_merged(w), 0; }
__attribute__((noinline)) static bool is_called_after_all(Worker* w, Task* t) { return is_called(w, Kmp{t}, true); }
EK_JUMPED_TO static int32_t task_of_merging(const Ident* loc, int32_t gtid, KmpTask* kt) {
  Worker* w = t_worker;
  if (EK_LIKELY(Kmp{task_of(kt)}.is_mergeable(w)) && EK_LIKELY(is_surely_called(w, true)))
    return run_called(w, task_of(kt));
  return is_called_after_all(w, task_of(kt)) ? 0 : task_slow_path(loc, gtid, kt);
}

EK_JUMPED_TO static int32_t task_less_usual(const Ident* loc, int32_t gtid, KmpTask* kt) {
  Worker* w = t_worker;
  if (EK_LIKELY(w != nullptr) && EK_LIKELY((task_of(kt)->flags & ~kTaskUntied) == kTaskKmp)) {
    if (task_of(kt)->flags & kTaskUntied) {
      // With short children tasks are not cancelled.
      if (EK_LIKELY(has_short_children(w)) || EK_LIKELY(!g_config.cancellation)) skip_first_part(w, kt);
      if (EK_LIKELY(is_fast_path(w)) && EK_LIKELY(w->slot->deque.has_room())) return queue_task(w, task_of(kt));
    }
    if (is_tried_first(w)) return task_of_full_queue(loc, gtid, kt);
    if (is_recorded_way(w)) return task_recorded(w, task_of(kt), loc, EK_CALLER);
    if (!w->stream && runs_at_once(w, true)) return run_alone(w, task_of(kt));
  } else if (w != nullptr && merges(w->current)) {
    return task_of_merging(loc, gtid, kt);
  }
  return task_slow_path(loc, gtid, kt);
}

EK_EXPORT int32_t __kmpc_omp_task(const Ident* loc, int32_t gtid, KmpTask* kt) {
  Worker* w = t_worker;
  Task* t = task_of(kt);
  if (EK_UNLIKELY(w == nullptr)) return task_slow_path(loc, gtid, kt);
  if (EK_UNLIKELY(t == w->current)) return hand_over_current(w, t);
  if (EK_UNLIKELY(t->flags != kTaskKmp)) return task_less_usual(loc, gtid, kt);
  if (EK_UNLIKELY(!is_fast_path(w)))
    return merges(w->current) ? task_of_merging(loc, gtid, kt) : task_less_usual(loc, gtid, kt);
  if (EK_UNLIKELY(!w->slot->deque.has_room())) return task_of_full_queue(loc, gtid, kt);
  return queue_task(w, t);
}

__attribute__((noinline)) static KmpTask* alloc_slow_path(int32_t flags, size_t task_bytes, size_t shared_bytes,
                                                          Entry entry) {
  Worker* w = self();
  const size_t offset = shareds_at(task_bytes), bytes = offset + shared_bytes;
  Task* t = new_block(w, bytes);
  t->set_body_bytes(bytes);
  t->flags = uint16_t(kTaskKmp | (flags & kTied ? 0 : kTaskUntied) | (flags & kFinal ? kTaskFinal : 0) |
                      (flags & kDestructors ? kTaskDestructors : 0) | (flags & kPriority ? kTaskPriority : 0));
  if (EK_UNLIKELY(flags & kProxy)) make_detachable(w, t);
  auto* kt = static_cast<KmpTask*>(t->body());
  kt->shareds = shared_bytes ? reinterpret_cast<char*>(kt) + offset : nullptr;
  kt->routine =
      entry ? entry : [](int32_t, KmpTask*) { return 0; };  // none: a task that only has its place in the order
  kt->part_id = 0;
  return kt;
}

EK_EXPORT KmpTask* __kmpc_omp_task_alloc(const Ident*, int32_t, int32_t flags, size_t task_bytes, size_t shared_bytes,
                                         Entry entry) {
  Worker* w = t_worker;
  const size_t offset = shareds_at(task_bytes), bytes = offset + shared_bytes;
  constexpr size_t kAround = sizeof(Task) + sizeof(void*);
  if (EK_UNLIKELY(w == nullptr || (flags & ~kTied) != 0 || bytes > kBlockSizes[1] - kAround || entry == nullptr))
    return alloc_slow_path(flags, task_bytes, shared_bytes, entry);
  Task* t = take_block(w, bytes > kBlockSizes[0] - kAround);
  if (EK_UNLIKELY(t == nullptr)) return alloc_slow_path(flags, task_bytes, shared_bytes, entry);
  t->set_body_bytes(bytes);
  static_assert(uint16_t(kTaskUntied) == uint16_t(kTied));
  t->flags = uint16_t(kTaskKmp | kTaskUntied) ^ uint16_t(flags);
  auto* kt = static_cast<KmpTask*>(t->body());
  kt->shareds = shared_bytes ? reinterpret_cast<char*>(kt) + offset : nullptr;
  kt->routine = entry;
  kt->part_id = 0;
  return kt;
}

EK_EXPORT int32_t __kmpc_omp_task_parts(const Ident* loc, int32_t gtid, KmpTask* kt) {
  return __kmpc_omp_task(loc, gtid, kt);
}

EK_EXPORT KmpTask* __kmpc_omp_target_task_alloc(const Ident* loc, int32_t gtid, int32_t flags, size_t task_bytes,
                                                size_t shared_bytes, Entry entry, int64_t) {
  KmpTask* kt = __kmpc_omp_task_alloc(loc, gtid, flags, task_bytes, shared_bytes, entry);
  make_target_task(t_worker, task_of(kt));
  return kt;
}

// Of a task that takes down what it creates, one with dependences and nothing else unusual.
__attribute__((noinline)) static void task_taken_down(Worker* w, const Kmp& body, const KmpDepends& depends,
                                                      Caller ra) {
  Dependence* list;
  if (EK_LIKELY(capture_dependent(w, body, depends, body.task->body_bytes(), ra, list))) free_block(w, body.task);
  else hand_over(w, body, ra, list, int(depends.count()));
}

EK_EXPORT int32_t __kmpc_omp_task_with_deps(const Ident* loc, int32_t, KmpTask* kt, int32_t count,
                                            const KmpDepend* list, int32_t more, const KmpDepend* further) {
  Worker* w = self();
  Task* t = task_of(kt);
  const KmpDepends depends{count, list, more, further};
  if (EK_LIKELY(!(t->flags & ~(kTaskKmp | kTaskUntied | kTaskDestructors))) && EK_LIKELY(depends.count() != 0)) {
    const uint16_t its = w->current->flags;
    if (EK_LIKELY(!(its & kTaskSlowPath))) return create_dependent(w, Kmp{t}, depends), 0;
    if ((its & kTaskCaptures) && !(t->flags & kTaskDestructors) && t->body_bytes() <= UINT32_MAX)
      return task_taken_down(w, {t, source_of(loc)}, depends, EK_CALLER), 0;
    if (EK_LIKELY(follows_nobody_alone(w, Kmp{t}))) return own_task(w), Kmp{t}.run_short<false>(w), 0;
  }
  auto* read = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * (depends.count() + 1)));
  depends.read(read);
  hand_over(w, {t, source_of(loc)}, EK_CALLER, read, int(depends.count()));
  return 0;
}

EK_EXPORT void __kmpc_omp_task_begin_if0(const Ident* loc, int32_t, KmpTask* kt) {
  begin_if0(self(), {task_of(kt), source_of(loc)}, EK_CALLER, EK_CALLERS_FRAME);
}
EK_EXPORT void __kmpc_omp_task_complete_if0(const Ident*, int32_t, KmpTask* kt) { end_if0(self(), task_of(kt)); }
