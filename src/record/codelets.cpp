// Codelets of graphs, as a stream hears of them: stream.h. While a thread takes part in a run there is a stretch
// (aggregate.h), in which the runtime's own work is overhead. A codelet that is over at once, and of which there is
// nothing to tell, only counts: in the stretch as work, in the cell of its class. One that lasts is written, with the
// stretch before it; and so is one that makes a record, before that.
#include "record/codelets.h"
#include <cstdio>
#include <cstring>
#include <ctime>
#include "base/clock.h"
#include "record/recorder.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

using Frame = Aggregator::Frame;
using State = Aggregator::State;

constexpr auto relaxed = std::memory_order_relaxed;

void add_one(std::atomic<uint64_t>& a) { a.store(a.load(relaxed) + 1, relaxed); }  // one thread changes it

// Is anything else to be recorded? Brief codelets make no record that would tell. Relaxed: who stops waits for nobody.
bool is_stopped() { return g_process.stopped.load(relaxed) != LossReason::none; }

uint64_t own_cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec);
}

}  // namespace

bool Recorder::join_run(Stream& s, uint64_t t, uint64_t run, uint64_t ancestor, Firing& before) {
  if (s.inert_ || !aggregator(s)) return false;
  Aggregator& a = *s.aggregator_;
  if (is_stopped()) stop_at(s, t);
  if (s.inert_) return false;
  if (!s.loss_) {
    s.note_cpu(t);
    extend(s, t);
  }
  before = a.firing;
  a.push(Frame::wait);
  a.state = State::overhead;
  a.firing = Firing{run, is_aggregated(ancestor) ? ancestor_of_aggregated(ancestor) : ancestor};
  a.firing.depth = a.depth, a.firing.deeper = a.deeper;
  return true;
}

void Recorder::leave_run(Stream& s, uint64_t t, const Firing& before) {
  Aggregator& a = *s.aggregator_;
  if (s.inert_ || a.firing.depth == 0) return;  // in a process forked by a codelet: it is in no run
  settle(s);
  if (!s.loss_) a.charge(t);
  a.depth = a.firing.depth, a.deeper = a.firing.deeper;
  if (a.deeper) --a.deeper;
  else --a.depth;
  a.state = a.resting();
  a.firing = before;
}

void Recorder::searches(Stream& s, uint64_t t, bool found) {
  if (s.inert_ || s.loss_) return;
  s.aggregator_->charge(t);
  s.aggregator_->state = found ? State::overhead : State::idle;
  if (found && is_stopped()) stop_at(s, t);
}

// The stretch up to the firing, and its begin.
void Recorder::write_firing(Stream& s) {
  Aggregator& a = *s.aggregator_;
  Firing& f = a.firing;
  f.pending = false;
  if (f.run == 0) return;  // a forked process goes on with a run that it has not joined: as in end_firing()
  add_one(lane_of(s).codelets);
  settle(s);
  a.charge(f.begin);
  write_stretch(s);
  if (Word* p = open_own(s, Kind::codelet_begin, f.begin, f.node, 2)) {
    p[1] = f.run;
    s.close(p + 2);
  }
  // In a loss it counts as one of the contexts that are opened in it.
  if (!s.loss_) a.push(Frame::recorded);
  if (s.buffer_) set_limit(s, s.cursor_);
}

// Between two codelets: what was counted goes into the file, and the CPU time is sampled.
void Recorder::break_stretch(Stream& s, uint64_t t) {
  Aggregator& a = *s.aggregator_;
  if (t - a.flushed > 8 * g_process.stretch_ticks) write_cells(s);
  else write_stretch(s);
  if (s.inert_ || s.loss_ || a.depth > 1) return;  // within an aggregated task all is its stretch
  a.busy = false;
  set_limit(s, s.recorder_ticks_ ? s.cursor_ : full_limit(s.buffer_));
  s.sample_cpu_time(t);
  if (!s.inert_ && !s.loss_) begin_stretch(s);
}

