// Edges of a grain graph that are signals to a task which begins, or ends, with the last of them.
#pragma once
#include "simulate/node_edges.h"

namespace einkorn::simulate {

// A detached task's end: a joint, which follows the task, and has a signal from who fulfilled its event.
bool is_completion(const profile::Profile& p, const NodeEdges& edges, uint32_t node);

// A codelet by hand was signalled at the end of its origin, which goes on, or an event was fulfilled: other dependences
// are of tasks as a whole.
bool is_signal(const profile::Profile& p, const NodeEdges& edges, const profile::Edge& e);

}  // namespace einkorn::simulate
