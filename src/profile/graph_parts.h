// The structs that build_graph() keeps while it walks the program. In a namespace of their own: other files have frames
// and entries, too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
#include "profile/dependences.h"
#include "profile/raw.h"
#include "profile/types.h"

namespace einkorn::profile::graph_parts {

// Last nodes of tasks (or members) that something will wait for: a linked list of Lists.
struct List {
  uint32_t head = kNone, tail = kNone;
};
class Lists {
 public:
  void append(List& list, uint32_t node) {
    const auto e = uint32_t(entries_.size());
    entries_.push_back({node, kNone});
    (list.tail == kNone ? list.head : entries_[list.tail].next) = e;
    list.tail = e;
  }
  void splice(List& to, List& from) {
    if (from.head == kNone) return;
    (to.tail == kNone ? to.head : entries_[to.tail].next) = from.head;
    to.tail = from.tail;
    from = {};
  }
  template <class Use>  // use(node); it is empty then
  void take(List& list, Use&& use) {
    for (uint32_t e = list.head; e != kNone; e = entries_[e].next) use(entries_[e].node);
    list = {};
  }

 private:
  struct Entry {
    uint32_t node, next;
  };
  std::vector<Entry> entries_;
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
  uint32_t fork = kNone;     // task: the node that created it
  bool awaits = false;       // its next node comes behind an iteration: IterationEdges knows which
  bool behind = false;       // its next node comes behind others' steps: BesideEdges knows whose
  // Of the tasks that it creates, and of the codelets of the latest graph that it runs; made for the first one with
  // dependences.
  std::unique_ptr<DependTable> table, codelets;
};

// When what follows the step begins; an instance that has given way goes on in another stay.
inline int64_t after(const Recording& rec, const Walker& w, const Step& s) {
  uint32_t next = w.step;
  if (const uint32_t stay = rec.contexts[w.context].next_stay; next == kNone && stay != kNone)
    next = rec.contexts[stay].first_step;
  return next != kNone ? rec.steps[next].begin : s.end;
}

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
