#include "runtime/sleep.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "record/system.h"
#include "runtime/placed.h"
#include "runtime/worker.h"

namespace einkorn::runtime {

namespace {

// Some sleeper of the team is woken, with that word; false: there is none. any_task: one that may run any (in a barrier).
bool wake_some(Team* team, uint32_t start, bool any_task, ParkState state) {
  uint32_t n = uint32_t(team->n);
  for (uint32_t i = 0; i < n; ++i) {
    Worker* v = worker_of(team->slots[(start + i) % n]);
    // The word names the team: a thread of it may sleep in a region inside it, or between regions.
    uint32_t asleep = park_word(team, ParkState::asleep);
    if (v && v->park.load(std::memory_order_acquire) == asleep &&
        (!any_task || v->any_task.load(std::memory_order_relaxed)) &&
        v->park.compare_exchange_strong(asleep, park_word(team, state), std::memory_order_seq_cst)) {
      futex_wake(&v->park, 1);
      return true;
    }
  }
  return false;
}

}  // namespace

bool wake_any_task(Team* team, uint32_t start) { return wake_some(team, start, true, ParkState::woken); }

// There are tasks. Those that search will find them; a sleeper is woken only where none does. One in a barrier first; the
// others may have to refuse (tied tasks), so all of them.
void wake_another(Worker* w) {
  Team* team = w->team;
  uint64_t idle = team->idle.load(std::memory_order_relaxed);
  if (searching(idle) > 0 || parked(idle) == 0 || !wants_work(team, idle)) return;
  if (!wake_any_task(team, schedule::next_random(w->random))) wake_all(team, team->n);
}

void pass_watch(Team* team) {
  for (;;) {
    if (parked(team->idle.load(std::memory_order_relaxed)) != 0 &&
        (wake_some(team, 0, true, ParkState::made_watcher) || wake_some(team, 0, false, ParkState::made_watcher)))
      return;
    team->watched.store(false, std::memory_order_relaxed);
    full_fence();  // orders the store of watched before the loads of idle and park; pairs with heavy_fence() in sleep()
    if (parked(team->idle.load(std::memory_order_relaxed)) == 0) return;
    bool asleep = false;
    for (int i = 0, n = team->n; i < n && !asleep; ++i) {
      Worker* v = worker_of(team->slots[i]);
      asleep = v && v->park.load(std::memory_order_relaxed) == park_word(team, ParkState::asleep);
    }
    // One that has read watched before it was cleared? Then look for it again, unless another is the watcher by now.
    if (!asleep || team->watched.exchange(true, std::memory_order_seq_cst)) return;
  }
}

bool seems_to_have_queued(const Team* team) {
  if (const Placed* p = team->placed.load(std::memory_order_relaxed)) return placed_has_queued(*p);
  for (int i = 0, n = team->n; i < n; ++i) {
    if (!(team->slots_with_tasks[i / 64].load(std::memory_order_relaxed) >> (i % 64) & 1)) continue;
    const Slot& slot = team->slots[i];
    if (!slot.deque.seems_empty() || !slot.inbox.seems_empty()) return true;
  }
  return false;
}

void share_work(Worker* w, uint64_t idle) {
  if (!wants_work(w->team, idle)) return;
  // Where others look for work they get all but the task just made: its creator often waits for it next, and takes it
  // without a trip. If not, they will see that nothing changes here, and take it by force.
  bool seekers = searching(idle) > 0;
  if (seekers && w->slot->deque.holds_at_most_one()) return;
  w->slot->deque.publish(seekers ? 1 : 0);
  wake_another(w);
}

void wake_all(Team* team, int n) {
  for (int i = 0; i < n; ++i) wake(team->slots[i].worker);
}

bool may_yield(const Team* team) {
  constexpr int kMost = 4;  // threads by CPU: each is in line behind the others
  return team->n > team->cpus && g_config.wait_policy != WaitPolicy::passive &&
         int(g_busy_threads.load(std::memory_order_relaxed)) <= kMost * team->cpus;
}

// Threads of all programs that run or could, and CPUs of the machine. What cannot be read is no evidence.
static bool machine_is_full() {
  static std::atomic<long> cpus{0};
  char text[128];  // load averages, then running/all
  const ssize_t n = record::read_file("/proc/loadavg", text, sizeof text - 1);
  if (n <= 0) return false;
  text[n] = 0;
  const char* slash = strchr(text, '/');
  if (!slash) return false;
  while (slash > text && slash[-1] != ' ') --slash;
  long online = cpus.load(std::memory_order_relaxed);
  if (online == 0) cpus.store(online = sysconf(_SC_NPROCESSORS_ONLN), std::memory_order_relaxed);
  return atol(slash) > online;
}

bool lingers(Worker* w, Lingering& l, uint64_t now, bool (*is_full)()) {
  constexpr uint64_t kLongest = 12'500'000, kAway = 500'000;    // ticks, about 5 ms and 200 us
  constexpr uint64_t kAsk = 2'500'000, kAskAgain = 250'000;  // about 1 ms and 100 us
  constexpr int kShortWaits = 64, kUntilAsked = 8;
  if (g_config.wait_policy != WaitPolicy::unset || g_busy_threads.load(std::memory_order_relaxed) >= g_cpus) return false;
  if (l.began == 0) {
    if (w->crowded != 0) return --w->crowded, false;
    l.began = l.seen = now;
  }
  if (now - l.seen > kAway) return w->crowded = kShortWaits, false;
  if (l.asked == 0 || now - l.asked > (l.found_full ? kAskAgain : kAsk)) {
    const bool full = is_full();
    if (full && l.found_full) return w->crowded = kUntilAsked, false;
    l.found_full = full;
    l.asked = now;
  }
  l.seen = now;
  return now - l.began < kLongest;
}

bool lingers(Worker* w, Lingering& l) { return lingers(w, l, ticks(), machine_is_full); }

int spin_rounds(const Team* team) { return spin_rounds(team, team->n); }

int spin_rounds(const Team* team, int awake) {
  if (awake > team->cpus) return 0;
  switch (g_config.wait_policy) {
    case WaitPolicy::passive: return 0;
    // With several teams at once (nested, or of foreign threads) the others need the CPUs: then not that long.
    case WaitPolicy::active: return g_busy_threads.load(std::memory_order_relaxed) < team->cpus ? 2'000'000 : 1000;
    // Some 170 us: to wake a thread costs its waker 10 us and more where CPUs are virtual, too much for a pause between two
    // loops or two rounds of tasks.
    case WaitPolicy::unset: return g_busy_threads.load(std::memory_order_relaxed) < team->cpus ? 4000 : 1000;
  }
  return 1000;
}

}  // namespace einkorn::runtime
