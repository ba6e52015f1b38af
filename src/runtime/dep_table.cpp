#include "runtime/dep_table.h"

#include <new>
#include "runtime/tool.h"

namespace einkorn::runtime {

// One malloc: the successor's links that its own block has no room for.
struct DepLinks {
  DepLinks* next;
  uint32_t used, room;
  DepLink* links() { return reinterpret_cast<DepLink*>(this + 1); }
};

namespace {

void* get_memory(size_t bytes) {
  void* p = malloc(bytes);
  if (!p) fatal("out of memory: %zu bytes for the dependences of tasks", bytes);
  return p;
}

// Acquire: what the ended task wrote is visible to whoever does not wait for it.
bool has_ended(const TaskExtra* x) { return x->successors.load(std::memory_order_acquire) & kClosed; }

void name(TaskExtra* x) { ++x->named; }

void add_to(Worker* w, DepSet& set, TaskExtra* x) {
  if (set.count == set.room) {
    // Tasks that have ended need no successors: a set that only grows holds those that have not.
    uint32_t kept = 0;
    for (TaskExtra* y : set) {
      if (has_ended(y)) unname(w, y);
      else set.begin()[kept++] = y;
    }
    set.count = kept;
    if (kept > set.room / 2) {
      uint32_t room = set.room < 4 ? 8 : set.room * 2;
      auto** more = static_cast<TaskExtra**>(get_memory(room * sizeof(TaskExtra*)));
      for (uint32_t i = 0; i < kept; ++i) more[i] = set.begin()[i];
      if (set.room > 1) free(set.many);
      set.many = more;
      set.room = room;
    }
  }
  set.begin()[set.count++] = x;
  name(x);
}

void empty(Worker* w, DepSet& set) {
  for (TaskExtra* x : set) unname(w, x);
  if (set.room > 1) free(set.many);
  set.count = 0;
  set.room = 1;
}

void move(DepSet& to, DepSet& from) {
  to = from;
  from.count = 0;
  from.room = 1;
}

void forget_mutex(DepEntry& e) {
  if (e.mutex) unname(e.mutex);
  e.mutex = nullptr;
}

DepLink* new_link(TaskExtra* succ, uint32_t nth) {
  if (nth < succ->items) return reinterpret_cast<DepLink*>(items_of(succ) + succ->items) + nth;
  DepLinks* more = succ->more_links;
  if (!more || more->used == more->room) {
    uint32_t room = more ? more->room * 2 : 16;
    auto* grown = static_cast<DepLinks*>(get_memory(sizeof(DepLinks) + room * sizeof(DepLink)));
    grown->next = more;
    grown->used = 0;
    grown->room = room;
    succ->more_links = more = grown;
  }
  return more->links() + more->used++;
}

uint32_t place(uintptr_t address, uint32_t room) {
  return uint32_t((address * 0x9e3779b97f4a7c15ull) >> 32) & (room - 1);
}

}  // namespace

void unname(Worker* w, TaskExtra* x) {
  if (--x->named != 0) return;
  // Acquire: the block is used anew after the last access of the thread that closed it.
  if (x->successors.fetch_or(kDropped, std::memory_order_acq_rel) & kClosed) free_extra_block(w, x);
}

void unname(DepMutex* m) {
  if (m->named.fetch_sub(1, std::memory_order_acq_rel) == 1) free(m);
}

void free_links(TaskExtra* x) {
  while (DepLinks* l = x->more_links) {
    x->more_links = l->next;
    free(l);
  }
}

void add_edge(TaskExtra* pred, TaskExtra* succ, uint32_t& predecessors) {
  if (pred == succ || has_ended(pred)) return;
  DepLink* link = new_link(succ, predecessors);
  link->successor = succ;
  uintptr_t head = pred->successors.load(std::memory_order_acquire);
  do {
    if (head & kClosed) {  // the link stays, for the next edge or unused
      if (predecessors >= succ->items) --succ->more_links->used;
      return;
    }
    link->next = reinterpret_cast<DepLink*>(head);
    // Release: who closes the list reads the link.
  } while (!pred->successors.compare_exchange_weak(head, reinterpret_cast<uintptr_t>(link), std::memory_order_release,
                                                   std::memory_order_acquire));
  ++predecessors;
  // The predecessor may have ended by now, but the creator's table still holds its extra, and with it what a tool knows.
  if (EK_UNLIKELY(pred->tool != nullptr) && succ->tool)
    tool::task_dependence(static_cast<tool::TaskData*>(pred->tool), static_cast<tool::TaskData*>(succ->tool));
}

DepEntry* DepTable::find(uintptr_t address) {
  if (room == 0) return nullptr;
  for (uint32_t i = place(address, room);; i = (i + 1) & (room - 1)) {
    DepEntry& e = entries[i];
    if (!e.kind) return nullptr;
    if (e.address == address) return &e;
  }
}

DepEntry& DepTable::find_or_make(Worker* w, uintptr_t address) {
  if ((used + 1) * 2 > room) make_room(w);
  uint32_t i = place(address, room);
  for (; entries[i].kind; i = (i + 1) & (room - 1))
    if (entries[i].address == address) return entries[i];
  DepEntry& e = entries[i];
  e.address = address;
  e.kind = kDepOut;
  ++used;
  if (all) {
    if (has_ended(all)) unname(w, all), all = nullptr;
    else add_to(w, e.last, all);
  }
  return e;
}

// Drops what names only tasks that have ended; a table of which more than a quarter is left grows.
void DepTable::make_room(Worker* w) {
  uint32_t live = 0;
  for (uint32_t i = 0; i < room; ++i) {
    DepEntry& e = entries[i];
    if (!e.kind) continue;
    bool ended = true;
    for (DepSet* set : {&e.last, &e.before})
      for (TaskExtra* x : *set) ended = ended && has_ended(x);
    if (ended) {
      empty(w, e.last);
      empty(w, e.before);
      forget_mutex(e);
      e.kind = 0;
    } else {
      ++live;
    }
  }
  uint32_t more = 32;
  while (more < live * 4) more *= 2;
  auto* to = static_cast<DepEntry*>(get_memory(more * sizeof(DepEntry)));
  for (uint32_t i = 0; i < more; ++i) new (&to[i]) DepEntry;
  for (uint32_t i = 0; i < room; ++i) {
    if (!entries[i].kind) continue;
    uint32_t at = place(entries[i].address, more);
    while (to[at].kind) at = (at + 1) & (more - 1);
    to[at] = entries[i];
  }
  free(entries);
  entries = to;
  room = more;
  used = live;
}

// A node without a task that follows the whole set: what comes after it needs one edge instead of one to each member.
TaskExtra* DepTable::joint_of(Worker* w, DepSet& set) {
  TaskExtra* joint = new_extra_block(w, 0);
  init_extra(joint, nullptr);
  joint->kind = TaskExtra::of_joint;
  joint->waits_for.store(kGuard, std::memory_order_relaxed);
  uint32_t predecessors = 0;
  for (TaskExtra* x : set) add_edge(x, joint, predecessors);
  finish_adding(w, joint, predecessors);
  return joint;
}

void DepTable::add(Worker* w, TaskExtra* node, DepItem& item, uint32_t& predecessors) {
  if (item.mode & kDepAllMemory) return add_all_memory(w, node, predecessors);
  DepEntry& e = find_or_make(w, item.address);
  bool listed_before = e.last.count && e.last.end()[-1] == node;
  auto mode = uint8_t(item.mode);
  if (e.kind == mode && mode != kDepOut) {
    if (listed_before) return;
    for (TaskExtra* x : e.before) add_edge(x, node, predecessors);
    add_to(w, e.last, node);
  } else {
    // Not where this task is in the set itself: a joint would make it wait for itself. Nor for a tool, which is told of every
    // pair of tasks.
    if (e.last.count > 1 && mode != kDepOut && !listed_before && EK_LIKELY(w->tool == nullptr)) {
      TaskExtra* joint = joint_of(w, e.last);
      empty(w, e.last);
      add_to(w, e.last, joint);
    }
    for (TaskExtra* x : e.last) add_edge(x, node, predecessors);
    empty(w, e.before);
    if (mode == kDepOut) empty(w, e.last);
    else move(e.before, e.last);
    add_to(w, e.last, node);
    e.kind = mode;
    forget_mutex(e);
    if (mode == kDepMutexInOutSet) e.mutex = new (get_memory(sizeof(DepMutex))) DepMutex;
  }
  if (e.mutex) {
    item.mutex = e.mutex;
    e.mutex->named.fetch_add(1, std::memory_order_relaxed);
  }
}

void DepTable::add_all_memory(Worker* w, TaskExtra* node, uint32_t& predecessors) {
  follow_all(node, predecessors);
  for (uint32_t i = 0; i < room; ++i) {
    if (!entries[i].kind) continue;
    empty(w, entries[i].last);
    empty(w, entries[i].before);
    forget_mutex(entries[i]);
    entries[i].kind = 0;
  }
  used = 0;
  if (all) unname(w, all);
  all = node;
  name(node);
}

void DepTable::follow_all(TaskExtra* node, uint32_t& predecessors) {
  if (all) add_edge(all, node, predecessors);
  for (uint32_t i = 0; i < room; ++i)
    if (entries[i].kind)
      for (TaskExtra* x : entries[i].last) add_edge(x, node, predecessors);
}

void DepTable::follow(TaskExtra* node, const Dependence& d, uint32_t& predecessors) {
  if (d.mode & kDepAllMemory) return follow_all(node, predecessors);
  DepEntry* e = find(d.address);
  if (!e) {
    if (all) add_edge(all, node, predecessors);
    return;
  }
  // A wait has no body that could exclude others: mutexinoutset is as inout.
  bool joins = e->kind == d.mode && d.mode != kDepOut && d.mode != kDepMutexInOutSet;
  for (TaskExtra* x : joins ? e->before : e->last) add_edge(x, node, predecessors);
}

void DepTable::clear(Worker* w) {
  for (uint32_t i = 0; i < room; ++i) {
    if (!entries[i].kind) continue;
    empty(w, entries[i].last);
    empty(w, entries[i].before);
    forget_mutex(entries[i]);
  }
  if (all) unname(w, all);
  free(entries);
  *this = DepTable{};
}

}  // namespace einkorn::runtime
