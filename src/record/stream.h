// The producer's side of a recording: one Stream per thread, written by that thread only.
//
// Every call here is on the program's path: no lock, no system call, no allocation except in refill(). That swaps the
// full buffer for an empty one of a bounded pool. If none is left, it starts counting instead of recording: the program
// never waits for the recorder. The writer thread takes whole buffers, and every 200 ms the filled part of the current
// one.
#pragma once
#include <atomic>
#include <cstdint>
#include <sys/rseq.h>
#include "record/aggregate.h"
#include "base/clock.h"
#include "record/format.h"
#include "record/halves.h"
#include "record/spin.h"

namespace einkorn::record {

struct Buffer;  // record/buffers.h
struct Loss;    // record/recorder.h

class Stream {
 public:
  // Invariants: begin <= cursor <= buffer's end; [begin, cursor) holds whole records; `published` <= cursor trails it
  // and is what the writer may read. They point to units (halves.h). limit leaves room for kSlack words: a time record,
  // the longest fixed record and a `recorder` record. limit may lie below cursor while such a record is still owed: the
  // next open() then calls refill().
  static constexpr int kSlack = 16;

  uint64_t new_region_id() { return make_id(index_, ++regions_); }
  // Id of the task that the latest task_create() announced.
  uint64_t last_task_id() const { return make_id(index_, serial_); }
  uint32_t index() const { return index_; }

  void region_begin(uint64_t t, uint32_t site, uint64_t region, uint32_t team, uint32_t level) {
    sample_cpu_time(t);  // the time before is serial, or nobody's: its off-CPU time must not look like the region's
    put3(Kind::region_begin, t, site, region, uint64_t(team) | uint64_t(level) << 32);
    ++regions_begun_;
  }
  void region_end(uint64_t t) { put(Kind::region_end, t, 0); }
  void implicit_begin(uint64_t t, uint32_t thread_num, uint64_t region) {
    note_cpu(t);
    sample_cpu_time(t);
    put2(Kind::implicit_begin, t, thread_num, region);
  }
  void implicit_end(uint64_t t, uint32_t asked = kAskedBoth) {
    if (aggregator_) write_cells();
    sample_cpu_time(t);
    put(Kind::implicit_end, t, ~asked & kAskedBoth);
  }

