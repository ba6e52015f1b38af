// The creating task's table of dependences: address -> who accessed it last. One thread uses it; only the `successors`
// words of the nodes that it names are shared (depend.h).
//
// An entry has two sets. `last`: the tasks of the latest kind of access; `before`: what all of these follow. A new access
// of the same kind joins `last` and follows `before` (in, inoutset, mutexinoutset); any other follows `last` and makes a
// new set. out and inout are sets of one: nothing joins them, and `before` is not kept.
#pragma once
#include "runtime/depend.h"

namespace einkorn::runtime {

// Bits of TaskExtra::successors beside the pointer.
inline constexpr uintptr_t kClosed = 1, kDropped = 2;
// In TaskExtra::waits_for while the creator adds edges.
inline constexpr int32_t kGuard = 1 << 30;

// Some nodes; one of them lies in place.
struct DepSet {
  uint32_t count = 0, room = 1;
  union {
    TaskExtra* one;
    TaskExtra** many;
  };
  TaskExtra** begin() { return room == 1 ? &one : many; }
  TaskExtra** end() { return begin() + count; }
};

struct DepEntry {
  uintptr_t address = 0;
  DepSet last, before;
  DepMutex* mutex = nullptr;  // of the mutexinoutset set `last`
  uint8_t kind = 0;           // DepMode of `last`; 0: the place is free
};

struct DepTable {
  DepEntry* entries = nullptr;
  uint32_t room = 0, used = 0;  // room: 0 or a power of two
  TaskExtra* all = nullptr;     // the latest omp_all_memory access: an address that is not in the table follows it

  // Makes `node` follow whom it must, and others follow it. Each predecessor that has not ended adds one to `predecessors`.
  void add(Worker* w, TaskExtra* node, DepItem& item, uint32_t& predecessors);
  // The same for a node that nobody will follow.
  void follow(TaskExtra* node, const Dependence& d, uint32_t& predecessors);
  void clear(Worker* w);

 private:
  DepEntry* find(uintptr_t address);
  DepEntry& find_or_make(Worker* w, uintptr_t address);
  void make_room(Worker* w);
  void add_all_memory(Worker* w, TaskExtra* node, uint32_t& predecessors);
  void follow_all(TaskExtra* node, uint32_t& predecessors);
  TaskExtra* joint_of(Worker* w, DepSet& set);
};

// Mutual exclusion of the tasks of a mutexinoutset set. A task takes all it needs, in the order of their addresses, before
// it is queued; it waits for a mutex in that one's list, not on a thread.
struct DepMutex {
  Mutex lock;
  bool held = false;
  std::atomic<uint32_t> named{1};  // by the table's entry and by tasks
  TaskExtra* first = nullptr;      // linked through next_in_line
  TaskExtra* last = nullptr;
};

void add_edge(TaskExtra* pred, TaskExtra* succ, uint32_t& predecessors);
void unname(Worker* w, TaskExtra* x);
void unname(DepMutex* m);
void free_links(TaskExtra* x);
// All edges are there: takes the guard away, and starts the node if nobody is left to wait for.
void finish_adding(Worker* w, TaskExtra* x, uint32_t predecessors);

}  // namespace einkorn::runtime
