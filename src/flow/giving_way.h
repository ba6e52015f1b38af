// When the threads of a process leave their CPUs at once in each wait, as under a passive wait policy: where others
// leave it fewer CPUs than it has threads but at least one, and its threads have waited awake for more than a small
// part of their time.
//
// All of that, since each alone is wrong. A team whose threads have unequal work waits for half of its time: awake,
// these waits are paid with the CPU of a thread that has work, or of another program. Asleep they cost a wake, and who
// is woken goes to a CPU that is free: the team does as well as one thread with a CPU of its own. But threads whose
// waits are short lose by sleeps, and where others want all CPUs so does each that sleeps, as it waits for a CPU for
// milliseconds then (bench/busy.py has programs of all kinds).
//
// All threads together, also those whose own waits are short: one that never sleeps stays where it shares its CPU with
// another program, while the CPU of the thread that waits for it is free.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/tunables.h"

namespace einkorn::flow {

// Any thread may call anything. All orders are relaxed: nothing else is read because of these words, and who reads an
// older one waits once as was right a moment ago.
class GivingWay {
 public:
  // Does it now? One load.
  bool holds() const { return holds_.load(std::memory_order_relaxed); }

  // Is somebody to ask who wants the CPUs, at that time (ns)? Of all who come one is to, now and then, as it costs a
  // file of /proc; that one calls found() next.
  bool is_to_ask(uint64_t now) {
    uint64_t asked = asked_.load(std::memory_order_relaxed);
    const bool again = found_.load(std::memory_order_relaxed) == 1;
    // Signed: another thread may have asked a moment after `now` was read.
    return int64_t(now - asked) > int64_t(again ? tunables::kAskAgain : tunables::kAskWhetherFull) &&
           asked_.compare_exchange_strong(asked, now, std::memory_order_relaxed);
  }
  // Do others want CPUs, as said above? Yes and no are what is found so twice: a thread of the kernel's that runs for a
  // moment is nobody to give way to, and one that is not there for a moment has not gone.
  void found(bool wanted, uint64_t now) {
    const int before = found_.load(std::memory_order_relaxed);
    int is = wanted ? 2 : 0;
    if (!holds() && wanted && before == 0) is = 1;
    if (holds() && !wanted && before == 2) is = 1;
    if (is != before) found_.store(is, std::memory_order_relaxed);
    if (is == 0 && holds()) end(now);
  }
  // Before a thread sleeps, at that time (ns).
  void end_when_due(uint64_t now) {
    if (holds() && int64_t(now - settled_.load(std::memory_order_relaxed)) >= 0) end(now);
  }

  // One of that many threads has waited awake for so long (ns), and it is that time now (ns).
  void spend(uint64_t now, uint64_t waited, int threads) {
    if (found_.load(std::memory_order_relaxed) != 2 || holds()) return;
    uint64_t settled = settled_.load(std::memory_order_relaxed), next;
    bool is_used_up;
    do {
      // What was saved up before is lost.
      const uint64_t oldest = now - tunables::kAwakeSaved * tunables::kAwakePart;
      next = int64_t(settled - oldest) < 0 ? oldest : settled;
      next += waited * tunables::kAwakePart / uint64_t(threads);
      is_used_up = int64_t(next - now) > 0;
      if (is_used_up) next = now + length(now);
    } while (!settled_.compare_exchange_weak(settled, next, std::memory_order_relaxed));
    if (!is_used_up) return;
    lasts_.store(next - now, std::memory_order_relaxed);
    holds_.store(true, std::memory_order_relaxed);
  }

 private:
  void end(uint64_t now) {
    settled_.store(now, std::memory_order_relaxed);
    ended_.store(now, std::memory_order_relaxed);
    holds_.store(false, std::memory_order_relaxed);
  }
  // Twice as long as the last time, if that was a short while ago: to look whether it is still right costs some
  // milliseconds, in which threads that have just come to one CPU part again.
  uint64_t length(uint64_t now) const {
    const uint64_t last = lasts_.load(std::memory_order_relaxed);
    if (last == 0 || now - ended_.load(std::memory_order_relaxed) > 2 * last) return tunables::kGivesWay;
    return last * 2 < tunables::kGivesWayAtMost ? last * 2 : tunables::kGivesWayAtMost;
  }

  std::atomic<bool> holds_{false};
  std::atomic<int> found_{0};  // 2: others want CPUs; 0: they do not; 1: as before, and the other answer was found once
  std::atomic<uint64_t> asked_{0}, lasts_{0}, ended_{0};
  // The time (ns) by which all that was waited awake is paid for, kAwakePart times itself. While it holds: when it
  // ends.
  std::atomic<uint64_t> settled_{0};
};

}  // namespace einkorn::flow