  // The time at which the creation of a task begins. 0: it is not timed, see `brief_`.
  uint64_t creation_begins() {
    if (__builtin_expect(brief_ && --untimed_creations_ > 0, 1)) return 0;
    untimed_creations_ = kTimedOneIn;
    return ticks();
  }
  // The same for a task that its creator runs at once, from t on: its creation takes no time.
  uint64_t undeferred_begins(uint64_t t) const { return brief_ ? 0 : t; }
  // The creation lasted from t0 to t1. Returns the child's id. t0 is 0 if creation_begins() returned 0. depth: tasks on
  // the child's way to the root, itself included; parent: the creating task's id, 0: an implicit one.
  uint64_t task_create(uint64_t t0, uint64_t t1, uint32_t site, uint32_t depth = 0, uint64_t parent = 0) {
    if (__builtin_expect(is_beyond(site, depth, parent), 0)) return aggregated_create(t0, t1, site, parent);
    if (__builtin_expect(t0 != 0, 0) || !try_half<Half::task_create_brief>(t1, site)) create_whole(t0, t1, site);
    ++serial_;        // after the record: refill() notes the counts before it
    count_event(t1);  // after it, too: a sample of the CPU time at t1 would take the creation there, which began before
    return last_task_id();
  }
  // Is a task of that site, at that depth, below that one, not to be recorded by itself?
  static bool is_beyond(uint32_t site, uint32_t depth, uint64_t parent) {
    return (depth | (site & kAggregateSite)) > g_limits.depth.load(std::memory_order_relaxed) || is_aggregated(parent);
  }
  void task_range(uint64_t first, uint64_t count) { put3(Kind::task_range, last_, 0, first, count); }
  // One dependence of the subject of the latest record: task_create(), task_end() of an undeferred task, wait_begin().
  // mode: as in kmp_depend_info. bytes 0: not known.
  void depend(uint64_t address, uint64_t bytes, uint64_t mode) {
    Word* p = open(Kind::depend, last_, 1, 4);
    if (!p) return;
    p[1] = address;
    p[2] = bytes;
    p[3] = mode;
    close(p + 4);
  }
  void task_start(uint64_t t, uint64_t id) {
    if (__builtin_expect(is_aggregated(id), 0)) return aggregated_task(t, id);
    note_cpu(t);
    if (id_thread(id) == index_) return put_start<Half::task_start>(t, uint32_t(id_serial(id)));
    if (try_half<Half::task_start_other>(t, id - started_other_ + kDistanceBias) ||
        put2(Kind::task_start_other, t, 0, id))
      started_other_ = id;
  }
  // After implicit_begin(), and after task_start(): they have no time of their own.
  void place(uint32_t node, uint32_t pu) { put(Kind::place, last_, node | pu << 16); }
  void footprint(uint64_t bytes, uint64_t known, bool estimated) {
    put3(Kind::footprint, last_, estimated, bytes, known);
  }
  void footprint_node(uint32_t node, uint64_t read, uint64_t written) {
    put3(Kind::footprint_node, last_, node, read, written);
  }
  // access: 1 reads, 2 writes, 3 both.
  void footprint_range(uint32_t access, bool estimated, uint64_t address, uint64_t bytes) {
    put3(Kind::affinity, last_, access | (estimated ? 4 : 0), address, bytes);
  }
  void named_node(uint32_t node) { put3(Kind::affinity, last_, 0, node, 0); }
  void task_end(uint64_t t) {
    count_event(t);
    sample_cpu_time(t);
    put_half<Half::task_end>(t, 0, 0);
  }
  // A task that starts immediately after the previous record, which is the begin of a wait, or the end of a task in it.
  // While tasks are brief it usually takes that record's stamp, and has its own only once in a while.
  void task_start_next(uint64_t id) {
    if (!brief_ || id_thread(id) != index_) return task_start(ticks(), id);
    const uint32_t serial = uint32_t(id_serial(id)), distance = serial - started_own_ + kDistanceBias;
    if (--untimed_starts_ <= 0) {
      untimed_starts_ = kTimedOneIn;
      uint64_t t = ticks();
      note_cpu(t);
      return put_start<Half::task_next>(t, serial);
    }
    // Not published yet: if the task makes no record before its end, the end goes into the same half.
    Unit* p = cursor_;
    if (__builtin_expect(p >= limit_.load(std::memory_order_relaxed) || !fits_half(Half::task_next, 0, distance), 0))
      return put_start<Half::task_next>(last_, serial);
    *p = half(Half::task_next, 0, distance);
    started_ = cursor_ = p + 1;
    started_own_ = serial;
  }
  void task_end_next() {
    uint64_t t = ticks();
    count_event(t);
    const uint64_t delta = t - last_;  // as in try_half()
    if (cursor_ != started_ || !fits_half(Half::task_run, delta, 0)) {
      sample_cpu_time(t);
      return put_half<Half::task_end>(t, 0, 0);
    }
    last_ = t;
    cursor_[-1] += half(Half::task_run, delta, 0) - half(Half::task_next, 0, 0);
    published_.store(cursor_, std::memory_order_release);  // orders the half's store before it, as in close()
  }
  void task_suspend(uint64_t t) { put(Kind::task_suspend, t, 0); }
  // An instance of a procedure gives way until its children have ended; task_start() resumes it. site: of the stretch
  // with which it goes on then.
  void stretch_ends(uint64_t t, uint32_t site) {
    sample_cpu_time(t);
    put(Kind::task_suspend, t, site);
  }
  // What runs on the thread goes on at once; begins_next(): at the time of the latest record, behind a wait of its own.
  void stretch_begins(uint64_t t, uint32_t site) { put(Kind::stretch, t, site); }
  void stretch_begins_next(uint32_t site) { put(Kind::stretch, last_, site); }
  // An instance of a region has come to a step that those beside it wait for; or it goes on, at the time of the latest
  // record, behind that step of `count` others: members of its team.
  void step_done(uint64_t t, uint32_t number) { put3(Kind::edge, t, 0, number, 0); }
  // Of a doacross loop, by the iteration's position in the nest's order; stamped before it is done, or after the wait.
  void iteration_done(uint64_t t, uint64_t position) { put2(Kind::iteration, t, 0, position); }
  void iteration_awaited(uint64_t t, uint64_t position) { put2(Kind::iteration, t, 1, position); }
  // A detached task's event; stamped before it is fulfilled.
  void fulfilled(uint64_t t, uint64_t task) { put2(Kind::fulfill, t, 0, task); }
  void goes_on_behind(uint32_t number, uint32_t count, const uint32_t (&members)[2]) {
    put3(Kind::edge, last_, count, number, members[0] | uint64_t(count > 1 ? members[1] : 0) << 32);
  }
  // What runs has signalled a codelet by hand, which still waited for `left` signals, at least one, after that. t:
  // before the signal, so that of all signals of a firing none is stamped behind it. What it did up to then is a
  // fragment.
  void signalled(uint64_t t, const void* codelet, uint32_t left) {
    put3(Kind::edge, t, kEdgeSignal, uint64_t(codelet), left);
  }
  // The last one: the task that was just created is its firing. as: fired_as().
  void fired(const void* codelet, uint64_t as) { put3(Kind::edge, last_, kEdgeFired, uint64_t(codelet), as); }
  // at: where the instance goes on; line 0, file or name nullptr: not known. waited: for its children.
  uint32_t site_of_stretch(const void* run, uint32_t at, bool waited, const char* name, const char* file,
                           uint32_t line);

