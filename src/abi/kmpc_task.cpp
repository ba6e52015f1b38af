// clang's tasks. LLVM 19: kmp_tasking.cpp. The runtime allocates, the compiler fills, then the task is handed over.
#include "abi/kmpc_depend.h"
#include "abi/kmpc_task.h"
#include "record/clock.h"
#include "runtime/cancel.h"
#include "runtime/depend.h"
#include "runtime/fast.h"
#include "runtime/inline.h"
#include "runtime/tool.h"
#include "runtime/wait.h"

using namespace einkorn::abi;

namespace {

enum KmpTaskFlags : int32_t {
  kTied = 1, kFinal = 2, kMerged = 4, kDestructors = 8, kProxy = 16, kPriority = 32, kDetachable = 64, kHidden = 128,
};

// While a task is not queued and does not run, `base` holds the size of its body: taskloop makes copies of it.
Task* allocate_task(Worker* w, size_t task_bytes, size_t shared_bytes) {
  // Shared data is pointers: 8-byte aligned behind the private part, whose alignment the compiler put into task_bytes.
  size_t offset = (task_bytes + 7) & ~size_t(7);
  Task* t = new_block(w, offset + shared_bytes);
  t->base = int64_t(offset + shared_bytes);
  auto* kt = static_cast<KmpTask*>(t->body());
  kt->shareds = shared_bytes ? reinterpret_cast<char*>(kt) + offset : nullptr;
  return t;
}

// Of a task that nobody has begun, which is not left before its end.
inline void run_parts(Worker* w, Task* t) {
  auto* kt = static_cast<KmpTask*>(t->body());
  kt->routine(w->id, kt);
  run_next_parts<false>(w, t);
}

uint16_t inherited(const Worker* w) { return w->current->flags & kTaskFinal; }

struct RunNow {
  Task* task;
  uint32_t site;
  Caller caller;
  bool depends;
  const Range* range;
};

}  // namespace

void einkorn::abi::run_now(Worker* w, Task* t, uint32_t site, Caller caller, bool depends, const Range* range) {
  if (EK_UNLIKELY(stack_is_low(w))) {
    RunNow arguments{t, site, caller, depends, range};
    return call_on_new_stack(w, [](void* p) {
      auto& a = *static_cast<RunNow*>(p);
      run_now(self(), a.task, a.site, a.caller, a.depends, a.range);
    }, &arguments);
  }
  auto* kt = static_cast<KmpTask*>(t->body());
#if EK_FAST_PATHS
  if (EK_LIKELY(!w->stream && !w->hints && (t->flags & ~(kTaskFinal | kTaskUntied)) == kTaskKmp && !g_config.cancellation)) {
    run_undeferred_short(w, t, inherited_short(w, t->flags), kHuge, [&] { run_parts(w, t); });
    return run_queued_outside_regions(w);
  }
#endif
  const bool runs = EK_LIKELY(!g_config.cancellation) || !tasks_cancelled(w);
  begin_undeferred(w, t, t->flags | inherited(w), site, depends, caller);
  if (EK_UNLIKELY(w->tool != nullptr)) {
    tool::set_exit_frame(w, __builtin_frame_address(0));
    if (range) tool::dispatch(w, ompt_dispatch_taskloop_chunk, range->first, range->count);
  }
  if (EK_LIKELY(runs)) run_parts(w, t);
  destroy_privates(w, t, kt);
  if (EK_UNLIKELY(t->flags & kTaskDetach)) {
    if (runs) wait_for_event(w, t);
    else t->flags &= uint16_t(~kTaskDetach);  // nobody will fulfil it
  }
  end_undeferred(w, t);
}

