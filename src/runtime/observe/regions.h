// Threads, parallel regions and their implicit tasks: what recorder and tool hear of them, as in events.h.
#pragma once
#include "base/clock.h"
#include "runtime/observe/tool.h"
#include "runtime/team/placed.h"

namespace einkorn::runtime::observe {

// A thread comes to OpenMP. One that is not ours runs an initial task.
inline void thread_begins(Worker* w) {
  if (record::recording()) w->stream = record::open_stream(!w->ours && w->initial);
  if (EK_LIKELY(!tool::active())) return;
  tool::attach(w, w->ours ? ompt_thread_worker : w->helps ? ompt_thread_other : ompt_thread_initial);
  if (w->tool && !w->ours) tool::initial_task_begin(w);
}
inline void thread_ends(Worker* w) {
  if (w->tool && !w->ours) tool::initial_task_end(w);
  if (w->tool) tool::detach(w);
  if (w->stream) record::close_stream(w->stream), w->stream = nullptr;
}

// What follows only with w->stream, but for LastBarrier.

// The team is set up, but for its threads. met: when the thread came to the region; asked: so many threads, which the
// program said itself (named).
inline void region_begins(Worker* w, Team* team, uint64_t met, int asked, bool named, const void* function,
                          Caller caller, uint16_t site_flags) {
  record::Stream* s = w->stream;
  team->region_id = s->new_region_id();
  team->end_site = s->site(record::Construct::barrier_parallel, site_flags, function, caller);
  const uint16_t its_team = named ? record::kSiteTeamAsked : 0;
  const auto construct = team->league ? record::Construct::teams : record::Construct::parallel;
  s->region_begin(met, s->site(construct, uint16_t(site_flags | its_team), function, caller), team->region_id,
                  uint32_t(team->n), uint32_t(team->depth));
  if (w->tool) tool::parallel_begin(w, team, asked, site_flags & record::kSiteClang, caller);
}
inline void region_ends(Worker* w, Team* team) {
  w->stream->region_end(ticks());
  if (w->tool) tool::parallel_end(w, team);
}

inline void implicit_begins(Worker* w, Team* team) {
  if (team->level <= 1) t_here.asked = 0;
  w->stream->implicit_begin(ticks(), uint32_t(w->thread_num), team->region_id);
  if (EK_UNLIKELY(g_footprints)) record_place(w);
  if (w->tool) tool::implicit_begin(w, team);
}

// The barrier at the end of a region; with the object the implicit task has ended.
class LastBarrier {
 public:
  LastBarrier(Worker* w, Team* team) : w_(w), stream_(w->stream), team_(team) {
    if (EK_LIKELY(stream_ == nullptr)) return;
    stream_->wait_begin(ticks(), team->end_site);
    if (!w->tool) return;
    if (w->thread_num == 0) caller_ = team->tool_caller;  // the others return to nowhere in the program
    tool::set_exit_frame(w, nullptr);
    tool::last_barrier_begin(w, team, caller_);
  }
  ~LastBarrier() {
    if (EK_LIKELY(stream_ == nullptr)) return;
    const uint64_t now = ticks();
    stream_->wait_end(now);
    stream_->implicit_end(now, t_here.asked);
    if (!w_->tool) return;
    tool::last_barrier_end(w_, caller_);
    // Only the primary thread's: for others the team may be another one's by now.
    tool::implicit_end(w_, w_->thread_num == 0 ? team_->n : 0);
  }
  LastBarrier(const LastBarrier&) = delete;

 private:
  Worker* w_;
  record::Stream* stream_;
  Team* team_;
  const void* caller_ = nullptr;
};

}  // namespace einkorn::runtime::observe
