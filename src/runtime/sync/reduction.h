// Task reductions: task_reduction on taskgroup and taskloop, reduction(task, ...) on parallel and worksharing, and the
// in_reduction that refer to them (OpenMP 5.1, 2.21.5). Each thread of the team has a private copy of each list item,
// which the tasks that it runs use; at the end the copies are combined, by the program (gcc) or by us (clang).
//
//   ReductionCopies  the memory of the copies, of a taskgroup, or of a construct of the whole team
//   Reductions       what a taskgroup (or the team) offers to in_reduction: originals and their copies
//
// Taskgroup::reductions is the innermost set that its tasks can refer to, its own or inherited; without a taskgroup
// it is Team::reductions. Sets of another team are never in the chain, so a thread's number in the team names its copy.
// Two tasks of a thread use the same copy, but never at a time: a thread leaves a tied task only where that waits.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

struct ReductionCopies {
  // Thread i's copies lie at base + i * stride. ready: whether thread i has initialised its copy; written by that
  // thread only, read by others once all tasks that could write it have ended. nullptr: the program initialises (gcc).
  struct Block {
    char* base;
    size_t stride;
    bool* ready;
    void* raw;  // to be freed
  };
  std::atomic<int>
      holders;  // sets that refer to it: the threads of the team where it is the team's. The last one frees it
  std::atomic<ReductionCopies*>* home;  // where the team's threads find it, or nullptr
  int threads;
  int count;
  Block blocks[];
};

struct ReductionItem {
  char* original;
  ReductionCopies::Block* block;
  size_t offset;  // of the item in a thread's part of the block
  // clang's entry points. Initialise a copy (from the original), destroy it, and add it to another.
  void* source;
  void (*init)(void* copy, void* source);
  void (*fini)(void* copy);
  void (*combine)(void* to, void* from);
};

struct Reductions {
  Reductions* outer;
  Taskgroup* group;  // whose set it is; nullptr: the team's
  ReductionCopies* copies;
  bool shared;  // the copies are the team's
  int count;
  ReductionItem items[];
};

// The set that the current task's in_reduction refers to.
inline Reductions* reductions_of(const Worker* w) {
  Taskgroup* g = w->current->group;
  return g ? g->reductions : w->team->reductions;
}

// The calling thread's copy of a list item that is given by its original's address, or by any address within a copy of
// it. *original, where asked for, becomes the original's. nullptr: no set in the chain has it.
void* reduction_copy(Worker* w, const Reductions* set, const void* address, void** original);

// ---- gcc ----
// The program's descriptor (libgomp 12, task.c), in words; [2] and [6] are given back:
//   [0] items  [1] bytes a thread  [2] alignment, then address of the copies  [3] allocator  [4] next descriptor
//   [5] ours: the set  [6] then the end of the copies  [7 + 3 i] original of item i  [8 + 3 i] its offset  [9 + 3 i] ours
void register_reductions(Worker* w, uintptr_t* descriptor);  // task_reduction of the current taskgroup
void unregister_reductions(uintptr_t* descriptor);           // after the program has combined the copies
// reduction(task, ...) on parallel: by the primary thread, before the region starts; the program unregisters.
Reductions* new_team_reductions(uintptr_t* descriptor, int threads);
// reduction(task, ...) on a worksharing construct or scope: each thread that meets it calls this once, which begins
// a taskgroup of its own: the first one between setting the share up and opening it, the others when it is open.
void workshare_reductions_begin(Worker* w, WorkShare* share, uintptr_t* descriptor, bool first, const void* caller);
void workshare_reductions_end(Worker* w, Caller caller);             // without the barrier that follows
void free_leftover_reductions(std::atomic<ReductionCopies*>& home);  // of a cancelled region, after its end

// ---- clang ----
struct ReductionInput {
  void* original;
  void* source;  // what init copies from
  size_t bytes;
  void (*init)(void* copy, void* source);  // nullptr: zeroed
  void (*fini)(void* copy);                // nullptr: nothing to destroy
  void (*combine)(void* to, void* from);
};
// A set for the current taskgroup; `shared`: where the team's threads find the copies that they have in common.
void begin_reductions(Worker* w, const ReductionInput* inputs, int count, std::atomic<ReductionCopies*>* shared);
// After the group's tasks have ended: combines the copies into the originals (of the team's: the last thread does).
void finish_reductions(Worker* w, Taskgroup* g);
// Of a group that was left open in a cancelled region. Copies that the team shares are freed with
// free_leftover_reductions().
void abandon_reductions(Taskgroup* g);
inline bool has_reductions(const Taskgroup* g) { return g->reductions && g->reductions->group == g; }

// Where cancellation is enabled a thread may not come; instances that one thread runs in turn cannot wait; a tool hears
// of locks (team->tool_task: as the region began).
inline bool may_reduce_together(const Team* team) {
  return team->groups != nullptr && !g_config.cancellation && team->tool_task == nullptr && team->free == nullptr;
}

// How a thread of clang's adds its values of a reduction(op: ...) to the team's; alone it has nothing to protect. A
// large team's threads do it together, in a barrier, as each would update the same line in turn; or as
// KMP_FORCE_REDUCTION says (LLVM 19, kmp_runtime.cpp, __kmp_determine_reduction_method). All threads of a team find the
// same, or some would wait for ever: whether together depends on the team alone, and on what never changes.
// has_atomics: the compiler has made code that combines by atomics, too. That is not used where a tool listens: the
// program does not say when its atomics are done.
inline ReductionMethod reduction_method(const Worker* w, bool has_atomics, bool has_combine) {
  const Team* team = w->team;
  const bool one_team = team->group->num_teams == 1;  // a league's teams may run at once
  if (team->n == 1 && one_team) return ReductionMethod::alone;
  const ForcedReduction forced = team->reduction;
  // With fewer CPUs than threads a barrier more is dear.
  const bool large = team->n > tunables::kReducedApart && team->n <= team->cpus;
  if (EK_UNLIKELY(forced == ForcedReduction::unset ? large : forced == ForcedReduction::tree) && has_combine &&
      may_reduce_together(team) && one_team)
    return ReductionMethod::together;
  const bool atomics = has_atomics && forced != ForcedReduction::critical && EK_LIKELY(w->tool == nullptr);
  return atomics ? ReductionMethod::atomics : ReductionMethod::lock;
}

}  // namespace einkorn::runtime
