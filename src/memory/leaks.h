// What a program's LeakSanitizer has to know of memory from mmap(2): it looks for pointers in memory from malloc, in variables
// and on stacks, and calls what only a task's data or one of our lists points to a leak.
#pragma once
#include <cstddef>

extern "C" {
// The sanitizer's own, where there is one in the process.
__attribute__((weak)) void __lsan_register_root_region(const void* p, size_t bytes);
__attribute__((weak)) void __lsan_unregister_root_region(const void* p, size_t bytes);
}

namespace einkorn::memory {

inline void leaks_look_in(const void* p, size_t bytes) {
  if (__builtin_expect(__lsan_register_root_region != nullptr, 0)) __lsan_register_root_region(p, bytes);
}
// Of exactly what was told before.
inline void leaks_look_no_more_in(const void* p, size_t bytes) {
  if (__builtin_expect(__lsan_unregister_root_region != nullptr, 0)) __lsan_unregister_root_region(p, bytes);
}

}  // namespace einkorn::memory
