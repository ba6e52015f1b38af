// Tasks and taskgroups, and what is always true of them.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.h"
#include "flow/node.h"

namespace einkorn::runtime {

struct Worker;
struct Team;
struct Taskgroup;
namespace tool {
struct TaskData;
struct Thread;
}  // namespace tool
struct Reductions;

using WorkerId = uint16_t;
inline constexpr WorkerId kNoWorker = 0xffff;

enum TaskFlags : uint16_t {
  kTaskUntied = 1,
  kTaskFinal = 2,
  kTaskKmp = 4,      // the body is a kmp_task_t (clang's entry points), else a GompBody
  kTaskOnStack = 8,  // the block is not ours to free. Of a task of parts it means that it gives way: kTaskGivesWay
  kTaskImplicit = 16,
  kTaskNextPart = 32,  // clang's untied task has handed itself over: its next part follows (run_next_parts())
  kTaskGivesWay = kTaskNextPart | kTaskOnStack,  // a procedure's: it waits for its children (instance.h)
  kTaskExtra = 64,                               // has a TaskExtra (extra.h)
  kTaskDestructors = 128,                        // KmpTask::data1 is a function that destroys its private data
  kTaskDetach = 256,                             // ends when its body has returned and its event is fulfilled
  kTaskPriority = 512,                           // goes to the team's urgent queue; TaskExtra::priority
  kTaskCopied = 1024,                            // copy constructors ran for its data: not to be discarded (gcc)
  // Its children take the slow path through creation and execution: it is final, or in a team of one, or the program is
  // recorded, or cancellation is enabled, or the schedule is not the default, or the team is fenced. Inherited: so one
  // test decides (fast.h).
  kTaskSlowPath = 2048,
  kTaskNode = 4096,       // with dependences, and its extra in its own block: DependentTask (depend.h)
  kTaskRecorded = 8192,   // kTaskSlowPath for no other reason than that the program is recorded. Inherited with it
  kTaskYielded = 16384,   // clang's untied task has met a taskyield in this part
  kTaskCaptures = 32768,  // the tasks that it creates are taken down instead (capture.h)
  // Two bits that mean something else of others (merged.h):
  kTaskMerges = kTaskYielded,  // of one that is not untied: what it creates, and runs at once, is only called
  kTaskIsLate = kTaskCopied,   // of the current one: made below such a call, when something needed it
};

enum TaskNotes : uint8_t {
  kHasFootprint = 1,   // in the table of footprint.cpp
  kPlaceDecided = 2,   // its word is where it goes, until it is queued (TaskWord::place)
  kIsSource = 4,       // it has dependences, and had no predecessors when it was created
  kIsCodelet = 8,      // of a procedure that has begun: it stays in the cluster (schedule/push.h)
  kClusterNamed = 16,  // its word is the cluster that the program names, until it is queued
  kUntiedMerges = 32,  // of one that merges (merged.h): it is untied
  kIsCutOff = 64,      // the same: it was cut off by a hint, as all below it are that run the same function
  kOwnApart = 128,     // an instance of a procedure: its own memory is a block apart (src/codelet/own.h)
};

struct Task;

// A word of a task that means something else in each part of its life. In checked builds the top byte says what it
// means now, and whoever takes it for anything else stops the program; in others it is the bare word.
class TaskWord {
 public:
  enum Meaning : uint8_t {
    link,        // queued, in an inbox or among the urgent ones: the next one there. 0, as an address has no top byte
    body_bytes,  // clang's, made and not handed over yet: the size of its body, of which taskloop makes copies
    place,       // with kPlaceDecided, until it is queued: a place (placed.h), or where there are none a node; with
                 // kClusterNamed a cluster
    base,        // it runs: its thread's deque holds its descendants from this index on
  };
  int64_t get([[maybe_unused]] Meaning m) const {
    if constexpr (!kTagged) return int64_t(word_);
    EK_ASSERT(Meaning(word_ >> kShift) == m);
    return int64_t(word_ << (64 - kShift)) >> (64 - kShift);
  }
  void set(Meaning m, int64_t value) {
    word_ = kTagged ? (uint64_t(value) & ((uint64_t(1) << kShift) - 1)) | uint64_t(m) << kShift : uint64_t(value);
  }
  Task** as_link() { return &link_; }

 private:
#ifdef EINKORN_ASSERT
  static constexpr bool kTagged = true;
#else
  static constexpr bool kTagged = false;
#endif
  static constexpr int kShift = 56;
  union {
    uint64_t word_;
    Task* link_;
  };
};

// A task. 64 bytes; the body (GompBody, or kmp_task_t with its private and shared data) follows.
//
// Counting children (no atomic read-modify-write where child and parent ran on one thread):
//   created   children created so far. Written by the thread that runs the task, only
//   done      of these, finished on the thread that runs the task. Written by that thread only
//   refs      kAlive + finished elsewhere + kHeld x (finished children that still have children of their own)
//   outstanding children = created - done - low half of refs
// When a task ends with outstanding or held children its memory must stay: it holds its parent (so that ancestors of a
// queued task can always be walked), and turns refs into a count-down by subtracting kAlive and what is outstanding.
// Whoever brings refs to 0 then frees it; before that subtraction refs is never 0.
// owner is the thread whose stack the task is on: set when it starts (or resumes: clang's untied tasks behind a
// taskyield), kNoWorker from its end (or its return to a queue) on. A child that ends on thread w and reads owner == w
// therefore runs on top of its parent, and may write `done`; a child elsewhere never reads its own id there.
// A procedure's instance that waits for its children lies on no stack (suspend(), instance.cpp): then it has no owner,
// created and done are 0, and the low half of refs, with kSuspended, counts up to 0. Whoever gets it there goes on with
// it.
struct alignas(64) Task {
  static constexpr int64_t kAlive = int64_t(1) << 61;
  static constexpr int64_t kHeld = int64_t(1) << 32;
  static constexpr int64_t kWaiting = int64_t(1) << 60;  // the owner sleeps until outstanding is 0: wake it
  static constexpr int64_t kSuspended = int64_t(1) << 59;

