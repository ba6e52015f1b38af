// Dependences among the children of one task (OpenMP 5.1, 2.19.11), and their release.
//
// The creating task has a table, private to the thread that runs it: address -> the set of tasks that came last, and the
// set before. A new task becomes the successor of those that it must follow; each predecessor has a list of successors,
// the only thing that two threads share:
//
//   successors   0 .......... none yet
//                DepLink* ... pushed by the creator (compare-and-swap, which fails only when the predecessor ends)
//                | kClosed .. the predecessor has ended: nobody is pushed any more
//                | kDropped . the creator's table names it no more
//   waits_for    predecessors that have not ended, plus kGuard while the creator is still adding. Who brings it to 0 makes
//                the task ready
//
// An ending task exchanges the whole list for kClosed and counts each successor down: no lock, no retry, nothing of the
// creator's. Whoever sets the second of kClosed and kDropped frees the node: the table names ended tasks until it is
// written again or swept.
//
// Links lie in the successor's own block: it cannot end, so not be freed, before all its predecessors have let go of it.
// A predecessor reads a link's `next` before it counts the successor down.
#pragma once
#include "runtime/extra.h"
#include "runtime/mutex.h"

namespace einkorn::runtime {

// Values of kmp_depend_info's flag byte (LLVM 19, kmp.h).
enum DepMode : uint8_t { kDepIn = 1, kDepOut = 3, kDepMutexInOutSet = 4, kDepInOutSet = 8, kDepAllMemory = 0x80 };

// One dependence as the entry points give it. bytes 0: not known (gcc).
struct Dependence {
  uintptr_t address;
  uint64_t bytes;
  DepMode mode;
};

struct DepMutex;

// The same, kept with the task for as long as it lives: what it reads and writes.
struct DepItem {
  uintptr_t address;
  uint64_t bytes : 56;
  uint64_t mode : 8;
  DepMutex* mutex;  // mutexinoutset: held while the task runs
};

inline DepItem* items_of(TaskExtra* x) { return reinterpret_cast<DepItem*>(x + 1); }

struct DepLink {
  DepLink* next;
  TaskExtra* successor;
};

void record_dependences(record::Stream* s, const Dependence* list, int count);

// Queues a task made by init_task(), as submit() does, once its predecessors have ended.
void submit_dependent(Worker* w, Task* t, const Dependence* list, int count);
// Waits until a task with these dependences could start: if(false), taskwait depend.
void wait_for_dependences(Worker* w, const Dependence* list, int count, Caller caller = nullptr);
// The same, recorded as a wait at `site`: a taskwait's, or that of the task that is to run at once.
void wait_for_dependences_at(Worker* w, const Dependence* list, int count, Caller caller, uint32_t site);
void taskwait_depend(Worker* w, const Dependence* list, int count, Caller caller, uint16_t site_flags);
// taskwait depend nowait: a task without a body.
void order_dependences(Worker* w, const Dependence* list, int count);
void taskwait_depend_nowait(Worker* w, const Dependence* list, int count, Caller caller, uint16_t site_flags);

// The task has ended: its successors may start. team: the task's. Frees or drops the extra.
void release_extra(Worker* w, Task* t, Team* team);
// Of an implicit task, after the barrier that ends it.
void release_implicit_extra(Worker* w, Slot* slot);

}  // namespace einkorn::runtime
