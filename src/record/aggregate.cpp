#include "record/aggregate.h"
#include <algorithm>
#include <cstring>
#include "record/recorder.h"
#include "record/system.h"

namespace einkorn::record {

Limits g_limits;

namespace {

using Frame = Aggregator::Frame;
using State = Aggregator::State;

constexpr auto relaxed = std::memory_order_relaxed;

void add(std::atomic<uint64_t>& a, uint64_t n) { a.store(a.load(relaxed) + n, relaxed); }  // one thread changes it

}  // namespace

Aggregator* Recorder::aggregator(Stream& s) {
  if (!s.aggregator_) s.aggregator_ = static_cast<Aggregator*>(map_memory(sizeof(Aggregator)));
  return s.aggregator_;
}

// Begins a stretch at t, or continues one.
void Recorder::extend(Stream& s, uint64_t t) {
  Aggregator& a = *s.aggregator_;
  if (a.firing.pending) write_firing(s);
  if (!a.busy || (!a.runs() && s.last_ > a.last)) {
    a.begin = a.last = s.last_;
    a.state = State::own;
    std::fill(std::begin(a.ticks), std::end(a.ticks), 0);
    a.ended = 0;
    a.busy = true;
  }
  a.after_create = false;
  a.charge(t);
  set_limit(s, s.cursor_);
  s.started_ = reinterpret_cast<Unit*>(&s);
}

// A new one, after what was lost or is the recorder's own: the aggregated contexts that are open go on.
void Recorder::begin_stretch(Stream& s) {
  Aggregator& a = *s.aggregator_;
  a.begin = a.last = std::max({a.last, s.last_, s.recorder_end_});
  a.state = a.resting();
  std::fill(std::begin(a.ticks), std::end(a.ticks), 0);
  a.ended = 0;
  a.busy = true;
  set_limit(s, s.cursor_);
}

// Recording stops at t: what was until then belongs to the stretch, or to the codelet that is being fired.
void Recorder::cut_stretch(Stream& s, uint64_t t) {
  Aggregator& a = *s.aggregator_;
  if (a.firing.pending) write_firing(s);
  settle(s);
  if (a.runs()) a.charge(t);
  write_stretch(s);
}

// Room for so many words of the aggregator's own records. nullptr: a loss begins, or recording is over.
Word* Recorder::open_own(Stream& s, Kind k, uint64_t t, uint32_t payload, int words) {
  Aggregator& a = *s.aggregator_;
  bool busy = a.busy;
  a.busy = false;
  a.writing = true;
  if (s.buffer_) set_limit(s, s.recorder_ticks_ ? s.cursor_ : full_limit(s.buffer_));
  Word* p = s.open(k, t, payload, words);
  a.busy = busy;
  a.writing = false;
  return p;
}

void Recorder::write_stretch(Stream& s) {
  Aggregator& a = *s.aggregator_;
  uint64_t took = a.last - a.begin;
  if (took || a.ended) {
    uint32_t ended = uint32_t(std::min<uint64_t>(a.ended, ~0u));
    if (Word* p = open_own(s, Kind::aggregate, a.last, ended, 6)) {
      p[1] = took;
      for (int i = 1; i < 5; ++i) p[1 + i] = a.ticks[i];
      s.close(p + 6);
    }
  }
  std::fill(std::begin(a.ticks), std::end(a.ticks), 0);
  a.ended = 0;
  a.begin = a.last;
  if (a.busy) set_limit(s, s.cursor_);
}

void Recorder::write_cell(Stream& s, Cell& c) {
  Word* p = open_own(s, Kind::subtree, s.last_, c.site, 7 + kHistogramBuckets / 2);
  if (!p) return;  // stays for later
  const uint64_t words[] = {c.ancestor, c.created, c.executed, c.sum, c.executed ? c.least : 0, c.most};
  memcpy(p + 1, words, sizeof words);
  for (int i = 0; i < kHistogramBuckets / 2; ++i)
    p[7 + i] = c.histogram[2 * i] | uint64_t(c.histogram[2 * i + 1]) << 32;
  s.close(p + 7 + kHistogramBuckets / 2);
  c = Cell{};
}

void Recorder::write_cells(Stream& s) {
  if (!s.aggregator_ || s.inert_ || s.loss_) return;
  Aggregator& a = *s.aggregator_;
  if (a.busy) write_stretch(s);
  for (Cell& c : a.cells)
    if (c.used && !s.loss_ && !s.inert_) write_cell(s, c);
  a.flushed = s.last_;
  // Release: a thread that reads this finds the records published.
  if (!s.loss_ && !s.inert_) lane_of(s).cells_owed.store(false, std::memory_order_release);
  if (a.busy) set_limit(s, s.cursor_);
  if (a.busy && a.depth == 0) {  // nothing is open: there is no stretch
    a.busy = false;
    if (s.buffer_) set_limit(s, s.recorder_ticks_ ? s.cursor_ : full_limit(s.buffer_));
  }
}

void Recorder::tell_counts(Stream& s) {
  if (!s.aggregator_ || s.inert_ || s.loss_) return;
  if (s.aggregator_->busy) cut_stretch(s, ticks());
  write_cells(s);
}

Cell& Recorder::cell(Stream& s, uint64_t ancestor, uint32_t site) {
  Aggregator& a = *s.aggregator_;
  uint64_t key = (ancestor + site) * 0x9e3779b97f4a7c15ull;
  Cell& c = a.cells[key >> 59];
  static_assert(Aggregator::kCells == 1 << 5);
  if (c.used && (c.ancestor != ancestor || c.site != site)) {
    if (a.busy) write_stretch(s);
    write_cell(s, c);
    if (a.busy) set_limit(s, s.cursor_);
    c = Cell{};  // if it could not be written: the totals of the lane have it
  }
  if (!c.used) {
    c.ancestor = ancestor;
    c.site = site;
    c.least = ~0ull;
    c.used = true;
    lane_of(s).cells_owed.store(true, relaxed);
  }
  return c;
}

uint64_t Recorder::aggregated_create(Stream& s, uint64_t t0, uint64_t t1, uint32_t site, uint64_t parent) {
  site &= ~kAggregateSite;
  uint64_t ancestor = is_aggregated(parent) ? ancestor_of_aggregated(parent) : parent;
  uint64_t id = aggregated_id(ancestor, site);
  ancestor = ancestor_of_aggregated(id);
  if (s.inert_ || !aggregator(s)) return id;
  add(lane_of(s).aggregated_created, 1);
  if (s.loss_) return id;
  Aggregator& a = *s.aggregator_;
  extend(s, t0 ? t0 : t1);
  State before = a.state;
  a.state = State::overhead;
  a.charge(t1);
  a.state = before;
  a.after_create = true;
  ++cell(s, ancestor, site).created;
  return id;
}

void Recorder::aggregated_begin(Stream& s, uint64_t t, Kind kind, uint64_t ancestor, uint32_t site) {
  if (s.inert_ || !aggregator(s)) return;
  // In a loss this is one of the contexts that are opened and closed within it.
  const Kind k = kind == Kind::chunk_begin ? kind : Kind::task_start;
  if (s.loss_ && !(lane_of(s).dormant ? refill(s, k, t) : leave_loss(s, k, t))) return;
  extend(s, t);
  s.aggregator_->push(kind == Kind::chunk_begin ? Frame::chunk : Frame::task, site & ~kAggregateSite, ancestor);
  s.aggregator_->state = State::work;
}

void Recorder::aggregated_end(Stream& s, bool counts) {
  Aggregator& a = *s.aggregator_;
  if (a.deeper) {
    --a.deeper;
    if (counts) add(lane_of(s).aggregated_executed, 1);
    return;
  }
  Aggregator::Open o = a.open[--a.depth];
  a.state = a.resting();
  if (o.kind == Frame::inner)
    for (int i = a.depth; i-- > 0 && a.open[i].kind != Frame::recorded;)
      if (a.open[i].kind != Frame::wait) {
        a.open[i].work += o.work;
        break;
      }
  if (!counts || (o.kind != Frame::task && o.kind != Frame::chunk)) return;
  add(o.kind == Frame::task ? lane_of(s).aggregated_executed : lane_of(s).aggregated_chunks, 1);
  if (s.loss_) return;
  ++a.ended;
  cell(s, o.ancestor, o.site).count(o.work);
}

// The last of the recorded contexts was closed: the stretch around it goes on.
void Recorder::settle(Stream& s) {
  Aggregator& a = *s.aggregator_;
  while (a.depth && a.open[a.depth - 1].kind == Frame::recorded && a.open[a.depth - 1].recorded <= 0) {
    --a.depth;
    a.begin = a.last = std::max(a.last, s.last_);
    a.state = a.resting();
  }
}

// A record arrives while there is a stretch. True: it is part of the stretch, and is not written.
bool Recorder::swallow(Stream& s, Kind k, uint64_t t) {
  Aggregator& a = *s.aggregator_;
  if (a.firing.pending) write_firing(s);
  settle(s);
  const bool describes = k == Kind::task_range || k == Kind::depend || k == Kind::footprint ||
                         k == Kind::footprint_node || k == Kind::affinity;
  if (describes && (a.after_create || a.runs())) return true;
  a.after_create = false;
  if (!a.runs()) {
    write_stretch(s);
    if (a.depth) {
      if (!s.loss_) a.open[a.depth - 1].recorded += nesting(k);
      return false;
    }
    a.busy = false;
    if (s.buffer_) set_limit(s, s.recorder_ticks_ ? s.cursor_ : full_limit(s.buffer_));
    return false;
  }
  a.charge(t);
  switch (k) {
    case Kind::region_begin:
    case Kind::task_start:
    case Kind::task_start_other:
    case Kind::task_next:
      write_stretch(s);
      if (!s.loss_) a.push(Frame::recorded);
      return false;
    case Kind::task_end:
      aggregated_end(s, true);
      a.after_create = true;  // an undeferred task's dependences may follow
      break;
    case Kind::chunk_end: aggregated_end(s, true); break;
    case Kind::task_suspend: aggregated_end(s, false); break;
    case Kind::wait_begin:
    case Kind::graph_run:
    case Kind::yield:
    case Kind::taskloop_begin:
    case Kind::loop_begin:
      a.push(Frame::wait);
      a.state = State::overhead;
      break;
    case Kind::chunk_begin:
    case Kind::chunk_begin_long:
      a.push(Frame::inner);
      a.state = State::work;
      break;
    case Kind::wait_end:
    case Kind::wait_done:
    case Kind::yield_end:
    case Kind::taskloop_end:
    case Kind::loop_end: aggregated_end(s, false); break;
    case Kind::idle_begin: a.state = State::idle; break;
    case Kind::idle_end: a.state = State::overhead; break;
    case Kind::mutex_wait: a.state = State::blocked; break;
    case Kind::mutex_acquired: a.state = a.resting(); break;
    default: break;
  }
  if (t - a.begin > g_process.stretch_ticks) write_stretch(s);
  if (t - a.flushed > 8 * g_process.stretch_ticks) write_cells(s);
  return true;
}

// The record that swallow() let through is lost after all: the loss counts it, and not the stretch.
void Recorder::forget(Stream& s, Kind k) {
  if (!s.aggregator_ || !s.aggregator_->busy || !s.aggregator_->depth || s.aggregator_->runs()) return;
  Aggregator& a = *s.aggregator_;
  a.open[a.depth - 1].recorded -= nesting(k);
  if (nesting(k) <= 0 || a.open[a.depth - 1].recorded > 0) return;
  --a.depth;
  a.state = a.resting();
}

// Closes one of the contexts that were open when a loss began. True: it was aggregated, and no reader knows of it.
bool Recorder::close_aggregated(Stream& s, Kind k) {
  if (!s.aggregator_ || !s.aggregator_->depth) return false;
  Aggregator& a = *s.aggregator_;
  if (a.runs()) {
    aggregated_end(s, k == Kind::task_end || k == Kind::chunk_end);
    return true;
  }
  if (--a.open[a.depth - 1].recorded <= 0) --a.depth;
  return false;
}

}  // namespace einkorn::record
