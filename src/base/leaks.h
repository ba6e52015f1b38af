// Tells a program's LeakSanitizer about memory from mmap(2). It looks for pointers in memory from malloc, in variables
// and on stacks; without this it reports as leaked whatever only a task's data or one of our lists points to.
#pragma once
#include <cstddef>

extern "C" {
// The sanitizer's own functions, if the process has one.
__attribute__((weak)) void __lsan_register_root_region(const void* p, size_t bytes);
__attribute__((weak)) void __lsan_unregister_root_region(const void* p, size_t bytes);
}

namespace einkorn::inline base {

inline void leaks_look_in(const void* p, size_t bytes) {
  if (__builtin_expect(__lsan_register_root_region != nullptr, 0)) __lsan_register_root_region(p, bytes);
}
// For exactly a range that was registered before.
inline void leaks_look_no_more_in(const void* p, size_t bytes) {
  if (__builtin_expect(__lsan_unregister_root_region != nullptr, 0)) __lsan_unregister_root_region(p, bytes);
}

}  // namespace einkorn::inline base
