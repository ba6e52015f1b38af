// How long a thread without work stays awake, before it sleeps: as long as nobody else wants its CPU.
#pragma once
#include <sched.h>

#include "base/platform.h"
#include "base/tunables.h"

namespace einkorn::flow {

// Waiting for a single word: it is looked at several times to a pause, which takes as long as the word's way here.
inline constexpr int kLooksPerPause = 8;

// What a thread knew of its waits for a CPU when it asked last, in ns.
struct CpuWait {
  uint64_t asked = 0, waited = 0;
  bool wanted = false;

  // The thread has waited for a CPU for so long (ns) in its life: was that a sixteenth of the time since it asked
  // before?
  bool wants_its_cpu(uint64_t now, uint64_t waited_now) {
    constexpr uint64_t kPart = 16;
    if (now - asked < tunables::kCpuWaitWindow) return wanted;
    wanted = asked != 0 && (waited_now - waited) * kPart > now - asked;
    asked = now;
    waited = waited_now;
    return wanted;
  }
};

// How many of a thread's waits are short because others wanted its CPU: two, where that was found once, so that a
// moment of somebody's costs little; twice as many each time it is found again soon, so that who really shares its CPU
// does not try all the time.
class Crowding {
 public:
  static constexpr int kFewest = 2, kMostOfFull = 8, kMostOfAway = 64;
  // A wait begins that would be longer: is it to be short?
  bool shortens() {
    if (left_ != 0) return --left_, true;
    if (calm_ < kCalm && ++calm_ == kCalm) latest_ = 0;
    return false;
  }
  void found(int most) {
    latest_ = latest_ == 0 ? kFewest : latest_ * 2;
    if (latest_ > most) latest_ = most;
    left_ = latest_;
    calm_ = 0;
  }
  int left() const { return left_; }

 private:
  static constexpr int kCalm = 32;  // waits since it was found: then that was long ago
  int left_ = 0, latest_ = 0, calm_ = 0;
};

// After its first looks a thread stays awake for up to kLinger more. Where more threads of the machine want to run than
// it has CPUs, or this one finds that it was not running for a while, the next waits are as short as those before: who
// sleeps is run first when it is woken, who has used up its time is not. Full is what is found so twice.
class Lingering {
 public:
  // At that time (ns). is_full(now): do more threads want to run than can?
  template <class IsFull>
  bool goes_on(Crowding& crowding, uint64_t now, IsFull&& is_full) {
    using namespace tunables;
    if (began_ == 0) {
      if (crowding.shortens()) return false;
      began_ = seen_ = now;
    }
    if (now - seen_ > kAway) return crowding.found(Crowding::kMostOfAway), false;
    if (asked_ == 0 || now - asked_ > (found_full_ ? kAskAgain : kAskWhetherFull)) {
      const bool full = is_full(now);
      if (full && found_full_) return crowding.found(Crowding::kMostOfFull), false;
      found_full_ = full;
      asked_ = now;
    }
    seen_ = now;
    return now - began_ < kLinger;
  }

 private:
  uint64_t began_ = 0, seen_ = 0, asked_ = 0;  // ns
  bool found_full_ = false;                    // when it asked last
};

// Yields its CPU to the others until over(), by a clock in ns, for kYields at most: who waits for longer has a CPU of
// fewer threads than others have, perhaps. True: over.
template <class Now, class Over>
bool yield_briefly(Now&& now, Over&& over) {
  const uint64_t began = now();
  do {
    if (over()) return true;
    sched_yield();
  } while (now() - began < tunables::kYields);
  return over();
}

}  // namespace einkorn::flow
