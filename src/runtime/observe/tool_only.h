// Events that only a tool hears of, a function each: where there is none, a site tests one pointer. Of doacross loops
// the recorder hears, too.
#pragma once
#include "runtime/observe/caller.h"
#include "runtime/observe/tool.h"

namespace einkorn::runtime::observe {

// A thread has met a single construct, and runs its block or not. end_follows: single_ends() comes behind the block.
inline void single_met(Worker* w, bool runs_it, bool end_follows, Caller caller) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::single_event(w, runs_it, end_follows, caller);
}
inline void single_ends(Worker* w, Caller caller) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::work_event(w, ompt_work_single_executor, ompt_scope_end, 1, caller);
}
inline void scope_met(Worker* w, Caller caller) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::work_event(w, ompt_work_scope, ompt_scope_beginend, 0, caller);
}

// doacross loops: an iteration is about to be done (source), is done, or was waited for; vec: as the program named it.
// at: its position in the nest's order.
inline void doacross_posts(Worker* w, uint64_t at) {
  if (EK_UNLIKELY(w->stream != nullptr)) w->stream->iteration_done(ticks(), at);
}
inline void doacross_posted(Worker* w, const uint64_t* vec, int count) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::doacross(w, true, vec, count);
}
inline void doacross_waited(Worker* w, uint64_t at, const uint64_t* vec, int count) {
  if (EK_UNLIKELY(w->stream != nullptr)) w->stream->iteration_awaited(ticks(), at);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::doacross(w, false, vec, count);
}

// A thread leaves a construct that is cancelled; by_it: it has cancelled it itself.
inline void cancelled(Worker* w, int construct, bool by_it, Caller caller) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::cancel(w, construct, by_it, caller);
}

inline void reduction(Worker* w, ompt_scope_endpoint_t endpoint, Caller caller) {
  if (EK_UNLIKELY(w->tool != nullptr))
    tool::sync_event(w, ompt_callback_reduction, ompt_sync_region_reduction, endpoint, caller);
}

inline void masked(Worker* w, ompt_scope_endpoint_t endpoint, Caller caller) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::masked(w, endpoint, caller);
}

inline void flushed(Worker* w, Caller caller) {
  if (EK_UNLIKELY(w->tool != nullptr)) tool::flush(w, caller);
}

}  // namespace einkorn::runtime::observe
