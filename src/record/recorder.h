// The recorder's internals: what producers (stream.cpp) and the writer (writer.cpp) share. stream.h is the interface.
#pragma once
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include "record/accesses.h"
#include "record/aggregate.h"
#include "record/buffers.h"
#include "record/counters.h"
#include "record/cpu_use.h"
#include "record/filter.h"
#include "record/grain_file.h"
#include "record/serial_samples.h"
#include "record/sites.h"
#include "record/stream.h"

namespace einkorn::record {

// Counting instead of recording. Only the producer changes it; the writer reads it once all is over. Invariant: lowest
// <= level, lowest <= 0; -lowest contexts that were open at `begin` are closed by now.
struct Loss {
  std::atomic<LossReason> reason{LossReason::none};
  std::atomic<bool> active{false};  // changes under the pool's lock
  std::atomic<uint64_t> begin{0};
  std::atomic<uint64_t> created{0};
  std::atomic<uint64_t> executed{0};
  std::atomic<uint64_t> chunks{0};
  std::atomic<int64_t> level{0};  // of nesting, relative to where the loss began
  std::atomic<int64_t> lowest{0};
};

// A thread's stream and what belongs to it, in a mapping of its own.
struct Lane {
  Stream stream;
  ThreadRecord record{};  // constant once open
  Loss loss;
  // Whole recording; the producer's:
  std::atomic<uint64_t> lost_tasks[kLossReasons] = {}, lost_chunks[kLossReasons] = {}, lost_regions{0};
  std::atomic<uint64_t> aggregated_created{0}, aggregated_executed{0}, aggregated_chunks{0};
  // Fired: over at once, and only in a cell; as tasks that are aggregated; others: recorded, or lost.
  std::atomic<uint64_t> brief_codelets{0}, codelets_below{0}, codelets{0};
  std::atomic<bool> cells_owed{false};  // some counts are not in a record yet

  bool dormant = false;  // the producer's: it belongs to a forked process that has recorded nothing yet
  bool counted_only =
      false;  // one thread too many for task ids: its tasks and chunks are only counted. Constant once open

  // The thread's own: its last sample of CPU time. `taken`: the time that it was off the CPU without sleeping, which
  // others read.
  struct {
    uint64_t at, cpu, parked;
    int64_t sleeps = -1;  // voluntary context switches; -1: was not sampled yet
  } sampled{};
  std::atomic<int64_t> taken{0};  // ns

  // The producer's. counts_torn: what is counted now does not reach back to the latest `counters` record. counts_until:
  // while the stream's limit is not nullptr, up to here records need nothing but their counts; nullptr: without
  // counters.
  ThreadCounters counters;
  Unit* counts_until = nullptr;
  bool counts_torn = false;

  // Under the pool's lock:
  Lane* next_new = nullptr;
  Lane* next_open = nullptr;
  bool closed = false;

  // The writer's:
  Lane* next = nullptr;
  Counts counts;    // at the end of what is in the file
  Started started;  // there, if that is within a buffer
  uint64_t sequence = 0;
  Buffer* snapshot_buffer = nullptr;
  Unit* snapshot_end = nullptr;
  bool snapshot_closed = false;
};

enum class Phase : int {
  unused,  // start() was not called
  armed,   // the first stream will make the file
  on,
  over,  // finished, or failed: final
};

// A payload on its way to the file; the head of its own mapping.
struct QueuedBlock {
  QueuedBlock* next;
  uint64_t sequence;
  size_t bytes;  // that follow
  uint32_t stream;
  BlockType type;
};

struct Process {
  // on -> over under the pool's lock. Release and acquire, throughout: who finds it armed or on finds what was set up
  // for that here and in `output`; who finds it over, what was written before.
  std::atomic<Phase> phase{Phase::unused};
  // Why no stream records at the moment. Changes under the pool's lock. seq_cst where it is set, before the streams'
  // limits are (Recorder::set_stopped()), and acquired in refill(): whom the limit sends there finds the reason.
  std::atomic<LossReason> stopped{LossReason::none};
  BufferPool pool;
  SiteTable sites;
  Filter filter;                         // constant
  Output output;                         // the writer's once it runs
  Anchor start_anchor{};                 // constant once on
  uint64_t start_ticks = 0;              // what start() took from the anchor on. Constant once armed
  uint64_t last_ns = 0, ring_bytes = 0;  // keep only the latest records, in so much memory; 0: all. Constant
  uint64_t max_bytes = 0;                // of the file; 0: any. Constant
  // The writer's word on the file, for who fills buffers: its bytes, and whether full buffers shrink on their way to
  // it.
  std::atomic<uint64_t> file_bytes{0};
  std::atomic<bool> file_is_packed{false};
  uint64_t stretch_ticks = 0;    // aggregated counts are written at least so often. Constant
  uint64_t brief_ticks = 0;      // tasks that are created and end more often than this are brief. Constant
  uint64_t perturbed_ticks = 0;  // codelets that take less are aggregated. Constant
  char* meta = nullptr;          // JSON, made by start()
  size_t meta_bytes = 0;
  uint64_t session = 0;  // claim.h
  pid_t process = 0;     // that is recorded: the writer may be another one. Constant once on
  int64_t other_cpu_ns = -1, cpu_wait_ns = -1, taken_ns = -1, steal_ns = -1;  // cpu_use.h, at the end
  int64_t resident_bytes = -1;                                                // likewise

