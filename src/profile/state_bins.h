// Where each thread's time went, in bins of equal length: what a picture of a long recording can show. Small whatever
// the recording holds: at most kMostStateBins bins per thread.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

// Fills StateBins from intervals, in the order of each thread. The length of the recording need not be known: if the
// bins do not suffice, two become one. Threads are independent of each other.
class StateBinsBuilder {
 public:
  void add(uint32_t thread, State, int64_t begin, int64_t end);
  StateBins finish(size_t threads,
                   int64_t end);  // `threads`: number of rows; a thread of which nothing is known has an empty one

 private:
  struct Row {
    int64_t bin_ns = 1024;
    std::vector<StateBin> bins;
    void add(State, int64_t begin, int64_t end);
    void coarsen();
  };
  std::vector<Row> rows_;
};

}  // namespace einkorn::profile
