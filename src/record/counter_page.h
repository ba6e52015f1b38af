// Reading a hardware counter without a system call: the protocol of the page that the kernel maps for an event
// (perf_event_open(2), struct perf_event_mmap_page). The thread reads it that the event counts.
//
// A template over how the processor's counter and the clock are read, so that a test can play the kernel.
#pragma once
#include <atomic>
#include <cstdint>
#include <linux/perf_event.h>
#include "record/counter_table.h"

namespace einkorn::record {

struct CounterState {
  uint64_t count = 0;
  uint64_t enabled = 0, running = 0;  // ns: since the event was opened; of these, on the processor
};

// pmc(i): the processor's counter i; clock(): its time stamp counter. False: the page does not allow it, or changes all
// the time.
template <class Pmc, class Clock>
bool read_counter_page(const volatile perf_event_mmap_page& page, Pmc pmc, Clock clock, CounterState& out) {
  constexpr int kAttempts = 100;
  // The kernel changes the page only while this thread does not run, or in an interrupt of it: compiler fences do.
  for (int i = 0; i < kAttempts; ++i) {
    const uint32_t before = page.lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    out = {uint64_t(page.offset), page.time_enabled, page.time_running};
    const uint32_t index = page.index;  // 0: the event is not on the processor, and `offset` is all
    if (!page.cap_user_rdpmc) return false;
    if (page.cap_user_time && out.enabled != out.running) {  // it shares the counters with others: what is the time?
      const uint64_t cycles = clock();
      const uint16_t shift = page.time_shift;
      const uint64_t mult = page.time_mult, whole = cycles >> shift, rest = cycles & ((uint64_t(1) << shift) - 1);
      const uint64_t passed = page.time_offset + whole * mult + (rest * mult >> shift);
      out.enabled += passed;
      if (index) out.running += passed;
    }
    if (index) {
      const unsigned unused = 64 - page.pmc_width;  // bits above the counter's own, which is signed
      out.count += uint64_t(int64_t(pmc(index - 1) << unused) >> unused);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (page.lock == before) return true;
  }
  return false;
}

// The count of a stretch in which the event was on the processor for only part of the time, for all of it.
struct ScaledCount {
  uint64_t value;
  bool estimated;
};
inline constexpr ScaledCount scaled_count(uint64_t count, uint64_t enabled, uint64_t running) {
  if (running >= enabled) return {count, false};
  if (running == 0) return {kUncounted, false};
  const auto value = (unsigned __int128)count * enabled / running;
  return {value < kUncounted ? uint64_t(value) : kUncounted - 1, true};
}

}  // namespace einkorn::record
