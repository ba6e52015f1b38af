// What a thread does next, as another one tells it: handed over without a lock, and slept for (park.h).
//
// An order is the address of the work, or one of the last ones, with a count in the low bits: so each differs from the
// one before, which the thread keeps in its Dock. It need not write the line that the next order will come in: whoever
// gives work finds that line as it left it, and the thread fetches it once.
#pragma once
#include "flow/park.h"

namespace einkorn::flow {

// Written by the thread alone; apart from the line with its orders.
struct Dock {
  std::atomic<uintptr_t> taken{0};  // the latest order
  std::atomic<bool> docked{false};  // waits for the next one: looks at no work any more

  // Release: all that was done in the work before; pairs with is_docked().
  void enter() { docked.store(true, std::memory_order_release); }
  // Acquire: the same, for who gives the work itself to others.
  bool is_docked() const { return docked.load(std::memory_order_acquire); }
};

template <class Work>
class Orders {
 public:
  // The last one: to end the thread, or to stop where it is, for good.
  enum Last : uintptr_t { kLeave = 64, kHalt = 128 };

  // Work, of which it does the part with that number. By one thread at a time, which then passes a full fence and wakes
  // this one (tell()).
  void give(Work* work, int number) {
    static_assert(alignof(Work) > kCount);
    number_ = number;
    set(reinterpret_cast<uintptr_t>(work));
  }
  void give(Last last) { set(last); }
  // The last one, if the thread is between two works and nothing was given to it meanwhile; the caller goes on as
  // behind give().
  bool give_if_docked(const Dock& dock, Last last) {
    // In this order, hence acquire: an order that is seen to be taken while the thread is docked is its latest.
    uintptr_t before = dock.taken.load(std::memory_order_acquire);
    // acq_rel: the exchange releases to the thread, and is ordered before the caller's fence as an update; nothing is
    // to be acquired.
    return dock.is_docked() && given_.compare_exchange_strong(before, next(last, before), std::memory_order_acq_rel);
  }
  bool is_last(Last last) const { return (given_.load(std::memory_order_relaxed) & ~kCount) == last; }

  // ---- the thread itself ----

  // Acquire: the work as it was set up; pairs with the release in set().
  bool is_new(const Dock& dock) const {
    return given_.load(std::memory_order_acquire) != dock.taken.load(std::memory_order_relaxed);
  }
  // One that is new.
  uintptr_t take(Dock& dock) {
    const uintptr_t order = given_.load(std::memory_order_acquire);  // as in is_new()
    dock.docked.store(false, std::memory_order_relaxed);
    dock.taken.store(order, std::memory_order_release);  // after docked: give_if_docked()
    return order & ~kCount;
  }
  static bool is_work(uintptr_t order) { return order > kHalt; }
  static Work* work(uintptr_t order) { return reinterpret_cast<Work*>(order); }
  int number() const { return number_; }  // of the work that was taken last

 private:
  static constexpr uintptr_t kCount = 63;
  static uintptr_t next(uintptr_t what, uintptr_t before) { return what | ((before + 1) & kCount); }
  // Release: the work, set up, and its number; pairs with is_new().
  void set(uintptr_t what) {
    given_.store(next(what, given_.load(std::memory_order_relaxed)), std::memory_order_release);
  }

  std::atomic<uintptr_t> given_{0};
  int number_ = 0;
};

// Wakes those of these that sleep: member(i) is a pointer to what has the ith one's ParkWord `park`. Each that it wakes
// is to wake one in kParts of those that are left: to wake one takes a microsecond, and some more until it runs, so one
// thread alone would be at it for as many microseconds as there are threads. (A thread wakes some three more before the
// first one runs. Tests of few threads have fewer parts.) All were given the same work, and none is through with it
// before all have begun: else one could sleep again, told nothing, and be given some.
inline constexpr uint32_t kWakingParts = 4;
template <uint32_t kParts = kWakingParts, class Member>
void wake_all(Sleepers those, Member&& member) {
  for (uint32_t end = those.end, i = end - those.count; i < end; ++i) {
    const Sleepers part{end, std::min((end - i - 1) / kParts, Sleepers::kMost)};
    if (wake(member(int(i))->park, part)) end -= part.count;
  }
}

// Behind give(), for threads member(0) .. member(n - 1). Of one that slept park_until() says whom it is to wake; what
// the fence orders holds for its looks, too, which come behind the update that it was woken by.
template <uint32_t kParts = kWakingParts, class Member>
void tell(int n, Member&& member) {
  full_fence();  // orders the stores of orders before the loads of park; pairs with park_until()
  wake_all<kParts>({uint32_t(n), uint32_t(n)}, member);
}

}  // namespace einkorn::flow
