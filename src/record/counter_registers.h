// A processor's counters and its clock, as a program may read them itself: the half of counter_page.h that differs
// between processors.
#pragma once
#include <cstdint>
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

// The number of the register is part of the instruction: pmevcntrN_el0 is s3_3_c14_c(8 + N / 8)_(N % 8). A jump, not a
// call: who reads several keeps what they are put to in registers.
#define EK_COUNTER(n) \
  case n: asm volatile("mrs %0, s3_3_c14_c%c1_%c2" : "=r"(value) : "i"(8 + (n) / 8), "i"((n) % 8)); return value;
#define EK_COUNTERS(n) EK_COUNTER(n) EK_COUNTER(n + 1) EK_COUNTER(n + 2) EK_COUNTER(n + 3) EK_COUNTER(n + 4)
[[gnu::always_inline]] inline uint64_t read_pmc(uint32_t index) {
  uint64_t value;
  switch (index) {
    EK_COUNTERS(0)
    EK_COUNTERS(5)
    EK_COUNTERS(10)
    EK_COUNTERS(15)
    EK_COUNTERS(20)
    EK_COUNTERS(25)
    EK_COUNTER(30)
    default: asm volatile("mrs %0, pmccntr_el0" : "=r"(value)); return value;  // of cycles; the last one
  }
}
#undef EK_COUNTERS
#undef EK_COUNTER
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
