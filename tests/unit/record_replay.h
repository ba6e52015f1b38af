// A program's calls of a stream, and a check of the records that they produce.
#pragma once
#include <random>
#include <string>
#include <vector>
#include "record/recorder.h"
#include "record/stream.h"
#include "record_reader.h"

namespace einkorn::record {

inline constexpr int kStart = 1, kPause = 2, kFlush = 3, kEnd = 4;  // omp_control_tool_t

// As fast as it gets.
inline void record_tasks(Stream& s, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t t = einkorn::ticks();
    s.task_create(t, t + 1 + (t & 31), 1);
    s.task_start(t + 40, s.last_task_id());
    s.task_end(einkorn::ticks());
  }
}

// Until the writer has freed a buffer: what is recorded from now on ends a loss.
inline void until_a_buffer_is_free() {
  while (!g_process.pool.available()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Until what is recorded is in the file; a writer that gets no CPU for seconds is not waited for by the recorder.
inline void until_flushed() {
  while (control(kFlush) != 0) {}
}

// What one thread did, as counted by itself.
struct Account {
  uint64_t tasks = 0, chunks = 0, regions = 0;
  Account& operator+=(const Account& a) {
    tasks += a.tasks, chunks += a.chunks, regions += a.regions;
    return *this;
  }
};

// Calls as a recursive program makes them: tasks in waits in tasks, loops with chunks in between.
inline void recurse(Stream& s, std::mt19937& random, int depth, Account& a, uint64_t self = 0, uint32_t level = 0) {
  int children = depth == 0 ? 0 : int(random() % 3);
  std::vector<uint64_t> ids;
  for (int i = 0; i < children; ++i) {
    uint64_t t = einkorn::ticks();
    ids.push_back(s.task_create(t, t + random() % 100, 1, level + 1, self));
    ++a.tasks;
  }
  if (random() % 8 == 0) {
    s.loop_begin(einkorn::ticks(), 2, 0, 30, 1, 10, Schedule::dynamic);
    for (int c = 0; c < 3; ++c) {
      s.chunk_begin(einkorn::ticks(), uint64_t(c) * 10, 10);
      s.chunk_end(einkorn::ticks());
      ++a.chunks;
    }
    s.loop_end(einkorn::ticks());
  }
  s.wait_begin(einkorn::ticks(), 3);
  for (uint64_t id : ids) {
    s.task_start(einkorn::ticks(), id);
    recurse(s, random, depth - 1, a, id, level + 1);
    s.task_end(einkorn::ticks());
  }
  s.wait_end(einkorn::ticks());
}

inline Account work(Stream& s, unsigned seed, int rounds) {
  std::mt19937 random(seed);
  Account a;
  uint64_t region = s.new_region_id();
  s.region_begin(einkorn::ticks(), 4, region, 1, 1);
  s.implicit_begin(einkorn::ticks(), 0, region);
  ++a.regions;
  for (int i = 0; i < rounds; ++i) recurse(s, random, 6, a);
  s.implicit_end(einkorn::ticks());
  s.region_end(einkorn::ticks());
  return a;
}

// Follows one thread's contexts through its records: they must nest, with losses as the only gaps.
struct Replay {
  uint64_t created = 0, executed = 0, chunks = 0, regions = 0, losses = 0, lost_created = 0, lost_executed = 0,
           lost_chunks = 0;
  uint64_t below_created = 0, below_executed = 0, below_work = 0, below_in_histogram = 0;  // in subtrees
  uint64_t ended = 0, stretches = 0, stretch_work = 0;                                     // in aggregates
  std::vector<Kind> open;
  std::string error;

  static Kind closer(Kind k) {
    switch (k) {
      case Kind::region_begin: return Kind::region_end;
      case Kind::implicit_begin: return Kind::implicit_end;
      case Kind::task_start:
      case Kind::task_start_other:
      case Kind::task_next: return Kind::task_end;
      case Kind::wait_begin: return Kind::wait_end;
      case Kind::loop_begin: return Kind::loop_end;
      case Kind::chunk_begin:
      case Kind::chunk_begin_long: return Kind::chunk_end;
      default: return Kind::pad;
    }
  }
  explicit Replay(const std::vector<TestRecord>& records) {
    for (auto& r : records) {
      if (nesting(r.kind) > 0) open.push_back(r.kind);
      if (nesting(r.kind) < 0) {
        if (open.empty() || closer(open.back()) != (r.kind == Kind::wait_done ? Kind::wait_end : r.kind)) {
          error = "an end without its begin, kind " + std::to_string(int(r.kind));
          return;
        }
        open.pop_back();
      }
      switch (r.kind) {
        case Kind::task_create:
        case Kind::task_create_long:
        case Kind::task_create_brief: ++created; break;
        case Kind::task_start:
        case Kind::task_start_other:
        case Kind::task_next:
        case Kind::task_run: ++executed; break;
        case Kind::chunk_begin:
        case Kind::chunk_begin_long:
        case Kind::chunk_next: ++chunks; break;
        case Kind::subtree:
          below_created += r.extra[1];
          below_executed += r.extra[2];
          below_work += r.extra[3];
          for (int i = 0; i < kHistogramBuckets; ++i)
            below_in_histogram += uint32_t(r.extra[size_t(6 + i / 2)] >> (i % 2 * 32));
          break;
        case Kind::aggregate:
          ended += r.payload;
          stretches += r.extra[0];
          stretch_work += r.extra[1];
          if (r.extra[1] + r.extra[2] + r.extra[3] + r.extra[4] > r.extra[0])
            error = "the parts of a stretch are longer than it is";
          break;
        case Kind::region_begin: ++regions; break;
        case Kind::loss:
          ++losses;
          lost_created += r.extra[1];
          lost_executed += r.extra[2];
          lost_chunks += r.extra[3];
          if (r.extra[4] > open.size()) {
            error = "a loss closes more than was open";
            return;
          }
          open.resize(open.size() - r.extra[4]);
          break;
        default: break;
      }
    }
  }
};

}  // namespace einkorn::record
