// Tasks (and chunks) that are not recorded one by one: those beyond the limits, and all below them.
//
// What they are is counted in cells, one for each (nearest recorded ancestor, source line): created, executed, their times.
// Where a thread's time went meanwhile is kept as a *stretch*: the time since the latest record, of which so much was work
// of such tasks, overhead, idle, blocked; the rest was spent in the state that the thread was in before. A stretch goes on
// while nothing is to be recorded, and is written before the next thing that is. So a subtree of a million tasks makes as
// many records as a leaf.
//
// While tasks of a stretch run, the stream's buffer looks full: all records come to refill(), which knows.
#pragma once
#include <atomic>
#include <cstdint>
#include "record/format.h"

namespace einkorn::record {

// Which tasks are recorded one by one. Read at every creation.
struct Limits {
  std::atomic<uint32_t> depth{kNoDepth};  // those with at most so many tasks on their way to the root, themselves included
  uint32_t asked = kNoDepth;              // what the user set: `depth` is less while buffers are short. Constant
  static constexpr uint32_t kNoDepth = 0x7fffffff;
};
extern Limits g_limits;

// A site of which the tasks are not recorded: bit of what Stream::site() returns.
inline constexpr uint32_t kAggregateSite = 1u << 31;

// What an aggregated task has in place of a task id: 1 | site:16 | thread:15 | serial:32 of its nearest recorded ancestor.
// Serial 0: that is no task.
constexpr bool is_aggregated(uint64_t id) { return int64_t(id) < 0; }
constexpr uint64_t aggregated_id(uint64_t ancestor, uint32_t site) {
  bool fits = id_serial(ancestor) >> 32 == 0;
  return 1ull << 63 | uint64_t(site < 65536 ? site : 0) << 47 | (fits ? uint64_t(id_thread(ancestor)) << 32 | id_serial(ancestor) : 0);
}
constexpr uint32_t site_of_aggregated(uint64_t id) { return uint32_t(id >> 47) & 0xffff; }
constexpr uint64_t ancestor_of_aggregated(uint64_t id) { return make_id(uint32_t(id >> 32) & 0x7fff, uint32_t(id)); }

struct Cell {
  uint64_t ancestor;
  uint32_t site;
  bool used;
  uint64_t created, executed;
  uint64_t sum, least, most;    // ticks of own work
  uint32_t histogram[kHistogramBuckets];
};

struct Aggregator {
  // What is open of a stretch, outermost first. `recorded` stands for contexts that are recorded within it (a nested
  // region, a task that descends from another one): so many of them are open.
  // `inner`: a chunk within an aggregated task, which is part of that.
  enum class Frame : uint8_t { task, chunk, inner, wait, recorded };
  struct Open {
    Frame kind;
    uint32_t site;
    uint64_t ancestor;
    uint64_t work;              // task, chunk: own ticks so far
    int64_t recorded;
  };
  enum class State : uint8_t { own, work, overhead, idle, blocked };
  static constexpr uint32_t kCells = 32;
  static constexpr int kDeepest = 4096;

  bool busy = false;            // there is a stretch: the stream's records come to refill()
  bool writing = false;         // of its own records, which take the place of a stretch
  bool after_create = false;    // the latest thing was a creation: what describes it may follow
  State state = State::own;
  uint64_t begin = 0, last = 0; // of the stretch; accounted up to `last`
  uint64_t ticks[5] = {};       // by state
  uint64_t ended = 0;           // tasks that ended in it
  int depth = 0;                // of `open`
  int deeper = 0;               // contexts open beyond kDeepest: their time is that of the innermost known one
  uint64_t flushed = 0;         // when the cells were written last
  Cell cells[kCells] = {};
  Open open[kDeepest];

  bool runs() const { return depth > 0 && open[depth - 1].kind != Frame::recorded; }
};

}  // namespace einkorn::record
