// Between the runtime and the library that stands before a program's malloc() (src/allocations): `einkorn run` loads it
// where hints place memory, or where a recording is to say who allocates it. The runtime looks for
// `einkorn_allocations` in the process when it starts; until then, and without it, the library only passes calls on.
#pragma once
#include <cstddef>
#include <cstdint>

namespace einkorn::inline base {

// Of smaller blocks nothing is told: malloc() gives memory of its own only to those from here on, and smaller ones
// share their pages with others.
inline constexpr size_t kLeastAllocation = 128 << 10;

// Called by the thread that allocates, with the program's errno saved. What they call may allocate: that is not told.
struct AllocationHost {
  // return_address: of the call of malloc() or the like. is_empty: nothing is in it, or zeros (calloc); of realloc()
  // false.
  void (*made)(void* block, size_t bytes, const void* return_address, bool is_empty);
  // Any block that is about to be freed; errno is not saved. nullptr: nobody wants to know.
  void (*gone)(void* block);
};

struct AllocationLibrary {
  uint32_t version;
  void (*start)(const AllocationHost*);
  struct Answer {
    const char* name;
    void* function;
  } answers[2];  // functions of the library, which the program's calls should find
};
inline constexpr uint32_t kAllocationLibraryVersion = 1;
inline constexpr const char* kAllocationLibrarySymbol = "einkorn_allocations";

}  // namespace einkorn::inline base
