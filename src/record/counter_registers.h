// A processor's counters and its clock, as a program may read them itself: the half of counter_page.h that differs
// between processors.
#pragma once
#include <cstdint>
#include <utility>
#include <linux/perf_event.h>

namespace einkorn::record {

#if defined(__x86_64__)

constexpr bool kReadsPages = true;
constexpr uint64_t kAskForPages =
    0;  // in config1 of an event: the kernel says in the page whether the instruction is allowed
inline uint64_t read_pmc(uint32_t index) { return __builtin_ia32_rdpmc(int(index)); }
inline uint64_t read_clock() { return __builtin_ia32_rdtsc(); }

#elif defined(__aarch64__)

// Linux 5.17 and later let a thread read its counters where kernel.perf_user_access is 1 and the event asks for it.
constexpr bool kReadsPages = true;
constexpr uint64_t kAskForPages = 2;
constexpr uint32_t kEventCounters = 31;  // after them comes the one of cycles

namespace inside {
// The number of the register is part of the instruction: pmevcntrN_el0 is s3_3_c14_c(8 + N / 8)_(N % 8).
template <unsigned N>
uint64_t read_event_counter() {
  uint64_t value;
  asm volatile("mrs %0, s3_3_c14_c%c1_%c2" : "=r"(value) : "i"(8 + N / 8), "i"(N % 8));
  return value;
}
using Reader = uint64_t (*)();
template <unsigned... N>
inline uint64_t read_event_counter(uint32_t index, std::integer_sequence<unsigned, N...>) {
  static constexpr Reader readers[] = {read_event_counter<N>...};
  return readers[index]();
}
}  // namespace inside

inline uint64_t read_pmc(uint32_t index) {
  if (index < kEventCounters)
    return inside::read_event_counter(index, std::make_integer_sequence<unsigned, kEventCounters>());
  uint64_t value;
  asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
  return value;
}
inline uint64_t read_clock() {
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}

#else

constexpr bool kReadsPages = false;
constexpr uint64_t kAskForPages = 0;
inline uint64_t read_pmc(uint32_t) { return 0; }
inline uint64_t read_clock() { return 0; }

#endif

}  // namespace einkorn::record
