// Plain accesses of code that was compiled with gcc's -fsanitize=thread, whose hooks these are: without its library.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "large/timed.h"
#include "model/model.h"

namespace {

void plain(const void* at, bool write) { large::plain_access(at, write); }

void plain_range(const void* at, unsigned long bytes, bool write) {
  const auto begin = uintptr_t(at), end = begin + bytes;
  for (uintptr_t line = begin & ~uintptr_t(63); line < end; line += 64)
    plain(reinterpret_cast<void*>(std::max(line, begin)), write);
}

}  // namespace

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
#define HOOKS(n)                                                \
  void __tsan_read##n(void* at) { plain(at, false); }           \
  void __tsan_write##n(void* at) { plain(at, true); }           \
  void __tsan_unaligned_read##n(void* at) { plain(at, false); } \
  void __tsan_unaligned_write##n(void* at) { plain(at, true); }
HOOKS(1) HOOKS(2) HOOKS(4) HOOKS(8) HOOKS(16) void __tsan_read_range(void* at, unsigned long n) {
  plain_range(at, n, false);
}
void __tsan_write_range(void* at, unsigned long n) { plain_range(at, n, true); }
// Atomics that the shadow does not replace: std::atomic_ref, and what a compiler offers.
#define ATOMICS(bits)                                                                             \
  uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t* at, int order) {                \
    return uint##bits##_t(model::detail::load(at, bits / 8, std::memory_order(order)));           \
  }                                                                                               \
  void __tsan_atomic##bits##_store(uint##bits##_t* at, uint##bits##_t value, int order) {         \
    model::detail::store(at, bits / 8, value, std::memory_order(order));                          \
  }                                                                                               \
  uint##bits##_t __tsan_atomic##bits##_fetch_add(uint##bits##_t* at, uint##bits##_t value, int) { \
    model::detail::begin_update(at, "add");                                                       \
    return std::exchange(*at, uint##bits##_t(*at + value));                                       \
  }                                                                                               \
  uint##bits##_t __tsan_atomic##bits##_exchange(uint##bits##_t* at, uint##bits##_t value, int) {  \
    model::detail::begin_update(at, "exchange");                                                  \
    return std::exchange(*at, value);                                                             \
  }
ATOMICS(8) ATOMICS(16) ATOMICS(32) ATOMICS(64) void __tsan_atomic_thread_fence(int) { model::full_fence(); }
void __tsan_atomic_signal_fence(int) {}
void __tsan_vptr_update(void** at, void*) { plain(at, true); }
void __tsan_vptr_read(void** at) { plain(at, false); }
}
