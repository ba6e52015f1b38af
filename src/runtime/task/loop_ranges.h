// taskloop as ranges: instead of a task for each piece of the loop, one task for all of them, which gives away the
// later half of what it has, again and again, until few are left, and runs these one after the other. Each piece is a
// task of its own all the same, with its own copy of the data, made when it starts. For loops met in a task without
// kTaskSlowPath: what is recorded, may be cancelled or goes by place is made piece by piece.
//
// A range's task is a child of the task that met the loop, whoever makes it: that one has counted as many children as
// may be needed as created, and as finished elsewhere, so that another thread that makes one takes one of these back
// (Task::refs).
#pragma once
#include "base/clock.h"
#include "base/tunables.h"
#include "runtime/task/body.h"
#include "schedule/taskloop.h"

namespace einkorn::runtime {

using schedule::TaskloopSplit;

struct RangeLoop {
  static constexpr uint64_t kMostRanges = 1
                                          << 24;  // at any time: threads times what halving makes of 64 bits, and less
  static constexpr uint32_t kMostTogether = 1024;

  RangeLoop(Worker* w, const TaskloopSplit& s, void (*run_one)(void*), void (*when_done)(Worker*, RangeLoop*))
      : creator(w->current),
        group(creator->group),
        icv(creator->icv),
        depth(creator->depth + 1),
        split(s),
        run(run_one),
        done(when_done) {}
  Task* const creator;  // may have ended while ranges run
  Taskgroup* const group;
  const uint32_t icv, depth;
  const TaskloopSplit split;
  void (*const run)(void* range);  // calls run_range()
  void (*const done)(Worker*,
                     RangeLoop*);   // after the last range; nullptr: the creator waits for them, as they are in a group
  std::atomic<uint32_t> ranges{0};  // that have not ended, where there is done()
  // Pieces that are run without asking whether somebody else wants some of them: for kPiecesUnasked, or one.
  std::atomic<uint32_t> together{1};
};

struct LoopRange {
  RangeLoop* loop;
  uint64_t first, last;  // pieces
};

// By the creator. Does not wait.
void start_ranges(Worker* w, RangeLoop& loop);
void push_range(Worker* w, RangeLoop& loop, uint64_t first, uint64_t last);

// make() returns a task made by init_task() with its body, start(task, first, count, is_last) brings in the data of a
// piece, that is logical iterations, run(task) calls the program.
template <class Make, class Start, class Run>
void run_range(Worker* w, LoopRange range, Make&& make, Start&& start, Run&& run) {
  RangeLoop& loop = *range.loop;
  Task* const me = w->current;
  uint64_t at = range.first, last = range.last;
  const uint64_t together = loop.together.load(std::memory_order_relaxed);
  for (; last - at > together; last = at + (last - at) / 2) push_range(w, loop, at + (last - at) / 2, last);
  const uint64_t began = ticks();
  Task* t = make();
  const uint16_t flags = t->flags;
  for (;; ++at) {
    uint64_t first, count;
    loop.split.piece(at, first, count);
    start(t, first, count, at + 1 == loop.split.tasks());
    run_body<Kind::plain>(w, t, me, observe::Nobody{}, [&](bool) { return run(t), true; });
    const bool goes_on = at + 1 < last;
    if (EK_LIKELY(t->flags == flags) && EK_LIKELY(nothing_left_of(t))) {
      if (!goes_on) break;
      t->refs.store(Task::kAlive, std::memory_order_relaxed);
      t->created = t->done = 0;
    } else {
      // Something of it is left: now it counts. Its group does not end before the range does.
      ++me->created;
      add(w->slot->created, std::memory_order_relaxed);
      if (t->group) join_group(w, t->group);
      end_task(w, t);
      if (!goes_on) {
        t = nullptr;
        break;
      }
      t = make();
    }
    if (EK_UNLIKELY(w->team->idle.load(std::memory_order_relaxed) != 0) && last - at > 2 &&
        ticks() - began > in_ticks(tunables::kPiecesUnasked)) {
      uint64_t middle = at + 1 + (last - at - 1) / 2;
      push_range(w, loop, middle, last);
      last = middle;
    }
  }
  if (t) free_block(w, t);
  const uint64_t took = ticks() - began, brief = in_ticks(tunables::kPiecesUnasked), pieces = at + 1 - range.first;
  if (took < brief && pieces * 2 > together && together < RangeLoop::kMostTogether)
    loop.together.store(uint32_t(together * 2), std::memory_order_relaxed);
  else if (took > 4 * brief && together > 1) loop.together.store(uint32_t(together / 2), std::memory_order_relaxed);
  // Release: this thread's last look at the loop. Acquire: the others'.
  if (loop.done && loop.ranges.fetch_sub(1, std::memory_order_acq_rel) == 1) loop.done(w, &loop);
}

}  // namespace einkorn::runtime
