// Replaces src/base/platform.h: the runtime's sources that are compiled with it run in the model checker unchanged.
// Every std::atomic from here on is the model's.
#pragma once
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>  // headers that name the real std::atomic
#include <new>
#include <sched.h>
#include <sys/rseq.h>
#include <vector>

#include "base/clock.h"
#include "model/model.h"

// A system call, millions of times, for nothing: who else could run here?
inline int no_yield() { return 0; }
#define sched_yield no_yield

#define EK_LIKELY(x) __builtin_expect(!!(x), 1)
#define EK_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EK_NOINLINE __attribute__((noinline))
#define EK_TAIL_JUMPS 0
#define EK_EXPORT extern "C"
#ifdef EINKORN_TIMED
#define EK_ASSERT(x) static_cast<void>(0)  // what ships does not check
#else
#define EK_ASSERT(x) ((x) ? void(0) : model::fail("broken invariant %s at %s:%d", #x, __FILE__, __LINE__))
#endif

namespace std {
template <class T>
using einkorn_modelled_atomic = model::Atomic<T>;
}
#define atomic einkorn_modelled_atomic

namespace einkorn::inline base {

inline constexpr size_t kCacheLine = 64;

inline void pause() { model::pause(); }
inline void pause(int times) { model::pause(times); }
inline void full_fence() { model::full_fence(); }
// false: as if membarrier failed. The change is not modelled: a test makes it when no thread is between a store and its
// fence.
inline bool g_asymmetric = true;
inline bool is_asymmetric() { return g_asymmetric; }
inline void light_fence() {
  if (!is_asymmetric()) model::full_fence();
  // Otherwise a compiler barrier: the processor may still delay the stores before it.
}
inline constexpr bool kWatched = true;
inline void fast_fence() { light_fence(); }
inline bool g_updates_are_fences = false;  // by a test's wish, under weak memory too: to see that this is caught
// Under TSO the update has flushed the buffer already.
inline void fence_after_update() {
  if (model::memory() == model::Memory::weak && !g_updates_are_fences) model::full_fence();
}
inline void fetch_to_write(const void* at) { model::prefetch(at); }
void fences_init();
inline void heavy_fence() { model::heavy_fence(); }

inline void futex_wait(model::Atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns = -1) {
  model::futex_wait(word, expected, timeout_ns);
}
inline constexpr bool g_waits_for_two = true;
inline void futex_wait_either(model::Atomic<uint32_t>* word, uint32_t expected, model::Atomic<uint32_t>* other,
                              uint32_t other_expected, int64_t timeout_ns = -1) {
  model::futex_wait(word, expected, timeout_ns, other, other_expected);
}
inline void futex_wake(model::Atomic<uint32_t>* word, int count) { model::futex_wake(word, count); }

#define fatal(...) model::fail(__VA_ARGS__)
inline void warn(const char*, ...) {}

inline void* allocate(size_t bytes) { return model::arena(bytes); }
inline void* try_allocate(size_t bytes) { return model::arena(bytes); }
// Clears it, so that a late reader finds nothing.
inline void release(void* p, size_t bytes) { std::memset(p, 0, bytes); }

}  // namespace einkorn::inline base
