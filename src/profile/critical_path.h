// Span and critical path of the grain graph.
//
// The span is the longest path by execution: fragments and chunks. A chunk follows the begin of its loop and joins at
// the loop's end: its position in a thread's chain of chunks is the schedule's choice, not the program's. The burdened
// path is the longest by execution, creation and book-keeping; in it a chunk bears the book-keeping before it.
#pragma once
#include "profile/graph.h"

namespace einkorn::profile {

// Marks the nodes of one longest path; sets critical_path_ns, burdened_path_ns and parallelism.
void critical_path(const std::vector<ChainLink>& chains, Profile& out);

}  // namespace einkorn::profile
