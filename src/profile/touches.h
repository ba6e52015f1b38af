// The memory that tasks declared, range by range; Footprint has the sums. src/simulate needs it to distribute data
// anew.
#pragma once
#include <cstdint>
#include <vector>

namespace einkorn::profile {

// One range of memory that a task declared, or the node on which the program wanted it to run.
struct Touch {
  uint64_t address = 0, bytes = 0;
  uint32_t grain = 0;  // index of Profile::grains
  uint8_t access = 0;  // 1 reads, 2 writes, 3 both; 0: `address` is a memory node that the program named for the task
  bool estimated = false;  // the length is estimated: up to the next address that any task named; if bytes is 0, the
                           // reader must estimate it
};

}  // namespace einkorn::profile