  void wait_begin(uint64_t t, uint32_t site) {
    sample_cpu_time(t);
    put_half<Half::wait_begin>(t, site, site);
  }
  void wait_end(uint64_t t) { put(Kind::wait_end, t, 0); }
  // A wait that ends immediately after the previous record, which is the end of a task in it, or its begin.
  void wait_end_next() {
    if (!brief_) return wait_end(ticks());
    uint64_t t = last_;
    if (--untimed_waits_ <= 0) {
      untimed_waits_ = kTimedOneIn;
      t = ticks();
    }
    put_half<Half::wait_done>(t, 0, 0);
  }
  void idle_begin(uint64_t t) { put(Kind::idle_begin, t, 0); }
  void idle_end(uint64_t t) {
    sample_cpu_time(t);
    put(Kind::idle_end, t, 0);
  }

  // ---- graphs of codelets: codelets.cpp
  // line 0: not known. With kAggregateSite where its codelets are not to be recorded one by one.
  uint32_t site_of_class(const void* fire, const void* return_address, uint32_t line);
  // The thread runs the graph of that number (add_graph()), until wait_end(). Returns the run's id.
  uint64_t graph_run(uint64_t t, uint32_t site, uint32_t graph) {
    const uint64_t run = make_id(index_, ++runs_);
    put3(Kind::graph_run, t, site & ~kAggregateSite, run, graph);
    return run;
  }
  // The thread begins to fire codelets of a run, and no longer does. ancestor: the id of the task that called it, 0: an
  // implicit one. False: no memory, nothing is to be told.
  bool join_run(uint64_t t, uint64_t run, uint64_t ancestor, Firing& before);
  void leave_run(uint64_t t, const Firing& before);
  void searches(uint64_t t);  // in a run: finds no codelet that is ready; and one again
  void found(uint64_t t);
  void codelet_begin(uint64_t t, uint32_t node, uint32_t site) {
    Firing& f = aggregator_->firing;
    f.begin = t;
    f.node = node;
    f.site = site;
    f.pending = true;
  }
  void codelet_end(uint64_t t);
  // The same for one that is_beyond(): neither it nor what it does is recorded by itself.
  void aggregated_codelet_begin(uint64_t t, uint32_t site);
  void aggregated_codelet_end(uint64_t t);

