// gcc's tasks. libgomp 12: task.c, taskloop.c. The runtime copies the data, with the copy function where there is one.
#include <cstring>

#include "abi/abi.h"
#include "record/clock.h"
#include "runtime/reduction.h"
#include "runtime/task.h"
#include "runtime/share.h"

using namespace einkorn::abi;
namespace record = einkorn::record;
using record::Construct;

namespace {

// omp/gomp-constants.h of gcc 12.
enum GompTaskFlags : unsigned {
  kUntied = 1 << 0, kFinal = 1 << 1, kMergeable = 1 << 2, kDepend = 1 << 3, kPriority = 1 << 4, kUp = 1 << 8,
  kGrainsize = 1 << 9, kIf = 1 << 10, kNogroup = 1 << 11, kReduction = 1 << 12, kDetach = 1 << 13, kStrict = 1 << 14,
};

using Fn = void (*)(void*);
using CopyFn = void (*)(void*, void*);

uint16_t site_flags(unsigned flags, bool undeferred) {
  using namespace einkorn::record;
  return uint16_t((undeferred ? kSiteUndeferred : 0) | (flags & kFinal ? kSiteFinal : 0) |
                  (flags & kUntied ? kSiteUntied : 0) | (flags & kMergeable ? kSiteMergeable : 0));
}

__attribute__((noinline)) uint32_t site_of(Worker* w, Construct c, unsigned flags, bool undeferred, Fn fn, const void* ra) {
  if (EK_LIKELY(w->stream == nullptr)) return 0;
  uint16_t f = site_flags(flags, undeferred);
  if (w->current->flags & kTaskFinal) f |= einkorn::record::kSiteIncluded;
  return w->stream->site(c, f, reinterpret_cast<const void*>(fn), ra);
}

inline uint16_t task_flags(unsigned flags) {
  return uint16_t((flags & kUntied ? kTaskUntied : 0) | (flags & kFinal ? kTaskFinal : 0));
}

// Must the task run at once? final-ness is inherited: descendants of a final task are included tasks.
inline bool runs_at_once(const Worker* w, bool if_clause) {
  return !if_clause || w->team->n.load(std::memory_order_relaxed) == 1 || (w->current->flags & kTaskFinal);
}

char* align_up(char* p, size_t align) { return reinterpret_cast<char*>((uintptr_t(p) + align - 1) & ~uintptr_t(align - 1)); }

void run_copied(Fn fn, void* data, CopyFn copy, size_t size, size_t align) {
  if (!copy) return fn(data);
  char* buffer = static_cast<char*>(__builtin_alloca(size + align));
  buffer = align_up(buffer, align);
  copy(buffer, data);
  fn(buffer);
}

// Out of line: its aligned local would cost GOMP_task a realigned frame.
__attribute__((noinline)) void at_once(Worker* w, Fn fn, void* data, CopyFn copy, size_t size, size_t align, unsigned flags, uint32_t site) {
  uint16_t f = task_flags(flags);
  if (w->current->flags & kTaskFinal) f |= kTaskFinal;
  struct {
    Task task;
    GompBody body;
  } local;
  bool stays = children_stay_within(w, f);
  Task* t = stays ? &local.task : new_block(w, sizeof(GompBody));
  *static_cast<GompBody*>(t->body()) = {fn, nullptr};  // the data stays where it is: only the recorder asks for fn
  begin_undeferred(w, t, f | (stays ? kTaskOnStack : 0), site);
  run_copied(fn, data, copy, size, align);
  end_undeferred(w, t);
}

template <class Word>
inline void copy_ends(char* to, const char* from, size_t size) {
  Word first, last;
  memcpy(&first, from, sizeof(Word));
  memcpy(&last, from + size - sizeof(Word), sizeof(Word));
  memcpy(to, &first, sizeof(Word));
  memcpy(to + size - sizeof(Word), &last, sizeof(Word));
}

struct Words2 { uint64_t w[2]; };

inline void copy_short(char* to, const char* from, size_t size) {
  if (EK_LIKELY(size >= 16)) copy_ends<Words2>(to, from, size);
  else if (size >= 8) copy_ends<uint64_t>(to, from, size);
  else if (size >= 4) copy_ends<uint32_t>(to, from, size);
  else
    for (size_t i = 0; i < size; ++i) to[i] = from[i];
}

// A queued task with its own copy of the data. Returns where that lies.
inline Task* copied_task(Worker* w, Fn fn, void* data, CopyFn copy, size_t size, size_t align, unsigned flags, char** where) {
  Task* t = new_block(w, sizeof(GompBody) + size + (align > 16 ? align : 0));
  init_task(w, t, task_flags(flags));
  auto* body = static_cast<GompBody*>(t->body());
  char* arg = reinterpret_cast<char*>(body + 1);
  if (EK_UNLIKELY(align > 16)) arg = align_up(arg, align);
  body->fn = fn;
  body->data = arg;
  if (EK_UNLIKELY(copy != nullptr)) {
    // The copy constructors are user code of the creating task, which is current; a task may be created in them.
    copy(arg, data);
  } else if (EK_LIKELY(size <= 32)) {
    // Mostly a few words. Both the first and the last of them, which may overlap, need no loop and no call.
    copy_short(arg, static_cast<const char*>(data), size);
  } else {
    memcpy(arg, data, size);
  }
  *where = arg;
  return t;
}

}  // namespace

