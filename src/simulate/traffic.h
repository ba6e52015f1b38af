// Memory traffic: streams from nodes' memory to workers, which share bandwidth max-min fair. A stream is limited by
// what one worker can draw from that node, by what all workers of its node can (the link, or the memory's own channel),
// and by what the node's memory gives to all (Schmidl 2016, ch. 2: the figures of `einkorn machine --measure`).
//
// A worker that streams from several nodes at once has a part of its time for each: a stream's share. A stream of half
// a share counts as half a one, and can draw half as much.
//
// All streams of one class (worker's node, memory's node) have the same rate for a whole share, so a class needs one
// number: the service that a whole share has had. A stream ends when that reaches its own mark; so a change of rates
// costs the number of classes of that memory, not of streams.
#pragma once
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "machine/types.h"
#include "simulate/memory.h"

namespace einkorn::simulate {

inline constexpr double kEndless = std::numeric_limits<double>::infinity();  // a time that does not come

class Traffic {
 public:
  explicit Traffic(const machine::Machine& m);
  // Are the bandwidths known at all? If not, every node's memory gives one byte a ns, to one worker or to all together.
  bool known() const { return known_; }

  // Bytes a ns of a stream that is alone.
  double alone(int from, int memory) const { return one_[size_t(from) * size_t(nodes_) + size_t(memory)]; }
  // A stream of `bytes` begins at `now` (not before what was told before): its number. `id` comes back when it ends.
  // share: in (0, 1].
  uint32_t begin(double now, int from, int memory, double bytes, double share, uint32_t id);
  // When the next stream ends if none begins before; infinity: there is none.
  double next_end() const { return next_end_; }
  // Ends it; its id and number.
  std::pair<uint32_t, uint32_t> end(double now);
  // Ends that one; what is left of it, 0 bytes where that is no more than rounding.
  einkorn::simulate::Memory::Fetch withdraw(double now, uint32_t stream);

 private:
  struct Stream {
    uint32_t memory = 0, of_class = 0, id = 0;
    double bytes = 0, share = 0, mark = 0;
    uint64_t order = 0;  // 0: it has ended
  };
  struct Mark {
    double service;
    uint64_t order;
    uint32_t stream;
    bool operator>(const Mark& o) const { return service != o.service ? service > o.service : order > o.order; }
  };
  struct Class {
    double one = 0, link = 0;  // bytes a ns: that one stream, that all of them can have
    double service = 0;        // bytes that a whole share of it has had
    double rate = 0;           // bytes a ns, of a whole share
    double users = 0;          // sum of the shares
    uint32_t streams = 0;
    std::priority_queue<Mark, std::vector<Mark>, std::greater<Mark>> marks;
  };
  // The streams from one node's memory: those of different nodes do not meet.
  struct Memory {
    double all = 0;  // bytes a ns that it can give
    double now = 0, next_end;
    size_t next_class = 0;
    std::vector<Class> classes;
    std::vector<int> class_of;  // by the worker's node, -1: none yet
  };
  static void advance(Memory& m, double now);
  void share(Memory& m);
  void leave(Memory& m, uint32_t stream);

  bool known_ = false;
  int nodes_ = 0;
  std::vector<double> one_, link_;  // [from * nodes + memory]
  std::vector<Memory> memories_;
  std::vector<Stream> streams_;
  std::vector<uint32_t> free_;  // of these
  size_t next_memory_ = 0;
  double next_end_;
  uint64_t begun_ = 0;
};

}  // namespace einkorn::simulate
