// clang's taskloop. LLVM 19: kmp_tasking.cpp. The compiler gives a pattern task, of which each piece of the loop is a copy.
#include <cstring>
#include <new>

#include "abi/kmpc_task.h"
#include "record/clock.h"
#include "runtime/taskloop.h"
#include "runtime/tool.h"

using namespace einkorn::abi;

namespace {

using Duplicate = void (*)(KmpTask* to, KmpTask* from, int32_t is_last);

// 16 bytes at a time: blocks have room for that.
void copy_body(Task* t, const Task* pattern) {
  struct Words {
    uint64_t w[2];
  };
  auto* from = static_cast<const char*>(static_cast<const void*>(pattern + 1));
  for (size_t at = 0, bytes = size_t(pattern->base); at < bytes; at += sizeof(Words))
    memcpy(static_cast<char*>(t->body()) + at, from + at, sizeof(Words));
  auto* kt = static_cast<KmpTask*>(t->body());
  if (kt->shareds) kt->shareds = static_cast<char*>(t->body()) + (static_cast<const char*>(kt->shareds) - from);
}

Task* copy_of(Worker* w, const Task* pattern) {
  Task* t = new_block(w, size_t(pattern->base));
  t->base = pattern->base;
  t->flags = pattern->flags;
  copy_body(t, pattern);
  return t;
}

// Where a taskloop's bounds are in its tasks: each one's body is the pattern's with bounds of its own (inclusive).
struct Bounds {
  size_t lower_at, upper_at;
  uint64_t lower, step;
  void set(Task* t, uint64_t first, uint64_t count) const {
    uint64_t from = lower + first * step, to = from + (count - 1) * step;
    memcpy(static_cast<char*>(t->body()) + lower_at, &from, sizeof from);
    memcpy(static_cast<char*>(t->body()) + upper_at, &to, sizeof to);
  }
};

struct Loop {
  RangeLoop ranges;  // first
  Task* pattern;
  Bounds bounds;
};

void run_pieces(void* range) {
  Worker* w = t_worker;
  auto& r = *static_cast<LoopRange*>(range);
  const auto& l = *reinterpret_cast<const Loop*>(r.loop);
  auto make = [&] {
    Task* t = new_block(w, size_t(l.pattern->base));
    init_task(w, t, l.pattern->flags);
    return t;
  };
  auto start = [&](Task* t, uint64_t first, uint64_t count, bool) {
    copy_body(t, l.pattern);
    l.bounds.set(t, first, count);
  };
  run_range(w, r, make, start, [w](Task* t) {
    auto* kt = static_cast<KmpTask*>(t->body());
    kt->routine(w->id, kt);
    run_next_parts<false>(w, t);
  });
}

// clang makes the group around the loop itself, and a loop without one looks the same here.
void end_loop(Worker* w, RangeLoop* ranges) {
  free_block(w, reinterpret_cast<Loop*>(ranges)->pattern);
  free_block(w, reinterpret_cast<Task*>(ranges) - 1);
}

// lb and ub point into the pattern task; each piece is a copy of it with its own bounds (inclusive).
void taskloop(Worker* w, const Ident* loc, KmpTask* kt, bool if_clause, uint64_t* lb, uint64_t* ub, int64_t step, bool nogroup,
              int schedule, uint64_t size, bool strict, Duplicate duplicate, Caller ra) {
  namespace rec = einkorn::record;
  Task* pattern = task_of(kt);
  Taskgroup group;
  if (!nogroup) taskgroup_begin(w, &group, ra, rec::kSiteClang);
  size_t lb_at = size_t(reinterpret_cast<char*>(lb) - reinterpret_cast<char*>(kt));
  size_t ub_at = size_t(reinterpret_cast<char*>(ub) - reinterpret_cast<char*>(kt));
  uint64_t lower = *lb, upper = *ub, iterations;
  if (step > 0) iterations = int64_t(lower) <= int64_t(upper) ? (upper - lower) / uint64_t(step) + 1 : 0;
  else iterations = int64_t(lower) >= int64_t(upper) ? (lower - upper) / (0 - uint64_t(step)) + 1 : 0;
  TaskloopSplit split(w, iterations, schedule == 1 ? size : 0, schedule == 2 ? size : 0, strict);
  const Bounds bounds{lb_at, ub_at, lower, uint64_t(step)};
  if (!duplicate && if_clause && (pattern->flags & ~kTaskUntied) == kTaskKmp && !(w->current->flags & kTaskLongWay)) {
    auto* loop = new (new_block(w, sizeof(Loop))->body()) Loop{{w, split, run_pieces, end_loop}, pattern, bounds};
    start_ranges(w, loop->ranges);
    if (!nogroup) taskgroup_end(w, ra, rec::kSiteClang);
    return;
  }
  bool at_once = runs_at_once(w, if_clause);
  const void* fn = reinterpret_cast<const void*>(kt->routine);
  uint32_t site = site_of(w, Construct::taskloop, pattern, at_once, fn, ra, loc);
  rec::Stream* s = w->stream;
  if (s) s->taskloop_begin(rec::now(), site, iterations, split.tasks());
  if (EK_UNLIKELY(w->tool != nullptr)) tool::work_event(w, ompt_work_taskloop, ompt_scope_begin, iterations, ra);
  for (uint64_t first, count; split.next(first, count);) {
    uint64_t t0 = s ? rec::now() : 0;
    Task* t = copy_of(w, pattern);
    auto* piece = static_cast<KmpTask*>(t->body());
    bounds.set(t, first, count);
    if (duplicate) duplicate(piece, kt, split.was_last());
    if (at_once) {
      Range range{first, count};
      run_now(w, t, site, ra, false, &range);
      if (s) s->task_range(first, count);
    } else {
      init_task(w, t, t->flags);
      if (EK_UNLIKELY(t->flags & kTaskPriority)) set_priority(w, t, piece);
      if (s) record_piece(w, t, t0, site, first, count, ra);
      submit(w, t);
    }
  }
  if (s) s->taskloop_end(rec::now());
  if (EK_UNLIKELY(w->tool != nullptr)) tool::work_event(w, ompt_work_taskloop, ompt_scope_end, iterations, ra);
  destroy_privates(w, pattern, kt);
  free_block(w, pattern);
  if (!nogroup) taskgroup_end(w, ra, rec::kSiteClang);
}

}  // namespace

EK_EXPORT void __kmpc_taskloop(const Ident* loc, int32_t, KmpTask* kt, int32_t if_clause, uint64_t* lb, uint64_t* ub,
                               int64_t step, int32_t nogroup, int32_t schedule, uint64_t size, Duplicate duplicate) {
  taskloop(self(), loc, kt, if_clause, lb, ub, step, nogroup, schedule, size, false, duplicate, EK_CALLER);
}

EK_EXPORT void __kmpc_taskloop_5(const Ident* loc, int32_t, KmpTask* kt, int32_t if_clause, uint64_t* lb, uint64_t* ub,
                                 int64_t step, int32_t nogroup, int32_t schedule, uint64_t size, int32_t modifier,
                                 Duplicate duplicate) {
  taskloop(self(), loc, kt, if_clause, lb, ub, step, nogroup, schedule, size, modifier == 1, duplicate, EK_CALLER);
}