  void taskgroup_begin(uint64_t t, uint32_t site) { put(Kind::taskgroup_begin, t, site); }
  void yield(uint64_t t, uint32_t site) { put(Kind::yield, t, site); }
  void yield_end(uint64_t t) { put(Kind::yield_end, t, 0); }
  void taskloop_begin(uint64_t t, uint32_t site, uint64_t iterations, uint64_t tasks) {
    put3(Kind::taskloop_begin, t, site & ~kAggregateSite, iterations, tasks);
  }
  void taskloop_end(uint64_t t) { put(Kind::taskloop_end, t, 0); }

  void loop_begin(uint64_t t, uint32_t site, int64_t lower, uint64_t iterations, int64_t incr, uint32_t chunk,
                  Schedule schedule, uint8_t flags = 0) {
    sample_cpu_time(t);
    loop_chunk_ = chunk;
    loop_iterations_ = iterations;
    aggregated_loop_ = site & kAggregateSite ? site : 0;
    Word* p = open(Kind::loop_begin, t, site & ~kAggregateSite, 5);
    if (!p) return;
    p[1] = uint64_t(lower);
    p[2] = iterations;
    p[3] = uint64_t(incr);
    p[4] = uint64_t(chunk) | uint64_t(schedule) << 32 | uint64_t(flags) << 40;
    close(p + 5);
  }
  void chunk_begin(uint64_t t, uint64_t first, uint64_t count) {
    if (__builtin_expect(aggregated_loop_ != 0, 0)) return aggregated_chunk(t);
    note_cpu(t);
    if (is_regular(first, count)) put(Kind::chunk_begin, t, uint32_t(first));
    else put3(Kind::chunk_begin_long, t, 0, first, count);
    ++chunks_;
  }
  void chunk_end(uint64_t t) {
    count_event(t);
    sample_cpu_time(t);
    put(Kind::chunk_end, t, 0);
  }
  // chunk_end() and immediately chunk_begin() of the next chunk. While chunks are brief, that has its own stamp only
  // once in a while.
  void chunk_next(uint64_t ended, uint64_t first, uint64_t count) {
    if (!brief_ || aggregated_loop_ || --untimed_chunks_ <= 0 || !is_regular(first, count)) {
      chunk_end(ended);
      untimed_chunks_ = kTimedOneIn;
      return chunk_begin(ticks(), first, count);
    }
    count_event(ended);
    sample_cpu_time(ended);
    put(Kind::chunk_next, ended, uint32_t(first));
    ++chunks_;
  }
  void loop_end(uint64_t t) { put(Kind::loop_end, t, 0); }

  void mutex_wait(uint64_t t, uint32_t site, const void* lock) {
    sample_cpu_time(t);
    put2(Kind::mutex_wait, t, site, uint64_t(lock));
  }
  void mutex_acquired(uint64_t t, uint32_t site, const void* lock) {
    put2(Kind::mutex_acquired, t, site, uint64_t(lock));
  }
  // The program has tried to get a lock: in vain, or it is its own now; then mutex_acquired() follows.
  void tried_in_vain(uint64_t t, const void* lock) { spin_.in_vain(t, lock, last_); }
  void got_by_trying(uint64_t t, uint32_t site, const void* lock) {
    if (const uint64_t since = spin_.over(t, lock, last_)) put2(Kind::mutex_wait, since, site, uint64_t(lock));
  }
  // took: ticks from t on until the next one was woken.
  void mutex_released(uint64_t t, const void* lock, uint64_t took = 0) {
    put2(Kind::mutex_released, t, uint32_t(std::min<uint64_t>(took, UINT32_MAX)), uint64_t(lock));
  }

