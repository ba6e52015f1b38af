// gcc's tasks. libgomp 12: task.c. The runtime copies the data, with the copy function where there is one.
#include "abi/abi.h"
#include "abi/gomp_depend.h"
#include "abi/gomp_jumps.h"
#include "abi/gomp_target.h"
#include "runtime/task/gomp_body.h"
#include "runtime/task/helpers.h"

using namespace einkorn::abi;
using enum Gomp::Flags;

// In functions of their own, so that GOMP_task() needs no frame.
__attribute__((noinline)) static void task_recorded(Worker* w, Fn fn, void* data, size_t size, unsigned flags,
                                                    Caller ra) {
  create_recorded(w, Gomp{fn, data, flags & (kUntied | kMergeable), nullptr, size}, ra);
}

// With an if clause that is false, and nothing else that is special.
__attribute__((noinline)) static void run_if_false(Worker* w, Fn fn, void* data, unsigned flags) {
  EK_ASSERT(!(w->current->flags & (kTaskFinal | kTaskSlowPath)));
  Gomp{fn, data, flags}.run_short<false>(w);
}

// Not cut off by a hint.
__attribute__((noinline)) static void task_queued(Worker* w, Fn fn, void* data, size_t size, unsigned flags) {
  submit_plain(w, Gomp{fn, data, flags & kUntied, nullptr, size}.make_short(w, 0));
}

// All that becomes of one that is created by a task that merges.
__attribute__((noinline)) static void run_called(Worker* w, Fn fn, void* data) { Gomp{fn, data, 0}.run_merged(w); }
__attribute__((noinline)) static void run_called_copied(Worker* w, Fn fn, void* data, CopyFn copy, size_t size,
                                                        size_t align) {
  Gomp{fn, data, 0, copy, size, align}.run_merged(w);
}

// With a copy function, which may create tasks itself. The child of a task without kTaskSlowPath.
__attribute__((noinline)) static void task_copied(Worker* w, Fn fn, void* data, CopyFn copy, size_t size,
                                                  unsigned flags) {
  Task* t = Gomp{fn, data, flags & kUntied, copy, size}.make_short(w, 0);
  if (EK_LIKELY(w->slot->deque.has_room())) submit_short(w, t);
  else submit_plain(w, t);
}

// With dependences, in a team of one: its creator has to run it at once. Such mostly create no tasks.
__attribute__((noinline)) static void run_alone(Worker* w, Fn fn, void* data, unsigned flags) {
  own_task(w);
  Gomp{fn, data, flags}.run_short<true, false>(w);
}

__attribute__((noinline)) static void task_of_any_kind(Worker* w, const Gomp& body, bool if_clause, void** depend,
                                                       Caller ra) {
  Clauses clauses{if_clause, bool(body.flags & kDetach), bool(body.flags & kPriority)};
  if (body.flags & kDepend) {
    const GompDepends depends{depend};
    clauses.count = int(depends.count());
    auto* list = static_cast<Dependence*>(__builtin_alloca(sizeof(Dependence) * size_t(clauses.count + 1)));
    depends.read(list);
    clauses.list = list;
  }
  if (EK_UNLIKELY(body.flags & kTarget)) create_target(w, body, clauses, true, ra);
  else create(w, body, clauses, ra);
}

void einkorn::abi::create_gomp_target(const Gomp& body, bool deferred, void** depend, Caller ra) {
  task_of_any_kind(self(), body, deferred, depend, ra);
}

// With depend and nothing else unusual, of a task without kTaskSlowPath.
__attribute__((noinline)) static void task_with_depend(Fn fn, void* data, size_t size, unsigned flags, void** depend) {
  create_dependent(t_worker, Gomp{fn, data, flags, nullptr, size}, GompDepends{depend});
}

// The same of a task that takes down what it creates.
__attribute__((noinline)) static void task_taken_down(Worker* w, Fn fn, void* data, size_t size, unsigned flags,
                                                      void** depend, Caller ra) {
  const Gomp body{fn, data, flags, nullptr, size};
  Dependence* list;
  if (EK_UNLIKELY(!capture_dependent(w, body, GompDepends{depend}, size, ra, list)))
    task_of_any_kind(w, body, true, depend, ra);
}

static bool is_only_dependent(CopyFn copy, long align, bool if_clause, unsigned flags, void** depend) {
  constexpr unsigned kUsual = kUntied | kMergeable | kIf | kDepend;
  return (flags & kDepend) && !(flags & ~kUsual) && if_clause && !copy && align <= 16 && t_worker &&
         GompDepends{depend}.count() != 0;
}

// All arguments are handed on as they came: the caller of GOMP_task() is this one's.
EK_ALL_ARGUMENTS void einkorn_gomp_task_slow_path(Fn fn, void* data, CopyFn copy, long size, long align, bool if_clause,
                                                  unsigned flags, void** depend, int priority, void* detach) {
  Worker* w = self();
  const Gomp brief{fn, data, flags, copy, size_t(size), size_t(align)};
  if (EK_UNLIKELY(merges(w->current)) && is_called(w, brief, if_clause)) return;
  if (EK_LIKELY(!(flags & (kDepend | kDetach | kPriority)))) {
    if (is_short_at_once(w, brief, if_clause)) return brief.run_short(w);
    own_task(w);
    // With more data than GOMP_task() copies, say.
    if (if_clause && !(flags & kFinal) && EK_LIKELY(!(w->current->flags & kTaskSlowPath)) &&
        w->slot->deque.has_room()) {
      Task* t = brief.make(w);
      brief.fill(t);
      return submit_plain(w, t);
    }
  }
  task_of_any_kind(w, {fn, data, flags, copy, size_t(size), size_t(align), priority, detach}, if_clause, depend,
                   EK_CALLER);
}

