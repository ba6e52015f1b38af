// Waiting and sleeping of a team's threads.
//
// The idle word of a team counts threads without work: searching (awake) and parked (asleep). The protocol between a
// thread that makes something happen and one that goes to sleep is Dekker's: the sleeper announces itself (park word and
// idle word), passes heavy_fence(), and looks once more; the other side stores, passes a fence, and reads the word. Which
// fence the other side pays depends on how often it comes by:
//   push of a task         light_fence() (nothing on x86), then reads Team::idle
//   end of a barrier,      full_fence(), then reads Team::idle
//   end of the last child  the fetch_add on refs, whose result tells that the owner waits
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

inline constexpr uint64_t kSearching = 1;
inline constexpr uint64_t kParked = uint64_t(1) << 32;
inline uint32_t searching(uint64_t idle) { return uint32_t(idle); }
inline uint32_t parked(uint64_t idle) { return uint32_t(idle >> 32); }

// Would a thread more be of use? With as many awake as there are CPUs it would only take time from them.
inline bool wants_work(const Team* team, uint64_t idle) {
  // Signed: threads late to leave the region before, which may have had more of them, count as parked a moment longer.
  return searching(idle) > 0 || (parked(idle) > 0 && int(team->n) - int(parked(idle)) < team->cpus);
}

inline uint32_t park_word(const Team* team, ParkState state) { return team->number << 2 | uint32_t(state); }

// Wakes that worker if it sleeps. Any thread.
inline void wake(Worker* w) {
  uint32_t asleep = w->park.load(std::memory_order_relaxed);
  if (park_state(asleep) != ParkState::asleep) return;
  if (w->park.compare_exchange_strong(asleep, uint32_t(ParkState::woken), std::memory_order_seq_cst)) futex_wake(&w->park, 1);
}

void wake_all(Team* team, int n);

// After a push: lets idle threads have it.
EK_NOINLINE void share_work(Worker* w);
EK_NOINLINE void share_work_with(Worker* w, uint64_t idle);  // the same if one of those is worth waking
inline void after_push(Worker* w) {
  light_fence();  // orders the store of bottom before the load of idle; pairs with heavy_fence() in park_until()
  uint64_t idle = w->team->idle.load(std::memory_order_relaxed);
  if (EK_UNLIKELY(idle != 0) && wants_work(w->team, idle)) share_work(w);
}

// Waiting for a single word: it is looked at several times to a pause, which takes as long as the word's way here.
inline constexpr int kLooksPerPause = 8;

// How long a thread without work looks around before it sleeps, in pauses.
int spin_rounds(const Team* team);

}  // namespace einkorn::runtime
