// The fork-join skeleton of a grain graph, recovered from its edges: first step of the layout.
//
// A chain is a sequence of nodes in one context: the fragments, forks and joins of a task; the shares, book-keeping and
// chunks of one team member between two team joins. Chains form a tree: a chain hangs at the node that forked it. A
// team's join (barrier, end of a loop or region) belongs to the chain that forked the team, and forks the members anew;
// so a region with k barriers is k + 1 fans one below the other, and the whole graph is series-parallel.
//
// Dependence edges lie across the tree and take no part in it. A joint is a chain of its own, forked like a task.
//
// Only edges and their kinds are used, not who made the graph: a damaged recording gives several roots, never a crash.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct Chains {
  // Per node.
  std::vector<uint32_t> chain_of;
  std::vector<uint32_t> next;  // following node in the same chain, or kNone
  // Per chain. A chain's index is larger than its parent's: loops up and down the index replace all recursion.
  std::vector<uint32_t> first, last;
  std::vector<uint32_t> parent;  // chain, or kNone for a root
  std::vector<uint32_t> fork;    // node of the parent chain at which it hangs, or kNone for a root
  std::vector<uint32_t> depth;
  // Nodes of the parent chain that something of the subtree leads to: the first and the last one, or kNone. They differ
  // where a task is waited for, and what it left behind by the end of a taskgroup.
  std::vector<uint32_t> first_join, last_join;
  std::vector<uint8_t> outlives;  // something of the subtree is joined further up than in the parent chain, or never
  uint64_t work = 0;              // nodes and edges touched, for the test of linear time

  uint32_t count() const { return uint32_t(first.size()); }
};

Chains find_chains(const profile::Graph& graph);

}  // namespace einkorn::report
