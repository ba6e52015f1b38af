// The slow paths of a Stream: once per buffer, per change of CPU, per sample. Lane's first member is its stream.
#include "record/stream.h"
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>
#include "record/pools.h"
#include "record/recorder.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

template <class T>
void add(std::atomic<T>& a, std::type_identity_t<T> n) {  // one thread changes it: no locked instruction needed
  a.store(a.load(relaxed) + n, relaxed);
}

}  // namespace

void Recorder::count_lost(Lane& lane, Kind k) {
  Loss& l = lane.loss;
  switch (k) {
    case Kind::task_create:
    case Kind::task_create_long:
    case Kind::task_create_brief: add(l.created, 1); break;
    case Kind::task_start:
    case Kind::task_start_other:
    case Kind::task_next:
    case Kind::codelet_begin:
      add(l.executed, 1);
      add(lane.lost_tasks[int(l.reason.load(relaxed))], 1);
      break;
    case Kind::task_suspend:
      // Resuming counts as another start: subtract this one, if it was among the lost.
      if (l.level.load(relaxed) > l.lowest.load(relaxed)) {
        add(l.executed, -1);
        add(lane.lost_tasks[int(l.reason.load(relaxed))], -1);
      }
      break;
    case Kind::chunk_begin:
    case Kind::chunk_begin_long:
    case Kind::chunk_next:
      add(l.chunks, 1);
      add(lane.lost_chunks[int(l.reason.load(relaxed))], 1);
      break;
    case Kind::region_begin: add(lane.lost_regions, 1); break;
    default: break;
  }
  if (nesting(k) < 0 && l.level.load(relaxed) == l.lowest.load(relaxed) && close_aggregated(lane.stream, k)) return;
  int64_t level = l.level.load(relaxed) + nesting(k);
  l.level.store(level, relaxed);
  if (level < l.lowest.load(relaxed)) l.lowest.store(level, relaxed);
}

namespace {

// These describe the record before them, which is lost: recording cannot resume at them.
bool belongs_to_previous(Kind k) {
  return k == Kind::task_range || k == Kind::depend || k == Kind::edge || k == Kind::affinity;
}

}  // namespace

bool Stream::refill(Kind k, uint64_t t) {
  return Recorder::may_count_quickly(*this) ? Recorder::count_quickly(*this, k, t) : Recorder::refill(*this, k, t);
}

bool Recorder::refill(Stream& s, Kind k, uint64_t t) {
  if (s.inert_) return false;
  if (lane_of(s).dormant) return wake(s, k, t);
  LossReason stopped = g_process.stopped.load(std::memory_order_acquire);
  if (stopped != LossReason::none && !s.loss_ && !(s.aggregator_ && s.aggregator_->writing)) stop_for(s, t, stopped);
  if (s.inert_) return false;
  if (s.aggregator_ && s.aggregator_->busy && !s.loss_ && swallow(s, k, t)) return false;
  if (s.inert_) return false;
  if (s.loss_) {
    if (!leave_loss(s, k, t)) return false;
    Aggregator* a = s.aggregator_;
    // Within a stretch the record is to be seen there, as any other.
    return !a || !a->busy || a->writing || (!swallow(s, k, t) && !is_lost(s, k));
  }
  // Records carry times that were read before the recorder's own work: that work is recorded once time has passed it.
  if (s.recorder_ticks_ && t >= s.recorder_end_) write_owed(s);
  Unit* limit = full_limit(s.buffer_);
  const bool counts = lane_of(s).counters.on();
  if (s.cursor_ + Stream::kSlack + (counts ? kCountsUnits : 0) <= limit) {
    if (counts) write_counts(s, k, t);
    set_limit(s, s.recorder_ticks_ || (s.aggregator_ && s.aggregator_->busy) ? s.cursor_ : limit);
    return true;
  }
  uint64_t begin = ticks();
  if (!swap_buffer(s, t)) {
    if (!s.inert_) forget(s, k), count_lost(lane_of(s), k);
    return false;
  }
  owe(s, begin, ticks());
  if (counts) write_counts(s, k, t);
  return true;
}

