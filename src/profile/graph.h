// The grain graph of the whole program. Muddukrishna's definition (2016; types.h), completed where it is silent:
//
// * A fork stands for one child, or for a parallel region: then it has a creation edge to every member of the team. The
//   region's own join takes the members' last fragments (join edges); the barrier at its end has no other node.
// * A barrier inside a region is one join of the whole team. Members reach and leave it by continuation edges.
// * A task that its creator must wait for (waited_for()) joins at once, before the creator's next node. Tasks that it
//   created itself do not: they join as if the creator had created them.
// * Any other task joins where its parent waits for it (taskwait), or at the end of the taskgroup around it, or at the
//   next barrier of its team or the end of the region: whichever comes first in the program. Outside regions, at the
//   program's end.
// * A thread's part in a loop is book-keeping, chunk, book-keeping, ..., book-keeping, tied by continuation edges. The
//   thread's next node follows it: a barrier's join, or a share.
// * In an ordered loop a chunk has its turn from its first ordered section to its end. A dependence edge leads from the
//   last node of each chunk to the first node of the next chunk's turn. So in these loops the nodes of one member are
//   not consecutive.
// * What an instance of a region does after it has waited for those beside it has a dependence edge from the node with
//   which each of them came to that step: by saying so, by coming to its own wait, or by ending (beside_edges.h). The
//   nodes of one member are not consecutive there either.
// * The first fragment of a codelet by hand's firing has a dependence edge from the fragment with which each of those
//   signalled it that were not the last one to (hand_edges.h): that one is its creator. Its nodes are behind all these.
// * A task that depends on others has a dependence edge from the last fragment of each: it starts when their own code
//   has ended, whether or not their children have. If several tasks follow a set of tasks (an inoutset after readers),
//   one joint stands between them: a node without time, created at the fork of the first follower and joined like a
//   task; it begins when the set has ended. A taskwait depend nowait has a joint, too, and so has a task that never
//   started. Edges that a taskwait or a barrier makes redundant are left out: tasks created after it come after all
//   that were created before it. A taskwait depend is a join of the tasks that it names; so is the wait of an
//   undeferred task, before its fork.
// * A runtime's own work between two of its calls is not a fragment: the pieces of a taskloop are forks in a row.
//
// Nodes are emitted in the program's serial, depth-first order, which is topological. It is the same for every
// schedule, except for the order of chunks (and of members if a loop is ordered).
#pragma once
#include "profile/raw.h"
#include "profile/types.h"

namespace einkorn::profile {

// A book-keeping node and the chain that it belongs to: the chains of a loop have consecutive numbers.
struct ChainLink {
  uint32_t node, chain;
};

// Call after link(). Fills out.graph, with its edges unsorted, and out.lock_points; returns the book-keeping chains in
// node order, for critical_path().
std::vector<ChainLink> build_graph(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out);
// Sorts the edges. A separate step, because it holds all edges twice and no longer needs the recording.
void sort_edges(Graph& graph);

}  // namespace einkorn::profile
