// gcc's taskloop. libgomp 12: taskloop.c.
#include "abi/gomp_task.h"
#include "record/clock.h"
#include "runtime/cancel.h"
#include "runtime/reduction.h"
#include "runtime/share.h"
#include "runtime/taskloop.h"
#include "runtime/tool.h"

using namespace einkorn::abi;
namespace record = einkorn::record;

namespace {

template <class Int>
struct Loop {
  RangeLoop ranges;  // first
  Fn fn;
  const void* data;
  size_t size;
  unsigned flags;
  Int start, end, step;
};

template <class Int>
void run_pieces(void* range) {
  Worker* w = t_worker;
  auto& r = *static_cast<LoopRange*>(range);
  const auto& l = *reinterpret_cast<const Loop<Int>*>(r.loop);
  auto make = [&] {
    char* arg;
    return new_task(w, l.fn, l.size, 1, l.flags, &arg);
  };
  auto start = [&](Task* t, uint64_t first, uint64_t count, bool is_last) {
    auto* to = static_cast<char*>(static_cast<GompBody*>(t->body())->data);
    if (EK_LIKELY(l.size <= 32)) copy_short(to, static_cast<const char*>(l.data), l.size);
    else memcpy(to, l.data, l.size);
    reinterpret_cast<Int*>(to)[0] = Int(uint64_t(l.start) + first * uint64_t(l.step));
    reinterpret_cast<Int*>(to)[1] = is_last ? l.end : Int(uint64_t(l.start) + (first + count) * uint64_t(l.step));
  };
  run_range(w, r, make, start, [](Task* t) {
    auto* body = static_cast<GompBody*>(t->body());
    body->fn(body->data);
  });
}

// The data begins with the task's first value and its exclusive bound, in the user's type.
template <class Int>
void taskloop(Fn fn, void* data, CopyFn copy, size_t size, size_t align, unsigned flags, unsigned long num,
              int priority, Int start, Int end, Int step, uint64_t iterations, Caller ra) {
  Worker* w = self();
  bool grouped = !(flags & kNogroup);
  Taskgroup group;
  if (grouped) {
    taskgroup_begin(w, &group, ra, 0);
    // The descriptor of the reductions follows the two bounds. The program combines and unregisters.
    if (flags & kReduction) register_reductions(w, *reinterpret_cast<uintptr_t**>(static_cast<Int*>(data) + 2));
  }
  TaskloopSplit split(w, iterations, flags & kGrainsize ? num : 0, flags & kGrainsize ? 0 : num, flags & kStrict);
  constexpr unsigned kUsual = kUntied | kMergeable | kUp | kGrainsize | kIf | kReduction | kStrict;
  if (!(flags & ~kUsual) && (flags & kIf) && !copy && align <= 16 && !(w->current->flags & kTaskLongWay)) {
    Loop<Int> loop{{w, split, run_pieces<Int>, nullptr}, fn, data, size, flags, start, end, step};
    start_ranges(w, loop.ranges);
    return taskgroup_end(w, ra, 0);
  }
  bool at_once_all = runs_at_once(w, flags & kIf);
  record::Stream* s = w->stream;
  uint32_t site = site_of(w, Construct::taskloop, flags, at_once_all ? undeferred : deferred, fn, ra);
  if (s) s->taskloop_begin(record::now(), site, iterations, split.tasks());
  if (EK_UNLIKELY(w->tool != nullptr)) tool::work_event(w, ompt_work_taskloop, ompt_scope_begin, iterations, ra);
  // One buffer for all: what alloca gives comes back at the end of the function only.
  char* buffer = at_once_all ? align_up(static_cast<char*>(__builtin_alloca(size + align)), align) : nullptr;
  for (uint64_t first, count; split.next(first, count);) {
    if (EK_UNLIKELY(g_config.cancellation) && tasks_cancelled(w)) break;
    Int from = Int(uint64_t(start) + first * uint64_t(step));
    // The last piece ends at the user's bound: from + count * step could overflow.
    Int to = split.was_last() ? end : Int(uint64_t(start) + (first + count) * uint64_t(step));
    if (at_once_all) {
      if (copy) copy(buffer, data);
      else memcpy(buffer, data, size);
      reinterpret_cast<Int*>(buffer)[0] = from;
      reinterpret_cast<Int*>(buffer)[1] = to;
      Range range{first, count};
      at_once(w, fn, buffer, nullptr, size, align, flags, site, ra, nullptr, &range);
      if (s) s->task_range(first, count);
    } else {
      uint64_t t0 = s ? record::now() : 0;
      char* arg;
      Task* t = new_task(w, fn, size, align, flags, &arg);
      if (flags & kPriority) set_priority(w, t, priority);
      copy_data(t, arg, data, copy, size);
      reinterpret_cast<Int*>(arg)[0] = from;
      reinterpret_cast<Int*>(arg)[1] = to;
      if (s) record_piece(w, t, t0, site, first, count, ra);
      submit(w, t);
    }
  }
  if (s) s->taskloop_end(record::now());
  if (EK_UNLIKELY(w->tool != nullptr)) tool::work_event(w, ompt_work_taskloop, ompt_scope_end, iterations, ra);
  if (grouped) taskgroup_end(w, ra, 0);
}

}  // namespace

EK_EXPORT void GOMP_taskloop(Fn fn, void* data, CopyFn copy, long size, long align, unsigned flags, unsigned long num,
                             int priority, long start, long end, long step) {
  taskloop<long>(fn, data, copy, size_t(size), size_t(align), flags, num, priority, start, end, step, trip_count(start, end, step),
                 EK_CALLER);
}

EK_EXPORT void GOMP_taskloop_ull(Fn fn, void* data, CopyFn copy, long size, long align, unsigned flags, unsigned long num,
                                 int priority, unsigned long long start, unsigned long long end, unsigned long long step) {
  taskloop<unsigned long long>(fn, data, copy, size_t(size), size_t(align), flags, num, priority, start, end, step,
                               trip_count_unsigned(flags & kUp, start, end, step), EK_CALLER);
}
