// Which instances of a region may go on now, and that one thread at a time goes on with each: where instances belong to
// no thread (moving.h). A region goes from one EK_SYNC to the next: a *phase*, in which each instance is gone on with
// once. Phases are counted on from region to region, so that the next region finds nothing to be reset.
//
// What is always true, `phase` being the one that now() says:
//   turn.word      2 x phases that the instance has been through, + 1 while a thread has it. So of one that is to go on
//                  in this phase it is 2 x phase: who makes that odd goes on with it. Odd, too, while its number is
//                  taken for a task (hold())
//   word_          phase << 16 | arrived: of the topmost groups, those of which all have arrived, as in a team's
//                  barrier. The phase changes only when that is all of them, by one compare-and-swap
//   group.arrived  of its members' arrivals, in all phases: members x phase when the phase begins. Who makes it members
//                  x (phase + 1) arrives for all of them further up
//   ended          of a group's members those that have ended, in all regions: members x regions before a region's last
//                  phase
#pragma once
#include <algorithm>
#include <memory>

#include "base/platform.h"

namespace einkorn::codelet {

// Of an instance.
struct Turn {
  std::atomic<uint64_t> word{0};
};

class Turns {
 public:
  // now(): the region is over; what is left is the next one's first phase.
  static constexpr uint64_t kOver = uint64_t(1) << 47;
  static bool is_over(uint64_t phase) { return phase & kOver; }

  // For regions of n instances, whose turns are new, too. So many of them count in one line, 2 or more.
  void set_up(int n, int a_line) {
    n_ = uint64_t(n);
    a_line_ = uint64_t(a_line);
    uint64_t groups = 0;
    for (top_ = n_; top_ > a_line_; groups += top_) top_ = groups_of(top_);
    groups_ = std::make_unique<Group[]>(groups);
    regions_ = 0;
    ended_.store(0, std::memory_order_relaxed);
    word_.store(kOver << kShift, std::memory_order_relaxed);
  }
  int instances() const { return int(n_); }

  // A region begins, by one thread, before it lets others in. Its first phase.
  uint64_t begin() {
    ++regions_;
    const uint64_t first = (word_.load(std::memory_order_relaxed) >> kShift) & ~kOver;
    word_.store(first << kShift, std::memory_order_relaxed);
    return first;
  }

  // The region that has just begun has fewer threads, and nobody has made use of this.
  void take_back() {
    --regions_;
    word_.store(word_.load(std::memory_order_relaxed) | kOver << kShift, std::memory_order_relaxed);
  }

  // Acquire: what all did in the phase before; pairs with end().
  uint64_t now() const { return word_.load(std::memory_order_acquire) >> kShift; }

  static bool is_free(const Turn& t, uint64_t phase) { return t.word.load(std::memory_order_relaxed) == 2 * phase; }
  // The calling thread goes on with it, and then arrives. False: another one does, or has done.
  // Acquire: what was done under its number, in a task; pairs with drop().
  static bool claim(Turn& t, uint64_t phase) {
    uint64_t free = 2 * phase;
    return is_free(t, phase) &&
           t.word.compare_exchange_strong(free, free + 1, std::memory_order_acquire, std::memory_order_relaxed);
  }
  // It is through with this phase, and nobody is under its number until that is dropped. False: somebody is, or it is
  // not. Acquire: what was done under that number; pairs with drop() and arrive().
  static bool hold(Turn& t, uint64_t phase) {
    uint64_t through = 2 * phase + 2;
    return t.word.load(std::memory_order_relaxed) == through &&
           t.word.compare_exchange_strong(through, through + 1, std::memory_order_acquire, std::memory_order_relaxed);
  }
  static void drop(Turn& t) {
    t.word.store(t.word.load(std::memory_order_relaxed) - 1, std::memory_order_release);  // see claim() and hold()
  }

  enum class Arrival { others_come, last, over, uneven };
  // Instance i, which the thread has claimed, has given way until the next phase, or ended. last: all have arrived, but
  // may_end() says no, which is asked then. over: the phase is. uneven: some have ended where others go on.
  template <class MayEnd>
  Arrival arrive(Turn& t, uint64_t i, uint64_t phase, bool ended, MayEnd&& may_end) {
    t.word.store(2 * phase + 2, std::memory_order_release);  // see hold()
    Group* level = groups_.get();
    for (uint64_t members = n_; members > a_line_;) {
      const uint64_t at = i / a_line_, size = std::min(a_line_, members - at * a_line_);
      Group& g = level[at];
      // Relaxed: told by the update behind it.
      if (EK_UNLIKELY(ended)) g.ended.fetch_add(1, std::memory_order_relaxed);
      // Release: what the instance did, and those that it arrives for; acquire, by the last one: what all did.
      if (g.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != size * (phase + 1)) return Arrival::others_come;
      const uint64_t ends = g.ended.load(std::memory_order_relaxed) - size * (regions_ - 1);
      if (EK_UNLIKELY(ends != 0 && ends != size)) return Arrival::uneven;
      ended = ends != 0;
      level += members = groups_of(members);
      i = at;
    }
    if (EK_UNLIKELY(ended)) ended_.fetch_add(1, std::memory_order_relaxed);
    fetch_to_write(&word_);
    // In one step if it is the last: else the line would travel between the two, to who looks at it meanwhile.
    // Acquire: as above.
    uint64_t word = word_.load(std::memory_order_acquire);
    if (word == (phase << kShift) + top_ - 1 && may_end()) return end(word);
    word = word_.fetch_add(1, std::memory_order_acq_rel);
    return word == (phase << kShift) + top_ - 1 ? Arrival::last : Arrival::others_come;
  }
  // Acquire: what all did; pairs with arrive().
  bool all_arrived(uint64_t phase) const { return word_.load(std::memory_order_acquire) == (phase << kShift) + top_; }
  // The phase, in which all have arrived, is over, says the calling thread; or `last`: another one has said so.
  Arrival end_phase(uint64_t phase) { return end((phase << kShift) + top_); }

 private:
  static constexpr int kShift = 16;
  struct alignas(kCacheLine) Group {
    std::atomic<uint64_t> arrived{0}, ended{0};
  };
  uint64_t groups_of(uint64_t members) const { return (members - 1) / a_line_ + 1; }
  // Release: what all did, for who goes on in the next phase. seq_cst: whatever fence the caller needs behind it.
  Arrival end(uint64_t word) {
    // Of this phase, if the word is still its: nobody is in the next one.
    const uint64_t ends = ended_.load(std::memory_order_relaxed) - top_ * (regions_ - 1);
    const uint64_t next = ((word >> kShift) + 1) | (ends == top_ ? kOver : 0);
    if (!word_.compare_exchange_strong(word, next << kShift, std::memory_order_seq_cst)) return Arrival::last;
    return EK_UNLIKELY(ends != 0 && ends != top_) ? Arrival::uneven : Arrival::over;
  }

  // Constant while a region runs.
  uint64_t n_ = 0, a_line_ = 0, regions_ = 0;
  uint64_t top_ = 0;                 // groups, or instances, that count in word_
  std::unique_ptr<Group[]> groups_;  // of instances, then of groups, ...
  std::atomic<uint64_t> ended_{0};   // of what counts in word_
  alignas(kCacheLine) std::atomic<uint64_t> word_{kOver << kShift};
};

}  // namespace einkorn::codelet