namespace {

// The last part of hand_over(), with a tool.
EK_NOINLINE void hand_over_told(Worker* w, Task* t, Caller ra, const Dependence* list, int count) {
  tool::Inside inside(w, ra, ompt_state_overhead);
  tool::task_create(w, t, 0, count, ra);
  tool::task_create_end(w, t);
  if (count) submit_dependent(w, t, list, count);
  else submit(w, t);
}

void hand_over(Worker* w, Task* t, const Ident* loc, Caller ra, const Dependence* list = nullptr, int count = 0) {
  auto* kt = static_cast<KmpTask*>(t->body());
  const void* fn = reinterpret_cast<const void*>(kt->routine);
  const uint16_t depends = count ? einkorn::record::kSiteHasDepend : 0;
  if (EK_UNLIKELY(runs_at_once(w, true))) {
    // A team of one runs its tasks at once, but not what may have to wait for an event.
    bool waits = (t->flags & kTaskDetach) || (count && has_unfinished_tasks(w));
    if (EK_LIKELY(!waits || !may_defer_alone(w, true))) {
      if (count) wait_for_dependences(w, list, count, ra);
      t->flags &= uint16_t(~kTaskPriority);
      run_now(w, t, site_of(w, Construct::task, t, true, fn, ra, loc, depends), ra, count);
      if (EK_UNLIKELY(w->stream != nullptr)) record_dependences(w->stream, list, count);
      return;
    }
  }
  if (EK_UNLIKELY(count == 0 && !(t->flags & (kTaskPriority | kTaskDetach)) && is_better_run_now(w))) {
    InlinedTask timing(w);
    return run_now(w, t, site_of(w, Construct::task, t, true, fn, ra, loc, einkorn::record::kSiteInlined), ra);
  }
  einkorn::record::Stream* s = w->stream;
  uint64_t t0 = EK_UNLIKELY(s != nullptr) ? s->creation_begins() : 0;
  init_task(w, t, t->flags);
  if (EK_UNLIKELY(t->flags & kTaskPriority)) set_priority(w, t, kt);
  if (EK_UNLIKELY(s != nullptr)) {
    t->record_id = s->task_create(t0, einkorn::record::now(), site_of(w, Construct::task, t, false, fn, ra, loc, depends), t->depth,
                                  w->current->record_id);
    if (w->tool) {
      hand_over_told(w, t, ra, list, count);
      return run_queued_outside_regions(w);
    }
  }
  if (EK_UNLIKELY(count != 0)) submit_dependent(w, t, list, count);
  else submit(w, t);
  run_queued_outside_regions(w);
}

}  // namespace

// An untied task hands itself over at the end of each part but the last (run_next_parts()). The first of them does nothing else:
// then the rest of the task is run from here, which takes half as long as to leave the function and to enter it again; what has
// called us returns at once. Not later ones, as the stack would grow with the number of parts.
static inline int32_t hand_over_current(Worker* w, Task* t, KmpTask* kt) {
  if (EK_LIKELY(kt->part_id == 1)) return kt->routine(w->id, kt);
  t->flags |= kTaskNextPart;
  return 0;
}