// True: the loss has ended at t. False: it goes on, and the record of that kind is counted in it.
bool Recorder::leave_loss(Stream& s, Kind k, uint64_t t) { return resume(s, k, t) || !is_lost(s, k); }

// Counts the record if it cannot be written.
bool Recorder::is_lost(Stream& s, Kind k) {
  if (s.loss_ && !s.inert_) count_lost(lane_of(s), k);
  return s.loss_ || s.inert_;
}

// Hands over the full buffer and takes an empty one. False: there is none and a loss begins at t, or recording is over.
bool Recorder::swap_buffer(Stream& s, uint64_t t) {
  Process& g = g_process;
  if (g.over()) {  // before the lock: see after_fork_child()
    make_inert(s);
    return false;
  }
  g.pool.grow_if_empty();
  Buffer* empty;
  {
    Guard guard(g.pool.lock());
    if (g.over()) {
      make_inert(s);
      return false;
    }
    hand_over(s);
    empty = g.pool.take();
    if (empty) use_buffer(s, empty);
    else begin_loss(s, t, LossReason::no_buffer);
    // However late the writer is: what was handed over comes into the file.
    if (g.max_bytes) {
      const uint64_t expected = g.expected_bytes(g.pool.full_bytes());
      if (short_of_room(expected)) g_limits.depth.store(0, relaxed);
      stop_where_full(expected);
    }
  }
  wake_writer();
  return empty != nullptr;
}

// Under the pool's lock. Gives the stream's buffer to the writer. The order matters: if the program is killed here, the
// buffer is found at least once, and whole.
void Recorder::hand_over(Stream& s) {
  s.buffer_->end = s.cursor_;
  s.buffer_->after = counts(s);
  std::atomic_signal_fence(std::memory_order_release);
  g_process.pool.queue_full(s.buffer_);
  std::atomic_signal_fence(std::memory_order_release);
  s.buffer_ = nullptr;
}

// Under the pool's lock. The stream has no buffer any more.
void Recorder::begin_loss(Stream& s, uint64_t t, LossReason reason) {
  Loss& l = lane_of(s).loss;
  l.reason.store(reason, relaxed);
  l.begin.store(std::max(t, s.last_), relaxed);
  l.created.store(0, relaxed);
  l.executed.store(0, relaxed);
  l.chunks.store(0, relaxed);
  l.level.store(0, relaxed);
  l.lowest.store(0, relaxed);
  l.active.store(true, relaxed);
  s.loss_ = &l;
  s.buffer_ = nullptr;
  s.cursor_ = nullptr;
  set_limit(s, nullptr);
  s.recorder_ticks_ = 0;
}

// Recording was paused, or the file is full: the stream counts from t on.
void Recorder::stop_for(Stream& s, uint64_t t, LossReason reason) {
  Process& g = g_process;
  if (s.aggregator_ && s.aggregator_->busy) cut_stretch(s, t);
  if (s.loss_ || s.inert_) return;
  if (g.over()) return make_inert(s);  // before the lock: see after_fork_child()
  Guard guard(g.pool.lock());
  if (g.over()) return make_inert(s);
  hand_over(s);
  begin_loss(s, t, reason);
}

// Sets the limit up to which the next records have room. Another thread may stop this stream at any time by setting the
// limit to nullptr. It stores its reason before that; so either this store comes first, or the reason is seen here.
// Where threads have counters every record comes to refill(), so that the limit need not move along with the records;
// what it would be is kept beside it.
void Recorder::set_limit(Stream& s, Unit* limit) {
  Lane& lane = lane_of(s);
  lane.counts_until = nullptr;
  if (limit && lane.counters.on()) {
    lane.counts_until = limit;
    limit = s.buffer_->begin();
  }
  s.limit_.store(limit, std::memory_order_seq_cst);
  if (g_process.stopped.load(std::memory_order_seq_cst) == LossReason::none) return;
  s.limit_.store(s.cursor_, relaxed);
  lane.counts_until = nullptr;
}

