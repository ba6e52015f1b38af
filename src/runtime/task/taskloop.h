// A taskloop was met: into which tasks it is split, whether they are run at once, queued one by one, or made from
// ranges (loop_ranges.h), decided once for both compilers. What differs between them is what a piece of the loop is,
// which a Loop says: that of gomp_taskloop.cpp, that of kmpc_taskloop.cpp.
//
//   uint32_t site(w, when, caller)       where it is in the program; where w records
//   const void* function()               what the compiler has made of its body
//   void in_group(w)                     the group around the loop has begun, if it has one
//   bool is_plain()                      nothing special about its tasks: ranges will do
//   void start_ranges(w, split, wait)    with what they need, for as long as they do; wait() is the end of the group
//   void at_once(w, piece, is_last, run) run(body), with a Body (create.h) of that piece
//   bool may_be_captured(), bool is_captured(w, piece, is_last, caller)   of who captures: capture.h
//   Task* make(w, piece, is_last)        its task, to be queued
//   void made(w)                         all of them are
#pragma once
#include "runtime/observe/events.h"
#include "runtime/task/cancel.h"
#include "runtime/task/create.h"
#include "schedule/taskloop.h"

namespace einkorn::runtime {

using schedule::TaskloopSplit;

struct TaskloopClauses {
  uint64_t iterations;
  uint64_t grainsize = 0, num_tasks = 0;  // 0: not said
  bool strict = false, if_clause = true, nogroup = false;
};

template <class Loop>
void taskloop(Worker* w, Loop& loop, const TaskloopClauses& c, Caller caller, uint16_t site_flags) {
  Taskgroup group;
  if (!c.nogroup) {
    taskgroup_begin(w, &group, caller, site_flags);
    loop.in_group(w);
  }
  auto wait = [&] {
    if (!c.nogroup) taskgroup_end(w, caller, site_flags);
  };
  // OpenMP 5.1, 2.12.2: with neither grainsize nor num_tasks their number and size are the implementation's.
  uint64_t grainsize = c.grainsize;
  if (EK_UNLIKELY(g_tuned))
    if (const hints::Hint* h = hint_for(hints::Construct::taskloop, loop.function())) {
      if (grainsize == 0 && c.num_tasks == 0) grainsize = h->grain;
      else hint_is_refused(h, "the taskloop has a grainsize or num_tasks clause");
    }
  own_task(w);
  const TaskloopSplit split(c.iterations, grainsize, c.num_tasks, c.strict, uint32_t(w->team->n));
  if (c.if_clause && loop.is_plain() && !(w->current->flags & kTaskSlowPath)) return loop.start_ranges(w, split, wait);
  if (!c.if_clause || w->stream || !loop.may_be_captured())
    refuse_if_captures(
        w, "a taskloop that is recorded, has an if clause that is false, or data that are not copied as bytes");
  const bool at_once = runs_at_once(w, c.if_clause);
  const uint32_t site = w->stream ? loop.site(w, at_once ? at_once_site(w, c.if_clause) : kDeferred, caller) : 0;
  observe::taskloop_begins(w, site, c.iterations, split.tasks(), caller);
  for (uint64_t n = 0; n < split.tasks(); ++n) {
    // Those that are not made yet never will be.
    if (EK_UNLIKELY(g_config.cancellation) && tasks_cancelled(w)) break;
    Range piece;
    split.piece(n, piece.first, piece.count);
    const bool is_last = n + 1 == split.tasks();
    if (EK_UNLIKELY(w->current->flags & kTaskCaptures) && loop.is_captured(w, piece, is_last, caller)) continue;
    if (at_once) {
      loop.at_once(w, piece, is_last, [&](const auto& body) {
        if (EK_LIKELY(body.runs_short(w))) body.run_short(w);
        else run_now(w, body, false, site, caller, &piece);
      });
      observe::piece_ran(w, piece);
    } else {
      const observe::PieceCreation creation(w);
      Task* t = loop.make(w, piece, is_last);
      creation.made(w, t, site, piece, caller);
      submit(w, t);
    }
  }
  observe::taskloop_ends(w, c.iterations, caller);
  loop.made(w);
  wait();
}

}  // namespace einkorn::runtime
