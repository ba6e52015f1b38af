// What the runtime needs of compiler, processor and kernel: hints, invariant checks, fences, futex.
#pragma once
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/leaks.h"
#include "base/clock.h"
#ifdef EINKORN_ASSERT
#include <ctime>
#include <new>
#include "record/stream.h"  // before: its types are the recorder's as well
#include "base/delays.h"
#endif

#define EK_LIKELY(x) __builtin_expect(!!(x), 1)
#define EK_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EK_NOINLINE __attribute__((noinline, cold))
#define EK_EXPORT extern "C" __attribute__((visibility("default")))

// The parts that depend on machine code: entry points that reach rare cases by jumps, and so need no frame (abi), and a
// counter's addition in one instruction (add()). For optimised builds on x86, where calls in tail position are jumps;
// not under a sanitizer, which would not see through them. The rest of the fast path is in every build.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(EINKORN_ASSERT)
#define EK_TAIL_JUMPS 1
#else
#define EK_TAIL_JUMPS 0
#endif
// Marks a function that an entry point reaches by a jump, with its arguments unchanged: EK_CALLER in it is the entry
// point's. Where the jump would be a call, the function is inlined into the entry point.
#if EK_TAIL_JUMPS
#define EK_JUMPED_TO __attribute__((noinline))
#else
#define EK_JUMPED_TO __attribute__((always_inline)) inline
#endif

// Invariants, checked in debug and ThreadSanitizer builds (-DEINKORN_ASSERT).
#ifdef EINKORN_ASSERT
#define EK_ASSERT(x) \
  ((x) ? void(0)     \
       : (std::fprintf(stderr, "einkorn: broken invariant %s at %s:%d\n", #x, __FILE__, __LINE__), std::abort()))
#else
#define EK_ASSERT(x) ((void)0)
#endif

namespace einkorn::inline base {

inline constexpr size_t kCacheLine = 64;

// aarch64: isb, not yield, which almost all of its processors take for nothing. isb empties the pipeline: some tens of
// cycles, as many as a pause of x86 takes, so that what tunables.h counts in pauses is about as long here.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

inline void pause(int times) {
  for (int i = 0; i < times; ++i) pause();
}

// Prefetches a line that will soon be written. Not __builtin_prefetch(at, 1), which prefetches for reading unless
// compiled for newer CPUs only; on older CPUs this is a no-op.
inline void fetch_to_write(const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

// Asymmetric Dekker: the frequent side pays a compiler barrier (light_fence), the rare side makes every running thread
// of the process pass a full barrier (heavy_fence, membarrier(2)). Together they order a store before a later load on
// both sides, as two seq_cst fences would, also on processors that keep no order of their own: the kernel's barrier
// falls between two instructions of each of the others, and orders all before it with all behind it. Where the kernel
// has no membarrier (or under ThreadSanitizer, which does not know it) both are seq_cst fences. The kernel may stop
// offering it: a program forbids itself the call (seccomp). Regions that begin after that was noticed are `fenced`:
// both sides pass full fences in them (Team::fenced; code that may skip even light_fence() obeys it, too). Regions that
// began before go on without fences; for them heavy_fence() waits instead: see platform.cpp.
extern std::atomic<bool>
    g_asymmetric;  // set by fences_init(), before any thread of ours exists; may turn false later, never true again
// Relaxed: a thread that reads the old value passes light fences a moment longer, which heavy_fence() outlasts.
inline bool is_asymmetric() { return g_asymmetric.load(std::memory_order_relaxed); }
void fences_init();
void heavy_fence();

// A full barrier. Not atomic_thread_fence, which gcc refuses under ThreadSanitizer; a locked instruction is also twice
// as fast as the mfence that gcc 12 emits for it.
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

// Does ThreadSanitizer or the model checker watch each access to an atomic? Then the fast path uses plain atomic
// operations, and has the fence that fenced teams need: what is in the other branches of `if constexpr (kWatched)` is
// run by neither, only by stress tests.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kWatched = true;
#else
inline constexpr bool kWatched = false;
#endif

// light_fence() of the fast path. A fenced team does not take the fast path, so nothing need be tested here. Under
// kWatched it does take it: under ThreadSanitizer all teams are fenced.
inline void fast_fence() {
  if constexpr (kWatched) light_fence();
  else std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Sleeps while *word == expected; spurious returns happen. timeout_ns < 0: no limit.
void futex_wait(std::atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns = -1);
void futex_wake(std::atomic<uint32_t>* word, int count);
// Sleeps while both words have their expected values. On kernels before 5.16, which have no such call, g_waits_for_two
// is false and this returns from time to time.
void futex_wait_either(std::atomic<uint32_t>* word, uint32_t expected, std::atomic<uint32_t>* other,
                       uint32_t other_expected, int64_t timeout_ns = -1);
extern bool g_waits_for_two;  // set once by fences_init()

extern bool g_warnings;  // false: warn() says nothing (KMP_WARNINGS)
// Message on stderr; the program cannot go on.
[[noreturn]] EK_NOINLINE __attribute__((format(printf, 1, 2))) void fatal(const char* format, ...);
EK_NOINLINE __attribute__((format(printf, 1, 2))) void warn(const char* format, ...);
// Begin as the compiler's own library does, for scripts and tests that look for its words: "libgomp: ",
// "OMP: Warning #number: ".
[[noreturn]] EK_NOINLINE __attribute__((format(printf, 1, 2))) void fatal_libgomp(const char* format, ...);
EK_NOINLINE __attribute__((format(printf, 1, 2))) void warn_libgomp(const char* format, ...);
EK_NOINLINE __attribute__((format(printf, 2, 3))) void warn_libomp(int number, const char* format, ...);

// Memory for structures that live as long as the process; never returns nullptr (fatal instead). Cache-line aligned,
// zeroed.
void* allocate(size_t bytes);
void* try_allocate(size_t bytes);  // nullptr: there is none
void release(void* p, size_t bytes);

}  // namespace einkorn::inline base
