// The structs that build_graph() keeps while it walks the program. In a namespace of their own: other files have frames
// and entries, too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include "profile/dependences.h"
#include "profile/types.h"

namespace einkorn::profile::graph_parts {

// Last nodes of tasks (or members) that something will wait for: a linked list in GraphBuilder::entries_.
struct List {
  uint32_t head = kNone, tail = kNone;
};
struct Entry {
  uint32_t node, next;
};

// The entries that wait in one taskgroup of a context; the outermost level is the context itself.
struct Level {
  List children;  // created by the context
  List others;    // descendants that their parents did not wait for
};

enum class WalkKind : uint8_t { task, member, root, foreign };

struct Walker {
  uint32_t context, step;
  uint32_t prev;  // latest node
  EdgeKind link;  // of the edge to the next one
  WalkKind kind;
  bool at_fork = false;      // task: prev is still its fork: nothing of it has been emitted
  uint32_t chain = kNone;    // book-keeping chain of the open loop
  uint32_t turn = kNone;     // in Recording::chunks: the open chunk, once it has its turn
  size_t levels;             // its first one in GraphBuilder::levels_
  size_t dirty;              // the lowest level that may have children
  uint32_t task = kNone;     // in Recording::tasks
  uint32_t stretch = kNone;  // in Graph::stretches: what is emitted belongs to it
  // Of the tasks that it creates, and of the codelets of the latest graph that it runs; made for the first one with
  // dependences.
  std::unique_ptr<DependTable> table, codelets;
};

// A region being walked: its members in turn, from barrier to barrier.
struct RegionWalk {
  uint32_t region;
  uint32_t fork;
  size_t members;        // first in GraphBuilder::active_
  uint32_t count, next;  // active members; the one to walk now
  List at_barrier;       // to be joined by the team's next barrier
  List at_end;           // by the region's end
  uint32_t barrier_source;
  int64_t barrier_time;
};

// A member between two barriers.
struct Active {
  uint32_t context, step, prev;
  EdgeKind link;
  bool done;
  uint32_t stretch = kNone;  // as in Walker
};

// The work that remains, innermost last.
struct Pending {
  enum Kind : uint8_t { walker, region, orphans } kind;
  uint32_t index;         // walkers_, regions_; orphans: the next in Recording::orphans
  uint32_t region_index;  // orphans: of this raw region, kNone: of the program
  uint32_t anchor;        // orphans: node that they follow
};

}  // namespace einkorn::profile::graph_parts