  // The runtime slept this long (ticks) in a futex: not off-CPU time in the report's sense.
  void parked(uint64_t ticks) { parked_ticks_ += ticks; }

  // The site of (construct, flags, function, return address): a per-thread cache before the shared table.
  uint32_t site(Construct c, uint16_t flags, const void* function, const void* return_address,
                const char* psource = nullptr) {
    uint32_t what = uint32_t(c) << 16 | flags;
    SiteCache& e = cache_[(uint64_t(return_address) ^ uint64_t(function) >> 4 ^ what ^ what >> 13) % kCacheSize];
    if (e.function == function && e.return_address == return_address && e.what == what) return e.id;
    return site_slow(e, c, flags, function, return_address, psource);
  }

 private:
  friend class Recorder;
  struct SiteCache {
    const void* function;
    const void* return_address;
    uint32_t what;  // construct << 16 | flags
    uint32_t id;
  };
  static constexpr int kCacheSize = 256;

  // Room for `words` (and a time record before them); nullptr while records are being lost.
  Word* open(Kind k, uint64_t t, uint32_t payload, int words) {
    if (__builtin_expect(cursor_ + 2 * words > limit_.load(std::memory_order_relaxed), 0) && !refill(k, t))
      return nullptr;
    Word* p = reinterpret_cast<Word*>(cursor_);
    // Clocks of different CPUs may disagree by a few ticks, yet time must never run backwards within a stream.
    uint64_t delta = t > last_ ? t - last_ : 0;
    if (__builtin_expect(delta > kMaxDelta, 0)) {
      p[0] = pack(Kind::time, 0, 0);
      p[1] = t;
      p += 2;
      delta = 0;
      last_ = t;
    } else {
      last_ += delta;
    }
    p[0] = pack(k, delta, payload);
    return p;
  }
  // The writer reads units below `published`: release orders the records' stores before it.
  void close(Unit* end) {
    cursor_ = end;
    published_.store(end, std::memory_order_release);
  }
  void close(Word* end) { close(reinterpret_cast<Unit*>(end)); }
  // False: not written.
  bool put(Kind k, uint64_t t, uint32_t payload) {
    Word* p = open(k, t, payload, 1);
    if (p) close(p + 1);
    return p != nullptr;
  }
  // Not inlined: keeps the path of records that are halves short.
  __attribute__((noinline)) bool put_whole(Kind k, uint64_t t, uint32_t payload) { return put(k, t, payload); }
  __attribute__((noinline)) void create_whole(uint64_t t0, uint64_t t1, uint32_t site) {
    uint64_t dur = t1 - t0;
    if (t0 == 0) put(Kind::task_create_brief, t1, site);
    else if (site < 65536 && dur < 65536) put(Kind::task_create, t0, site | uint32_t(dur) << 16);
    else put2(Kind::task_create_long, t0, site, dur);
  }
  // Writes a record in half a word, if its time and its payload, in the form for halves, fit.
  template <Half h>
  bool try_half(uint64_t t, uint64_t payload) {
    Unit* p = cursor_;
    const uint64_t delta = t - last_;  // wraps if the clock ran backwards: too much for a half
    if (__builtin_expect(p >= limit_.load(std::memory_order_relaxed) || !fits_half(h, delta, payload), 0)) return false;
    last_ = t;
    *p = half(h, delta, uint32_t(payload));
    close(p + 1);
    return true;
  }
  template <Half h>
  void put_half(uint64_t t, uint32_t payload, uint32_t payload_of_half) {
    if (!try_half<h>(t, payload_of_half)) put_whole(form_of(h).kind, t, payload);
  }
  // For a task of this thread. The next one counts from it if it was written; a new buffer begins without one.
  template <Half h>
  void put_start(uint64_t t, uint32_t serial) {
    if (try_half<h>(t, serial - started_own_ + kDistanceBias) || put_whole(form_of(h).kind, t, serial))
      started_own_ = serial;
  }
  bool put2(Kind k, uint64_t t, uint32_t payload, uint64_t a) {
    Word* p = open(k, t, payload, 2);
    if (p) {
      p[1] = a;
      close(p + 2);
    }
    return p != nullptr;
  }
  void put3(Kind k, uint64_t t, uint32_t payload, uint64_t a, uint64_t b) {
    if (Word* p = open(k, t, payload, 3)) {
      p[1] = a;
      p[2] = b;
      close(p + 3);
    }
  }
  void note_cpu(uint64_t t) {
    uint32_t cpu = *reinterpret_cast<const volatile uint32_t*>(static_cast<char*>(__builtin_thread_pointer()) +
                                                               __rseq_offset + offsetof(struct rseq, cpu_id));
    if (__builtin_expect(cpu != cpu_, 0)) note_cpu_slow(t, cpu);
  }
  // Thread CPU time costs a system call: read at the end of an interval, at most every kCpuTimeEvery ticks.
  void sample_cpu_time(uint64_t t) {
    if (__builtin_expect(t - last_cpu_time_ > cpu_time_every_, 0)) sample_cpu_time_slow(t);
  }

