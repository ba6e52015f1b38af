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
#include <sched.h>
#include "runtime/types.h"

namespace einkorn::runtime {

inline constexpr uint64_t kSearching = 1;
inline constexpr uint64_t kParked = uint64_t(1) << 32;
inline uint32_t searching(uint64_t idle) { return uint32_t(idle); }
inline uint32_t parked(uint64_t idle) { return uint32_t(idle >> 32); }

// Who sleeps in a team can be woken alone, by its own park word, and at a barrier's end, with all others at once, by the
// team's bell (where the kernel can wait for two words): that is one system call instead of one a thread, which counts where
// threads outnumber CPUs. The sleeper reads the bell before it says in its park word that it sleeps; who rings changes that
// word first, then the bell: so one of the two is not what the sleeper expects, or the ring finds it asleep. Always true:
// every sleep with the team in its park word hears the bell too, not only those in the barrier; who ended a barrier may be
// late to ring, and then takes from their sleep who wait for something else by now.

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

// A thread that is late, in a team or in looking for sleepers, may ask while the team's next region takes in more (staff()).
inline Worker* worker_of(Slot& slot) { return std::atomic_ref<Worker*>(slot.worker).load(std::memory_order_relaxed); }

// If it sleeps in that team it does not count as a sleeper any more; the caller has to ring for it.
inline bool take_from_sleep(const Team* team, Worker* w) {
  uint32_t asleep = park_word(team, ParkState::asleep);
  return w && w->park.load(std::memory_order_relaxed) == asleep &&
         w->park.compare_exchange_strong(asleep, uint32_t(ParkState::woken), std::memory_order_seq_cst);
}

void wake_all(Team* team, int n);
// Some sleeper that may run any task (it is in a barrier); false: there is none.
bool wake_any_task(Team* team, uint32_t start = 0);
// There are tasks: wakes somebody for them, unless others are looking already.
void wake_another(Worker* w);
// Is there a task in some queue? Without fences: one that was pushed just now may be missed.
bool seems_to_have_queued(const Team* team);

// With more threads than CPUs nobody is woken while as many are awake as there are CPUs (see wants_work). These may all be
// busy waiting in user code for a task that only a further thread can run: so one of the sleepers, the team's watcher, looks
// up from time to time, until it finds a task or its own wait is over. Then it makes another sleeper the watcher.
// Always true: Team::watched is set while a thread is the watcher (a local variable of its help_until()) or has been made it
// in its sleep (its park word says so), and no other time but while one is looked for. Who falls asleep where it is not set
// becomes the watcher.
EK_NOINLINE void pass_watch(Team* team);

// After a push: lets idle threads have it.
EK_NOINLINE void share_work(Worker* w, uint64_t idle);
inline void after_push(Worker* w) {
  light_fence();  // orders the store of bottom before the load of idle; pairs with heavy_fence() in sleep()
  uint64_t idle = w->team->idle.load(std::memory_order_relaxed);
  if (EK_UNLIKELY(idle != 0)) share_work(w, idle);
}

// Waiting for a single word: it is looked at several times to a pause, which takes as long as the word's way here.
inline constexpr int kLooksPerPause = 8;

// How long a thread without work looks around before it sleeps, in pauses.
int spin_rounds(const Team* team);
// The same for who is awake with so many: where there are tasks, threads are only woken when they are needed.
int spin_rounds(const Team* team, int awake);

// After that: awake for up to 5 ms more (unless a wait policy is set), as long as nobody else wants a CPU. Between two
// parallel loops there often is a millisecond of serial code, and to wake a thread after that costs as much as a loop of 100 us
// is long. Where more threads of the machine want to run than it has CPUs, or this one finds that it was not running for a
// while, the next waits are as short as those before: who sleeps is run first when it is woken, who has used up its time is not.
// Full is what is found so twice, 100 us apart: a thread of the kernel's that runs for a moment is nobody to give way to.
struct Lingering {
  uint64_t began = 0, seen = 0, asked = 0;  // ticks
  bool found_full = false;                  // when it asked last
};
bool lingers(Worker* w, Lingering& l);
// The same at that time, on a machine of which somebody else says whether it is full.
bool lingers(Worker* w, Lingering& l, uint64_t now, bool (*is_full)());

bool may_yield(const Team* team);
// With more threads than CPUs: yields its CPU to the others until over(), a millisecond at most, unless they are too many. A
// sleep and a wake cost several times that, and who is woken may wait behind others while a CPU is idle: the kernel does not
// move what ran less than half a millisecond ago. True: over.
template <class Over>
bool yield_until(const Team* team, Over&& over) {
  constexpr uint64_t kLongest = 2'500'000;  // ticks, about a millisecond
  if (!may_yield(team)) return false;
  const uint64_t began = ticks();
  do {
    if (over()) return true;
    sched_yield();
  } while (ticks() - began < kLongest);
  return over();
}

}  // namespace einkorn::runtime
