// gcc's tasks. libgomp 12: task.c. The runtime copies the data, with the copy function where there is one.
#include <cstring>

#include "abi/abi.h"
#include "abi/gomp_depend.h"
#include "abi/gomp_task.h"
#include "record/clock.h"
#include "runtime/cancel.h"
#include "runtime/depend.h"
#include "runtime/fast.h"
#include "runtime/inline.h"
#include "runtime/task.h"
#include "runtime/tool.h"

using namespace einkorn::abi;
namespace record = einkorn::record;
using record::Construct;

#if EK_FAST_PATHS
static void run_inlined(Worker* w, Fn fn, void* data, unsigned flags);
#endif

namespace {

void run_copied(Fn fn, void* data, CopyFn copy, size_t size, size_t align) {
  if (!copy) return fn(data);
  char* buffer = static_cast<char*>(__builtin_alloca(size + align));
  buffer = align_up(buffer, align);
  copy(buffer, data);
  fn(buffer);
}

// The event's handle goes into the program's variable, and into the task's data, which begins with its copy of it.
void give_event(Worker* w, Task* t, void* data, void* detach) {
  make_detachable(w, t);
  *static_cast<void**>(detach) = t;
  if (data) *static_cast<void**>(data) = t;
}

struct AtOnce {
  Fn fn;
  void* data;
  CopyFn copy;
  size_t size, align;
  unsigned flags;
  uint32_t site;
  Caller caller;
  void* detach;
  const Range* range;
};
void at_once_elsewhere(void* arguments);

}  // namespace

// Out of line: its aligned local would cost GOMP_task a realigned frame.
__attribute__((noinline)) void einkorn::abi::at_once(Worker* w, Fn fn, void* data, CopyFn copy, size_t size, size_t align, unsigned flags,
                                                     uint32_t site, Caller caller, void* detach, const Range* range) {
  if (EK_UNLIKELY(stack_is_low(w))) {
    AtOnce arguments{fn, data, copy, size, align, flags, site, caller, detach, range};
    return call_on_new_stack(w, at_once_elsewhere, &arguments);
  }
  uint16_t f = task_flags(flags);
  if (w->current->flags & kTaskFinal) f |= kTaskFinal;
  struct {
    Task task;
    GompBody body;
  } local;
  bool stays = children_stay_within(f) && !w->tool && !(flags & kDetach);
  Task* t = stays ? &local.task : new_block(w, sizeof(GompBody));
  *static_cast<GompBody*>(t->body()) = {fn, nullptr};  // the data stays where it is: only the recorder asks for fn
  begin_undeferred(w, t, f | (stays ? kTaskOnStack : 0), site, flags & kDepend, caller);
  if (EK_UNLIKELY(w->tool != nullptr)) {
    tool::set_exit_frame(w, __builtin_frame_address(0));
    if (range) tool::dispatch(w, ompt_dispatch_taskloop_chunk, range->first, range->count);
  }
  if (EK_UNLIKELY(flags & kDetach)) give_event(w, t, data, detach);
  run_copied(fn, data, copy, size, align);
  if (EK_UNLIKELY(flags & kDetach)) wait_for_event(w, t);
  end_undeferred(w, t);
}