#if EK_FAST_PATHS
// These are reached by jumps: the caller of __kmpc_omp_task() is theirs.
__attribute__((noinline)) static int32_t task_long_way(const Ident* loc, int32_t, KmpTask* kt) {
#else
EK_EXPORT int32_t __kmpc_omp_task(const Ident* loc, int32_t, KmpTask* kt) {
#endif
  Worker* w = self();
  Task* t = task_of(kt);
  if (EK_UNLIKELY(t == w->current)) return hand_over_current(w, t, kt);
  hand_over(w, t, loc, EK_CALLER);
  return 0;
}

#if EK_FAST_PATHS
__attribute__((noinline)) static int32_t run_inlined(Worker* w, Task* t) {
  InlinedTask timing(w);
  return run_now(w, t, 0, nullptr), 0;
}

// A task with nothing special about it whose creator has to run it at once, in a program that is not recorded.
__attribute__((noinline)) static int32_t run_alone(Worker* w, Task* t) { return run_now(w, t, 0, nullptr), 0; }

// A deferred task of a program that is recorded, with nothing else special about it or its creator. The queue has room.
__attribute__((noinline)) static int32_t task_recorded(Worker* w, Task* t, const Ident* loc, Caller ra) {
  namespace rec = einkorn::record;
  rec::Stream* s = w->stream;
  const uint64_t t0 = s->creation_begins();
  init_short(w, t, t->flags | kTaskLongWay | kTaskRecorded);
  const void* fn = reinterpret_cast<const void*>(static_cast<const KmpTask*>(t->body())->routine);
  const uint16_t untied = t->flags & kTaskUntied ? rec::kSiteUntied : 0;
  const uint32_t site = s->site(Construct::task, rec::kSiteClang | untied, fn, ra, source_of(loc));
  // The id must be in the task before anybody can run it; the cost is stamped just before the task is queued.
  t->record_id = s->task_create(t0, rec::now(), site, t->depth, t->parent->record_id);
  note_tasks(w);
  submit_short(w, t);
  return 0;
}

// What is not in __kmpc_omp_task() itself is reached from there by jumps, so that it needs no frame.
__attribute__((noinline)) static int32_t task_of_full_queue(const Ident* loc, int32_t gtid, KmpTask* kt) {
  Worker* w = t_worker;
  return is_better_run_now(w) ? run_inlined(w, task_of(kt)) : task_long_way(loc, gtid, kt);
}

__attribute__((noinline)) static int32_t task_less_usual(const Ident* loc, int32_t gtid, KmpTask* kt) {
  Worker* w = t_worker;
  if (EK_LIKELY(w != nullptr) && EK_LIKELY((task_of(kt)->flags & ~kTaskUntied) == kTaskKmp)) {
    if ((w->current->flags & (kTaskRecorded | kTaskFinal)) == kTaskRecorded && w->slot->deque.has_room())
      return task_recorded(w, task_of(kt), loc, EK_CALLER);
    if (!w->stream && runs_at_once(w, true)) return run_alone(w, task_of(kt));
  }
  return task_long_way(loc, gtid, kt);
}

__attribute__((noinline, cold)) static int32_t share_queued(Worker* w, uint64_t idle) { return share_work(w, idle), 0; }

EK_EXPORT int32_t __kmpc_omp_task(const Ident* loc, int32_t gtid, KmpTask* kt) {
  Worker* w = t_worker;
  Task* t = task_of(kt);
  if (EK_UNLIKELY(w == nullptr)) return task_long_way(loc, gtid, kt);
  if (EK_UNLIKELY(t == w->current)) return hand_over_current(w, t, kt);
  if (EK_UNLIKELY((t->flags & ~kTaskUntied) != kTaskKmp) || EK_UNLIKELY(!is_short_way(w))) return task_less_usual(loc, gtid, kt);
  if (EK_UNLIKELY(!w->slot->deque.has_room())) return task_of_full_queue(loc, gtid, kt);
  t->owner.store(kNoWorker, std::memory_order_relaxed);  // flags: as __kmpc_omp_task_alloc() set them
  init_child(w, t);
  const uint64_t idle = queue_short(w, t);
  return EK_LIKELY(idle == 0) ? 0 : share_queued(w, idle);
}
#endif

__attribute__((noinline)) static KmpTask* alloc_long_way(int32_t flags, size_t task_bytes, size_t shared_bytes, Entry entry) {
  Worker* w = self();
  Task* t = allocate_task(w, task_bytes, shared_bytes);
  t->flags = uint16_t(kTaskKmp | (flags & kTied ? 0 : kTaskUntied) | (flags & kFinal ? kTaskFinal : 0) |
                      (flags & kDestructors ? kTaskDestructors : 0) | (flags & kPriority ? kTaskPriority : 0));
  if (EK_UNLIKELY(flags & kProxy)) make_detachable(w, t);
  auto* kt = static_cast<KmpTask*>(t->body());
  kt->routine = entry ? entry : [](int32_t, KmpTask*) { return 0; };  // none: a task that only has its place in the order
  kt->part_id = 0;
  return kt;
}

EK_EXPORT KmpTask* __kmpc_omp_task_alloc(const Ident*, int32_t, int32_t flags, size_t task_bytes, size_t shared_bytes,
                                         Entry entry) {
  Worker* w = t_worker;
  size_t offset = (task_bytes + 7) & ~size_t(7), bytes = offset + shared_bytes;
  constexpr size_t kAround = sizeof(Task) + sizeof(void*);
  if (EK_UNLIKELY(w == nullptr || (flags & ~kTied) != 0 || bytes > kBlockSizes[1] - kAround || entry == nullptr))
    return alloc_long_way(flags, task_bytes, shared_bytes, entry);
  size_t c = bytes > kBlockSizes[0] - kAround;
  void* block = w->free_blocks[c];
  if (EK_UNLIKELY(block == nullptr)) return alloc_long_way(flags, task_bytes, shared_bytes, entry);
  w->free_blocks[c] = *static_cast<void**>(block);
  auto* t = static_cast<Task*>(block);
  t->base = int64_t(bytes);
  static_assert(uint16_t(kTaskUntied) == uint16_t(kTied));
  t->flags = uint16_t(kTaskKmp | kTaskUntied) ^ uint16_t(flags);
  auto* kt = static_cast<KmpTask*>(t->body());
  kt->shareds = shared_bytes ? reinterpret_cast<char*>(kt) + offset : nullptr;
  kt->routine = entry;
  kt->part_id = 0;
  return kt;
}

EK_EXPORT int32_t __kmpc_omp_task_parts(const Ident* loc, int32_t gtid, KmpTask* kt) { return __kmpc_omp_task(loc, gtid, kt); }

EK_EXPORT int32_t __kmpc_omp_task_with_deps(const Ident* loc, int32_t, KmpTask* kt, int32_t count, const KmpDepend* list,
                                            int32_t more, const KmpDepend* further) {
  Worker* w = self();
  Task* t = task_of(kt);
  const int all = count + more;
  if (EK_LIKELY(!(t->flags & ~(kTaskKmp | kTaskUntied | kTaskDestructors))) && EK_LIKELY(!(w->current->flags & kTaskLongWay)) &&
      EK_LIKELY(all != 0)) {
#if EK_FAST_PATHS
    if (EK_UNLIKELY(t->flags == kTaskKmp && is_dependent_better_run_now(w))) {
      if (follow_nobody(w, list, count) && follow_nobody(w, further, more)) return run_inlined(w, t);
      not_now(w);
    }
#endif
    TaskExtra* x = begin_dependent(w, t, t->flags, uint32_t(all));
    DepItem* item = items_of(x);
    auto fill = [&](const KmpDepend& from) {
      Dependence d = dependence_of(from);
      *item++ = {d.address, d.bytes, d.mode, nullptr};
    };
    for (int i = 0; i < count; ++i) fill(list[i]);
    for (int i = 0; i < more; ++i) fill(further[i]);
    submit_begun(w, t, x);
    return 0;
  }
  auto* read = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * size_t(all + 1)));
  read_dependences(read, count, list, more, further);
  hand_over(w, t, loc, EK_CALLER, read, all);
  return 0;
}