// Resumes recording if a buffer is free and the contexts open now are those that were open when the loss began, less
// those that were closed in it: a reader's stack is then exact again. The current record is recorded.
bool Recorder::resume(Stream& s, Kind k, uint64_t t) {
  Process& g = g_process;
  if (g.over()) {
    make_inert(s);
    return false;
  }
  if (lane_of(s).counted_only) return false;
  Loss& l = *s.loss_;
  if (l.level.load(relaxed) != l.lowest.load(relaxed) || belongs_to_previous(k) || !g.pool.available() ||
      g.stopped.load(std::memory_order_acquire) != LossReason::none)
    return false;
  Aggregator* a = s.aggregator_;
  if (a && a->runs() && !a->is_between_codelets()) return false;  // its end is in no record
  uint64_t begin = ticks();
  g.pool.grow_if_empty();
  {
    Guard guard(g.pool.lock());
    if (g.over()) {
      make_inert(s);
      return false;
    }
    Buffer* empty = g.pool.take();
    if (!empty) return false;
    use_buffer(s, empty);
    l.active.store(false, relaxed);
  }
  write_loss(s, t);
  s.loss_ = nullptr;
  owe(s, begin, ticks());
  if (a && a->depth) begin_stretch(s);
  else if (a) a->busy = false;
  return true;
}

void Recorder::use_buffer(Stream& s, Buffer* b) {
  b->lane = &lane_of(s);
  b->taken = b->begin();
  s.buffer_ = b;
  s.cursor_ = b->begin();
  s.started_own_ = 0;
  s.started_other_ = 0;
  set_limit(s, full_limit(b));
  s.started_ = reinterpret_cast<Unit*>(&s);
  s.published_.store(s.cursor_, std::memory_order_release);
}

void Recorder::make_inert(Stream& s) {
  s.inert_ = true;
  s.cursor_ = nullptr;
  set_limit(s, nullptr);  // every record goes to refill() and ends there
}

Counts Recorder::counts(Stream& s) {
  return {s.last_, s.serial_, s.chunks_, s.regions_begun_ - lane_of(s).lost_regions.load(relaxed)};
}

