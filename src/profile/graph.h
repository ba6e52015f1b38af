// The grain graph of the whole program. Muddukrishna's definition (types.h), completed where it is silent:
//
// * A fork stands for one child, or for a parallel region: then it has a creation edge to every member of the team.
//   The region's own join takes the members' last fragments (join edges); nobody else's node stands for it.
// * A barrier inside a region is one join of the whole team. Members reach and leave it by continuation edges.
// * A task joins where its parent waits for it (taskwait), or at the end of the taskgroup around it, or at the next barrier
//   of its team or the end of the region: whichever comes first in the program. Outside regions, at the program's end.
// * A thread's part in a loop is book-keeping, chunk, book-keeping, ..., book-keeping, tied by continuation edges. After it
//   comes what the thread does next: a barrier's join, or a share.
// * A task that depends on others has a dependence edge from the last fragment of each: it starts when their own code has
//   ended, whatever has become of their children. Where a set of tasks is followed by several (readers by an inoutset), one
//   joint stands between: a node without time, created at the fork of the first follower and joined like a task; it begins
//   when the set has ended. So has a taskwait depend nowait, and a task that never started. Edges that a taskwait or a
//   barrier makes needless are left out: tasks created after it come after all that were created before. A taskwait depend
//   is a join of those that it names; so is the wait of an undeferred task, before its fork.
// * A runtime's own work between two of its calls is no fragment: the pieces of a taskloop are forks in a row.
//
// Nodes are emitted in the program's serial, depth-first order, which is topological, and the same for every schedule
// but for the order of chunks.
#pragma once
#include "profile/raw.h"
#include "profile/types.h"

namespace einkorn::profile {

// A book-keeping node and the chain it belongs to: the chains of a loop are numbered through.
struct ChainLink { uint32_t node, chain; };

// After link(). Fills out.graph, its edges not sorted yet; returns the book-keeping chains in node order, for critical_path().
std::vector<ChainLink> build_graph(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out);
// Apart, because it holds all edges twice, and the recording is not needed for it any more.
void sort_edges(Graph& graph);

}  // namespace einkorn::profile
