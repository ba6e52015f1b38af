// Graphs of codelets in a recording: their shape is written once, their runs name it.
#pragma once
#include <cstdint>
#include "record/format.h"
#include "record/stream.h"

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
// Will a run be recorded that the stream's thread begins now? Ask before add_graph().
bool records_graphs(Stream&);
// Puts the graph into the recording. Its number; 0: there is no recording, memory or room, and its codelets can only be
// counted.
uint32_t add_graph(const GraphShape&);

// While it lives, the thread works for the recorder, and that may take long: it is not the program's time.
class OwnWork {
 public:
  explicit OwnWork(Stream&);
  ~OwnWork();
  OwnWork(const OwnWork&) = delete;

 private:
  Stream& stream_;
  uint64_t begin_, cpu_ns_;
};

}  // namespace einkorn::record
