// The memory that tasks said they touch, range by range: what Footprint has the sums of. For who places data anew (src/simulate).
#pragma once
#include <cstdint>
#include <vector>

namespace einkorn::profile {

// One range of memory that a task said it touches, or where the program wanted it to run.
struct Touch {
  uint64_t address = 0, bytes = 0;
  uint32_t grain = 0;       // index of Profile::grains
  uint8_t access = 0;       // 1 reads, 2 writes, 3 both; 0: `address` is a memory node, that the program named for the task
  bool estimated = false;   // the length: to the next address that any task named; with bytes 0 even that is left to the reader
};

}  // namespace einkorn::profile
