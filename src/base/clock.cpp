#include "base/clock.h"
#include <cstdio>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace einkorn::inline base {

bool g_clock_is_counter = false;
uint32_t g_ticks_in_2_20_ns = 1u << 20;

namespace {

uint64_t g_ticks_per_second = 1000000000;

#if defined(__x86_64__)
uint64_t raw_ns() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
  return uint64_t(ts.tv_sec) * 1000000000ull + uint64_t(ts.tv_nsec);
}

// The kernel checks the counter against other clocks. If it has switched to one of the slow ones, it found that the
// counter stops or drifts between CPUs.
bool kernel_distrusts_tsc() {
  FILE* f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
  if (!f) return false;
  char name[32] = "";
  bool read = fgets(name, sizeof name, f) != nullptr;
  fclose(f);
  return read && (strncmp(name, "hpet", 4) == 0 || strncmp(name, "acpi_pm", 7) == 0 || strstr(name, "jiffies"));
}

bool invariant_tsc() {
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d)) return false;
  return d & (1u << 8);
}

// The frequency in Hz, as the CPU or the hypervisor states it, or 0.
uint64_t stated_frequency() {
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 31))) {  // under a hypervisor
    __cpuid(0x40000000, a, b, c, d);
    if (a >= 0x40000010 && a < 0x40001000) {
      __cpuid(0x40000010, a, b, c, d);
      if (a) return uint64_t(a) * 1000;  // kHz
    }
  }
  // Intel SDM 3, 20.7.3: crystal clock (Hz) x numerator / denominator.
  if (__get_cpuid_max(0, nullptr) >= 0x15) {
    __cpuid(0x15, a, b, c, d);
    if (a && b && c) return uint64_t(c) * b / a;
  }
  return 0;
}

// One pair of readings; the best of a few, since an interrupt may fall between the two.
void read_pair(uint64_t& ticks, uint64_t& ns) {
  uint64_t best = ~0ull;
  for (int i = 0; i < 5; ++i) {
    uint64_t before = __builtin_ia32_rdtsc(), now_ns = raw_ns(), after = __builtin_ia32_rdtsc();
    if (after - before < best) {
      best = after - before;
      ticks = before + best / 2;
      ns = now_ns;
    }
  }
}

// Over so many nanoseconds.
uint64_t measured_frequency(uint64_t ns) {
  uint64_t t0 = 0, n0 = 0, t1 = 0, n1 = 0;
  read_pair(t0, n0);
  do read_pair(t1, n1);
  while (n1 - n0 < ns);
  return uint64_t((unsigned __int128)(t1 - t0) * 1000000000u / (n1 - n0));
}
#endif

// In Hz; 0: there is no counter to go by. Measured for so long where nobody states it.
uint64_t counter_frequency([[maybe_unused]] uint64_t ns) {
  uint64_t hz = 0;
#if defined(__x86_64__)
  if (!invariant_tsc() || kernel_distrusts_tsc()) return 0;
  hz = stated_frequency();
  if (!hz) hz = measured_frequency(ns);
#elif defined(__aarch64__)
  // The same on all CPUs and never stopping, by the architecture; user space may read both, as the C library does.
  asm("mrs %0, cntfrq_el0" : "=r"(hz));
#endif
  return hz < 10'000'000 ? 0 : hz;  // a firmware that states nothing, among others; or too coarse to be of use
}

}  // namespace

void clock_init() {
  if (g_clock_is_counter) return;
  const uint64_t hz = counter_frequency(1'000'000);
  if (!hz) return;
  g_ticks_per_second = hz;
  g_ticks_in_2_20_ns = uint32_t(hz / 1000 * (1u << 20) / 1000000);
  g_clock_is_counter = true;
}

uint64_t ticks_per_second() { return g_ticks_per_second; }

const ShortTimes& short_times() {
  static const ShortTimes its = [] {
    const uint64_t hz = counter_frequency(30'000);
    return hz ? ShortTimes{true, hz / 1'000'000} : ShortTimes{false, 1000};
  }();
  return its;
}

}  // namespace einkorn::inline base