  // Constant once start() has run. What is counted of each thread; what was asked for and is not there.
  CounterList counters;
  struct {
    Counter counter;
    Absence why;
  } absent_counters[kMostCounters] = {};
  int absent_count = 0;
  ThreadCounters initial_counters;  // of the thread that has called start(), until it has a stream

  const AccessLibrary* accesses = nullptr;  // constant
  std::atomic<uint64_t> access_bytes{0};    // of those among the queued blocks
  std::atomic<uint64_t> graph_bytes{0};     // likewise
  std::atomic<uint32_t> graphs{0};          // that have a number
  std::atomic<uint32_t> generation{1};      // of numbers of graphs: a forked process has none of them

  // Under the pool's lock:
  QueuedBlock* queued_blocks = nullptr;  // oldest first
  QueuedBlock* last_queued_block = nullptr;
  Lane* new_lanes = nullptr;   // latest first
  Lane* open_lanes = nullptr;  // of streams that are not closed
  uint32_t threads = 0;
  uint32_t counted_threads = 0;
  CpuUse cpu_use;
  SerialSamples samples;  // the initial thread's to open, the writer's from then on

  // What the file will have once so much of the recording that is in memory is written, too.
  uint64_t expected_bytes(uint64_t unwritten) const {
    const bool packed = file_is_packed.load(std::memory_order_relaxed);  // to less than half
    return file_bytes.load(std::memory_order_relaxed) + (packed ? unwritten / 2 : unwritten);
  }
  bool over() const { return phase.load(std::memory_order_acquire) == Phase::over; }
};
extern Process g_process;
ThreadUse use_of(const Lane&);  // of its thread, which lives

Anchor take_anchor();

// accesses.cpp
void find_access_library();

// counters.cpp. text: of EINKORN_RECORD_COUNTERS
void choose_counters(const char* text);

// queued_blocks.cpp
QueuedBlock* new_block(BlockType, uint32_t stream, uint64_t sequence, size_t bytes);  // nullptr: no memory
// To the writer; false: there is no more recording, and the block is gone.
bool queue(QueuedBlock*);
void write_queued_blocks(QueuedBlock*, Output&);  // and unmaps them

// The functions that need access to a Stream's members.
class Recorder {
 public:
  static Stream* open(bool initial);
  static Stream* open_silent();
  static void close(Stream&);
  static void after_fork_child(pid_t forking_thread);
  static bool refill(Stream&, Kind, uint64_t t);
  static void sample_cpu_time(Stream&, uint64_t t);
  static void note_taken(Lane&, uint64_t at, uint64_t cpu, uint64_t parked, int64_t sleeps);
  static void snapshot(Lane&);  // under the pool's lock
  // Bytes in the stream's buffer that are not in the file. Under the pool's lock, by the writer only.
  static uint64_t unwritten(const Lane&);
  // What its thread is about to do is recorded: makes the file of a forked process.
  static bool is_awake(Stream& s) { return !s.inert_ && (!lane_of(s).dormant || wake_up(s)); }
  static AccessStream accesses_of(const Stream& s) { return {&s.last_, s.index_}; }
  static void set_stopped(LossReason);  // under the pool's lock. Every stream stops at its next record
  // Under the pool's lock, if the file has a largest size: what will be in the file, of the records there are.
  static bool short_of_room(uint64_t expected_bytes) { return expected_bytes > g_process.max_bytes / 4 * 3; }
  static void stop_where_full(uint64_t expected_bytes);
  // The same for the calling thread's stream at once: its time outside regions has no records that could stop it.
  static void stop_now(Stream&);
  static void stop_at(Stream&, uint64_t t);
  static void go_on(Stream&);