void Recorder::owe(Stream& s, uint64_t begin, uint64_t end) {
  // The recorder's own work on the program's path takes some microseconds. If it took longer, the thread was switched
  // out, most likely in one of its system calls: the rest stays with the state before, and is found to be off the CPU.
  // Not if the program's threads write themselves.
  s.recorder_ticks_ += program_writes() ? end - begin : std::min(end - begin, ticks_per_second() / 50'000);
  s.recorder_end_ = end;
  set_limit(s, s.cursor_);
}

// A record's first word, wherever the limit is: whoever calls knows of room. Returns where the next word goes.
Word* Recorder::put_unasked(Stream& s, Kind k, uint64_t t, uint32_t payload) {
  uint64_t delta = t > s.last_ ? t - s.last_ : 0;
  Word* p = reinterpret_cast<Word*>(s.cursor_);
  if (delta > kMaxDelta) {
    *p++ = pack(Kind::time, 0, 0);
    *p++ = t;
    delta = 0;
    s.last_ = t;
  }
  s.last_ += delta;
  *p++ = pack(k, delta, payload);
  return p;
}

// Uses the slack if the buffer is full.
void Recorder::write_owed(Stream& s) {
  const auto took = uint32_t(std::min<uint64_t>(s.recorder_ticks_, ~0u));
  Word* p = put_unasked(s, Kind::recorder, s.recorder_end_, took);
  s.recorder_ticks_ = 0;
  s.close(p);
}

// The first record in an empty buffer.
void Recorder::write_loss(Stream& s, uint64_t t) {
  Loss& l = lane_of(s).loss;
  uint64_t begin = l.begin.load(relaxed), end = std::max(t, begin);
  Word* p = reinterpret_cast<Word*>(s.cursor_);
  *p++ = pack(Kind::time, 0, 0);
  *p++ = end;
  *p++ = pack(Kind::loss, 0, uint32_t(l.reason.load(relaxed)));
  *p++ = end - begin;
  *p++ = l.created.load(relaxed);
  *p++ = l.executed.load(relaxed);
  *p++ = l.chunks.load(relaxed);
  *p++ = uint64_t(-l.lowest.load(relaxed));
  s.last_ = end;
  s.cpu_ = ~1u;  // a change of CPU may be among the lost
  s.close(p);
}

void Recorder::set_stopped(LossReason reason) {
  g_process.stopped.store(reason, std::memory_order_seq_cst);
  if (reason == LossReason::none) return;  // they go on as after any loss
  for (Lane* l = g_process.open_lanes; l; l = l->next_open) l->stream.limit_.store(nullptr, std::memory_order_seq_cst);
}

void Recorder::stop_where_full(uint64_t expected_bytes) {
  if (expected_bytes < g_process.max_bytes) return;
  if (g_process.stopped.load(relaxed) != LossReason::full) set_stopped(LossReason::full);
}

void Recorder::stop_now(Stream& s) {
  if (g_process.stopped.load(relaxed) != LossReason::none) stop_at(s, ticks());
}

void Recorder::stop_at(Stream& s, uint64_t t) {
  LossReason stopped = g_process.stopped.load(std::memory_order_acquire);
  if (stopped == LossReason::none || s.inert_ || s.loss_ || (s.aggregator_ && s.aggregator_->writing)) return;
  stop_for(s, t, stopped);
}

void Recorder::go_on(Stream& s) {
  if (s.loss_ && !s.inert_) resume(s, Kind::time, ticks());
}

void Recorder::snapshot(Lane& lane) {
  lane.snapshot_buffer = lane.stream.buffer_;
  lane.snapshot_end = lane.stream.published_.load(std::memory_order_acquire);
  lane.snapshot_closed = lane.closed;
}

uint64_t Recorder::unwritten(const Lane& lane) {
  const Buffer* b = lane.stream.buffer_;
  return b ? uint64_t(lane.stream.published_.load(std::memory_order_acquire) - b->taken) * sizeof(Unit) : 0;
}

// ---- samples -----------------------------------------------------------------------------------------------------

void Stream::note_cpu_slow(uint64_t t, uint32_t cpu) {
  unsigned actual = 0, node = 0;
  if (aggregator_ && aggregator_->busy) return;  // reported once records are written again
  if (syscall(SYS_getcpu, &actual, &node, nullptr) != 0) return;
  // `cpu` is the value in the thread's rseq area, which may be "not registered". That value is remembered, not the CPU.
  cpu_ = cpu;
  put(Kind::cpu, t, actual | node << 20);
}

void Stream::judge(uint64_t t) {
  uint64_t apart = (t - judged_) / kEventsToJudge;
  events_left_ = kEventsToJudge;
  judged_ = t;
  if (brief_) sample_cpu_time(t);  // task_end_next() does not look
  bool brief = apart < g_process.brief_ticks;
  if (brief && !brief_)
    untimed_creations_ = untimed_starts_ = untimed_waits_ = untimed_chunks_ = 0;  // the first tasks are timed
  brief_ = brief;
}

// A thread that was off the CPU, and did not go to sleep since the last sample, had the CPU taken away.
void Recorder::note_taken(Lane& lane, uint64_t at, uint64_t cpu, uint64_t parked, int64_t sleeps) {
  auto& last = lane.sampled;
  if (last.sleeps == sleeps) {
    const auto wall = int64_t((unsigned __int128)(at - last.at) * 1000000000u / ticks_per_second());
    const int64_t missing = wall - int64_t(cpu - last.cpu) - int64_t(parked - last.parked);
    constexpr int64_t kNoise = 20'000;  // of two clocks
    if (missing > kNoise)
      lane.taken.store(lane.taken.load(std::memory_order_relaxed) + missing, std::memory_order_relaxed);
  }
  last = {at, cpu, parked, sleeps};
}

void Stream::sample_cpu_time_slow(uint64_t t) { Recorder::sample_cpu_time(*this, t); }

void Recorder::sample_cpu_time(Stream& s, uint64_t t) {
  s.last_cpu_time_ = t;
  if (s.inert_ || s.loss_ || (s.aggregator_ && s.aggregator_->busy)) return;
  uint64_t begin = ticks();
  timespec cpu;
  rusage usage;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) != 0 || getrusage(RUSAGE_THREAD, &usage) != 0) return;
  uint64_t parked = uint64_t((unsigned __int128)s.parked_ticks_ * 1000000000u / ticks_per_second());
  const uint64_t used = uint64_t(cpu.tv_sec) * 1000000000ull + uint64_t(cpu.tv_nsec);
  s.put3(Kind::cpu_time, t, uint32_t(usage.ru_nivcsw), used, parked);
  note_taken(lane_of(s), begin, used, parked, usage.ru_nvcsw);
  uint64_t end = ticks();
  // Costs at most 0.1 % of a thread's time, or twice that including the cache misses after two system calls, if these
  // take 10 us or less. A preemption in between looks like a cost: it is bounded to 10 ms, and shrinks again with the
  // next sample.
  uint64_t least = ticks_per_second() / 5000, most = ticks_per_second() / 100;
  s.cpu_time_every_ = std::clamp((end - begin) * 1000, least, most);
  if (!s.inert_ && !s.loss_) owe(s, begin, end);
}

