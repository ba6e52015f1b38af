// Measures the costs of waiting for a lock: two threads, each bound to a CPU of its own.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "cli/costs.h"
#include "base/cpus.h"
#include "base/platform.h"

namespace einkorn::cli {
namespace {

using profile::Waiting;

bool bind_to(int cpu) {
  base::CpuSet one;
  one.add(cpu);
  return base::set_affinity(one);
}

// A disturbance only makes these longer.
template <class F>
double least(int rounds, int pieces, F f) {
  double found = 1e18;
  for (int i = 0; i < rounds; ++i) {
    const double begin = now_ns();
    for (int k = 0; k < pieces; ++k) f();
    found = std::min(found, (now_ns() - begin) / pieces);
  }
  return found;
}

// The other thread: passes a line back each time that it arrives, then sleeps and is woken.
class Other {
 public:
  // It begins on the caller's CPU, where one of real-time priority has to let it.
  explicit Other(int cpu) : thread_([this, cpu] { run(cpu); }) {
    while (turn_.load(std::memory_order_acquire) != kOurs) std::this_thread::yield();
  }
  ~Other() {
    turn_.store(kOver, std::memory_order_release);
    wake();
    thread_.join();
  }

  // The line's time, each way: the least of some rounds, as a disturbance only makes them longer. Nothing if that takes
  // longer than so many ns, as the other thread has no CPU.
  std::optional<double> line(double limit) {
    constexpr int kRounds = 8, kTimes = 25;
    double found = 1e18;
    const double start = now_ns();
    for (int i = 0; i < kRounds; ++i) {
      const double begin = now_ns();
      for (int k = 0; k < kTimes; ++k) {
        turn_.store(kIts, std::memory_order_release);
        while (turn_.load(std::memory_order_acquire) != kOurs) {
          if (++looks_ % kOften == 0 && now_ns() - start > limit) return std::nullopt;
        }
      }
      found = std::min(found, (now_ns() - begin) / kTimes);
    }
    return found / 2;
  }

  // The other thread sleeps, and is woken after this time. {time until it runs, time that waking takes here}; nothing
  // if it had no CPU meanwhile, and so did not sleep.
  std::optional<std::array<double, 2>> sleep_and_wake(double after) {
    awake_ = 0;
    turn_.store(kAsleep, std::memory_order_release);
    for (const double begin = now_ns(); now_ns() - begin < after;) pause();
    const double begin = now_ns();
    turn_.store(kIts, std::memory_order_release);
    wake();
    const double called = now_ns();
    while (turn_.load(std::memory_order_acquire) != kOurs) pause();
    if (awake_ == 0) return std::nullopt;
    return {{awake_ - begin, called - begin}};
  }

 private:
  // Whose turn it is; kAsleep: the other thread's, to sleep. Given with release, taken with acquire: what was written
  // in the turn before (awake_) is seen in the next.
  enum Turn : uint32_t { kStarting, kOurs, kIts, kAsleep, kOver };

  void wake() { syscall(SYS_futex, &turn_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

  void run(int cpu) {
    bind_to(cpu);
    for (uint32_t turn = kStarting; turn != kOver; turn = turn_.load(std::memory_order_acquire)) {
      if (turn == kOurs) continue;
      while (turn_.load(std::memory_order_acquire) == kAsleep)
        syscall(SYS_futex, &turn_, FUTEX_WAIT_PRIVATE, uint32_t(kAsleep), nullptr, nullptr, 0);
      if (turn == kAsleep) awake_ = now_ns();
      // Release: awake_ is read once the turn is ours. A turn that is over stays over.
      uint32_t its = turn_.load(std::memory_order_acquire);
      if (its != kOver) turn_.compare_exchange_strong(its, kOurs, std::memory_order_release, std::memory_order_relaxed);
    }
  }

  std::atomic<uint32_t> turn_{kStarting};
  static constexpr unsigned kOften = 1024;  // looks between two at the clock
  unsigned looks_ = 0;
  double awake_ = 0;
  std::thread thread_;  // last: it uses the other members
};

// Calls with two CPUs that the caller may use, if there are two, and leaves it on the CPUs where it was.
template <class F>
void on_two_cpus(F f) {
  base::CpuSet all;
  if (!base::affinity(0, &all)) return;
  const int here = all.next(0), there = here < 0 ? -1 : all.next(here + 1);
  if (there < 0) return;
  f(here, there);
  base::set_affinity(all);
}

void measure_between(int here, int there, profile::RuntimeCosts& out) {
  if (!bind_to(here)) return;
  out(Waiting::pause) = least(20, 100, [] { pause(); });
  Other other(there);
  constexpr double kPatience = 0.5e9;
  out(Waiting::line) = other.line(kPatience).value_or(-1);
  constexpr int kWakes = 15;
  constexpr double kAsleepFor = 200e3;  // ns: long enough for its CPU to become idle, as in a wait for a lock
  std::vector<double> until, call;
  for (int tries = 0; int(until.size()) < kWakes && tries < 20 * kWakes; ++tries) {
    if (const auto took = other.sleep_and_wake(kAsleepFor)) until.push_back((*took)[0]), call.push_back((*took)[1]);
  }
  if (until.empty()) return;  // the computer is too busy to say
  out(Waiting::wake) = middle_of(until);
  out(Waiting::wake_call) = middle_of(call);
}

}  // namespace

void measure_waiting(profile::RuntimeCosts& out) {
  on_two_cpus([&](int here, int there) { measure_between(here, there, out); });
}

double line_now() {
  constexpr double kPatience = 2e6;  // a recording waits for it
  double found = -1;
  on_two_cpus([&](int here, int there) {
    if (bind_to(here)) found = Other(there).line(kPatience).value_or(-1);
  });
  return found;
}

}  // namespace einkorn::cli