  // Has the chunk the loop's chunk size, or is it the loop's rest?
  bool is_regular(uint64_t first, uint64_t count) const {
    return (count == loop_chunk_ || (count < loop_chunk_ && first + count == loop_iterations_)) && first < (1ull << 32);
  }
  // Are tasks so short that each stamp matters? Judged by how often tasks are created and end on this thread.
  void count_event(uint64_t t) {
    if (__builtin_expect(--events_left_ == 0, 0)) judge(t);
  }

  void judge(uint64_t t);
  bool refill(Kind k, uint64_t t);  // false: no buffer, the record is counted as lost
  uint64_t aggregated_create(uint64_t t0, uint64_t t1, uint32_t site, uint64_t parent);
  void aggregated_task(uint64_t t, uint64_t id);
  void aggregated_chunk(uint64_t t);
  void write_cells();
  void note_cpu_slow(uint64_t t, uint32_t cpu);
  void sample_cpu_time_slow(uint64_t t);
  uint32_t site_slow(SiteCache&, Construct, uint16_t, const void*, const void*, const char*);

  Unit* cursor_ = nullptr;
  // Both nullptr: no buffer. The owner's; but others set limit_ to nullptr to make the owner look up
  // (Recorder::set_stopped).
  std::atomic<Unit*> limit_{nullptr};
  uint64_t last_ = 0;    // time of the latest record
  uint64_t serial_ = 0;  // tasks created
  // Records below it are complete: stored with release behind them, acquired by the writer, which copies them.
  std::atomic<Unit*> published_{nullptr};
  uint32_t started_own_ = 0;  // as Started, of the buffer
  uint64_t started_other_ = 0;
  uint32_t index_ = 0;
  uint32_t cpu_ = ~0u;
  // While tasks are brief, one in so many is timed in full. From these a reader knows how long the others' creation
  // took, and the time between two of them. Odd, so that it does not keep step with a program that creates tasks in
  // pairs.
  static constexpr int kTimedOneIn = 65;
  static constexpr int kEventsToJudge = 64;
  bool brief_ = false;
  int events_left_ = kEventsToJudge;
  int untimed_creations_ = 0, untimed_starts_ = 0, untimed_waits_ = 0, untimed_chunks_ = 0;
  Unit* started_ = reinterpret_cast<Unit*>(this);  // cursor_ after a task_next that is not published; else no cursor
  uint64_t judged_ = 0;                            // time of the latest judgement
  uint64_t last_cpu_time_ = 0;
  uint64_t cpu_time_every_ = 0;
  uint64_t parked_ticks_ = 0;
  uint64_t regions_ = 0;  // region ids given out
  uint64_t runs_ = 0;     // ids of runs likewise
  uint64_t regions_begun_ = 0;
  uint64_t chunks_ = 0;
  uint64_t recorder_ticks_ = 0;  // spent in the recorder and not yet recorded ...
  uint64_t recorder_end_ = 0;    // ... until this time
  uint64_t loop_iterations_ = 0;
  uint32_t loop_chunk_ = 0;
  uint32_t aggregated_loop_ = 0;  // site of the loop, if its chunks are not recorded one by one
  Aggregator* aggregator_ = nullptr;
  Buffer* buffer_ = nullptr;
  Loss* loss_ = nullptr;  // while records are being lost
  bool inert_ = false;    // recording is over for this stream: its calls do nothing
  Spin spin_;
  // Of the latest region of a pool whose end's site was asked for, until its own site is; caller: pools.h.
  struct PoolCall {
    const void *function = nullptr, *return_address = nullptr, *caller = nullptr;
  } pool_call_;
  SiteCache cache_[kCacheSize] = {};
};

// ---- process-wide --------------------------------------------------------------------------------------------
struct Options {
  const char* path = nullptr;            // EINKORN_RECORD; %h %p %r are replaced
  uint64_t memory_bytes = 256ull << 20;  // EINKORN_RECORD_MEMORY: all buffers together
  const char* filter = nullptr;          // EINKORN_RECORD_FILTER: see filter.h. The caller keeps the text
  uint64_t last_ns = 0;                  // EINKORN_RECORD_LAST: only what was recorded in the latest ns; 0: all
  uint64_t max_bytes = 0;                // EINKORN_RECORD_MAX_SIZE: approximate size of the file, bytes; 0: any
  bool roi = false;      // EINKORN_RECORD_ROI: nothing is recorded before omp_control_tool(omp_control_tool_start)
  uint32_t depth = ~0u;  // EINKORN_RECORD_DEPTH: deeper tasks are aggregated
  Stamps stamps = Stamps::automatic;  // EINKORN_RECORD_STAMPS
  bool accesses =
      false;  // EINKORN_RECORD_ACCESSES: memory accesses, where the program has hooks for them. Not together
              //   with any of the limits above
  const char* counters = nullptr;  // EINKORN_RECORD_COUNTERS: of threads' counters which (counter_table.h)
  const char* runtime = nullptr;   // its name and version; nullptr: Einkorn's own
  const char* absent = nullptr;    // what that runtime cannot tell, in words
  // The machine that the program ran as if on, if that was not this computer: its times mean nothing then. The texts
  // are read in start() only.
  struct OtherMachine {
    const char* name = nullptr;    // nullptr: this computer
    const char* source = nullptr;  // as EINKORN_MACHINE had it
    int cpus = 0, nodes = 0;
  } machine{};
};

// Starts recording: nothing is written before the first stream is opened (a process that uses no OpenMP leaves no
// file).
void start(const Options&);
bool recording();
// A stream for the calling thread, or nullptr when not recording. `initial`: see ThreadRecord::is_initial.
Stream* open_stream(bool initial);
void close_stream(Stream*);
// A stream whose calls do nothing, for a thread that a tool watches while nothing is recorded. nullptr: no memory.
Stream* silent_stream();
// Flushes everything and writes the end block. Called at exit; calling it twice is safe.
void finish();
// The program's omp_control_tool(): start and pause; flush writes what was recorded so far to the file, end ends the
// recording. Values are those of omp_control_tool_t and omp_control_tool_result_t: 0 done, 1 ignored, -2 nothing is
// being recorded. `caller`: the calling thread's stream.
int control(int command, Stream* caller = nullptr);

}  // namespace einkorn::record
