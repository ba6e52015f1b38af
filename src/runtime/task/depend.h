// Dependences among the children of one task (OpenMP 5.1, 2.19.11), and their release.
//
// The creating task has a table, private to the thread that runs it: address -> the set of tasks that came last, and
// the set before. A new task becomes the successor of those that it must follow. What its creator and the threads that
// end tasks share is in its node, flow/node.h, which has the protocol. An ended task's node lives on with its block as
// long as the table names it: until it is written again or swept; and kept, in the task's own block, as long as the
// task has children that have not ended.
#pragma once
#include "runtime/task/extra.h"
#include "flow/mutex.h"

namespace einkorn::runtime {

// Values of kmp_depend_info's flag byte (LLVM 19, kmp.h).
enum DepMode : uint8_t { kDepIn = 1, kDepOut = 3, kDepMutexInOutSet = 4, kDepInOutSet = 8, kDepAllMemory = 0x80 };

// One dependence as the entry points give it. bytes 0: not known (gcc).
struct Dependence {
  uintptr_t address;
  uint64_t bytes : 56;
  DepMode mode : 8;
};
static_assert(sizeof(Dependence) == 16);

struct DepMutex;

// The same, kept with the task for as long as it lives: what it reads and writes.
struct DepItem {
  uintptr_t address;
  uint64_t bytes : 56;
  uint64_t mode : 8;
  DepMutex* mutex;  // mutexinoutset: held while the task runs
};

using DepLink = flow::Node<TaskExtra>::Link;

// gcc's task with dependences and nothing else unusual (kTaskNode), in one block: who releases it and runs it needs
// these three lines, knows where they are as soon as it has the link, and asks for them at once. The items follow, more
// links, the body's data.
struct DependentTask {
  static constexpr uint32_t kLinks = 3;
  Task task;
  GompBody body;
  DepLink links[kLinks];
  TaskExtra extra;
};
static_assert(offsetof(DependentTask, links) < 2 * kCacheLine && offsetof(DependentTask, extra) == 2 * kCacheLine);

inline TaskExtra* extra_in_block(Task* t) { return &reinterpret_cast<DependentTask*>(t)->extra; }
inline DepItem* items_of(TaskExtra* x) { return reinterpret_cast<DepItem*>(x + 1); }
// Room for so many links behind the items.
inline uint32_t links_behind(uint32_t items, bool in_task) {
  return !in_task ? items : items < DependentTask::kLinks ? 0 : items;
}

// Of a pushed link: it is one of DependentTask::links.
inline constexpr uintptr_t kInTask = flow::Node<TaskExtra>::kTag;

// Queues a task made by init_task(), as submit() does, once its predecessors have ended.
void submit_dependent(Worker* w, Task* t, const Dependence* list, int count);
// The same in two steps for a child of a task without kTaskSlowPath; between them the items are filled in, but for
// their mutexes. begin_dependent() does what init_task() does.
//   gcc's, in a block for so many bytes behind a Task; the body's data goes to `data`
inline size_t bytes_of_dependent(uint32_t count, size_t data_bytes) {
  return sizeof(DependentTask) - sizeof(Task) + count * sizeof(DepItem) + links_behind(count, true) * sizeof(DepLink) +
         15 + data_bytes;
}
TaskExtra* begin_dependent(Worker* w, Task* t, uint16_t flags, uint32_t count, char** data);
//   clang's
TaskExtra* begin_dependent(Worker* w, Task* t, uint16_t flags, uint32_t count);
void submit_begun(Worker* w, Task* t, TaskExtra* x);
// Waits until a task with these dependences could start: if(false), taskwait depend.
void wait_for_dependences(Worker* w, const Dependence* list, int count, Caller caller = nullptr);
// The same, recorded as a wait at `site`: a taskwait's, or that of the task that is to run at once.
void wait_for_dependences_at(Worker* w, const Dependence* list, int count, Caller caller, uint32_t site);
void taskwait_depend(Worker* w, const Dependence* list, int count, Caller caller, uint16_t site_flags);
// taskwait depend nowait: a task without a body, which nobody runs. It ends when its predecessors have ended.
void order_dependences(Worker* w, const Dependence* list, int count);
void taskwait_depend_nowait(Worker* w, const Dependence* list, int count, Caller caller, uint16_t site_flags);

// The task has ended: its successors may start. team: the task's. Frees or drops the extra, which is a block of its
// own.
void release_extra(Worker* w, Task* t, Team* team);
// The block of a task with kTaskNode, of which this was the last child that had not ended.
void let_go_of_node(Worker* w, Task* t);
// Of an implicit task, after the barrier that ends it.
void release_implicit_extra(Worker* w, Slot* slot);

}  // namespace einkorn::runtime
