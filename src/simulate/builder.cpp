#include "simulate/builder.h"

#include <algorithm>

namespace einkorn::simulate {

Builder::Builder(std::string name) {
  program_.name = std::move(name);
  Task initial;
  initial.explicit_task = false;
  program_.tasks.push_back(initial);
}

uint32_t Builder::region(uint32_t task, uint32_t members) {
  const auto first = uint32_t(program_.tasks.size());
  add(task, {StepKind::region, uint32_t(program_.regions.size()), 0, 0, 0});
  program_.regions.push_back({first, members});
  for (uint32_t i = 0; i < members; ++i) {
    Task t;
    t.explicit_task = false;
    t.depth = program_.tasks[task].depth;
    t.parent = task;
    program_.tasks.push_back(t);
  }
  return first;
}

uint32_t Builder::keep(const Access* first, size_t count) {
  const auto begin = uint32_t(program_.accesses.size());
  program_.accesses.insert(program_.accesses.end(), first, first + count);
  return begin;
}

void Builder::compute(uint32_t task, double ns, const Access* first, uint32_t count) {
  add(task, {StepKind::compute, kNone, ns, keep(first, count), count});
}

void Builder::compute(uint32_t task, double ns, const std::vector<Access>& accesses) {
  compute(task, ns, accesses.data(), uint32_t(accesses.size()));
}

void Builder::lock_point(double at, uint32_t lock, bool taken, bool in_chunk) {
  uint32_t& first = in_chunk ? program_.chunks.back().locks : steps_.back().second.ref;
  if (first == kNone) first = uint32_t(program_.lock_points.size());
  else program_.lock_points.back().last = false;
  program_.lock_points.push_back({at, lock, taken, true});
}

uint32_t Builder::fork(uint32_t parent, bool undeferred) {
  const auto t = uint32_t(program_.tasks.size());
  Task task;
  task.parent = parent;
  task.depth = program_.tasks[parent].depth + 1;
  task.undeferred = undeferred;
  program_.tasks.push_back(task);
  add(parent, {StepKind::fork, t, 0, 0, 0});
  return t;
}

uint32_t Builder::data(uint64_t bytes, int node) {
  program_.data.push_back({bytes, node});
  return uint32_t(program_.data.size() - 1);
}

uint32_t Builder::loop(LoopSchedule schedule) {
  Loop loop;
  loop.first_chunk = uint32_t(program_.chunks.size());
  loop.schedule = schedule;
  program_.loops.push_back(loop);
  return uint32_t(program_.loops.size() - 1);
}

void Builder::chunk(double ns, const std::vector<Access>& accesses) {
  const uint32_t first = keep(accesses.data(), accesses.size());
  program_.chunks.push_back({ns, first, uint32_t(accesses.size()), 0, kNone, 1, 0});
  ++program_.loops.back().chunks;
}

Program Builder::finish() {
  for (const Region& r : program_.regions)
    for (uint32_t m = r.first_member; m < r.first_member + r.members; ++m) barrier(m);
  std::erase_if(steps_, [](auto& s) { return s.second.kind == StepKind::release && s.second.ref == kNone; });
  std::stable_sort(steps_.begin(), steps_.end(), [](auto& a, auto& b) { return a.first < b.first; });
  program_.steps.reserve(steps_.size());
  for (auto& [task, step] : steps_) {
    Task& t = program_.tasks[task];
    if (t.steps++ == 0) t.first_step = uint32_t(program_.steps.size());
    program_.steps.push_back(step);
  }
  std::sort(exclusive_.begin(), exclusive_.end());
  for (const auto& [task, set] : exclusive_) {
    Task& t = program_.tasks[task];
    if (t.sets++ == 0) t.first_set = uint32_t(program_.exclusive.size());
    program_.exclusive.push_back(set);
  }
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  for (auto [from, to] : edges_) {
    Task& t = program_.tasks[from];
    if (t.successors++ == 0) t.first_successor = uint32_t(program_.successors.size());
    program_.successors.push_back(to);
    ++program_.tasks[to].predecessors;
  }
  return std::move(program_);
}

}  // namespace einkorn::simulate
