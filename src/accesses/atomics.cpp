// Atomic operations: -fsanitize=thread replaces them by calls, which must carry them out. All are sequentially
// consistent, which is as strong as any order that the program can ask for.
#include "accesses/library.h"
#include "accesses/writers.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define CALLER reinterpret_cast<uint64_t>(__builtin_return_address(0))

using namespace einkorn::accesses;

namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using u128 = unsigned __int128;
constexpr int kOrder = __ATOMIC_SEQ_CST;

inline void tell(const volatile void* p, uint32_t size, unsigned kind, uint64_t pc) {
  Table* t = t_table;
  if (!t) return;
  t->access(reinterpret_cast<uint64_t>(p), size, Access(kind), pc);
  if (kind & kStore) note_write(reinterpret_cast<uint64_t>(p), size, t->stream(), pc);
}

// Replaces the value by f of it. Returns the old value.
template <class T, class F>
T change(volatile T* p, F f) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, T(f(old)), true, kOrder, kOrder)) {}
  return old;
}
// For 16 bytes: cmpxchg16b (-mcx16), without libatomic. Loads use it, too: no other instruction is certain to load 16
// bytes at once.
template <class F>
u128 change(volatile u128* p, F f) {
  u128 old = 0;
  for (;;) {
    const u128 seen = __sync_val_compare_and_swap(p, old, f(old));
    if (seen == old) return old;
    old = seen;
  }
}

}  // namespace

#define COMMON(BITS, T)                                                                                 \
  EXPORT T __tsan_atomic##BITS##_fetch_add(volatile T* p, T v, int) {                                   \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return change(p, [v](T old) { return T(old + v); });                                                \
  }                                                                                                     \
  EXPORT T __tsan_atomic##BITS##_fetch_sub(volatile T* p, T v, int) {                                   \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return change(p, [v](T old) { return T(old - v); });                                                \
  }                                                                                                     \
  EXPORT T __tsan_atomic##BITS##_fetch_and(volatile T* p, T v, int) {                                   \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return change(p, [v](T old) { return T(old & v); });                                                \
  }                                                                                                     \
  EXPORT T __tsan_atomic##BITS##_fetch_or(volatile T* p, T v, int) {                                    \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return change(p, [v](T old) { return T(old | v); });                                                \
  }                                                                                                     \
  EXPORT T __tsan_atomic##BITS##_fetch_xor(volatile T* p, T v, int) {                                   \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return change(p, [v](T old) { return T(old ^ v); });                                                \
  }                                                                                                     \
  EXPORT T __tsan_atomic##BITS##_fetch_nand(volatile T* p, T v, int) {                                  \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return change(p, [v](T old) { return T(~(old & v)); });                                             \
  }                                                                                                     \
  EXPORT T __tsan_atomic##BITS##_exchange(volatile T* p, T v, int) {                                    \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return change(p, [v](T) { return v; });                                                             \
  }                                                                                                     \
  EXPORT int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* p, T* expected, T v, int, int) { \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return exchanged(p, expected, v);                                                                   \
  }                                                                                                     \
  EXPORT int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* p, T* expected, T v, int, int) {   \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    return exchanged(p, expected, v);                                                                   \
  }                                                                                                     \
  EXPORT T __tsan_atomic##BITS##_compare_exchange_val(volatile T* p, T expected, T v, int, int) {       \
    tell(p, sizeof(T), kLoad | kStore, CALLER);                                                         \
    exchanged(p, &expected, v);                                                                         \
    return expected;                                                                                    \
  }

#define PLAIN(BITS, T)                                               \
  EXPORT T __tsan_atomic##BITS##_load(const volatile T* p, int) {    \
    tell(p, sizeof(T), kLoad, CALLER);                               \
    return __atomic_load_n(p, kOrder);                               \
  }                                                                  \
  EXPORT void __tsan_atomic##BITS##_store(volatile T* p, T v, int) { \
    tell(p, sizeof(T), kStore, CALLER);                              \
    __atomic_store_n(p, v, kOrder);                                  \
  }

namespace {

template <class T>
int exchanged(volatile T* p, T* expected, T v) {
  return __atomic_compare_exchange_n(p, expected, v, false, kOrder, kOrder);
}
int exchanged(volatile u128* p, u128* expected, u128 v) {
  const u128 wanted = *expected, seen = __sync_val_compare_and_swap(p, wanted, v);
  if (seen == wanted) return 1;
  *expected = seen;
  return 0;
}

}  // namespace

COMMON(8, u8)
COMMON(16, u16)
COMMON(32, u32)
COMMON(64, u64)
COMMON(128, u128)
PLAIN(8, u8)
PLAIN(16, u16)
PLAIN(32, u32)
PLAIN(64, u64)

EXPORT u128 __tsan_atomic128_load(const volatile u128* p, int) {
  tell(p, 16, kLoad, CALLER);
  return change(const_cast<volatile u128*>(p), [](u128 old) { return old; });
}
EXPORT void __tsan_atomic128_store(volatile u128* p, u128 v, int) {
  tell(p, 16, kStore, CALLER);
  change(p, [v](u128) { return v; });
}

EXPORT void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(kOrder); }
EXPORT void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(kOrder); }
