// Records of the grain file's blocks `samples` and `shared_lines` (format.h).
#pragma once
#include <cstdint>

namespace einkorn::record {

// Where the initial thread was at a time: `count` addresses follow. First the instruction, then callers as frame
// pointers lead to them, `callers` together; then words of the top of the stack that point into modules: perhaps return
// addresses.
struct SampleRecord {
  uint64_t monotonic_ns;  // CLOCK_MONOTONIC
  uint32_t callers, count;
};
static_assert(sizeof(SampleRecord) == 16);

// A cache line that several threads wrote, where memory accesses were counted.
struct SharedLineRecord {
  uint64_t address;  // of its first byte
  uint64_t moves;    // writes by another thread than the one that wrote before
  uint64_t pc[2];    // of the first two threads that wrote to it: return address of the hook's call of its latest write
  uint32_t thread[2];  // their streams
  uint16_t words[2];   // which words of four bytes each wrote, a bit each
  uint32_t reserved;
};
static_assert(sizeof(SharedLineRecord) == 48);
inline constexpr uint32_t kMostSharedLines = 256;  // those that moved most

}  // namespace einkorn::record
