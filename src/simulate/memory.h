// Memory in a replay: where each datum is, what is in the caches, what moves; and so, of a task's accesses, how many
// bytes come from which node and what passes before they do.
#pragma once
#include <utility>
#include <vector>

#include "simulate/caches.h"
#include "simulate/types.h"

namespace einkorn::simulate {

class Memory {
 public:
  Memory(const Program& p, const Setup& s);

  struct Fetch {
    int node;
    double bytes;
  };
  // A piece of a task with these accesses runs on that worker. What it fetches from memory goes to `fetches`, in the
  // order in which it does, one entry a node; the result is what passes besides, in ns: hits in caches, the latency of
  // each datum, pages that move. Counts into Outcome's bytes.
  double touch(uint32_t worker, const Access* first, uint32_t count, std::vector<Fetch>& fetches, Outcome& counts);

  // Adds the bytes of an access by node, as far as is known.
  bool bytes_by_node(const Access& a, std::vector<uint64_t>& out) const;

 private:
  static constexpr int32_t kNowhere = -1, kSpread = -2;
  struct Where {
    int32_t node = kNowhere;
    int32_t from = -1;  // node that touched it last
    uint32_t in_a_row = 0;
    bool touched = false, moved = false;
  };
  int worker_node(uint32_t w) const { return s_.machine->pus[size_t(s_.pus[w])].node; }
  void place(uint32_t datum, int node);
  double move(uint32_t datum, int node);
  // Calls f(node, share) for each node that has some of it; the shares' sum is 1.
  template <class F>
  void each_node(uint32_t datum, F&& f) const;
  size_t turn_of(uint32_t datum, uint64_t part) const;

  const Program& p_;
  const Setup& s_;
  Caches caches_;
  std::vector<int> nodes_;                  // that data is laid over
  std::vector<Where> where_;                // by datum
  std::vector<double> own_ns_, shared_ns_;  // by node: a byte from a cache
  std::vector<double> from_;                // scratch, by node
};

}  // namespace einkorn::simulate
