// Tasks (and chunks) that are not recorded one by one: those beyond the limits, and all below them.
//
// They are counted in cells, one for each (nearest recorded ancestor, source line): created, executed, their times. A
// *stretch* keeps where a thread's time went meanwhile: the time since the latest record, divided into work of such
// tasks, overhead, idle and blocked; the rest was spent in the state in which the thread was before. A stretch lasts
// while nothing is to be recorded, and is written before the next record. So a subtree of a million tasks makes as many
// records as a leaf.
//
// While tasks of a stretch run, the stream's buffer looks full: so all records go to refill(), which knows about
// stretches.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include "record/format.h"

namespace einkorn::record {

// Which tasks are recorded one by one. Read at every creation.
struct Limits {
  std::atomic<uint32_t> depth{kNoDepth};  // tasks with at most so many on the way to the root, themselves included
  uint32_t asked = kNoDepth;              // the user's setting; `depth` is less while buffers are short. Constant
  static constexpr uint32_t kNoDepth = 0x7fffffff;
};
extern Limits g_limits;

// Marks a site whose tasks are not recorded one by one: a bit in the result of Stream::site().
inline constexpr uint32_t kAggregateSite = 1u << 31;

// An aggregated task's substitute for a task id: 1 | site:16 | thread:15 | serial:32 of its nearest recorded ancestor.
// Serial 0: that ancestor is not a task.
constexpr bool is_aggregated(uint64_t id) { return int64_t(id) < 0; }
constexpr uint64_t aggregated_id(uint64_t ancestor, uint32_t site) {
  bool fits = id_serial(ancestor) >> 32 == 0;
  return 1ull << 63 | uint64_t(site < 65535 ? site : 0) << 47 |
         (fits ? uint64_t(id_thread(ancestor)) << 32 | id_serial(ancestor) : 0);
}
constexpr uint32_t site_of_aggregated(uint64_t id) { return uint32_t(id >> 47) & 0xffff; }
// The last site stands for none: a task that is not recorded at all, as it is no work of the program's. What descends
// from it descends from the ancestor.
constexpr uint64_t unseen_id(uint64_t ancestor) {
  return aggregated_id(is_aggregated(ancestor) ? 0 : ancestor, 0) | 0xffffull << 47;
}
constexpr bool is_unseen(uint64_t id) { return id >> 47 == 0x1ffff; }
constexpr uint64_t ancestor_of_aggregated(uint64_t id) { return make_id(uint32_t(id >> 32) & 0x7fff, uint32_t(id)); }

struct Cell {
  uint64_t ancestor;
  uint32_t site;
  bool used;
  uint64_t created, executed;
  uint64_t sum, least, most;  // ticks of own work
  uint32_t histogram[kHistogramBuckets];

  void count(uint64_t work) {  // one that was executed
    ++executed;
    sum += work;
    least = std::min(least, work);
    most = std::max(most, work);
    const int log = 63 - __builtin_clzll(work | 1);
    ++histogram[std::clamp(log / 2 - 2, 0, kHistogramBuckets - 1)];
  }
};

// The codelet that the thread fires (codelets.cpp), and the run that it takes part in.
struct Firing {
  uint64_t run = 0, ancestor = 0;  // ids
  uint64_t begin = 0;
  uint32_t node = 0, site = 0;
  int depth = 0, deeper = 0;  // of the aggregator, in the run
  bool pending = false;       // nothing is recorded of it yet: it is written once it makes a record, or has lasted
};

struct Aggregator {
  // The contexts open within a stretch, outermost first. `recorded` stands for contexts within it that are recorded (a
  // nested region, a task that descends from another one); Open::recorded is how many of these are open.
  // `inner`: a chunk within an aggregated task, which is part of that.
  enum class Frame : uint8_t { task, chunk, inner, wait, recorded };
  struct Open {
    Frame kind;
    uint32_t site;
    uint64_t ancestor;
    uint64_t work;  // task, chunk: own ticks so far
    int64_t recorded;
  };
  enum class State : uint8_t { own, work, overhead, idle, blocked };
  static constexpr uint32_t kCells = 32;
  static constexpr int kDeepest = 4096;

  bool busy = false;          // there is a stretch: the stream's records come to refill()
  bool writing = false;       // it writes its own records, which replace a stretch
  bool after_create = false;  // the latest event was a creation: records that describe it may follow
  State state = State::own;
  uint64_t begin = 0, last = 0;  // of the stretch; accounted up to `last`
  uint64_t ticks[5] = {};        // by state
  uint64_t ended = 0;            // tasks that ended in it
  int depth = 0;                 // of `open`
  int deeper = 0;                // contexts open beyond kDeepest: their time is that of the innermost known one
  uint64_t flushed = 0;          // time when the cells were last written
  Cell cells[kCells] = {};
  Firing firing;
  Open open[kDeepest];

  bool runs() const { return depth > 0 && open[depth - 1].kind != Frame::recorded; }
  // In a run's overhead, and no task that is aggregated is open around it: of what is open a reader knows all.
  bool is_between_codelets() const {
    return depth > 0 && depth == firing.depth && deeper == 0 && (depth == 1 || open[depth - 2].kind == Frame::recorded);
  }
  // The time up to t was spent in `state`.
  void charge(uint64_t t) {
    if (t <= last) return;
    const uint64_t took = t - last;
    ticks[int(state)] += took;
    if (state == State::work && depth) open[depth - 1].work += took;
    last = t;
  }
  void push(Frame kind, uint32_t site = 0, uint64_t ancestor = 0) {
    if (depth == kDeepest) ++deeper;
    else open[depth++] = {kind, site, ancestor, 0, kind == Frame::recorded};
  }
  // The state of the innermost open frame while nothing runs within it.
  State resting() const {
    if (!runs()) return State::own;
    return open[depth - 1].kind == Frame::wait ? State::overhead : State::work;
  }
};

}  // namespace einkorn::record