namespace {

void at_once_elsewhere(void* arguments) {
  auto& a = *static_cast<AtOnce*>(arguments);
  at_once(self(), a.fn, a.data, a.copy, a.size, a.align, a.flags, a.site, a.caller, a.detach, a.range);
}

bool follows_nobody(const Worker* w, void** depend) {
  bool nobody = true;
  for_each_dependence(depend, [&](size_t, uintptr_t address, DepMode mode) {
    nobody = nobody && einkorn::runtime::follows_nobody(w, address, mode);
  });
  return nobody;
}

// A task with depend and nothing else unusual, of one without kTaskLongWay.
__attribute__((noinline)) void task_with_depend(Fn fn, void* data, size_t size, unsigned flags, void** depend) {
  Worker* w = t_worker;
#if EK_FAST_PATHS
  if (EK_UNLIKELY(is_dependent_better_run_now(w))) {
    if (follows_nobody(w, depend)) return run_inlined(w, fn, data, flags);
    not_now(w);
  }
#endif
  auto count = uint32_t(count_dependences(depend));
  Task* t = new_block(w, bytes_of_dependent(count, size));
  char* arg;
  TaskExtra* x = begin_dependent(w, t, flags & kUntied ? kTaskUntied : 0, count, &arg);
  auto* body = static_cast<GompBody*>(t->body());
  body->fn = fn;
  body->data = arg;
  copy_data(t, arg, data, nullptr, size);
  DepItem* items = items_of(x);
  for_each_dependence(depend, [=](size_t i, uintptr_t address, DepMode mode) { items[i] = {address, 0, mode, nullptr}; });
  submit_begun(w, t, x);
}

bool is_only_dependent(CopyFn copy, long align, bool if_clause, unsigned flags, void** depend) {
  constexpr unsigned kUsual = kUntied | kMergeable | kIf | kDepend;
  const Worker* w = t_worker;
  return (flags & kDepend) && !(flags & ~kUsual) && if_clause && !copy && align <= 16 && w &&
         !(w->current->flags & kTaskLongWay) && count_dependences(depend) != 0;
}

struct TaskArguments {
  Fn fn;
  void* data;
  CopyFn copy;
  size_t size, align;
  bool if_clause;
  unsigned flags;
  void** depend;
  int priority;
  void* detach;
};

// Tasks with depend, detach or priority.
__attribute__((noinline)) void task_with_clauses(Worker* w, const TaskArguments& a, Caller ra) {
  if (EK_UNLIKELY(g_config.cancellation) && tasks_cancelled(w)) return;
  int count = a.flags & kDepend ? int(count_dependences(a.depend)) : 0;
  auto* list = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * size_t(count + 1)));
  if (count) read_dependences(a.depend, list);
  // A team of one runs its tasks at once, but not what may have to wait for an event.
  bool waits = (a.flags & kDetach) || (count && has_unfinished_tasks(w));
  bool at_once_now = runs_at_once(w, a.if_clause) && !(waits && may_defer_alone(w, a.if_clause));
  uint32_t site = site_of(w, Construct::task, a.flags, at_once_now ? undeferred : deferred, a.fn, ra);
  if (at_once_now) {
    // if(false): the program waits. Else the runtime chose to run the task at once: recorded as the task's own dependences.
    bool waited = count && !a.if_clause;
    if (waited) wait_for_dependences_at(w, list, count, ra, site);
    else if (count) wait_for_dependences(w, list, count, ra);
    at_once(w, a.fn, a.data, a.copy, a.size, a.align, a.flags, site, ra, a.detach);
    if (EK_UNLIKELY(w->stream != nullptr) && !waited) record_dependences(w->stream, list, count);
    return;
  }
  record::Stream* s = w->stream;
  uint64_t t0 = EK_UNLIKELY(s != nullptr) ? record::now() : 0;
  char* arg;
  Task* t = new_task(w, a.fn, a.size, a.align, a.flags, &arg);
  if (a.flags & kPriority) set_priority(w, t, a.priority);
  if (a.flags & kDetach) give_event(w, t, a.data, a.detach);
  tool::Inside inside(w, ra, ompt_state_overhead);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::task_create(w, t, a.flags & kMergeable ? ompt_task_mergeable : 0, count, ra);
  copy_data(t, arg, a.data, a.copy, a.size);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::task_create_end(w, t);
  if (EK_UNLIKELY(s != nullptr)) t->record_id = s->task_create(t0, record::now(), site, t->depth, w->current->record_id);
  if (count) submit_dependent(w, t, list, count);
  else submit(w, t);
  run_queued_outside_regions(w);
}

}  // namespace

#if EK_FAST_PATHS
// A deferred task of a program that is recorded, with nothing else special about it or its creator. The queue has room.
__attribute__((noinline)) static void task_recorded(Worker* w, Fn fn, void* data, size_t size, unsigned flags, const void* ra) {
  record::Stream* s = w->stream;
  const uint64_t t0 = s->creation_begins();
  Task* t = new_block(w, sizeof(GompBody) + size);
  init_short(w, t, uint16_t(task_flags(flags) | kTaskLongWay | kTaskRecorded));
  auto* body = static_cast<GompBody*>(t->body());
  char* arg = reinterpret_cast<char*>(body + 1);
  body->fn = fn;
  body->data = arg;
  copy_data(t, arg, data, nullptr, size);
  // The id must be in the task before anybody can run it; the cost is stamped just before the task is queued.
  const uint32_t site = s->site(Construct::task, site_flags(flags & (kUntied | kMergeable), deferred), reinterpret_cast<const void*>(fn), ra);
  t->record_id = s->task_create(t0, record::now(), site, t->depth, t->parent->record_id);
  note_tasks(w);
  submit_short(w, t);
}

