// What the runtime needs of compiler, processor and kernel: hints, invariant checks, fences, futex.
#pragma once
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "memory/leaks.h"
#include "record/clock.h"
#ifdef EINKORN_ASSERT
#include <ctime>
#include <new>
#include "record/stream.h"  // before: its types are the recorder's as well
#include "runtime/delays.h"
#endif

#define EK_LIKELY(x) __builtin_expect(!!(x), 1)
#define EK_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EK_NOINLINE __attribute__((noinline, cold))
#define EK_EXPORT extern "C" __attribute__((visibility("default")))

// Shorter ways through what fine tasks do most, for optimised builds of x86 without a sanitizer (which would not see through
// them). They rely on calls in tail position being jumps.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(EINKORN_ASSERT)
#define EK_FAST_PATHS 1
#else
#define EK_FAST_PATHS 0
#endif

// Invariants, checked in debug and ThreadSanitizer builds (-DEINKORN_ASSERT).
#ifdef EINKORN_ASSERT
#define EK_ASSERT(x) \
  ((x) ? void(0) : (std::fprintf(stderr, "einkorn: broken invariant %s at %s:%d\n", #x, __FILE__, __LINE__), std::abort()))
#else
#define EK_ASSERT(x) ((void)0)
#endif

namespace einkorn::runtime {

inline constexpr size_t kCacheLine = 64;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

inline void pause(int times) {
  for (int i = 0; i < times; ++i) pause();
}

inline uint64_t ticks() { return record::now(); }

// Brings a line that will soon be written. Not __builtin_prefetch(at, 1), which is for reading unless compiled for newer CPUs
// only; older ones take this for a no-op.
inline void fetch_to_write(const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

// Asymmetric Dekker: the frequent side pays a compiler barrier (light_fence), the rare side makes every running thread of
// the process pass a full barrier (heavy_fence, membarrier(2)). Together they order a store before a later load on both
// sides, as two seq_cst fences would. Where the kernel has no membarrier (or under ThreadSanitizer, which does not know
// it) both are seq_cst fences.
// The kernel may stop offering it: a program forbids itself the call (seccomp). Regions that begin after that was noticed
// are `fenced`: both sides pass full fences there (Team::fenced, and who may skip even light_fence() goes by it, too). In
// regions that run on from before, whose threads pass none, heavy_fence() takes its time: see platform.cpp.
extern std::atomic<bool> g_asymmetric;  // set by fences_init(), before any thread of ours exists; may fall, never rises again
inline bool is_asymmetric() { return g_asymmetric.load(std::memory_order_relaxed); }
void fences_init();
void heavy_fence();

// A full barrier. Not atomic_thread_fence, which gcc refuses under ThreadSanitizer; a locked instruction is also twice as
// fast as the mfence that gcc 12 emits for it.
inline void full_fence() {
#if defined(__x86_64__)
  asm volatile("lock; orl $0, (%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// The same where an atomic read-modify-write came just before, which on x86 is such a barrier.
inline void fence_after_update() {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  full_fence();
#endif
}

inline void light_fence() {
  if (EK_LIKELY(is_asymmetric())) std::atomic_signal_fence(std::memory_order_seq_cst);
  else full_fence();
}

// Sleeps while *word == expected; spurious returns happen. timeout_ns < 0: no limit.
void futex_wait(std::atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns = -1);
void futex_wake(std::atomic<uint32_t>* word, int count);
// Sleeps while both words are what is expected of them. On kernels before 5.16, which have no such call, it returns from
// time to time: g_waits_for_two is false then.
void futex_wait_either(std::atomic<uint32_t>* word, uint32_t expected, std::atomic<uint32_t>* other, uint32_t other_expected,
                       int64_t timeout_ns = -1);
extern bool g_waits_for_two;  // set once by fences_init()

// Message on stderr; the program cannot go on.
[[noreturn]] EK_NOINLINE __attribute__((format(printf, 1, 2))) void fatal(const char* format, ...);
EK_NOINLINE __attribute__((format(printf, 1, 2))) void warn(const char* format, ...);
// As libomp begins its warnings: "OMP: Warning #number: ".
EK_NOINLINE __attribute__((format(printf, 2, 3))) void warn_libomp(int number, const char* format, ...);

// Memory for structures that live as long as the process; never returns nullptr (fatal instead). Cache-line aligned, zeroed.
void* allocate(size_t bytes);
void* try_allocate(size_t bytes);  // nullptr: there is none
void release(void* p, size_t bytes);

}  // namespace einkorn::runtime