EK_EXPORT void GOMP_task(Fn fn, void* data, CopyFn copy, long size, long align, bool if_clause, unsigned flags,
                         void** depend, int priority, void* detach) {
  (void)depend, (void)priority, (void)detach;
  if (EK_UNLIKELY(flags & (kDepend | kDetach)))
    unsupported(flags & kDepend ? "task depend" : "task detach", "GOMP_task");
  Worker* w = self();
  if (EK_UNLIKELY(runs_at_once(w, if_clause)))
    return at_once(w, fn, data, copy, size_t(size), size_t(align), flags,
                   site_of(w, Construct::task, flags, true, fn, EK_CALLER));
  record::Stream* s = w->stream;
  uint64_t t0 = EK_UNLIKELY(s != nullptr) ? record::now() : 0;
  char* arg;
  Task* t = copied_task(w, fn, data, copy, size_t(size), size_t(align), flags, &arg);
  if (EK_UNLIKELY(s != nullptr)) {
    // The id must be in the task before anybody can run it; the cost is stamped just before the task is queued.
    t->record_id = s->task_create(t0, record::now(), site_of(w, Construct::task, flags, false, fn, EK_CALLER));
  }
  submit(w, t);
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

namespace {

// The data begins with the task's first value and its exclusive bound, in the user's type.
template <class Int>
void taskloop(Fn fn, void* data, CopyFn copy, size_t size, size_t align, unsigned flags, unsigned long num, Int start,
              Int end, Int step, uint64_t iterations, const void* ra) {
  Worker* w = self();
  bool grouped = !(flags & kNogroup);
  Taskgroup group;
  if (grouped) {
    taskgroup_begin(w, &group, ra, 0);
    // The descriptor of the reductions follows the two bounds. The program combines and unregisters.
    if (flags & kReduction) register_reductions(w, *reinterpret_cast<uintptr_t**>(static_cast<Int*>(data) + 2));
  }
  uint64_t tasks = taskloop_tasks(w, iterations, flags & kGrainsize ? num : 0, flags & kGrainsize ? 0 : num, flags & kStrict);
  bool at_once_all = runs_at_once(w, flags & kIf);
  record::Stream* s = w->stream;
  uint32_t site = site_of(w, Construct::taskloop, flags, at_once_all, fn, ra);
  if (s) s->taskloop_begin(record::now(), site, iterations, tasks);
  // strict grainsize: all but the last exactly so long; else lengths that differ by at most one.
  bool exact = (flags & kStrict) && (flags & kGrainsize);
  uint64_t each = exact ? num : tasks ? iterations / tasks : 0;
  uint64_t longer = exact || !tasks ? 0 : iterations % tasks;
  // One buffer for all: what alloca gives comes back at the end of the function only.
  char* buffer = at_once_all ? align_up(static_cast<char*>(__builtin_alloca(size + align)), align) : nullptr;
  for (uint64_t i = 0, first = 0; i < tasks; ++i) {
    uint64_t count = each + (i < longer);
    if (count > iterations - first) count = iterations - first;
    Int from = Int(uint64_t(start) + first * uint64_t(step));
    // The last piece ends at the user's bound: from + count * step could overflow.
    Int to = i + 1 == tasks ? end : Int(uint64_t(start) + (first + count) * uint64_t(step));
    if (at_once_all) {
      if (copy) copy(buffer, data);
      else memcpy(buffer, data, size);
      reinterpret_cast<Int*>(buffer)[0] = from;
      reinterpret_cast<Int*>(buffer)[1] = to;
      at_once(w, fn, buffer, nullptr, size, align, flags, site);
      if (s) s->task_range(first, count);
    } else {
      uint64_t t0 = s ? record::now() : 0;
      char* arg;
      Task* t = copied_task(w, fn, data, copy, size, align, flags, &arg);
      reinterpret_cast<Int*>(arg)[0] = from;
      reinterpret_cast<Int*>(arg)[1] = to;
      if (s) {
        t->record_id = s->task_create(t0, record::now(), site);
        s->task_range(first, count);
      }
      submit(w, t);
    }
    first += count;
  }
  if (s) s->taskloop_end(record::now());
  if (grouped) taskgroup_end(w, ra, 0);
}

}  // namespace

EK_EXPORT void GOMP_taskloop(Fn fn, void* data, CopyFn copy, long size, long align, unsigned flags, unsigned long num,
                             int, long start, long end, long step) {
  taskloop<long>(fn, data, copy, size_t(size), size_t(align), flags, num, start, end, step, trip_count(start, end, step),
                 EK_CALLER);
}

EK_EXPORT void GOMP_taskloop_ull(Fn fn, void* data, CopyFn copy, long size, long align, unsigned flags, unsigned long num,
                                 int, unsigned long long start, unsigned long long end, unsigned long long step) {
  taskloop<unsigned long long>(fn, data, copy, size_t(size), size_t(align), flags, num, start, end, step,
                               trip_count_unsigned(flags & kUp, start, end, step), EK_CALLER);
}
