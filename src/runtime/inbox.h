// The second half of a place's queue: any thread may push, the place's own thread and thieves take. Used for tasks that
// are sent to a place (an untied task resumed elsewhere, affinity): rare beside the deque, so a lock is good enough.
#pragma once
#include "runtime/mutex.h"

namespace einkorn::runtime {

// A list through each item's `base` field. size_ is written under the lock; read without it, it is a hint.
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
  // The oldest item that `allowed`; nullptr when there is none (or, without `wait`, the lock is taken: ask again).
  template <class Allowed>
  T* take(Allowed&& allowed, bool wait = false) {
    if (seems_empty()) return nullptr;
    if (EK_UNLIKELY(wait)) lock_.lock();
    else if (!lock_.try_lock()) return nullptr;
    T *before = nullptr, *item = head_;
    while (item && !allowed(item)) before = item, item = *link(item);
    if (item) {
      if (before) *link(before) = *link(item);
      else head_ = *link(item);
      if (tail_ == item) tail_ = before;
      size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    }
    lock_.unlock();
    return item;
  }
  bool seems_empty() const { return size_.load(std::memory_order_acquire) == 0; }

 private:
  // A queued task does not run, so its `base` is free to carry the link.
  static T** link(T* item) { return reinterpret_cast<T**>(&item->base); }
  Mutex lock_;
  std::atomic<uint32_t> size_{0};
  T* head_ = nullptr;
  T* tail_ = nullptr;
};

}  // namespace einkorn::runtime
