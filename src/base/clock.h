// Ticks: the processor's counter (x86: the time stamp counter, where it is invariant; aarch64: the virtual counter),
// else nanoseconds of CLOCK_MONOTONIC.
#pragma once
#include <cstdint>
#include <ctime>

namespace einkorn::inline base {

extern bool g_clock_is_counter;  // set once by clock_init(), before the first stream exists

// Not inlined: keeps the path with the counter short.
__attribute__((noinline, cold)) inline uint64_t now_by_clock() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return uint64_t(ts.tv_sec) * 1000000000ull + uint64_t(ts.tv_nsec);
}

inline uint64_t read_counter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  // Without an isb before it, as rdtsc without a fence: it may be read some tens of cycles early, which is less than
  // the counter of most of these processors can tell.
  uint64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  return now_by_clock();
#endif
}
inline uint64_t ticks() { return __builtin_expect(g_clock_is_counter, 1) ? read_counter() : now_by_clock(); }

// A time in nanoseconds, in ticks, to 0.1 % and down to the tick: multiplied by what clock_init() has found, once. 2^20
// ns, since the counters of many Arm processors do 24 or 25 ticks in a microsecond; for times of up to an hour.
extern uint32_t g_ticks_in_2_20_ns;
inline uint64_t in_ticks(uint64_t ns) { return ns * g_ticks_in_2_20_ns >> 20; }

// Reads the tick rate from where the processor states it (CPUID, cntfrq_el0), or, on x86, measures it against
// CLOCK_MONOTONIC_RAW for about 1 ms.
void clock_init();
uint64_t ticks_per_second();  // after clock_init()

// The same for decisions on what is short, in programs that are not recorded: from the first use on, which takes up to
// 50 us once. A region of codelets is timed by four readings: by clock_gettime() these were a twentieth of it.
struct ShortTimes {
  bool by_counter;
  uint64_t in_us;  // units of now() in a microsecond, to some percent

  uint64_t now() const { return __builtin_expect(by_counter, 1) ? read_counter() : now_by_clock(); }
};
const ShortTimes& short_times();

}  // namespace einkorn::inline base
