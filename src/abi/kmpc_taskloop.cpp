// clang's taskloop. LLVM 19: kmp_tasking.cpp. The compiler gives a pattern task, of which each piece of the loop is a
// copy.
#include <cstring>
#include <new>

#include "abi/kmpc_schedule.h"
#include "runtime/task/kmp_body.h"
#include "runtime/task/loop_ranges.h"
#include "runtime/task/taskloop.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace {

using Duplicate = void (*)(KmpTask* to, KmpTask* from, int32_t is_last);

void copy_body(Task* t, const Task* pattern) {
  auto* from = static_cast<const char*>(static_cast<const void*>(pattern + 1));
  copy_words(t->body(), from, pattern->body_bytes());
  auto* kt = static_cast<KmpTask*>(t->body());
  if (kt->shareds) kt->shareds = static_cast<char*>(t->body()) + (static_cast<const char*>(kt->shareds) - from);
}

Task* copy_of(Worker* w, const Task* pattern) {
  Task* t = new_block(w, pattern->body_bytes());
  t->set_body_bytes(pattern->body_bytes());
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

struct Ranges {
  RangeLoop ranges;  // first
  Task* pattern;
  Bounds bounds;
};

void run_pieces(void* range) {
  Worker* w = t_worker;
  auto& r = *static_cast<LoopRange*>(range);
  const auto& l = *reinterpret_cast<const Ranges*>(r.loop);
  auto make = [&] {
    Task* t = new_block(w, l.pattern->body_bytes());
    init_task(w, t, l.pattern->flags);
    return t;
  };
  auto start = [&](Task* t, uint64_t first, uint64_t count, bool) {
    copy_body(t, l.pattern);
    l.bounds.set(t, first, count);
  };
  run_range(w, r, make, start, [w](Task* t) { Kmp::run_parts(w, t); });
}

// clang makes the group around the loop itself, and a loop without one looks the same here.
void end_ranges(Worker* w, RangeLoop* ranges) {
  free_block(w, reinterpret_cast<Ranges*>(ranges)->pattern);
  free_block(w, reinterpret_cast<Task*>(ranges) - 1);
}

struct Loop {
  const Ident* loc;
  Task* pattern;
  Bounds bounds;
  Duplicate duplicate;

  uint32_t site(Worker* w, uint16_t when, Caller caller) const {
    return Kmp{pattern, source_of(loc)}.site(w, Construct::taskloop, when, caller);
  }
  const void* function() const { return Kmp{pattern}.function(); }
  void in_group(Worker*) const {}
  bool is_plain() const { return !duplicate && (pattern->flags & ~kTaskUntied) == kTaskKmp; }
  template <class Wait>
  void start_ranges(Worker* w, const TaskloopSplit& split, Wait&& wait) const {
    auto* r = new (new_block(w, sizeof(Ranges))->body()) Ranges{{w, split, run_pieces, end_ranges}, pattern, bounds};
    einkorn::runtime::start_ranges(w, r->ranges);
    wait();
  }
  template <class Run>
  void at_once(Worker* w, const Range& piece, bool is_last, Run&& run) const {
    run(Kmp{copy(w, piece, is_last)});
  }
  bool may_be_captured() const { return !(pattern->flags & kTaskDestructors); }
  bool is_captured(Worker* w, const Range& piece, bool is_last, Caller caller) const {
    Task* t = copy(w, piece, is_last);
    if (Kmp{t, source_of(loc)}.is_captured(w, {}, caller)) return true;
    free_block(w, t);
    return false;
  }
  Task* make(Worker* w, const Range& piece, bool is_last) const { return Kmp{copy(w, piece, is_last)}.make(w); }
  void made(Worker* w) const {
    destroy_privates(w, pattern);
    free_block(w, pattern);
  }

 private:
  Task* copy(Worker* w, const Range& piece, bool is_last) const {
    Task* t = copy_of(w, pattern);
    bounds.set(t, piece.first, piece.count);
    if (duplicate) duplicate(static_cast<KmpTask*>(t->body()), static_cast<KmpTask*>(pattern->body()), is_last);
    return t;
  }
};

// lb and ub point into the pattern task; each piece is a copy of it with its own bounds (inclusive).
void meet(const Ident* loc, KmpTask* kt, bool if_clause, uint64_t* lb, uint64_t* ub, int64_t step, bool nogroup,
          int schedule, uint64_t size, bool strict, Duplicate duplicate, Caller ra) {
  auto offset = [=](uint64_t* p) { return size_t(reinterpret_cast<char*>(p) - reinterpret_cast<char*>(kt)); };
  TaskloopClauses said{inclusive_trip_count(int64_t(*lb), int64_t(*ub), step)};
  if (schedule == 1) said.grainsize = size;
  if (schedule == 2) said.num_tasks = size;
  said.strict = strict;
  said.if_clause = if_clause;
  said.nogroup = nogroup;
  Loop loop{loc, task_of(kt), {offset(lb), offset(ub), *lb, uint64_t(step)}, duplicate};
  taskloop(self(), loop, said, ra, einkorn::record::kSiteClang);
}

}  // namespace

EK_EXPORT void __kmpc_taskloop(const Ident* loc, int32_t, KmpTask* kt, int32_t if_clause, uint64_t* lb, uint64_t* ub,
                               int64_t step, int32_t nogroup, int32_t schedule, uint64_t size, Duplicate duplicate) {
  meet(loc, kt, if_clause, lb, ub, step, nogroup, schedule, size, false, duplicate, EK_CALLER);
}

EK_EXPORT void __kmpc_taskloop_5(const Ident* loc, int32_t, KmpTask* kt, int32_t if_clause, uint64_t* lb, uint64_t* ub,
                                 int64_t step, int32_t nogroup, int32_t schedule, uint64_t size, int32_t modifier,
                                 Duplicate duplicate) {
  meet(loc, kt, if_clause, lb, ub, step, nogroup, schedule, size, modifier == 1, duplicate, EK_CALLER);
}
