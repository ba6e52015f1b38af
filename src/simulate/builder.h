// Makes a Program: steps are added to tasks in any order and stand together in the end.
#pragma once
#include <utility>

#include "simulate/types.h"

namespace einkorn::simulate {

class Builder {
 public:
  explicit Builder(std::string name);

  static constexpr uint32_t kInitial = 0;  // the initial task
  // A region of so many members, met by `task` here; its first member. The members' last barriers come with finish().
  uint32_t region(uint32_t task, uint32_t members);
  // memory: Step::memory.
  void compute(uint32_t task, double ns, float memory = 0) {
    Step s{StepKind::compute, kNone, ns, 0, 0};
    s.memory = memory;
    add(task, s);
  }
  void compute(uint32_t task, double ns, const std::vector<Access>& accesses);
  void compute(uint32_t task, double ns, const Access* first, uint32_t count);
  // The latest step, a compute one, or the latest chunk takes or releases a lock, after so many ns of it; in order.
  uint32_t lock() { return program_.locks++; }
  void lock_point(double at, uint32_t lock, bool taken, bool in_chunk = false);
  // The latest chunk posts that signal, or waits for it; in order with its lock points.
  void step_point(double at, uint32_t signal, bool awaits) {
    lock_point(at, signal, awaits, true);
    program_.lock_points.back().step = true;
  }
  uint32_t set() { return program_.sets++; }  // of tasks that exclude each other
  void exclude(uint32_t task, uint32_t set) { exclusive_.emplace_back(task, set); }
  Region& latest_region() { return program_.regions.back(); }
  uint32_t fork(uint32_t parent, bool undeferred = false);  // a new task, created here
  void wait(uint32_t task) { add(task, {StepKind::wait_children, kNone, 0, 0, 0}); }
  uint32_t group() { return program_.groups++; }  // task(t).group puts a task into it
  void wait_group(uint32_t task, uint32_t g, uint32_t source = kNone) {
    add(task, {StepKind::wait_group, g, 0, 0, 0, source});
  }
  void barrier(uint32_t member, uint32_t source = kNone) { add(member, {StepKind::barrier, kNone, 0, 0, 0, source}); }
  // The latest step that was added; and a taskgroup that begins before a step that is a fork.
  size_t latest() const { return steps_.size() - 1; }
  void open_group_before(size_t step) { ++steps_[step].second.opens; }
  // `next`, created after `task`, depends on it. Said twice it counts once.
  void depend(uint32_t task, uint32_t next) { edges_.emplace_back(task, next); }
  uint32_t data(uint64_t bytes, int node = -1);
  uint32_t loop(LoopSchedule schedule);  // its chunks follow: no other loop's between them
  void chunk(double ns, const std::vector<Access>& accesses = {});
  void chunk(double ns, float memory, uint64_t iterations = 1) {
    chunk(ns);
    program_.chunks.back().memory = memory, program_.chunks.back().iterations = iterations;
  }
  Loop& latest_loop() { return program_.loops.back(); }
  Chunk& latest_chunk() { return program_.chunks.back(); }
  std::vector<LockPoint>& lock_points() { return program_.lock_points; }
  void take_data(std::vector<Data> data, std::vector<uint64_t> blocks) {
    program_.data = std::move(data), program_.blocks = std::move(blocks);
  }
  // Where in Program::accesses the latest step's begin.
  uint32_t latest_access() const { return steps_.back().second.first_access; }
  uint32_t signal() { return program_.signals++; }
  void post(uint32_t member, uint32_t signal) { add(member, {StepKind::post, signal, 0, 0, 0}); }
  void await(uint32_t member, uint32_t signal) { add(member, {StepKind::await, signal, 0, 0, 0}); }
  // `task` gives a signal here, to whom aim() says, who may not be there yet; nothing happens where it never does.
  size_t release(uint32_t task) {
    add(task, {StepKind::release, kNone, 0, 0, 0});
    return latest();
  }
  void aim(size_t release, uint32_t firing) {
    steps_[release].second.ref = firing;
    ++program_.tasks[firing].predecessors, ++program_.tasks[firing].signals;
  }
  void run_loop(uint32_t member, uint32_t loop) { add(member, {StepKind::loop, loop, 0, 0, 0}); }
  Task& task(uint32_t t) { return program_.tasks[t]; }

  Program finish();

 private:
  void add(uint32_t task, const Step& s) { steps_.emplace_back(task, s); }
  uint32_t keep(const Access* first, size_t count);
  Program program_;
  std::vector<std::pair<uint32_t, Step>> steps_;
  std::vector<std::pair<uint32_t, uint32_t>> edges_, exclusive_;
};

}  // namespace einkorn::simulate
