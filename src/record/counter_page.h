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

// What of a page is worth keeping: while its lock is the same nothing in it has changed, and so the event has been on
// the same of the processor's counters all the time. Then what that has counted is what the event has seen.
struct HeldPage {
  static constexpr uint32_t kNone = 1;  // odd: the kernel is at work on the page. Nobody finds it so
  const volatile perf_event_mmap_page* page = nullptr;
  uint64_t mask = 0;      // of the counter's bits
  uint64_t raw = 0;       // the counter at the latest reading ...
  uint64_t full_raw = 0;  // ... and at the latest one of the whole page
  uint32_t lock = kNone;
  uint32_t counter = 0;  // the processor's number of it
  uint32_t bit = 0;      // of the event, in a record's payload

  // Counted since the whole page was read.
  uint64_t since() const { return lock == kNone ? 0 : (raw - full_raw) & mask; }
};

// What the event has seen since the reading before. False: nothing is known, the page is to be read. The lock is looked
// at before the counter, too: that of another processor may not be there at all.
template <class Pmc>
[[gnu::always_inline]] inline bool read_held_page(HeldPage& held, Pmc pmc, uint64_t& seen) {
  const volatile perf_event_mmap_page& page = *held.page;
  const uint32_t lock = held.lock;
  if (__builtin_expect(page.lock != lock, 0)) return false;
  // Both fences are between the counter and a load of the lock; for the compiler only, as in read_counter_page().
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const uint64_t raw = pmc(held.counter);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (__builtin_expect(page.lock != lock, 0)) return false;
  seen = (raw - held.raw) & held.mask;
  held.raw = raw;
  return true;
}

// The same for several, in the form of a record: a word for each that has seen something, from `to` on, and its bit in
// `payload`. Returns where the next word goes; nullptr: only the first `done` could be read.
template <class Pmc, class Word>
[[gnu::always_inline]] inline Word* put_held_pages(HeldPage* pages, int count, Pmc pmc, Word* to, uint32_t& payload,
                                                   int& done) {
  HeldPage* const end = pages + count;
  for (HeldPage* held = pages; held != end; ++held) {
    uint64_t seen;
    if (!read_held_page(*held, pmc, seen)) {
      done = int(held - pages);
      return nullptr;
    }
    *to = seen;
    if (seen == 0) continue;
    ++to;
    payload |= held->bit;
  }
  return to;
}
// What it has put of the first `done`, by the numbers of their bits.
template <class Word>
void take_back(const HeldPage* pages, int done, const Word* words, uint32_t payload, uint64_t* values) {
  for (int n = 0; n < done; ++n) values[__builtin_ctz(pages[n].bit)] = payload & pages[n].bit ? *words++ : 0;
}

// pmc(i): the processor's counter i; clock(): its time stamp counter. False: the page does not allow it, or changes all
// the time. `held`: of the same page. An event that has shared the processor with others is not held: for how much of
// a stretch it counted is in the page, which is to be read at both ends then.
template <class Pmc, class Clock>
bool read_counter_page(HeldPage& held, Pmc pmc, Clock clock, CounterState& out) {
  constexpr int kAttempts = 100;
  const volatile perf_event_mmap_page& page = *held.page;
  held.lock = HeldPage::kNone;
  // The kernel changes the page only while this thread does not run, or in an interrupt of it: compiler fences do. The
  // first one is between the lock and the fields, the second one between these, the counter and the lock.
  for (int i = 0; i < kAttempts; ++i) {
    const uint32_t before = page.lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    out = {uint64_t(page.offset), page.time_enabled, page.time_running};
    const uint32_t index = page.index;  // 0: the event is not on the processor, and `offset` is all
    if (!page.cap_user_rdpmc) return false;
    const bool shares = out.enabled != out.running;
    if (page.cap_user_time && shares) {  // what is the time?
      const uint64_t cycles = clock();
      const uint16_t shift = page.time_shift;
      const uint64_t mult = page.time_mult, whole = cycles >> shift, rest = cycles & ((uint64_t(1) << shift) - 1);
      const uint64_t passed = page.time_offset + whole * mult + (rest * mult >> shift);
      out.enabled += passed;
      if (index) out.running += passed;
    }
    if (index) {
      const unsigned unused = 64 - page.pmc_width;  // bits above the counter's own, which is signed
      held.counter = index - 1;
      held.raw = held.full_raw = pmc(held.counter);
      held.mask = ~uint64_t(0) >> unused;
      out.count += uint64_t(int64_t(held.raw << unused) >> unused);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (page.lock != before) continue;
    if (index && !shares) held.lock = before;
    return true;
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
