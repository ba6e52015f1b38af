// When a thread that waits for a lock looks at it: after how many pauses, and how often before it sleeps. (A program's
// lock may be held for any time: there it then stays awake as in any wait, flow/mutex.h.)
#pragma once

namespace einkorn::schedule {

// A look takes the lock's line from its holder, who needs it to unlock and, often, to lock again. In short sections
// that is most of the time: so looks come half as often each time, down to kLongestGap pauses (1.3 us; of several who
// look, so many times that) between two. A lock still held after these few looks is held for long: its holder does
// without the line, and who waits should not miss the moment.
class LockLooks {
 public:
  // Pauses in all, of who sleeps then. Worth it only for holders that run and hold for less than a sleep and a wake
  // cost both (5 us and more; on virtual machines 30, and interrupting a processor for a barrier 10).
  static constexpr int kShort = 400, kPatience = 800;

  // Of the first of those who wait in turn (flow/lock_queue.h), one pause apart: after these the section is a long one.
  static constexpr int kEagerLooks = 32, kLongSectionGap = 4;

  explicit constexpr LockLooks(int pauses = kShort) : left_(pauses) {}
  // It looks: how many pauses until the next one. 0: no more. Of several who look each does so more seldom,
  // so that the holder has the line as long as if there were one.
  constexpr int next(int who_look = 1) {
    if (left_ <= 0) return 0;
    const int most = gap_ * (who_look < 1 ? 1 : who_look), gap = most < left_ ? most : left_;
    left_ -= gap;
    long_section_ |= gap_ == kLongestGap;
    gap_ = long_section_ ? kLongSectionGap : gap_ * 2;
    return gap;
  }
  // Of who stays awake for longer than all these, and finds the same holder as at its last look: the section is a long
  // one. Or another one: many hand it on to each other, and all that the look does is to take the line from them.
  static constexpr int later_gap(bool same_holder, int who_look) {
    const int gap = (same_holder ? kLongSectionGap : kCrowdGap) * (who_look < 1 ? 1 : who_look);
    return gap < kLongestLaterGap ? gap : kLongestLaterGap;
  }
  // Of who waits in turn: so many pauses, or what is left; 0: no more.
  constexpr int rest(int pauses) {
    const int gap = pauses < left_ ? pauses : left_;
    left_ -= gap;
    return gap;
  }
  static constexpr int longest(int pauses) { return pauses < kLongestLaterGap ? pauses : kLongestLaterGap; }
  int gap() const { return gap_; }
  // Not one of the first looks, after which a short section is over: is it to be counted among those who look?
  constexpr bool stays() const { return long_section_ || gap_ > kFirstGaps; }

 private:
  static constexpr int kLongestGap = 32, kFirstGaps = 2, kCrowdGap = 64,
                       kLongestLaterGap = 2048;  // 90 us: far less than what counts as away (tunables::kAway)
  int left_, gap_ = 1;
  bool long_section_ = false;
};

}  // namespace einkorn::schedule