uint64_t Stream::aggregated_create(uint64_t t0, uint64_t t1, uint32_t site, uint64_t parent) {
  return Recorder::aggregated_create(*this, t0, t1, site, parent);
}

void Stream::aggregated_task(uint64_t t, uint64_t id) {
  if (is_unseen(id)) return;
  Recorder::aggregated_begin(*this, t, Kind::task_start, ancestor_of_aggregated(id), site_of_aggregated(id));
}

void Stream::aggregated_chunk(uint64_t t) {
  Recorder::aggregated_begin(*this, t, Kind::chunk_begin, 0, aggregated_loop_);
}

void Stream::write_cells() { Recorder::write_cells(*this); }

uint32_t Stream::site_slow(SiteCache& e, Construct c, uint16_t flags, const void* function, const void* return_address,
                           const char* psource) {
  if (inert_ || g_process.over()) return 0;
  if ((c == Construct::parallel || c == Construct::barrier_parallel) && is_of_pool(function)) {
    // Not kept in the cache: the next one may have another caller. The site of a region's end is asked for right before
    // the region's own: the caller is looked for once.
    const PoolCall met = pool_call_;
    const bool is_met = c == Construct::parallel && met.function == function && met.return_address == return_address;
    const void* caller = is_met ? met.caller : caller_of_pool(return_address);
    pool_call_ = c == Construct::parallel ? PoolCall{} : PoolCall{function, return_address, caller};
    return g_process.sites.find_or_add(c, caller ? flags | kSiteThroughPool : flags, function,
                                       caller ? caller : return_address, psource);
  }
  uint32_t id = g_process.sites.find_or_add(c, flags, function, return_address, psource);
  if (!g_process.filter.empty() && g_process.filter.matches(c, return_address, psource)) id |= kAggregateSite;
  e = {function, return_address, uint32_t(c) << 16 | flags, id};
  return id;
}

uint32_t Stream::site_of_stretch(const void* run, uint32_t at, bool waited, const char* name, const char* file,
                                 uint32_t line) {
  const uint16_t flags = waited ? 0 : kSiteNowait;
  const uint32_t what = uint32_t(Construct::stretch) << 16 | flags;
  const auto* const number = reinterpret_cast<const void*>(uintptr_t(at));  // in place of a return address
  SiteCache& e = cache_[(at ^ uint64_t(run) >> 4 ^ what ^ what >> 13) % kCacheSize];
  if (e.function == run && e.return_address == number && e.what == what) return e.id;
  if (inert_ || g_process.over()) return 0;
  char text[1024];  // SiteTable::kMaxText
  snprintf(text, sizeof text, ";%.700s;%.200s;%u;%u;;", file ? file : "", name ? name : "", line, at);
  const uint32_t id = g_process.sites.find_or_add(Construct::stretch, flags, run, nullptr, text);
  e = {run, number, what, id};
  return id;
}

}  // namespace einkorn::record
