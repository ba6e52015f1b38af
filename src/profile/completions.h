// Detached tasks in the grain graph. Such a task is over when its code has ended and its event has been fulfilled: a
// joint stands for that, which follows the task's last node and the one with which the event was fulfilled. Its grain
// is the task (of any other joint it is the creator), and whoever waits for the task follows it.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#include "profile/raw.h"

namespace einkorn::profile {

class Completions {
 public:
  explicit Completions(const std::vector<RawFulfill>& fulfills) {
    for (const RawFulfill& f : fulfills)
      if (f.task != kNone) has_event_.insert(f.task);
  }
  bool has_event(uint32_t task) const { return has_event_.contains(task); }
  // The joint of a task, in Recording::tasks.
  void over(uint32_t task, uint32_t joint) { joint_of_[task] = joint; }
  // A task's event is fulfilled with that node; kNone: by who had done nothing yet.
  void fulfilled(uint32_t task, uint32_t node) {
    if (task != kNone && node != kNone) by_.emplace_back(task, node);
  }
  void add_to(std::vector<Edge>& edges) const {
    for (const auto& [task, node] : by_)
      if (auto at = joint_of_.find(task); at != joint_of_.end() && at->second != node)
        edges.push_back({node, at->second, EdgeKind::dependence});
  }

 private:
  std::unordered_set<uint32_t> has_event_;  // tasks
  std::unordered_map<uint32_t, uint32_t> joint_of_;
  std::vector<std::pair<uint32_t, uint32_t>> by_;
};

}  // namespace einkorn::profile