  Task* parent;
  Taskgroup* group;
  std::atomic<int64_t> refs;
  uint64_t record_id;  // see record::make_id; 0: not recording
  TaskWord word;
  uint32_t created;
  uint32_t done;
  uint32_t icv;                 // index of its control variables (icv.h)
  uint32_t depth;               // of explicit tasks; 0: implicit
  std::atomic<WorkerId> owner;  // the thread whose stack it is on
  uint16_t flags;
  WorkerId home;       // whose free list the block goes back to
  uint8_t size_class;  // blocks.h
  uint8_t notes;       // TaskNotes. Of tasks that took the slow path

  void* body() { return this + 1; }
  int64_t base() const { return word.get(TaskWord::base); }
  void set_base(int64_t index) { word.set(TaskWord::base, index); }
  size_t body_bytes() const { return size_t(word.get(TaskWord::body_bytes)); }
  void set_body_bytes(size_t bytes) { word.set(TaskWord::body_bytes, int64_t(bytes)); }
  int place() const { return int(word.get(TaskWord::place)); }
  void set_place(int to) { word.set(TaskWord::place, to); }
  Task** link() { return word.as_link(); }
};
static_assert(sizeof(Task) == 64);

struct DepTable;
struct DepLinks;

// What few tasks need: dependences, an event, a priority, a tool's data. A block of its own, from the same free lists
// as the tasks (home and size_class stand where a Task has them), or, with dependences and nothing else, in the task's
// (kTaskNode: then they are copies of the task's). A task with the flag kTaskExtra points to it in the last word of its
// block; an implicit task's is in its slot. With dependences there are the task's list of them (DepItem) and room for
// some links (DepLink) beside it: depend.h. Then it may outlive the task: who comes later in the creator's table asks
// it whether the task has ended.
struct alignas(64) TaskExtra {
  Task* task;                  // nullptr: no task's (kind). of_joint: one that has no body and is only counted, or none
  DepTable* table;             // dependences among this task's children; private to the thread that runs the task
  void* tool;                  // an OMPT tool's data
  flow::Node<TaskExtra> node;  // named by the creator's table, and by tasks that it is adding. Its stage: depend.cpp
  union {
    DepLinks* more_links;     // while it waits for predecessors
    TaskExtra* next_in_line;  // then, for a mutex; of one with a priority that is queued, the one before it (urgent.h)
  };
  std::atomic<uint32_t> event;  // EventBits
  union {
    int32_t priority;  // of a deferred task
    WorkerId waiter;   // the thread that waits: for an undeferred task's event, or in a wait
  };
  uint32_t items : 31;    // dependences
  uint32_t excludes : 1;  // there are mutexes among them
  WorkerId home;
  uint8_t size_class;
  // Whose it is: a task's; that of the task in the same block; a waiting thread's; nobody's who runs (depend.h).
  enum Kind : uint8_t { of_task, of_this_task, of_wait, of_joint } kind;
};
static_assert(sizeof(TaskExtra) == 64 && offsetof(TaskExtra, home) == offsetof(Task, home) &&
              offsetof(TaskExtra, size_class) == offsetof(Task, size_class));

// Detached tasks. Whoever sets the second of kBodyDone and kFulfilled ends the task. kOnHelper: the task has no event;
// it is a target task, which a helper thread runs (helpers.h).
enum EventBits : uint32_t { kBodyDone = 1, kFulfilled = 2, kEventWaiter = 4, kOnHelper = 8 };

struct GompBody {
  void (*fn)(void*);
  void* data;
};

// clang's task, from kmp.h of LLVM 19: the compiler fills what follows.
struct KmpTask {
  void* shareds;
  int32_t (*routine)(int32_t gtid, KmpTask*);
  int32_t part_id;
  void* data1;
  void* data2;
};

// All descendants of a taskgroup count in it: by its own thread in `local`, elsewhere in `balance`.
// A thread may hold some counts of balance that stand for no task (Worker::credited).
// Outstanding = local + count(balance), less what is held; 0 is final because only members create members.
// balance = count + (id + 1 of the thread that sleeps until 0, or 0) << 44: added to and subtracted from as a number,
// never by bits, as count may be negative and borrows from what is above it. owner is nullptr once the thread may have
// changed inside the group (clang's untied tasks: requeue()): then all counts are in balance.
// What other threads read for each of their tasks lies apart from what the owner writes for each of its own, and that
// from what the others write.
struct alignas(kCacheLine) Taskgroup {
  static constexpr int kWaiterShift = 44;
  static int64_t count(int64_t balance) {
    return int64_t(uint64_t(balance) << (64 - kWaiterShift)) >> (64 - kWaiterShift);
  }
  static WorkerId waiter(int64_t balance) { return WorkerId(((balance - count(balance)) >> kWaiterShift) - 1); }
  Taskgroup* outer;
  std::atomic<Worker*> owner;   // others only look whether it is them
  Reductions* reductions;       // what in_reduction of its tasks refers to: its own or inherited (reduction.h)
  std::atomic<bool> cancelled;  // its tasks that have not started never run (cancel.h)
  enum Scope : uint8_t { of_program, of_workshare, of_region } scope;  // the others: of reduction(task, ...) there
  alignas(kCacheLine) int64_t local;
  alignas(kCacheLine) std::atomic<int64_t> balance;
};

}  // namespace einkorn::runtime
