// Worksharing: what recorder and tool hear of it, as in events.h. With w->stream only, but where it says otherwise.
#pragma once
#include "base/clock.h"
#include "runtime/observe/tool.h"

namespace einkorn::runtime::observe {

// ---- loops and sections whose threads come for each chunk -----------------------------------------------------------
// Does somebody hear of it? Asked first.
inline bool hears(const Worker* w, const WorkShare* s) { return EK_UNLIKELY(w->stream != nullptr) && !s->silent; }
void loop_begins(Worker* w, const WorkShare* s);
void loop_ends(Worker* w, const WorkShare* s);
// The chunk in w->view begins; the one before ended then, 0: there was none, or chunk_ends() told of it.
void chunk_begins(Worker* w, const WorkShare* s, uint64_t before_ended);
inline void chunk_ends(Worker* w, uint64_t ended) { w->stream->chunk_end(ended); }

// The turn of a chunk in an ordered loop, to the recorder: a lock that the team's chunks take in their order, each from
// its first ordered region, or else its end, until it has ended. (To a tool the regions are such: see below.)
class Turn {
 public:
  Turn(Worker* w, const WorkShare* s, const void* ra, uint16_t site_flags)
      : stream_(w->stream),
        site_(stream_->site(record::Construct::ordered, site_flags, nullptr, ra)),
        lock_(lock(w, s)) {}
  void waits() {
    since_ = ticks();
    stream_->mutex_wait(since_, site_, lock_);
  }
  void waited() { stream_->parked(ticks() - since_); }  // it may have slept: that is `blocked`, not off-CPU
  void acquired() { stream_->mutex_acquired(ticks(), site_, lock_); }
  // With its chunk, which ended then.
  static void ends(Worker* w, const WorkShare* s, uint64_t ended) {
    w->stream->mutex_released(ended, lock(w, s));
    chunk_ends(w, ended);
  }

 private:
  static const void* lock(const Worker* w, const WorkShare* s) {
    const uintptr_t team = reinterpret_cast<uintptr_t>(w->team), loop = reinterpret_cast<uintptr_t>(s->caller);
    return reinterpret_cast<const void*>(team ^ loop << 1);
  }

  record::Stream* stream_;
  uint32_t site_;
  const void* lock_;
  uint64_t since_ = 0;
};

// The program's ordered region is met, is entered, ends. With w->tool only: the recorder hears of the chunk's Turn.
inline void ordered_asked(Worker* w, const void* ra) {
  tool::mutex_acquire(w, ompt_mutex_ordered, 0, w->view.share, ra);
}
inline void ordered_begins(Worker* w, const void* ra) {
  tool::mutex_acquired(w, ompt_mutex_ordered, w->view.share, ra);
}
inline void ordered_ends(Worker* w, const void* ra) { tool::mutex_released(w, ompt_mutex_ordered, w->view.share, ra); }

// The thread waits for another one's iteration, until the end of the object. A tool hears of that from who waits, with
// the iteration. Without w->stream, too.
class Blocked {
 public:
  Blocked(Worker* w, const void* ra, uint16_t site_flags) : stream_(w->stream) {
    if (EK_LIKELY(stream_ == nullptr)) return;
    begin_ = ticks();
    stream_->wait_begin(begin_, stream_->site(record::Construct::ordered, site_flags, nullptr, ra));
  }
  ~Blocked() {
    if (EK_LIKELY(stream_ == nullptr)) return;
    const uint64_t end = ticks();
    stream_->parked(end - begin_);  // blocked, whether it slept or not: no off-CPU time
    stream_->wait_end(end);
  }
  Blocked(const Blocked&) = delete;

 private:
  record::Stream* stream_;
  uint64_t begin_ = 0;
};

// ---- loops that pass the runtime at their two ends only: clang's schedule(static) -----------------------------------
struct StaticLoop {
  uint32_t site = 0;
  int64_t lower = 0;
  uint64_t iterations = 0;
  int64_t increment = 1;
  bool chunked = false;
  int64_t chunk = 0;     // as the program said it
  uint32_t threads = 1;  // or teams
  record::Schedule schedule = record::Schedule::static_;
  ompt_work_t type = ompt_work_loop_static;
};

// The thread has `count` iterations, of which the lowest is `first`: where the loop is chunked, others lie in between.
void static_loop_begins(Worker* w, const StaticLoop& loop, uint64_t first, uint64_t count, const void* ra);
void static_loop_ends(Worker* w, ompt_work_t type, const void* ra);

}  // namespace einkorn::runtime::observe