// Between the two: it needs no frame.
EK_ALL_ARGUMENTS void einkorn_gomp_task_depend(EK_DEPEND_PARAMETERS) {
  if (EK_LIKELY(is_only_dependent(copy, align, if_clause, flags, depend))) {
    Worker* w = t_worker;
    const uint16_t its = w->current->flags;
    if (EK_LIKELY(!(its & kTaskSlowPath))) return task_with_depend(fn, data, size_t(size), flags, depend);
    if ((its & kTaskCaptures) && size <= long(UINT32_MAX))
      return task_taken_down(w, fn, data, size_t(size), flags, depend, EK_CALLER);
    if (EK_LIKELY(follows_nobody_alone(w, Gomp{fn, data, flags}))) return run_alone(w, fn, data, flags);
  }
  return EK_DEPEND_SLOW_PATH;
}

EK_FRAMELESS static void task_of_full_queue(EK_TASK_PARAMETERS) {
  Worker* w = t_worker;
  const FullQueue full = full_queue(w, reinterpret_cast<const void*>(fn));
  if (full == FullQueue::run_inlined) return Gomp{fn, data, flags}.run_inlined(w);
  if (EK_UNLIKELY(full == FullQueue::queue) && align <= 16) return task_queued(w, fn, data, size_t(size), flags);
  return EK_SLOW_PATH(EK_TASK_ARGUMENTS);
}

// Of one that merges what it creates (merged.h).
EK_FRAMELESS static void task_of_merging(EK_TASK_PARAMETERS) {
  Worker* w = t_worker;
  if (EK_LIKELY(is_surely_called(w, if_clause)) || is_cut_off_again(w, reinterpret_cast<const void*>(fn))) {
    if (copy) return run_called_copied(w, fn, data, copy, size_t(size), size_t(align));
    return run_called(w, fn, data);
  }
  return EK_SLOW_PATH(EK_TASK_ARGUMENTS);
}

// With a copy function and nothing else unusual.
EK_FRAMELESS static void task_with_copy(EK_TASK_PARAMETERS) {
  Worker* w = t_worker;
  if (if_clause && align <= 16 && is_fast_path(w) && w->slot->deque.has_room())
    return task_copied(w, fn, data, copy, size_t(size), flags);
  if (merges(w->current)) return task_of_merging(EK_TASK_ARGUMENTS);
  return EK_SLOW_PATH(EK_TASK_ARGUMENTS);
}

// With an if clause that is false, with much or odd data, or where is_fast_path() says no.
EK_FRAMELESS static void task_less_usual(EK_TASK_PARAMETERS) {
  Worker* w = t_worker;
  if (merges(w->current)) return task_of_merging(EK_TASK_ARGUMENTS);
  if (if_clause && is_tried_first(w)) return task_of_full_queue(EK_TASK_ARGUMENTS);
  if (if_clause && align <= 16 && is_recorded_way(w)) return task_recorded(w, fn, data, size_t(size), flags, EK_CALLER);
  return EK_SLOW_PATH(EK_TASK_ARGUMENTS);
}

EK_EXPORT void GOMP_task(EK_TASK_PARAMETERS) {
  constexpr unsigned kPlain = kUntied | kMergeable | kIf;
  Worker* w = t_worker;
  size_t n = size_t(size);
  if (EK_UNLIKELY(w == nullptr || (flags & ~kPlain) || copy)) {
    if (flags & kDepend) return EK_DEPEND(EK_TASK_ARGUMENTS);
    if (w != nullptr && !(flags & ~kPlain)) return task_with_copy(EK_TASK_ARGUMENTS);
    return EK_SLOW_PATH(EK_TASK_ARGUMENTS);
  }
  if (EK_UNLIKELY(!if_clause) && EK_LIKELY(!(w->current->flags & kTaskSlowPath)))
    return run_if_false(w, fn, data, flags);
  // Up to four overlapping pieces of 16 bytes, or two of 8 or 4.
  if (EK_UNLIKELY(!if_clause || align > 16 || n > 64 || (n && n < 4) || !is_fast_path(w)))
    return task_less_usual(EK_TASK_ARGUMENTS);
  if (EK_UNLIKELY(!w->slot->deque.has_room())) return task_of_full_queue(EK_TASK_ARGUMENTS);
  constexpr size_t kAround = sizeof(Task) + sizeof(GompBody) + sizeof(void*);
  static_assert(kAround + 64 <= kBlockSizes[1]);
  Task* t = take_block(w, n > kBlockSizes[0] - kAround);
  if (EK_UNLIKELY(t == nullptr)) return EK_SLOW_PATH(EK_TASK_ARGUMENTS);
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
