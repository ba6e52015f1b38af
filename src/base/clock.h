// Ticks: the time stamp counter where it is invariant, else nanoseconds of CLOCK_MONOTONIC.
#pragma once
#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace einkorn::inline base {

extern bool g_clock_is_tsc;  // set once by clock_init(), before the first stream exists

// Not inlined: keeps the path with the counter short.
__attribute__((noinline, cold)) inline uint64_t now_by_clock() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return uint64_t(ts.tv_sec) * 1000000000ull + uint64_t(ts.tv_nsec);
}

inline uint64_t ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(g_clock_is_tsc, 1)) return __rdtsc();
#endif
  return now_by_clock();
}

// A time in nanoseconds, in ticks, to 0.1 %: multiplied by what clock_init() has found, once.
extern uint32_t g_ticks_in_1024_ns;
inline uint64_t in_ticks(uint64_t ns) { return ns * g_ticks_in_1024_ns / 1024; }

void clock_init();  // measures the tick rate against CLOCK_MONOTONIC_RAW for about 1 ms, or reads it from CPUID
uint64_t ticks_per_second();  // after clock_init()

}  // namespace einkorn::inline base