// if(false) and depend: before __kmpc_omp_task_begin_if0().
EK_EXPORT void __kmpc_omp_wait_deps(const Ident* loc, int32_t, int32_t count, const KmpDepend* list, int32_t more,
                                    const KmpDepend* further) {
  auto* read = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * size_t(count + more + 1)));
  read_dependences(read, count, list, more, further);
  Worker* w = self();
  Caller ra = EK_CALLER;
  uint32_t site = 0;
  if (EK_UNLIKELY(w->stream != nullptr)) {
    using namespace einkorn::record;
    site = w->stream->site(Construct::task, kSiteClang | kSiteUndeferred | kSiteHasDepend, nullptr, ra, source_of(loc));
  }
  wait_for_dependences_at(w, read, count + more, ra, site);
}

EK_EXPORT void __kmpc_omp_taskwait_deps_51(const Ident*, int32_t, int32_t count, const KmpDepend* list, int32_t more,
                                           const KmpDepend* further, int32_t nowait) {
  auto* read = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * size_t(count + more + 1)));
  read_dependences(read, count, list, more, further);
  Worker* w = self();
  if (!nowait) taskwait_depend(w, read, count + more, EK_CALLER, einkorn::record::kSiteClang);
  else taskwait_depend_nowait(w, read, count + more, EK_CALLER, einkorn::record::kSiteClang);
}

// detach: the handle of the event. Between allocation and submission.
EK_EXPORT void* __kmpc_task_allow_completion_event(const Ident*, int32_t, KmpTask* kt) {
  make_detachable(self(), task_of(kt));
  return task_of(kt);
}

// A proxy task's work is done elsewhere (libomptarget); by which thread does not matter here.
EK_EXPORT void __kmpc_proxy_task_completed(int32_t, KmpTask* kt) { fulfill_event(self(), task_of(kt)); }
EK_EXPORT void __kmpc_proxy_task_completed_ooo(KmpTask* kt) { fulfill_event(self(), task_of(kt)); }

EK_EXPORT KmpTask* __kmpc_omp_target_task_alloc(const Ident* loc, int32_t gtid, int32_t flags, size_t task_bytes,
                                                size_t shared_bytes, Entry entry, int64_t) {
  return __kmpc_omp_task_alloc(loc, gtid, flags, task_bytes, shared_bytes, entry);
}

// if(false): the compiler calls the routine itself between these two.
EK_EXPORT void __kmpc_omp_task_begin_if0(const Ident* loc, int32_t, KmpTask* kt) {
  Worker* w = self();
  Task* t = task_of(kt);
  uint32_t site = site_of(w, Construct::task, t, true, reinterpret_cast<const void*>(kt->routine), EK_CALLER, loc);
  begin_undeferred(w, t, t->flags | inherited(w), site, false, EK_CALLER);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::set_exit_frame(w, EK_CALLERS_FRAME);
}

EK_EXPORT void __kmpc_omp_task_complete_if0(const Ident*, int32_t, KmpTask* kt) {
  Worker* w = self();
  Task* t = task_of(kt);
  run_next_parts<false>(w, t);
  destroy_privates(w, t, kt);
  // The creator waits for the body of a detached task only (OpenMP 5.1, 1.2.5: undeferred task): it may be the one to fulfil
  // the event later. libgomp waits for the event (OpenMP 5.0), so gcc's programs do.
  end_undeferred(w, t);
}

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
