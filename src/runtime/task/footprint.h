// What a task reads and writes, and where the program wants it: from depend, from clang's affinity clause, and from the
// calls of ompx_locality.h. Kept apart from the task, in a table by address, as few programs say so; looked at where
// the machine has several nodes (g_footprints) and a schedule or a recording asks.
#pragma once
#include <vector>

#include "runtime/task/depend.h"
#include "runtime/types.h"

namespace einkorn::runtime {

// The machine has several memory nodes, and somebody wants to know: a schedule that is not the default, or a recording.
extern bool g_footprints;
void footprints_init();
// Has the machine several nodes? Asks /sys, at less cost than all of the machine; EINKORN_MACHINE's, where that is set.
bool has_several_nodes();
void footprints_after_fork();

enum Access : uint8_t { kReads = 1, kWrites = 2, kMostUsed = 4 };

struct MemoryRange {
  uintptr_t address;
  size_t bytes;  // 0: not known (gcc's depend)
  uint8_t access;
};

// What the current task said of the next one that it creates. One a worker, made with the first of them.
struct TaskHints {
  Task* creator = nullptr;  // whose next task it is for; others' are not meant
  int domain = -1;
  std::vector<MemoryRange> ranges;
  std::vector<uint64_t> near;  // bytes by node of the affinity clause, empty: none
  uintptr_t intense = 0;       // of what it touches, the range that begins here is what it uses most; 0: not said
};

// ompx_next_task_affinity, ompx_child_task_affinity (domain -1: none any more), ompx_task_footprint,
// ompx_task_intensity; affinity clause. The domain is one of the machine's.
void hint_domain(Worker* w, int domain);
void hint_child_domain(Worker* w, int domain);
void hint_range(Worker* w, const void* p, size_t bytes, uint8_t access);
void hint_intensity(Worker* w, const void* p);
// clang's affinity clause: the next task's domain is where most of such bytes are, if no other was said.
void hint_affinity(Worker* w, const MemoryRange& range);

// A child of the current task was made just now: takes what was said of it, with its dependences. Returns its domain:
// what was said for it, else that of all children of its parent; -1: none. Sets its control variables right
// (Icv::child_domain).
int take_hints(Worker* w, Task* t, const Dependence* list, int count);

// t begins: what was said by an earlier task in the same memory, which created none after that, is not meant for its
// children.
inline void forget_hints(Worker* w, const Task* t) {
  if (w->hints->creator == t) w->hints->creator = nullptr;
}

// Bytes by node. Without length (gcc): the distance to the next address of which any depend has told, as far as is
// known by then; else a page. Valid until the next call on this thread.
struct NodeBytes {
  std::vector<uint64_t> read, written;
  std::vector<uint64_t> coarse;   // of both, what the coarse layout has put there
  int intense = -1;               // of what it uses most, as far as that lies so: the node with most of it
  uint64_t total = 0, known = 0;  // of all ranges; of these, on nodes that are known
  bool estimated = false;
  bool any() const { return total > 0; }
};
// False: nothing is known of the task's footprint.
bool bytes_of(const Task* t, NodeBytes* out);

// The task starts on this worker: where the machine is not this computer its writes are its pages' first touch.
// Recorded, if the thread records. Its footprint is forgotten.
void begin_footprint(Worker* w, Task* t);

}  // namespace einkorn::runtime
