// Into how many tasks a taskloop is split, and which iterations each of them has.
#pragma once
#include <cstdint>

namespace einkorn::schedule {

// What the program says: by grainsize or num_tasks (one of them 0, or both), strict or not. Lengths differ by at most
// one; strict grainsize: all but the last are exactly so long.
class TaskloopSplit {
 public:
  constexpr TaskloopSplit(uint64_t iterations, uint64_t grainsize, uint64_t num_tasks, bool strict, uint32_t threads)
      : iterations_(iterations) {
    if (iterations == 0) return;
    if (grainsize > 0) {
      // At least grainsize iterations a task, fewer than twice that; strict: exactly, but for the last task.
      tasks_ = iterations / grainsize;
      if (strict && iterations % grainsize) ++tasks_;
    } else {
      tasks_ = num_tasks > 0 ? num_tasks : uint64_t(threads) * kTasksPerThread;
    }
    if (tasks_ < 1) tasks_ = 1;
    if (tasks_ > iterations) tasks_ = iterations;
    const bool exact = strict && grainsize > 0;
    each_ = exact ? grainsize : iterations / tasks_;
    longer_ = exact ? 0 : iterations % tasks_;
  }
  constexpr uint64_t tasks() const { return tasks_; }
  // The nth of them: logical iterations [first, first + count).
  constexpr void piece(uint64_t n, uint64_t& first, uint64_t& count) const {
    first = n * each_ + (n < longer_ ? n : longer_);
    count = each_ + (n < longer_);
    if (count > iterations_ - first) count = iterations_ - first;
  }

 private:
  // With neither clause: enough for balance, few enough that creating them is cheap.
  static constexpr uint64_t kTasksPerThread = 8;

  uint64_t iterations_, tasks_ = 0, each_ = 0, longer_ = 0;
};

}  // namespace einkorn::schedule
