// The recorder's inside: what producers (stream.cpp) and the writer (writer.cpp) share. stream.h is the outside.
#pragma once
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include "record/buffers.h"
#include "record/output.h"
#include "record/sites.h"
#include "record/stream.h"

namespace einkorn::record {

// Counting instead of recording. The producer alone changes it; the writer reads it once all is over.
// Invariant: lowest <= level, lowest <= 0; -lowest contexts that were open at `begin` are closed by now.
struct Loss {
  std::atomic<bool> active{false};  // changes under the pool's lock
  std::atomic<uint64_t> begin{0};
  std::atomic<uint64_t> created{0};
  std::atomic<uint64_t> executed{0};
  std::atomic<uint64_t> chunks{0};
  std::atomic<int64_t> level{0};    // of nesting, relative to where the loss began
  std::atomic<int64_t> lowest{0};
};

// A thread's stream and what belongs to it, in a mapping of its own.
struct Lane {
  Stream stream;
  ThreadRecord record{};            // constant once open
  Loss loss;
  std::atomic<uint64_t> lost_tasks{0}, lost_chunks{0}, lost_regions{0};  // whole recording; the producer's

  // Under the pool's lock:
  Lane* next_new = nullptr;
  bool closed = false;

  // The writer's:
  Lane* next = nullptr;
  Counts counts;                    // at the end of what is in the file
  uint64_t sequence = 0;
  Buffer* snapshot_buffer = nullptr;
  uint64_t* snapshot_end = nullptr;
  bool snapshot_closed = false;
};

enum class Phase : int {
  unused,  // start() was not called
  armed,   // the first stream will make the file
  on,
  over,    // finished, failed, or the child of a fork: for good
};

struct Process {
  std::atomic<Phase> phase{Phase::unused};  // on -> over under the pool's lock, but in a forked child
  BufferPool pool;
  SiteTable sites;
  Output output;                            // the writer's once it runs
  Anchor start_anchor{};                    // constant once on
  char* meta = nullptr;                     // JSON, made by start()
  size_t meta_bytes = 0;

  // Under the pool's lock:
  Lane* new_lanes = nullptr;                // latest first
  uint32_t threads = 0;

  bool over() const { return phase.load(std::memory_order_acquire) == Phase::over; }
};
extern Process g_process;

Anchor take_anchor();

// What needs to see into a Stream.
class Recorder {
 public:
  static Stream* open(bool initial);
  static Stream* open_silent();
  static void close(Stream&);
  static bool refill(Stream&, Kind, uint64_t t);
  static void sample_cpu_time(Stream&, uint64_t t);
  static void snapshot(Lane&);  // under the pool's lock

 private:
  static Lane& lane_of(Stream& s) { return reinterpret_cast<Lane&>(s); }
  static uint64_t* full_limit(Buffer* b) { return b->limit() - Stream::kSlack; }
  static Counts counts(Stream&);
  static bool swap_buffer(Stream&, uint64_t t);
  static bool resume(Stream&, Kind, uint64_t t);
  static void use_buffer(Stream&, Buffer*);
  static void make_inert(Stream&);
  static void owe(Stream&, uint64_t begin, uint64_t end);
  static void write_owed(Stream&);
  static void write_loss(Stream&, uint64_t t);
};

// For tests: the writer takes nothing while stalled.
void stall_writer_for_test(bool stalled);

}  // namespace einkorn::record