void Recorder::end_firing(Stream& s, uint64_t t) {
  if (s.inert_) return;
  Aggregator& a = *s.aggregator_;
  Firing& f = a.firing;
  Lane& lane = lane_of(s);
  if (__builtin_expect(f.run == 0, 0)) return void(f.pending = false);  // as in leave_run()
  if (f.pending && !s.loss_) f.begin = std::max(f.begin, a.last);  // what the recorder did since is not the codelet's
  if (__builtin_expect(f.pending && int64_t(t - f.begin) < int64_t(g_process.perturbed_ticks) && !s.loss_, 1)) {
    f.pending = false;
    add_one(lane.brief_codelets);
    a.charge(f.begin);
    const uint64_t took = t > a.last ? t - a.last : 0;
    a.ticks[int(State::work)] += took;
    a.last += took;
    ++a.ended;
    Cell& c = cell(s, f.ancestor, f.site);
    ++c.created;
    c.count(took);
    if (__builtin_expect(is_stopped(), 0)) return stop_at(s, t);
    if (__builtin_expect(t - a.begin > g_process.stretch_ticks, 0)) break_stretch(s, t);
    return;
  }
  if (f.pending && s.loss_) {
    f.pending = false;
    add_one(lane.codelets);
    count_lost(lane, Kind::codelet_begin), count_lost(lane, Kind::codelet_end);
    return void(resume(s, Kind::time, t));
  }
  if (f.pending) write_firing(s);
  s.put(Kind::codelet_end, t, 0);
  if (s.inert_ || s.loss_) return;
  settle(s);
  if (t - s.last_cpu_time_ > s.cpu_time_every_) break_stretch(s, t);
}

void Recorder::begin_aggregated_firing(Stream& s, uint64_t t, uint32_t site) {
  if (s.inert_) return;
  const Firing& f = s.aggregator_->firing;
  aggregated_begin(s, t, Kind::task_start, f.ancestor, site);
}

void Recorder::end_aggregated_firing(Stream& s, uint64_t t) {
  Aggregator& a = *s.aggregator_;
  if (s.inert_ || a.firing.run == 0) return;
  Lane& lane = lane_of(s);
  if (a.depth == a.firing.depth && a.deeper == a.firing.deeper) {  // it began in a loss, which lasts
    add_one(lane.codelets);
    return void(s.put(Kind::task_end, t, 0));
  }
  settle(s);
  if (s.loss_) {  // it began before, and no record will tell of it
    add_one(lane.codelets);
    add_one(lane.loss.executed);
    add_one(lane.lost_tasks[int(lane.loss.reason.load(relaxed))]);
    return void(s.put(Kind::task_end, t, 0));
  }
  add_one(lane.aggregated_created);
  add_one(lane.codelets_below);
  if (!a.deeper) ++cell(s, a.firing.ancestor, a.open[a.depth - 1].site).created;
  if (!is_stopped()) return void(s.put(Kind::task_end, t, 0));
  a.charge(t);
  aggregated_end(s, true);
  stop_at(s, t);
}

// The thread has worked for the recorder, so many ticks of that time.
void Recorder::note_own_work(Stream& s, uint64_t begin, uint64_t end, uint64_t took) {
  if (s.inert_ || s.loss_ || lane_of(s).dormant) return;
  Aggregator* a = s.aggregator_;
  if (a && a->busy) {
    cut_stretch(s, begin);
    if (s.inert_ || s.loss_) return;
  }
  s.recorder_ticks_ += took;
  s.recorder_end_ = end;
  if (a && a->busy && a->runs()) begin_stretch(s);
  set_limit(s, s.cursor_);
}

OwnWork::OwnWork(Stream& s) : stream_(s), begin_(ticks()), cpu_ns_(own_cpu_ns()) {}

