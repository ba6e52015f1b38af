// Running a graph on the threads of OpenMP's teams.
#pragma once
#include <memory>
#include <vector>

#include "codelet/run.h"
#include "codelet/use.h"
#include "runtime/task/blocks.h"
#include "schedule/runs.h"

namespace einkorn::codelet {

// While it lives the thread takes part in a run, for which it may have a task (taskgraph.cpp).
class FiredTask {
 public:
  explicit FiredTask(runtime::Worker* w) : w_(w), outer_(std::exchange(w->fired_task, nullptr)) {}
  ~FiredTask() {
    if (EK_UNLIKELY(w_->fired_task != nullptr)) free_block(w_, w_->fired_task);
    w_->fired_task = outer_;
  }
  FiredTask(const FiredTask&) = delete;

 private:
  runtime::Worker* w_;
  runtime::Task* outer_;
};

// What a program holds: a graph, and seats for those who run it.
class RunnableGraph {
 public:
  explicit RunnableGraph(const char* name) : graph(name) {}
  // As ek_graph_run(): 0, EINVAL, EBUSY. caller: of it, for the recorder. here: by the team that there is, also outside
  // of regions.
  int run(runtime::Caller caller, bool here = false);
  // As ek_graph_free(): at once, or at the end of the run that has it.
  static void free(RunnableGraph* g);

  Graph graph;

 private:
  friend struct TeamRun;
  Seat* const* seats_for(int threads, bool fenced);

  std::vector<std::unique_ptr<Seat>> seats_;
  std::vector<Seat*> list_;
  const uint32_t* sites_for(runtime::Worker* w);

  // In the recording, of that generation of numbers: the graph's number, and the sites of its classes.
  uint32_t generation_ = 0, number_ = 0;
  std::vector<uint32_t> sites_;

  uint64_t lasted_ = ~uint64_t(0);  // the run before, ticks; at first nobody knows
  schedule::RunTimes times_;
  Use use_;
};

}  // namespace einkorn::codelet
