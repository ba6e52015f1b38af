// What the initial thread does outside of regions: nothing of OpenMP's happens there, so the recorder sees none of it.
// The kernel notes where the thread is, every 2 ms of its CPU time, with the callers that frame pointers lead to and
// the top of its stack, in a ring that the writer empties: no signal, no call of the program's, no file descriptor that
// stays. Within regions, too (to switch it off and on would cost two system calls a region); a reader drops those. A
// sample costs some microseconds, which is a fifth of a percent. Where the kernel does not allow it there are none.
#pragma once
#include <cstddef>
#include <cstdint>
#include "record/modules.h"

namespace einkorn::record {

class SerialSamples {
 public:
  // By the initial thread.
  void open();
  // In a child of fork, which has no copy of the ring.
  void forget() { ring_ = nullptr; }
  // By the writer. Moves samples from the ring to `out`, as SampleRecords with addresses behind each: those in modules
  // only. Returns the bytes; 0: there is none.
  size_t take(char* out, size_t room, const ModuleMap&);

 private:
  static constexpr uint64_t kEveryNs = 2'000'000;
  static constexpr uint32_t kStackBytes = 512;  // of the top of the stack
  static constexpr uint32_t kMostCallers = 16, kMostAddresses = 32;

  void read(uint64_t at, void* to, size_t bytes) const;

  char* ring_ = nullptr;  // the kernel's page, and the data behind it
  uint64_t bytes_ = 0;    // of data, a power of two
};

}  // namespace einkorn::record
