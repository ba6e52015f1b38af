#include "runtime/task/dep_table.h"

#include <cstdlib>
#include <new>
#include "runtime/task/inline.h"
#include "runtime/team/placed.h"
#include "runtime/task/task.h"
#include "runtime/observe/tool.h"

namespace einkorn::runtime {

// One malloc: the successor's links that its own block has no room for.
struct DepLinks {
  DepLinks* next;  // made before this one
  uint32_t used, room;
  DepLink* links() { return reinterpret_cast<DepLink*>(this + 1); }
};

namespace {

void* get_memory(size_t bytes) {
  void* p = malloc(bytes);
  if (!p) fatal("out of memory: %zu bytes for the dependences of tasks", bytes);
  return p;
}

bool has_ended(const TaskExtra* x) { return x->node.has_ended(); }

void name(TaskExtra* x) { x->node.name(); }

// ---- sets ----------------------------------------------------------------------------------------------------------

constexpr uint8_t kLogInBlock = 3;  // a task's block without a task: as many as fit behind that

TaskExtra** new_array(Worker* w, uint8_t log_room) {
  size_t bytes = sizeof(TaskExtra*) << log_room;
  static_assert(sizeof(Task) + (sizeof(TaskExtra*) << kLogInBlock) == kBlockSizes[0]);
  if (log_room > kLogInBlock) return static_cast<TaskExtra**>(get_memory(bytes));
  return static_cast<TaskExtra**>(new_block(w, bytes - sizeof(void*))->body());
}

void free_array(Worker* w, DepSet& set) {
  if (set.log_room > kLogInBlock) free(set.many);
  else free_block(w, reinterpret_cast<Task*>(set.many) - 1);
}

EK_NOINLINE void make_room_in(Worker* w, DepSet& set) {
  // Tasks that have ended need no successors: a set that only grows holds those that have not.
  uint32_t kept = 0;
  for (TaskExtra* y : set) {
    if (has_ended(y)) unname(w, y);
    else set.begin()[kept++] = y;
  }
  set.count = kept;
  if (kept <= set.room() / 2) return;
  uint8_t log_room = set.log_room < kLogInBlock ? kLogInBlock : uint8_t(set.log_room + 1);
  TaskExtra** more = new_array(w, log_room);
  for (uint32_t i = 0; i < kept; ++i) more[i] = set.begin()[i];
  if (set.log_room > 1) free_array(w, set);
  set.many = more;
  set.log_room = log_room;
}

inline void add_to(Worker* w, DepSet& set, TaskExtra* x) {
  if (EK_UNLIKELY(set.count == set.room())) make_room_in(w, set);
  set.begin()[set.count++] = x;
  name(x);
}

// Without letting go of its nodes.
inline void forget(Worker* w, DepSet& set) {
  if (EK_UNLIKELY(set.log_room > 1)) free_array(w, set);
  set.count = 0;
  set.log_room = 1;
}

inline void empty(Worker* w, DepSet& set) {
  TaskExtra** at = set.begin();
  for (uint32_t left = set.count; left != 0; --left) unname(w, *at++);
  forget(w, set);
}

void move(DepSet& to, DepSet& from) {
  to = from;
  from.count = 0;
  from.log_room = 1;
}

void forget_mutex(DepEntry& e) {
  if (EK_UNLIKELY(e.mutex != nullptr)) unname(e.mutex);
  e.mutex = nullptr;
}

void make_free(Worker* w, DepEntry& e) {
  empty(w, e.last);
  empty(w, e.before);
  forget_mutex(e);
  e.last.kind = 0;
}

// ---- edges ---------------------------------------------------------------------------------------------------------

// Where the nth link of a node is; those in its block are numbered first.
inline DepLink* links_of(TaskExtra* x, uint32_t& room) {
  const bool in_task = x->kind == TaskExtra::of_this_task;
  room = links_behind(x->items, in_task);
  return reinterpret_cast<DepLink*>(items_of(x) + x->items);
}

EK_NOINLINE DepLink* new_link_elsewhere(TaskExtra* x) {
  DepLinks* more = x->more_links;
  if (!more || more->used == more->room) {
    uint32_t room = more ? more->room * 2 : 16;
    auto* grown = static_cast<DepLinks*>(get_memory(sizeof(DepLinks) + room * sizeof(DepLink)));
    grown->next = more;
    grown->used = 0;
    grown->room = room;
    x->more_links = more = grown;
  }
  return more->links() + more->used++;
}

inline DepLink* new_link(TaskExtra* x, uint32_t n) {
  if (x->kind == TaskExtra::of_this_task) {
    if (EK_LIKELY(n < DependentTask::kLinks)) return reinterpret_cast<DependentTask*>(x->task)->links + n;
    n -= DependentTask::kLinks;
  }
  uint32_t room;
  DepLink* behind = links_of(x, room);
  return EK_LIKELY(n < room) ? behind + n : new_link_elsewhere(x);
}

// The predecessor is named by the link from here on.
inline void add_predecessor(Adding& to, TaskExtra* pred) {
  if (to.predecessors < Adding::kFirst) to.first[to.predecessors] = pred;
  DepLink* link = new_link(to.node, to.predecessors++);
  link->next = reinterpret_cast<uintptr_t>(pred);
  link->successor = to.node;
}

inline void add_edge(Adding& to, TaskExtra* pred) {
  if (pred == to.node || to.has(pred) || has_ended(pred)) return;
  name(pred);
  add_predecessor(to, pred);
}

inline void free_node(Worker* w, TaskExtra* x) {
  if (EK_UNLIKELY(x->kind != TaskExtra::of_this_task)) return free_extra_block(w, x);
  // What free_block() does without a look at the task, which is elsewhere: who ran it wrote to it.
  auto* t = reinterpret_cast<Task*>(reinterpret_cast<char*>(x) - offsetof(DependentTask, extra));
  if (EK_UNLIKELY(x->home != w->id)) return free_foreign(w, t);
  *reinterpret_cast<void**>(t) = w->free_blocks[x->size_class];
  w->free_blocks[x->size_class] = t;
}

// Tells one predecessor. False: it has ended. After the last one that has not, nothing of the node may be touched but
// by who has named it.
inline bool push_link(Worker* w, DepLink* link, uintptr_t tag) {
  auto* pred = reinterpret_cast<TaskExtra*>(link->next);
  if (EK_UNLIKELY(pred->tool != nullptr) && link->successor->tool) {
    // Its name is kept until the tool has been told.
    auto* source = static_cast<tool::TaskData*>(pred->tool);
    if (!has_ended(pred)) tool::task_dependence(source, static_cast<tool::TaskData*>(link->successor->tool));
  }
  if (EK_LIKELY(pred->node.push(link, tag))) return true;
  if (!pred->node.is_named()) let_go(w, pred);
  return false;
}

// Of so many links those that are not in DependentTask::links.
template <class Each>
inline void each_other_link(TaskExtra* x, uint32_t left, Each&& each) {
  uint32_t room;
  DepLink* behind = links_of(x, room);
  if (room > left) room = left;
  left -= room;
  DepLinks* more = left ? x->more_links : nullptr;
  for (uint32_t i = 0; i < room; ++i) each(behind + i);
  while (left) {
    uint32_t here = more->used;
    left -= here;
    DepLink* links = more->links();
    more = more->next;
    for (uint32_t i = 0; i < here; ++i) each(links + i);
  }
}

uint32_t push_other_links(Worker* w, TaskExtra* x, uint32_t left) {
  uint32_t missed = 0;
  each_other_link(x, left, [&](DepLink* link) { missed += !push_link(w, link, 0); });
  return missed;
}

inline uint32_t place(uintptr_t address, uint32_t room) {
  return uint32_t((address * 0x9e3779b97f4a7c15ull) >> 32) & (room - 1);
}

}  // namespace

static inline bool tell_predecessors(Worker* w, Adding& adding) {
  TaskExtra* x = adding.node;
  uint32_t left = adding.predecessors, missed = 0;
  x->node.expect(left);
  if (left == 0) return true;
  if (EK_LIKELY(x->kind == TaskExtra::of_this_task)) {
    DepLink* links = reinterpret_cast<DependentTask*>(x->task)->links;
    uint32_t here = left < DependentTask::kLinks ? left : DependentTask::kLinks;
    left -= here;
    for (uint32_t i = 0; i < here; ++i) missed += !push_link(w, links + i, kInTask);
  }
  if (EK_UNLIKELY(left != 0)) missed += push_other_links(w, x, left);
  if (EK_LIKELY(missed == 0)) return false;
  return x->node.missed(missed);
}

bool publish(Worker* w, Adding& adding) { return tell_predecessors(w, adding); }

void let_go(Worker* w, TaskExtra* x) {
  if (x->node.drop()) free_node(w, x);
}

void unname(DepMutex* m) {
  // Release: our use of it; acquire: the others', before it is freed.
  if (m->named.fetch_sub(1, std::memory_order_acq_rel) == 1) free(m);
}

void free_links(TaskExtra* x) {
  while (DepLinks* l = x->more_links) {
    x->more_links = l->next;
    free(l);
  }
}

// ---- the table -----------------------------------------------------------------------------------------------------

const DepEntry* DepTable::find(uintptr_t address) const {
  if (room == 0) return nullptr;
  for (uint32_t i = place(address, room);; i = (i + 1) & (room - 1)) {
    const DepEntry& e = entries[i];
    if (e.is_free()) return nullptr;
    if (e.address == address) return &e;
  }
}

inline DepEntry& DepTable::find_or_make(Worker* w, uintptr_t address) {
  if (EK_LIKELY(room != 0))
    for (uint32_t i = place(address, room);; i = (i + 1) & (room - 1)) {
      DepEntry& e = entries[i];
      if (e.is_free()) break;
      if (e.address == address) return e;
    }
  return make(w, address);
}

DepEntry& DepTable::make(Worker* w, uintptr_t address) {
  if ((used + 1) * 2 > room) make_room(w);
  uint32_t i = place(address, room);
  while (!entries[i].is_free()) i = (i + 1) & (room - 1);
  DepEntry& e = entries[i];
  e.address = address;
  e.mutex = nullptr;
  e.last.count = e.before.count = 0;
  e.last.log_room = e.before.log_room = 1;
  e.last.kind = kDepOut;
  ++used;
  if (EK_UNLIKELY(all != nullptr)) {
    if (has_ended(all)) unname(w, all), all = nullptr;
    else add_to(w, e.last, all);
  }
  return e;
}

// Drops what names only tasks that have ended; a table of which more than a quarter is left grows.
void DepTable::make_room(Worker* w) {
  uint32_t live = 0;
  constexpr uint32_t kTogether = 16;
  for (uint32_t from = 0; from < room; from += kTogether) {
    // The nodes are in the caches of those who ended them.
    for (uint32_t i = from; i < from + kTogether; ++i) {
      DepEntry& e = entries[i];
      if (e.is_free()) continue;
      for (TaskExtra **at = e.last.begin(), **end = at + e.last.count; at < end; ++at) fetch_to_write(*at);
      if (e.before.count) fetch_to_write(*e.before.begin());
    }
    for (uint32_t i = from; i < from + kTogether; ++i) {
      DepEntry& e = entries[i];
      if (e.is_free()) continue;
      // Those before have ended before.
      DepSet& set = e.last.count ? e.last : e.before;
      bool ended = true;
      for (TaskExtra **at = set.begin(), **end = at + set.count; at < end && ended; ++at) ended = has_ended(*at);
      if (ended) make_free(w, e);
      else ++live;
    }
  }
  used = live;
  if (used == 0 && room != 0) return;
  uint32_t more = 64;
  while (more < used * 4) more *= 2;
  void* memory;
  if (posix_memalign(&memory, kCacheLine, more * sizeof(DepEntry)) != 0)
    fatal("out of memory: %u addresses in dependences of tasks", used);
  auto* to = static_cast<DepEntry*>(memory);
  for (uint32_t i = 0; i < more; ++i) to[i].last.kind = 0;
  for (uint32_t i = 0; i < room; ++i) {
    if (entries[i].is_free()) continue;
    uint32_t at = place(entries[i].address, more);
    while (!to[at].is_free()) at = (at + 1) & (more - 1);
    to[at] = entries[i];
  }
  free(entries);
  entries = to;
  room = more;
  EK_ASSERT(is_valid());
}

// A node without a task that follows the whole set: what comes after it needs one edge instead of one to each member.
EK_NOINLINE TaskExtra* DepTable::joint_of(Worker* w, DepSet& set) {
  TaskExtra* joint = new_extra_block(w, 0);
  init_extra(joint, nullptr);
  joint->kind = TaskExtra::of_joint;
  name(joint);  // by the set that it comes into
  Adding adding{joint};
  for (TaskExtra* x : set) add_edge(adding, x);
  if (publish(w, adding)) start(w, joint);
  return joint;
}

__attribute__((always_inline)) inline void DepTable::add(Worker* w, Adding& adding, DepItem& item) {
  TaskExtra* node = adding.node;
  const auto mode = uint8_t(item.mode);
  if (EK_UNLIKELY(mode & kDepAllMemory)) return add_all_memory(w, adding);
  DepEntry& e = find_or_make(w, item.address);
  DepSet &last = e.last, &before = e.before;
  if (mode == kDepOut) {
    // Follows all of `last`, which is no more: its names become the links'.
    TaskExtra** at = last.begin();
    for (uint32_t left = last.count; left != 0; --left) {
      TaskExtra* x = *at++;
      if (x == node || adding.has(x) || has_ended(x)) unname(w, x);
      else add_predecessor(adding, x);
    }
    forget(w, last);
    empty(w, before);
    last.count = 1;
    last.kind = mode;
    last.in_place[0] = node;
    name(node);
    forget_mutex(e);
    return;
  }
  const bool listed_before = last.count && last.end()[-1] == node;
  if (mode == last.kind) {
    if (listed_before) return;
    TaskExtra** at = before.begin();
    for (uint32_t left = before.count; left != 0; --left) add_edge(adding, *at++);
    add_to(w, last, node);
  } else {
    // Not where this task is in the set itself: a joint would make it wait for itself. Nor for a tool, which is told of
    // every pair of tasks.
    if (EK_UNLIKELY(last.count > 1) && !listed_before && w->tool == nullptr) {
      TaskExtra* joint = joint_of(w, last);
      empty(w, last);
      last.in_place[last.count++] = joint;  // which has this name of its maker's
    }
    TaskExtra** at = last.begin();
    for (uint32_t left = last.count; left != 0; --left) add_edge(adding, *at++);
    empty(w, before);
    move(before, last);
    last.count = 1;
    last.kind = mode;
    last.in_place[0] = node;
    name(node);
    forget_mutex(e);
    if (EK_UNLIKELY(mode == kDepMutexInOutSet)) e.mutex = new (get_memory(sizeof(DepMutex))) DepMutex;
  }
  if (EK_UNLIKELY(e.mutex != nullptr)) {
    item.mutex = e.mutex;
    e.mutex->named.fetch_add(1, std::memory_order_relaxed);
    node->excludes = 1;
  }
}

void DepTable::add_all_memory(Worker* w, Adding& adding) {
  follow_all(adding);
  for (uint32_t i = 0; i < room; ++i)
    if (!entries[i].is_free()) make_free(w, entries[i]);
  used = 0;
  if (all) unname(w, all);
  all = adding.node;
  name(all);
  EK_ASSERT(is_valid());
}

void DepTable::follow_all(Adding& adding) {
  if (all) add_edge(adding, all);
  for (uint32_t i = 0; i < room; ++i)
    if (!entries[i].is_free())
      for (TaskExtra* x : entries[i].last) add_edge(adding, x);
}

void DepTable::follow(Adding& adding, const Dependence& d) {
  if (d.mode & kDepAllMemory) return follow_all(adding);
  DepEntry* e = find(d.address);
  if (!e) {
    if (all) add_edge(adding, all);
    return;
  }
  // A wait has no body that could exclude others: mutexinoutset is as inout.
  bool joins = e->last.kind == d.mode && d.mode != kDepOut && d.mode != kDepMutexInOutSet;
  for (TaskExtra* x : joins ? e->before : e->last) add_edge(adding, x);
}

bool DepTable::follows_nobody(uintptr_t address, DepMode mode) {
  DepEntry* e = find(address);
  if (!e) return !all || has_ended(all);
  const bool joins = e->last.kind == mode && mode != kDepOut;
  // Those before have ended before.
  DepSet& set = joins || e->last.count == 0 ? e->before : e->last;
  for (TaskExtra* x : set)
    if (!has_ended(x)) return false;
  return true;
}

void DepTable::clear(Worker* w) {
  EK_ASSERT(is_valid());
  for (uint32_t i = 0; i < room; ++i)
    if (!entries[i].is_free()) make_free(w, entries[i]);
  if (all) unname(w, all);
  free(entries);
  *this = DepTable{};
}

// Those with a mutex first, by address: the order in which they are taken.
static void sort_mutexes(TaskExtra* x) {
  DepItem* items = items_of(x);
  auto after = [](const DepItem& a, const DepItem& b) {
    return b.mutex && (!a.mutex || uintptr_t(a.mutex) > uintptr_t(b.mutex));
  };
  for (uint32_t i = 1; i < x->items; ++i)
    for (uint32_t j = i; j > 0 && after(items[j - 1], items[j]); --j) {
      DepItem swap = items[j];
      items[j] = items[j - 1];
      items[j - 1] = swap;
    }
}

static EK_NOINLINE DepTable* make_table(TaskExtra* x) { return x->table = new (get_memory(sizeof(DepTable))) DepTable; }

// Who goes on making tasks that wait for others does not wait for the one that it keeps: share_kept(). So many later,
// as who makes two or three and waits takes them itself.
static constexpr uint32_t kCreatedUnasked = 16;

void add_to_table(Worker* w, TaskExtra* x) {
  TaskExtra* creator = need_extra(w, w->current);
  DepTable* table = EK_LIKELY(creator->table != nullptr) ? creator->table : make_table(creator);
  name(x);  // until it has been started
  Adding adding{x};
  DepItem* items = items_of(x);
  for (uint32_t i = 0, n = x->items; i < n; ++i) table->add(w, adding, items[i]);
  if (EK_UNLIKELY(x->excludes)) sort_mutexes(x);
  if (adding.predecessors == 0 && x->task && is_placed(w, x->task)) x->task->notes |= kIsSource;
  if (tell_predecessors(w, adding)) {
    if (EK_LIKELY(x->kind <= TaskExtra::of_this_task) && EK_LIKELY(!x->excludes) && EK_LIKELY(!x->more_links))
      push_task(w, x->task);
    else start(w, x);
  } else if (EK_UNLIKELY(w->team->idle.load(std::memory_order_relaxed) != 0) &&
             w->current->created % kCreatedUnasked == 0) {
    share_kept(w);
  }
  unname(w, x);
}

bool follows_nobody(const Worker* w, uintptr_t address, DepMode mode) {
  if (mode != kDepIn && mode != kDepOut && mode != kDepInOutSet)
    return false;  // it may have to wait for more than an end
  TaskExtra* creator = extra_of(w->current);
  DepTable* table = creator ? creator->table : nullptr;
  return !table || table->follows_nobody(address, mode);
}

void submit_begun(Worker* w, Task* t, TaskExtra* x) {
  count_task(w, t);
  add_to_table(w, x);
}

}  // namespace einkorn::runtime
