// The creating task's table of dependences: address -> who accessed it last. One thread uses it; only the
// nodes that it names are shared (flow/node.h). By hand: it is looked into for each dependence, its entries lie in
// blocks of the runtime's, and none is ever taken out alone, which a general table pays for.
//
// An entry has two sets. `last`: the tasks of the latest kind of access; `before`: what all of these follow. A new
// access of the same kind joins `last` and follows `before` (in, inoutset, mutexinoutset); any other follows `last` and
// makes a new set. out and inout are sets of one: nothing joins them, and `before` is not kept.
#pragma once
#include <utility>
#include <vector>

#include "runtime/task/depend.h"

namespace einkorn::runtime {

// A node that is being added, and how many it must follow: these stand in its links until all are known, and are named
// so long. publish() tells them. `first`: some of them once more, as the same task often is one at several addresses (a
// stencil reads what its neighbours wrote, and overwrites what they have read): each is told once, then.
struct Adding {
  static constexpr uint32_t kFirst = 8;
  TaskExtra* node;
  uint32_t predecessors = 0;
  TaskExtra* first[kFirst];
  explicit Adding(TaskExtra* x) : node(x) {}
  bool has(const TaskExtra* pred) const {
    const uint32_t n = predecessors < kFirst ? predecessors : kFirst;
    for (uint32_t i = 0; i < n; ++i)
      if (first[i] == pred) return true;
    return false;
  }
};

// Some nodes; up to two lie in place, up to eight in a block from the free lists.
struct DepSet {
  uint32_t count = 0;
  uint8_t log_room = 1;
  uint8_t kind = 0;  // DepMode
  union {
    TaskExtra* in_place[2];
    TaskExtra** many;
  };
  TaskExtra** begin() { return log_room == 1 ? in_place : many; }
  TaskExtra** end() { return begin() + count; }
  TaskExtra* const* begin() const { return log_room == 1 ? in_place : many; }
  TaskExtra* const* end() const { return begin() + count; }
  uint32_t room() const { return uint32_t(1) << log_room; }
};

struct alignas(kCacheLine) DepEntry {
  uintptr_t address;
  DepMutex* mutex;  // of the mutexinoutset set `last`
  DepSet last, before;
  bool is_free() const { return last.kind == 0; }
};
static_assert(sizeof(DepEntry) == kCacheLine);

struct DepTable {
  DepEntry* entries = nullptr;
  uint32_t room = 0, used = 0;  // room: 0 or a power of two
  TaskExtra* all = nullptr;     // the latest omp_all_memory access: an address that is not in the table follows it

  // Makes `node` follow whom it must, and others follow it.
  void add(Worker* w, Adding& node, DepItem& item);
  // The same for a node that nobody will follow.
  void follow(Adding& node, const Dependence& d);
  // Have all ended that a task with this dependence would follow? Not for kDepMutexInOutSet and kDepAllMemory.
  bool follows_nobody(uintptr_t address, DepMode mode);
  void clear(Worker* w);
  // By its thread: can each entry be found, and is it what is said above of its sets?
  bool is_valid() const;

 private:
  static bool is_valid(const DepEntry& e);
  const DepEntry* find(uintptr_t address) const;
  DepEntry* find(uintptr_t address) { return const_cast<DepEntry*>(std::as_const(*this).find(address)); }
  DepEntry& find_or_make(Worker* w, uintptr_t address);
  DepEntry& make(Worker* w, uintptr_t address);
  void make_room(Worker* w);
  void add_all_memory(Worker* w, Adding& node);
  void follow_all(Adding& node);
  TaskExtra* joint_of(Worker* w, DepSet& set);
};

// Inline, so that nothing of it is in a library that does not ask.
inline bool DepTable::is_valid(const DepEntry& e) {
  const uint8_t kind = e.last.kind;
  if (kind != kDepIn && kind != kDepOut && kind != kDepMutexInOutSet && kind != kDepInOutSet) return false;
  if (kind == kDepOut && (e.last.count > 1 || e.before.count > 0)) return false;
  if ((kind == kDepMutexInOutSet) != (e.mutex != nullptr)) return false;
  for (const DepSet* set : {&e.last, &e.before}) {
    if (set->log_room == 0 || set->count > set->room()) return false;
    for (const TaskExtra* x : *set)
      if (x == nullptr || !x->node.is_named()) return false;
  }
  return true;
}

inline bool DepTable::is_valid() const {
  if ((room == 0) != (entries == nullptr) || (room & (room - 1)) != 0 || used * 2 > room) return false;
  if (all != nullptr && !all->node.is_named()) return false;
  uint32_t found = 0;
  for (uint32_t i = 0; i < room; ++i) {
    const DepEntry& e = entries[i];
    if (e.is_free()) continue;
    ++found;
    if (!is_valid(e) || find(e.address) != &e) return false;
  }
  return found == used;
}

// Mutual exclusion of the tasks of a mutexinoutset set. A task takes all it needs, in the order of their addresses,
// before it is queued; it waits for a mutex in that one's list, not on a thread.
struct DepMutex {
  Mutex lock;
  bool held = false;
  std::atomic<uint32_t> named{1};  // by the table's entry and by tasks
  TaskExtra* first = nullptr;      // linked through next_in_line
  TaskExtra* last = nullptr;
};

// Adds the node with its items to the current task's table, tells its predecessors, starts it if it waits for nobody.
void add_to_table(Worker* w, TaskExtra* x);
// All that the node follows is known. True: it waits for nobody.
bool publish(Worker* w, Adding& node);
// It is ready: queues its task, or releases what follows it.
void start(Worker* w, TaskExtra* x);
// Nothing of the creator's names it any more.
void let_go(Worker* w, TaskExtra* x);
inline void unname(Worker* w, TaskExtra* x) {
  if (x->node.unname()) let_go(w, x);
}
void unname(DepMutex* m);
void free_links(TaskExtra* x);

}  // namespace einkorn::runtime
