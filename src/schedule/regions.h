// Whether a region of codelets is worth other threads (codelets.md of our own; Arteaga, Zuckerman and Gao 2017 start a
// procedure's codelets on all units): by how long all its instances took together, the last time.
#pragma once
#include <algorithm>
#include <cstdint>

namespace einkorn::schedule {

struct RegionTime {
  uint64_t work = ~uint64_t(0);  // of all instances, ticks; at first nobody knows
  uint32_t unread = 0;           // so many regions more are not timed
};

// A region costs its caller that much with threads that spin, and with threads that sleep; and so long after a region
// they still look for the next one. Microseconds.
inline constexpr uint64_t kRegionAwakeUs = 1, kRegionAsleepUs = 10, kStaysAwakeUs = 50;

// Two threads halve the work, at best. since: a region had threads, ticks; us: ticks of a microsecond.
inline bool runs_alone(const RegionTime& t, uint64_t since, uint64_t us) {
  return t.work < 2 * us * (since < kStaysAwakeUs * us ? kRegionAwakeUs : kRegionAsleepUs);
}

// Who has nothing to do looks so often, a pause each time, whether all others have come for what is theirs, before it
// takes over what is left: some microseconds, as a thread that has a CPU comes sooner.
inline constexpr int kLooksForLate = 64;

// To look at the clock costs a fifth of a region that does nothing. One that is that far from being worth threads, also
// while these are awake, is timed seldom: should it become long, that is seen after so many at most.
inline constexpr uint32_t kUntimed = 15;
inline constexpr uint64_t kShortOfAwake = 4;
// Runs alone, and nobody looks at the clock for it?
inline bool runs_untimed(RegionTime& t) { return t.unread != 0 && t.unread-- != 0; }

// What took longer once is believed at once: else a region would stay alone that has become long. us: as above.
inline void learn(RegionTime& t, uint64_t work, uint64_t us) {
  t.work = t.work == ~uint64_t(0) || work > t.work ? work : (t.work + work) / 2;
  t.unread = t.work < 2 * us * kRegionAwakeUs / kShortOfAwake ? kUntimed : 0;
}

}  // namespace einkorn::schedule
