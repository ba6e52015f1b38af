// Where a task goes: into which place's queue.
#pragma once
#include "schedule/view.h"

namespace einkorn::schedule {

inline constexpr int kRunNow = -1;  // not into any: the caller runs it

// What is known of a task. read and written: bytes of its footprint on each node of the machine, nullptr: not known.
struct TaskFacts {
  int domain = -1;  // the node that the program names for it, -1: none. Wins over `push`
  // The cluster that the program names, modulo those there are; -1: none. Of a codelet that of its procedure, of which
  // it is wherever it has become ready; else see `tp_push`.
  int cluster = -1;
  bool codelet = false;     // of a procedure that has begun: it stays in its cluster. Else a procedure, to be begun
  bool source = false;      // it has dependences, and no predecessors when it was created
  bool must_queue = false;  // it has dependences, a priority or an event: is never run at once
  uint32_t depth = 0;       // of nested explicit tasks
  const uint64_t* read = nullptr;
  const uint64_t* written = nullptr;
  const uint64_t* coarse = nullptr;  // of both, what lies in blocks that Layout::coarse has put there
  int intense = -1;  // of the data that it uses most, as the program says, and that lies so: its node. -1: none
};

// A place of the layout, or kRunNow.
int choose_place(const Context&, const TaskFacts&);

// What schedules of their own may use. The finest place that the worker has; that of its node, or else the finest;
// one of that node, or of the nearest that has workers: its own place, or else the shortest of its cores'.
int local_place(const Context&);
int own_node_place(const Context&);
int place_on_node(const Context&, int node);
// For what goes to a cluster, from wherever: that of its procedures, or else the shortest of its cores'.
int place_in_cluster(const Context&, int cluster);
// The node with most of those bytes (the lowest of equal ones), -1: there are none.
int node_with_most(const Layout&, const uint64_t* bytes);

}  // namespace einkorn::schedule