  // aggregate.cpp
  static uint64_t aggregated_create(Stream&, uint64_t t0, uint64_t t1, uint32_t site, uint64_t parent);
  static void aggregated_begin(Stream&, uint64_t t, Kind, uint64_t ancestor, uint32_t site);
  static void write_cells(Stream&);
  // Everything that the stream's thread has done so far comes into records, by that thread.
  static void tell_counts(Stream&);

  // codelets.cpp
  static bool join_run(Stream&, uint64_t t, uint64_t run, uint64_t ancestor, Firing& before);
  static void leave_run(Stream&, uint64_t t, const Firing& before);
  static void searches(Stream&, uint64_t t, bool found);
  static void end_firing(Stream&, uint64_t t);
  static void begin_aggregated_firing(Stream&, uint64_t t, uint32_t site);
  static void end_aggregated_firing(Stream&, uint64_t t);
  static void note_own_work(Stream&, uint64_t begin, uint64_t end, uint64_t took);

  // counters.cpp
  static constexpr int kCountsUnits = 2 * (kMostCounters + 3);  // that a `counters` record takes at most, with a `time`
  // refill() where there is room, and nothing else to be done.
  static bool may_count_quickly(const Stream& s) {
    const Unit* until = reinterpret_cast<const Lane&>(s).counts_until;
    return s.cursor_ + Stream::kSlack + kCountsUnits <= until && s.limit_.load(std::memory_order_relaxed);
  }
  static bool count_quickly(Stream&, Kind, uint64_t t);  // true

 private:
  static Lane& lane_of(Stream& s) { return reinterpret_cast<Lane&>(s); }
  static Unit* full_limit(Buffer* b) { return b->limit() - 2 * Stream::kSlack; }
  static void attach_accesses(Stream&);
  static bool enlist(Stream&, bool initial, uint64_t t);
  static bool wake(Stream&, Kind, uint64_t t);
  static bool wake_up(Stream&);
  static Counts counts(Stream&);
  static bool swap_buffer(Stream&, uint64_t t);
  static void hand_over(Stream&);
  static void begin_loss(Stream&, uint64_t t, LossReason);
  static void stop_for(Stream&, uint64_t t, LossReason);
  static void set_limit(Stream&, Unit*);
  static bool resume(Stream&, Kind, uint64_t t);
  static bool leave_loss(Stream&, Kind, uint64_t t);
  static bool is_lost(Stream&, Kind);
  static void use_buffer(Stream&, Buffer*);
  static void make_inert(Stream&);
  static void owe(Stream&, uint64_t begin, uint64_t end);
  static void tell_start(Stream&, uint64_t asked);
  static Word* put_unasked(Stream&, Kind, uint64_t t, uint32_t payload);
  static void write_owed(Stream&);
  static void write_loss(Stream&, uint64_t t);
  static void count_lost(Lane&, Kind);

  // aggregate.cpp
  static Aggregator* aggregator(Stream&);
  static void extend(Stream&, uint64_t t);
  static void begin_stretch(Stream&);
  static void cut_stretch(Stream&, uint64_t t);
  static Word* open_own(Stream&, Kind, uint64_t t, uint32_t payload, int words);
  static void write_stretch(Stream&);
  static void write_cell(Stream&, Cell&);
  static Cell& cell(Stream&, uint64_t ancestor, uint32_t site);
  static void aggregated_end(Stream&, bool counts);
  static bool swallow(Stream&, Kind, uint64_t t);
  static void settle(Stream&);
  static void forget(Stream&, Kind);
  static bool close_aggregated(Stream&, Kind);

  // counters.cpp
  static void open_counters(Stream&, bool initial);
  static void write_counts(Stream&, Kind, uint64_t t);
  static bool write_rest_of_counts(Stream&, Kind, uint64_t t, int done, uint32_t payload);

  // codelets.cpp
  static void write_firing(Stream&);
  static void break_stretch(Stream&, uint64_t t);
};

// For tests: the writer takes nothing while stalled.
void stall_writer_for_test(bool stalled);

}  // namespace einkorn::record