// at_once() without recording, cancellation or a copy function. inherits: might the current task hand flags down?
__attribute__((always_inline)) static inline void run_undeferred(Worker* w, Fn fn, void* data, unsigned flags, bool inherits) {
  if (EK_UNLIKELY(stack_is_low(w)) || EK_UNLIKELY(w->hints != nullptr))
    return at_once(w, fn, data, nullptr, 0, 1, flags, 0, nullptr);
  Task* t = new_block(w, sizeof(GompBody));
  static_cast<GompBody*>(t->body())->fn = fn;
  constexpr uint8_t kClass = size_class_of(sizeof(Task) + sizeof(GompBody) + sizeof(void*));
  const uint16_t own = task_flags(flags);
  run_undeferred_short(w, t, inherits ? inherited_short(w, own) : own, kClass, [&] { fn(data); });
  if (inherits) run_queued_outside_regions(w);  // there the team is of one, and its task hands kTaskLongWay down
}

// In functions of their own, so that GOMP_task() needs no frame.
__attribute__((noinline)) static void run_if_false(Worker* w, Fn fn, void* data, unsigned flags) {
  EK_ASSERT(!(w->current->flags & (kTaskFinal | kTaskLongWay)));
  run_undeferred(w, fn, data, flags, false);
}

__attribute__((noinline)) static void run_inlined(Worker* w, Fn fn, void* data, unsigned flags) {
  InlinedTask timing(w);
  run_undeferred(w, fn, data, flags, true);
}

// All arguments are handed on as they came, in a jump: the caller of GOMP_task() is this one's.
#define EK_LONG_WAY extern "C" __attribute__((visibility("hidden"))) void einkorn_gomp_task_long_way
#else
#define EK_LONG_WAY EK_EXPORT void GOMP_task
#endif
EK_LONG_WAY(Fn fn, void* data, CopyFn copy, long size, long align, bool if_clause, unsigned flags, void** depend,
            int priority, void* detach) {
  if (!EK_FAST_PATHS && is_only_dependent(copy, align, if_clause, flags, depend))
    return task_with_depend(fn, data, size_t(size), flags, depend);
  Worker* w = self();
  if (EK_UNLIKELY(flags & (kDepend | kDetach | kPriority)))
    return task_with_clauses(w, {fn, data, copy, size_t(size), size_t(align), if_clause, flags, depend, priority, detach},
                             EK_CALLER);
  if (EK_UNLIKELY(runs_at_once(w, if_clause))) {
#if EK_FAST_PATHS
    if (EK_LIKELY(!w->stream && !copy && !g_config.cancellation)) return run_undeferred(w, fn, data, flags, true);
#endif
    if (EK_UNLIKELY(g_config.cancellation) && tasks_cancelled(w)) return;
    return at_once(w, fn, data, copy, size_t(size), size_t(align), flags,
                   site_of(w, Construct::task, flags, undeferred, fn, EK_CALLER), EK_CALLER);
  }
  if (EK_UNLIKELY(is_better_run_now(w))) {
    if (EK_UNLIKELY(g_config.cancellation) && tasks_cancelled(w)) return;
    InlinedTask timing(w);
    return at_once(w, fn, data, copy, size_t(size), size_t(align), flags,
                   site_of(w, Construct::task, flags, inlined, fn, EK_CALLER), EK_CALLER);
  }
  // Cancelled tasks are discarded when they would start, but for those whose copy constructors have run.
  if (EK_UNLIKELY(copy != nullptr) && g_config.cancellation && tasks_cancelled(w)) return;
  record::Stream* s = w->stream;
  uint64_t t0 = 0;
  if (EK_UNLIKELY(s != nullptr)) {
    if (w->tool)
      return task_with_clauses(w, {fn, data, copy, size_t(size), size_t(align), if_clause, flags, depend, priority, detach},
                               EK_CALLER);
    t0 = s->creation_begins();
  }
  char* arg;
  Task* t = new_task(w, fn, size_t(size), size_t(align), flags, &arg);
  copy_data(t, arg, data, copy, size_t(size));
  if (EK_UNLIKELY(s != nullptr)) {
    // The id must be in the task before anybody can run it; the cost is stamped just before the task is queued.
    t->record_id = s->task_create(t0, record::now(), site_of(w, Construct::task, flags, deferred, fn, EK_CALLER), t->depth,
                                  w->current->record_id);
  }
  submit_plain(w, t);
}

#if EK_FAST_PATHS
// Between the two: it needs no frame.
extern "C" __attribute__((visibility("hidden"))) void einkorn_gomp_task_depend(
    Fn fn, void* data, CopyFn copy, long size, long align, bool if_clause, unsigned flags, void** depend, int priority, void* detach) {
  if (EK_LIKELY(is_only_dependent(copy, align, if_clause, flags, depend)))
    return task_with_depend(fn, data, size_t(size), flags, depend);
  return einkorn_gomp_task_long_way(fn, data, copy, size, align, if_clause, flags, depend, priority, detach);
}