// While it was off its CPU it did not work.
OwnWork::~OwnWork() {
  const uint64_t ns = own_cpu_ns() - cpu_ns_, end = ticks();
  const auto cpu = uint64_t((unsigned __int128)ns * ticks_per_second() / 1'000'000'000);
  Recorder::note_own_work(stream_, begin_, end, std::min(cpu, end - begin_));
}

uint32_t graph_generation() { return g_process.generation.load(relaxed); }

bool records_graphs(Stream& s) { return recording() && Recorder::is_awake(s); }

uint32_t add_graph(const GraphShape& shape) {
  // Numbers fit the words that name them, and a block is at most this, its classes and the name: that fits
  // Output::kRoom.
  constexpr uint32_t kMostWords = kMaxRawBytes / 8 / sizeof(uint32_t);
  const size_t name_bytes = strnlen(shape.name, 1024), name_room = (name_bytes + 3) & ~size_t(3);
  const uint32_t* begin = shape.begin;
  for (uint32_t n = 0; n < shape.nodes; ++n)
    if (begin[n + 1] - begin[n] > kMostWords) return 0;
  Process& g = g_process;
  // However large the file gets by it: not larger than it may be.
  const uint64_t bytes = (shape.nodes + uint64_t(begin[shape.nodes])) * sizeof(uint32_t);
  if (g.max_bytes && g.file_bytes.load(relaxed) + g.graph_bytes.load(relaxed) + bytes > g.max_bytes) return 0;
  const uint32_t id = g.graphs.fetch_add(1, relaxed) + 1;
  for (uint32_t first = 0, end; first == 0 || first < shape.nodes; first = end) {
    for (end = first; end < shape.nodes && (end == first || end - first + begin[end + 1] - begin[first] < kMostWords);)
      ++end;
    GraphPiece piece{id, shape.nodes, first, end - first, begin[end] - begin[first], shape.class_count, 0, 0};
    if (first == 0) piece.name_bytes = uint32_t(name_bytes);
    const size_t room = first == 0 ? name_room : 0, classes = shape.class_count * sizeof(GraphClass);
    QueuedBlock* block = new_block(BlockType::codelet_graphs, 0, 0,
                                   sizeof piece + classes + room + (piece.count + 1 + piece.arcs) * sizeof(uint32_t));
    if (!block) return 0;
    auto* p = reinterpret_cast<char*>(block + 1);
    auto put = [&p](const void* from, size_t bytes) {
      if (bytes) memcpy(p, from, bytes);
      p += bytes;
    };
    put(&piece, sizeof piece);
    put(shape.classes, classes);
    put(shape.name, piece.name_bytes);
    p += room - piece.name_bytes;
    for (uint32_t n = first; n <= end; ++n) {
      const uint32_t at = begin[n] - begin[first];
      put(&at, sizeof at);
    }
    put(shape.arcs + begin[first], piece.arcs * sizeof(uint32_t));
    if (!queue(block)) return 0;
    if (end == shape.nodes) break;
  }
  return id;
}

uint32_t Stream::site_of_class(const void* fire, const void* return_address, uint32_t line) {
  char text[32] = "";
  if (line) snprintf(text, sizeof text, ";;;%u;0;;", line);
  constexpr Construct kClass = Construct::codelet;
  if (inert_ || g_process.over()) return 0;
  const uint32_t id = g_process.sites.find_or_add(kClass, kSiteHasDepend, fire, return_address, text);
  return g_process.filter.matches_class(fire, line) ? id | kAggregateSite : id;
}

bool Stream::join_run(uint64_t t, uint64_t run, uint64_t ancestor, Firing& before) {
  return Recorder::join_run(*this, t, run, ancestor, before);
}
void Stream::leave_run(uint64_t t, const Firing& before) { Recorder::leave_run(*this, t, before); }
void Stream::searches(uint64_t t) { Recorder::searches(*this, t, false); }
void Stream::found(uint64_t t) { Recorder::searches(*this, t, true); }
void Stream::codelet_end(uint64_t t) { Recorder::end_firing(*this, t); }
void Stream::aggregated_codelet_begin(uint64_t t, uint32_t site) { Recorder::begin_aggregated_firing(*this, t, site); }
void Stream::aggregated_codelet_end(uint64_t t) { Recorder::end_aggregated_firing(*this, t); }

}  // namespace einkorn::record
