// The codelets of a procedure and what they wait for, as a graph to be drawn.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"

namespace einkorn::compiler {

struct GraphNode {
  enum Kind : uint8_t { invocation, computation, synchronisation };
  Kind kind;
  uint32_t line;
  std::string name, more;  // two lines of text; more may be empty
  int beside = -1;         // an invocation that the codelet of that number makes, and goes on
};

struct GraphArc {
  enum Kind : uint8_t { each, gather, spread };  // i to i, all to sync, sync to all
  Kind kind;
  int from, to;
};

struct Graph {
  std::string name, title;       // of the procedure; what it was in the source
  std::vector<GraphNode> nodes;  // in the order of the text
  std::vector<GraphArc> arcs;
};

Graph graph_of(const Plan& plan);

// Of the plans that are translated, as SVG. file: the source's name.
std::string picture(const std::string& file, const std::vector<Plan>& plans);

}  // namespace einkorn::compiler
