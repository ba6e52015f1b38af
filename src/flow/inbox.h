// The second half of a place's queue: any thread may push, the place's own thread and thieves take. Used for tasks that
// are sent to a place (an untied task resumed elsewhere, affinity), and for those that became ready, which run in that
// order: rare beside what the deque is for, so a lock is good enough.
#pragma once
#include "flow/mutex.h"

namespace einkorn::flow {

// A list through the items' link(), which is theirs for that while they are queued. size_ is written under the lock;
// read without it, it is a hint. Release and acquire there: who has seen an item sees what was stored before the push,
// such as the bit that leads others here. The items themselves are the lock's to order. That a push is seen at all by
// who falls asleep is for a fence behind it (park.h).
template <class T>
class Inbox {
 public:
  void push(T* item) {
    lock_.lock();
    *link(item) = nullptr;
    if (tail_) *link(tail_) = item;
    else head_ = item;
    tail_ = item;
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    lock_.unlock();
  }
  // The oldest item that `allowed`; nullptr when there is none (or, without `wait`, the lock is taken or the first
  // kLooked are not allowed: ask again).
  template <class Allowed>
  T* take(Allowed&& allowed, bool wait = false) {
    T* item;
    return take_some(&item, 1, allowed, wait) ? item : nullptr;
  }
  // The same for it and up to most - 1 that follow at once and are allowed: how many.
  template <class Allowed>
  int take_some(T** out, int most, Allowed&& allowed, bool wait = false) {
    if (seems_empty()) return 0;
    if (EK_UNLIKELY(wait)) lock_.lock();
    else if (!lock_.try_lock()) return 0;
    int taken = 0;
    T *before = nullptr, *item = head_;
    int looks = wait ? INT_MAX : kLooked;
    for (; item && looks > 0 && !allowed(item); --looks) before = item, item = *link(item);
    if (item && looks > 0) {
      T* after;
      do {
        out[taken++] = item;
        after = *link(item);
        if (item == tail_) tail_ = before;
      } while (taken < most && (item = after) != nullptr && allowed(item));
      if (before) *link(before) = after;
      else head_ = after;
      size_.store(size_.load(std::memory_order_relaxed) - uint32_t(taken), std::memory_order_relaxed);
    }
    lock_.unlock();
    return taken;
  }
  bool seems_to_have(uint32_t items) const { return size_.load(std::memory_order_relaxed) >= items; }
  bool seems_empty() const { return size_.load(std::memory_order_acquire) == 0; }

 private:
  static constexpr int kLooked = 16;
  static T** link(T* item) { return item->link(); }
  Mutex lock_;
  std::atomic<uint32_t> size_{0};
  T* head_ = nullptr;
  T* tail_ = nullptr;
};

}  // namespace einkorn::flow
