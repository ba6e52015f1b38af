// Tasks and chunks that were counted, and not recorded one by one (record --depth, --filter, full buffers), in a
// replay: as many tasks as were executed below a recorded grain, which share the work that was counted there. The grain
// makes them behind its first stretch, and they are waited for where it first waits.
#pragma once
#include <unordered_map>
#include <vector>

#include "profile/types.h"
#include "simulate/builder.h"

namespace einkorn::simulate {

class CountedTasks {
 public:
  explicit CountedTasks(const profile::Profile& p);

  // Behind a node of that grain, a task or an implicit one: makes its tasks, the first time.
  void make(Builder& b, uint32_t grain, uint32_t task);
  // The task waits for what it has made: in `group`, which is made where it has none.
  void wait(Builder& b, uint32_t task, uint32_t& group);

 private:
  struct Lot {
    uint64_t count;
    double each, longest;  // ns: of all but one; of that one
  };
  std::unordered_multimap<uint32_t, Lot> lots_;               // by grain
  std::unordered_map<uint32_t, std::vector<uint32_t>> open_;  // by task: those that it has made, and not waited for
};

}  // namespace einkorn::simulate
