// Stretches of a procedure's instances, as in events.h: what an instance does between two places where it gives way.
// Only the recorder hears of them; to a tool the waits of an instance are those of a task.
#pragma once
#include "base/clock.h"
#include "runtime/observe/observers.h"
#include "runtime/task/instance.h"

namespace einkorn::runtime::observe {

inline bool hears_of_stretches(const Worker* w) { return EK_UNLIKELY(w->stream != nullptr) && w->tool == nullptr; }
// Of this instance's? Not if it is counted with others.
inline bool hears_of_stretches(const Worker* w, const Task* t) {
  return hears_of_stretches(w) && !record::is_aggregated(t->record_id);
}

// Where i goes on now. waited: for its children, before that.
inline uint32_t site_of_stretch(Worker* w, const Instance& i, bool waited) {
  const Procedure* p = i.procedure;
  const auto* const run = reinterpret_cast<const void*>(p->run);
  return w->stream->site_of_stretch(run, i.at, waited, p->name, p->file, line_of(p, i.at));
}

// It goes on at once: it had nobody to wait for.
inline void goes_on(Worker* w, const Instance& i, bool waited) {
  w->stream->stretch_begins(ticks(), site_of_stretch(w, i, waited));
}
// It gives way until its children have ended: nothing of it is left on the thread.
inline void gives_way(Worker* w, const Instance& i) { w->stream->stretch_ends(ticks(), site_of_stretch(w, i, true)); }
// The children of one that has given way have ended; or one of them begins in its place. next: at once after that, or
// after the end of a task.
inline void resumes(Worker* w, const Task* t, bool next) {
  if (EK_LIKELY(next)) w->stream->task_start_next(t->record_id);
  else w->stream->task_start(ticks(), t->record_id);
}
// One that has begun so ends.
inline void ends_in_place(Worker* w) { w->stream->task_end_next(); }

// An instance of a region begins, or goes on behind its wait: which has just been recorded; or at once.
inline void goes_on_in_region(Worker* w, const Instance& i, bool at_once) {
  if (EK_LIKELY(!hears_of_stretches(w))) return;
  const uint32_t site = site_of_stretch(w, i, false);
  if (at_once) w->stream->stretch_begins(ticks(), site);
  else w->stream->stretch_begins_next(site);
}

// It has come to a step that those beside it wait for (EK_NEAR); or it has gone on behind that step of `count` others.
inline void step_done(Worker* w, uint64_t t, uint32_t number) { w->stream->step_done(t, number); }
inline void goes_on_behind(Worker* w, uint32_t number, uint32_t count, const uint32_t (&members)[2]) {
  w->stream->goes_on_behind(number, count, members);
}

}  // namespace einkorn::runtime::observe
