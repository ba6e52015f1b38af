// Recorded runs of graphs of codelets, as tasks with dependences: what all that follows knows of.
#pragma once
#include <cstddef>
#include <span>
#include "profile/raw.h"

namespace einkorn::profile {

// Reads the payload of a `codelet_graphs` block. False: damaged.
bool read_graph(std::span<const std::byte> bytes, Recording& out);

const record::GraphClass& class_of(const RawGraph&, uint32_t node);

// Makes a task of each codelet that was recorded, created by who called the run, at its begin, and ordered as the graph
// says. Those that were not (over at once, or lost) have none; where they lie between recorded ones they have a place
// among the creations, and nothing else, so that paths lead through them. Where the graph is not known, or there is no
// time or room for its arcs, codelets wait for nobody, and are estimated. Call once, before ids are resolved.
void make_codelets(Recording& rec);

}  // namespace einkorn::profile
