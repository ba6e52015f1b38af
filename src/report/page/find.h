// For a page of a large graph (`einkorn view`): the part of the graph to open around a node, and the grains that are
// searched for but lie inside of aggregates or outside of the part.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "profile/metrics.h"
#include "profile/types.h"
#include "report/layout/cut.h"

namespace einkorn::report {

struct Stretch {
  uint32_t first = 0, count = 0;  // nodes of the graph
};

// Where a grain and all that it created are in the graph, whose nodes are in the program's serial, depth-first order.
class Subtrees {
 public:
  explicit Subtrees(const profile::Profile&);
  // The largest subtree around the node, of at most `most` nodes, and as many of those beside it as still fit. Where
  // the node itself has more below it, all of that: such a part is cut again.
  Stretch around(uint32_t node, uint32_t most) const;

 private:
  bool whole(uint32_t grain) const { return count_[grain] > 0; }
  uint32_t child_towards(uint32_t parent, uint32_t node) const;

  const profile::Profile& profile_;
  std::vector<uint32_t> first_, count_;  // by grain; count 0: not one stretch
};

// Which grains; as the page's own search has it (viewer/src/data/search.ts).
struct Wanted {
  std::string id;                // first digits; else by what follows
  std::vector<uint8_t> sources;  // by source: those of these
  uint32_t kinds = ~0u;          // bits by GrainKind
  uint32_t least_depth = 0;      // of tasks
  bool remote = false;           // only those with remote data
};

struct FoundInside {
  uint64_t all = 0;            // grains in the recording
  uint64_t here = 0;           // of these, in the page, drawn or not
  std::vector<uint8_t> nodes;  // by node of the page, a bit: one of them is in it
  uint32_t hidden =
      profile::kNone;  // the first node of the graph with one that is not drawn, here if there is one here
};

// What the nodes of a page stand for.
struct PageNodes {
  std::vector<Stretch>
      stretches;  // by node of the page, in its order; count 0: its nodes do not follow each other in the graph
  std::vector<Placed> scattered;  // those, ascending
};

FoundInside find_inside(const profile::Profile&, const profile::Metrics&, const Wanted&, const PageNodes&);

}  // namespace einkorn::report
