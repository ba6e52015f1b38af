// Graphs too large for a page: what lies below a depth becomes aggregate nodes.
//
// Chains (layout/chains.h) above a depth D stay as they are. A chain at depth D is cut into pieces, never across a
// join; a piece takes with it everything that its nodes fork, and is drawn as one node with the sum of the times. D is
// the largest depth at which the page holds, and pieces are as small as the page allows. The result is a smaller grain
// graph of the same form, so that layout and page need to know nothing else.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct Placed {
  uint32_t node;  // of the whole graph
  uint32_t at;    // node that it is drawn in
};

struct CutGraph {
  const profile::Graph* graph = nullptr;  // the profile's own when nothing was cut, else `smaller`
  profile::Graph smaller;
  std::vector<uint32_t> members;  // per node, how many nodes it stands for; empty when nothing was cut
  std::vector<uint32_t> first;    // per node, the first of them: they are [first, first + members), but for those of
  std::vector<Placed> scattered;  // nodes, ascending, of groups with others' nodes among theirs
  std::vector<uint8_t> is_scattered;  // per node; empty when nothing was cut
  std::string statement;              // for the reader of the page; empty when nothing was cut

  CutGraph() = default;
  CutGraph(const CutGraph&) = delete;
  CutGraph& operator=(const CutGraph&) = delete;
  uint32_t members_of(uint32_t node) const { return members.empty() ? 1 : members[node]; }
  bool scatters(uint32_t node) const { return !is_scattered.empty() && is_scattered[node]; }
  uint32_t first_of(uint32_t node) const { return first.empty() ? node : first[node]; }
};

// Cuts when there are more than max_grains grains, to at most about 4 * max_grains nodes.
void cut_graph(const profile::Profile& profile, uint32_t max_grains, CutGraph& out);
// A graph of more than max_nodes nodes, to at most about so many. It has to live as long as `out`.
void cut_graph(const profile::Graph& graph, uint64_t max_nodes, CutGraph& out);

// The nodes [first, first + count) with the edges among them: what an aggregate stands for, as a graph of its own.
profile::Graph part_of(const profile::Graph& graph, uint32_t first, uint32_t count);

}  // namespace einkorn::report
