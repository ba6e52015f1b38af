// Positions of the grain graph's nodes, for a drawing in which nothing overlaps, every edge leads downwards, and no
// edge crosses another as far as the program is fork-join: a task waits for its children, or leaves them all to a
// barrier or taskgroup further up. (Where tasks that are waited for leave children of their own behind, no drawing in
// the plane is without crossings: three of them under one wait and one barrier are K3,3.) Linear in nodes and edges:
// one pass up the chains (extents), one down (positions), no recursion, no iteration to a better picture. Time runs
// downwards inside a chain, but time is no constraint: two chains side by side say nothing about when they ran.
//
// How it is drawn: a chain is a vertical column. What it forks stands to its left and right, in fork order from the
// outside to the inside, so that later children stand between earlier ones and the parent. A join stands below
// everything it waits for. A subtree that outlives its parent (rogue tasks) keeps its columns free down to where it is
// joined. A team's members stand from left to right in order. A task that depends on others begins below their last
// nodes; dependence edges do cross others.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/types.h"
#include "report/layout/chains.h"

namespace einkorn::report {

// Lengths are in quarters of a pixel at natural zoom: whole numbers, so that nothing drifts over a million nodes.
inline constexpr int32_t kUnitsPerPixel = 4;

// In pixels at natural zoom. The page is given them (page.cpp): it draws the edges, and lays out its reductions, with
// the same.
struct Lengths {
  int32_t box = 14;     // width of a fragment, chunk, book-keeping
  int32_t round = 8;    // fork, join
  int32_t floor = 4;    // of a box's height: a node of no time is still there
  int32_t linear = 36;  // added over the linear stretch
  int32_t octave = 10;  // added for every doubling above it
  int32_t step = 3;     // between nodes of a chain
  int32_t fan = 8;      // from a fork to its child, from a child to its join
  int32_t margin = 3;   // at either side of a column
  int32_t aside = 2;    // of a dependence's vertical parts from the columns' middles
};
inline constexpr Lengths kLengths;

struct Box {
  int64_t left = 0, right = 0, top = 0, bottom = 0;
};

struct Layout {
  // Per node: its box is [x - width / 2, x + width / 2] by [y, y + height].
  std::vector<int64_t> x, y;
  std::vector<int32_t> width, height;
  std::vector<uint32_t> order;  // all nodes, neighbours in the picture close together: the order of the page's tables
  Box extent;                   // of everything
  // A node's height is linear in its time up to here, logarithmic above: one long node must not flatten the rest.
  int64_t linear_up_to_ns = 0;

  Chains chains;
  std::vector<Box> subtree;  // per chain, of all that hangs below it
  uint64_t work = 0;         // steps taken, for the test of linear time
};

Layout compute_layout(const profile::Graph& graph);

// The way of an edge: straight for a continuation inside a chain; otherwise horizontal along one height (`run`) and
// vertical at the column of the child. A dependence leaves below its first node and comes down to the second one, both
// times a little to the right, beside the edges that fork and join. The page draws by the same rule (viewer:
// geometry.ts).
struct Route {
  enum Kind : uint8_t { straight, out_of_fork, into_join, dependence } kind;
  int64_t from_x, from_y;  // bottom of the first node
  int64_t to_x, to_y;      // top of the second
  int64_t run;             // height of the horizontal part, where there is one
  int64_t column;          // x of the vertical part
};
Route edge_route(const profile::Graph& graph, const Layout& layout, const profile::Edge& edge);

}  // namespace einkorn::report