// The last three arguments, which lie on the stack, stay where the caller has put them, and are not loaded: so neither of the
// two names them.
extern "C" void einkorn_gomp_task_long_way_7(Fn, void*, CopyFn, long, long, bool, unsigned)
    __asm__("einkorn_gomp_task_long_way") __attribute__((visibility("hidden")));
extern "C" void einkorn_gomp_task_depend_7(Fn, void*, CopyFn, long, long, bool, unsigned)
    __asm__("einkorn_gomp_task_depend") __attribute__((visibility("hidden")));
// With them: a jump leads there, so that GOMP_task() needs no frame. noipa: else the compiler would change what it is passed.
__attribute__((noipa)) static void task_of_full_queue(Fn fn, void* data, CopyFn copy, long size, long align, bool if_clause,
                                                         unsigned flags) {
  if (is_better_run_now(t_worker)) return run_inlined(t_worker, fn, data, flags);
  return einkorn_gomp_task_long_way_7(fn, data, copy, size, align, if_clause, flags);
}
EK_EXPORT void GOMP_task(Fn fn, void* data, CopyFn copy, long size, long align, bool if_clause, unsigned flags) {
  constexpr unsigned kPlain = kUntied | kMergeable | kIf;
  Worker* w = t_worker;
  size_t n = size_t(size);
  // Up to four overlapping pieces of 16 bytes, or two of 8 or 4.
  if (EK_UNLIKELY(w == nullptr || (flags & ~kPlain) || !if_clause || copy || align > 16 || n > 64 || (n && n < 4) ||
                  !is_short_way(w))) {
    const bool plain = w && !(flags & ~kPlain) && !copy;
    if (plain && if_clause && align <= 16 && (w->current->flags & (kTaskRecorded | kTaskFinal)) == kTaskRecorded &&
        w->slot->deque.has_room())
      return task_recorded(w, fn, data, n, flags, EK_CALLER);
    if (plain && !if_clause && !(w->current->flags & kTaskLongWay))
      return run_if_false(w, fn, data, flags);
    if (flags & kDepend) return einkorn_gomp_task_depend_7(fn, data, copy, size, align, if_clause, flags);
    return einkorn_gomp_task_long_way_7(fn, data, copy, size, align, if_clause, flags);
  }
  if (EK_UNLIKELY(!w->slot->deque.has_room())) return task_of_full_queue(fn, data, copy, size, align, if_clause, flags);
  constexpr size_t kAround = sizeof(Task) + sizeof(GompBody) + sizeof(void*);
  static_assert(kAround + 64 <= kBlockSizes[1]);
  size_t c = n > kBlockSizes[0] - kAround;
  void* block = w->free_blocks[c];
  if (EK_UNLIKELY(block == nullptr))
    return einkorn_gomp_task_long_way_7(fn, data, copy, size, align, if_clause, flags);
  w->free_blocks[c] = *static_cast<void**>(block);
  auto* t = static_cast<Task*>(block);
  init_short(w, t, flags & kUntied ? kTaskUntied : 0);
  auto* body = static_cast<GompBody*>(t->body());
  char* arg = reinterpret_cast<char*>(body + 1);
  body->fn = fn;
  body->data = arg;
  auto* from = static_cast<const char*>(data);
  if (EK_LIKELY(n >= 16)) {
    copy_ends<Words2>(arg, from, n);
    if (n > 32) copy_ends<Words2>(arg + 16, from + 16, n - 32);
  } else if (n >= 8) {
    copy_ends<uint64_t>(arg, from, n);
  } else if (n >= 4) {
    copy_ends<uint32_t>(arg, from, n);
  }
  submit_short(w, t);
}
#endif

EK_EXPORT void GOMP_taskwait_depend(void** depend) {
  size_t count = count_dependences(depend);
  auto* list = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * (count + 1)));
  read_dependences(depend, list);
  taskwait_depend(self(), list, int(count), EK_CALLER, 0);
}

EK_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
  size_t count = count_dependences(depend);
  auto* list = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * (count + 1)));
  read_dependences(depend, list);
  taskwait_depend_nowait(self(), list, int(count), EK_CALLER, 0);
}

EK_EXPORT void omp_fulfill_event(uintptr_t event);
EK_EXPORT void omp_fulfill_event_(uintptr_t event) { omp_fulfill_event(event); }  // Fortran, by value
EK_EXPORT void omp_fulfill_event(uintptr_t event) {
  fulfill_event(self(), reinterpret_cast<Task*>(event));
}

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
