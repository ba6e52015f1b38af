// Graphs of codelets in a recording: their shape is written once, their runs name it.
#pragma once
#include <cstdint>
#include "record/format.h"

namespace einkorn::record {

struct GraphShape {
  const char* name;
  const GraphClass* classes;
  uint32_t class_count;
  uint32_t nodes;
  const uint32_t *begin, *arcs;  // of node n the arcs arcs[begin[n]] .. arcs[begin[n + 1]]: nodes that follow
};

// Changes where a process is forked: numbers of graphs that were given out before mean nothing in the child's file.
uint32_t graph_generation();
// Puts the graph into the recording. Its number; 0: it is not recorded (any more), or there is no memory.
uint32_t add_graph(const GraphShape&);

}  // namespace einkorn::record
