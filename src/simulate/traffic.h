// Memory traffic: streams from nodes' memory to workers, which share bandwidth max-min fair. A stream is limited by what one
// worker can draw from that node, by what all workers of its node can (the link, or the memory's own channel), and by what
// the node's memory gives to all (schmidl.md ch. 2: the figures of `einkorn machine --measure`).
//
// All streams of one class (worker's node, memory's node) have the same rate, so a class needs one number: the service that
// each of its streams has had. A stream ends when that reaches its own mark; so a change of rates costs the number of
// classes of that memory, not of streams.
#pragma once
#include <cstdint>
#include <queue>
#include <vector>

#include "machine/types.h"

namespace einkorn::simulate {

class Traffic {
 public:
  explicit Traffic(const machine::Machine& m);
  // Are the bandwidths known at all? If not, every node's memory gives one byte a ns, to one worker or to all together.
  bool known() const { return known_; }

  // A stream of `bytes` begins at `now` (not before what was told before). `id` comes back when it ends.
  void begin(double now, int from, int memory, double bytes, uint32_t id);
  // When the next stream ends if none begins before; infinity: there is none.
  double next_end() const { return next_end_; }
  // Ends it; its id.
  uint32_t end(double now);

 private:
  struct Mark {
    double service;
    uint64_t order;
    uint32_t id;
    bool operator>(const Mark& o) const { return service != o.service ? service > o.service : order > o.order; }
  };
  struct Class {
    double one = 0, link = 0;  // bytes a ns: that one stream, that all of them can have
    double service = 0;        // bytes that each stream of it has had
    double rate = 0;           // bytes a ns, of each
    std::priority_queue<Mark, std::vector<Mark>, std::greater<Mark>> marks;
  };
  // The streams from one node's memory: those of different nodes do not meet.
  struct Memory {
    double all = 0;            // bytes a ns that it can give
    double now = 0, next_end;
    size_t next_class = 0;
    std::vector<Class> classes;
    std::vector<int> class_of;  // by the worker's node, -1: none yet
  };
  static void advance(Memory& m, double now);
  void share(Memory& m);

  bool known_ = false;
  int nodes_ = 0;
  std::vector<double> one_, link_;  // [from * nodes + memory]
  std::vector<Memory> memories_;
  size_t next_memory_ = 0;
  double next_end_;
  uint64_t begun_ = 0;
};

}  // namespace einkorn::simulate
