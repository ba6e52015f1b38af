// Reductions of a team along the tree of its barriers (Team::groups): neighbours bring their values to a line of their
// own, the last one to come combines them into the first one's, and so on with the first ones of all groups. With n
// threads that are log n steps, where an atomic update or a lock by each is n trips of one line. Always in the same
// order: the result depends on the number of threads, not on who comes first. LLVM's library does the same where it has
// a tree.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// Does this team combine so? Not if threads may leave the region before (cancellation), nor if one thread runs all
// members, nor if some of them have no CPU: each waits for its neighbours.
bool combines_along_tree(const Team* team);

// to = to combined with from: each a thread's values, in the program's words.
using CombineValues = void (*)(void* to, void* from);

// Each thread of the team calls it, as often as the others. true: the calling thread is thread 0, and `own` is what all
// threads had together. false: what `own` had is in others' values, and `own` is nobody's any more.
bool combine(Worker* w, void* own, CombineValues combine_values);

}  // namespace einkorn::runtime
