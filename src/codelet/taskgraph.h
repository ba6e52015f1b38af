// OpenMP's taskgraph (6.0, 14.3) by calls: the tasks of a construct are taken down when it is met first
// (runtime/task/capture.h) and run, then and whenever the construct is met again: by one thread in their order, by
// several as a graph.
#pragma once
#include <memory>
#include <vector>

#include "codelet/team_run.h"
#include "runtime/task/capture.h"
#include "schedule/graph_form.h"

namespace einkorn::codelet {

// OMPX_TASKGRAPH_* of einkorn/taskgraph.h.
enum TaskGraphFlags : unsigned { kReset = 1, kNogroup = 2, kOff = 4, kCheck = 8, kAllFlags = 15 };

class TaskGraph;

// Tasks of one kind (runtime/task/taken.h).
struct TaskClass {
  TaskGraph* graph;
  const void* entry;
  uint32_t bytes;
  uint16_t flags;                       // TaskFlags
  uint16_t with = 0;                    // in this run: flags, and those that they have of the task that runs the graph
  std::unique_ptr<const char*[]> data;  // of the i-th

  size_t body_bytes() const { return bytes + (flags & runtime::kTaskKmp ? 0 : sizeof(runtime::GompBody)); }
};

// The record of a construct and a graph_id.
class TaskGraph {
 public:
  // Takes over what was taken down.
  void record(runtime::Taken&& taken);
  void discard();
  bool is_recorded() const { return recorded_; }
  // Why it does not fit what was taken down now; nullptr: it does. Writes the task's number.
  const char* misfit(const runtime::Taken& now, size_t* task) const;
  // Runs each task, in the group `c` or, with nogroup, in none. Returns when all have run.
  void run(runtime::Worker* w, runtime::Capture& c, runtime::Caller caller);

  // To run its tasks in, one after the other, as a child of what runs on the thread.
  runtime::Task* new_task(runtime::Worker* w) const;

  int64_t id = 0;
  std::vector<int64_t> values;    // of a run that the compiler has found: all of which it depends on,
  uint64_t met = 0;               // and when it was met last; under the lock of its construct
  bool chooses = false;           // who runs it is chosen by what that took
  const char* refused = nullptr;  // why it cannot be recorded
  bool busy = false;              // somebody records or runs it; under the lock of its construct
  bool stale = false;             // is to be discarded by who has it next; under the lock, too

 private:
  void make_graph();
  void run_in_order(runtime::Worker* w, runtime::Capture& c, runtime::Caller caller);
  const std::vector<runtime::Dependence>& outside();

  bool recorded_ = false;
  runtime::Taken taken_;
  std::vector<runtime::Dependence> outside_;  // each address and mode once; empty until somebody asks
  std::vector<TaskClass> classes_;            // as taken_.kinds
  std::unique_ptr<RunnableGraph> graph_;      // until several threads are to run it there is none
  size_t body_bytes_ = 0;                     // of the largest of its tasks
  schedule::GraphTimes times_;
  bool nogroup_ = false;                 // in this run,
  runtime::Taskgroup* group_ = nullptr;  // where the tasks are in this group
};

// What a program holds for a construct: ompx_taskgraph of einkorn/taskgraph.h.
struct TaskGraphHandle {
  const char* name;
  std::atomic<struct TaskGraphs*> graphs;
};

struct OpenTaskGraph;

// As ompx_taskgraph_begin() and _end(). nullptr: the tasks have run, or will, without the program's code.
OpenTaskGraph* taskgraph_begin(TaskGraphHandle& handle, int64_t id, unsigned flags, runtime::Caller caller);
// The same of a run of tasks that follows from these values (ek_tasks_begin()). (OpenTaskGraph*)1: its tasks are
// ordinary ones, and nothing is to be ended.
OpenTaskGraph* tasks_begin(TaskGraphHandle& handle, const int64_t* values, int count, runtime::Caller caller);
void taskgraph_end(OpenTaskGraph* open, runtime::Caller caller);
const char* taskgraph_why_not(TaskGraphHandle& handle, int64_t id);
void taskgraph_free(TaskGraphHandle& handle);

}  // namespace einkorn::codelet
