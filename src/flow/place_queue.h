// The queue of a place: of several workers, any of which pushes and takes, at both ends and several at once.
// Lock-based, as Olivier's (2012, 6.2: concurrent access at both ends rules out deques with one owner); for schedules
// that are not the default, whose queues are deque.h.
//
// Invariants, under the lock: items [head, tail) of the ring are queued, oldest first; length == tail - head. length is
// written under the lock; read without it, it is a hint, which is never 0 for long while something is queued: a push
// stores it before it looks for sleepers. Release and acquire there: who has seen a length sees what was stored before
// that push. The items themselves are the lock's to order.
#pragma once
#include "flow/mutex.h"

namespace einkorn::flow {

template <class T>
class alignas(kCacheLine) PlaceQueue {
 public:
  static constexpr uint32_t kAll = ~0u;

  void push(T* item) { push_all(&item, 1); }
  void push_all(T** items, uint32_t count) {
    lock_.lock();
    if (tail_ - head_ + count > room_) grow(count);
    for (uint32_t i = 0; i < count; ++i) at(tail_++) = items[i];
    length_.store(uint32_t(tail_ - head_), std::memory_order_release);
    lock_.unlock();
  }

  // As if it had been the first.
  void push_oldest(T* item) {
    lock_.lock();
    if (tail_ - head_ + 1 > room_) grow(1);
    at(--head_) = item;
    length_.store(uint32_t(tail_ - head_), std::memory_order_release);
    lock_.unlock();
  }

  // The youngest that `allowed`, of the `walk` youngest. nullptr: there is none (or, without `wait`, the lock is
  // taken).
  template <class Allowed>
  T* take_youngest(Allowed&& allowed, uint32_t walk, bool wait) {
    if (!enter(wait)) return nullptr;
    T* found = nullptr;
    for (uint64_t i = tail_; i > head_ && walk > 0 && !found; --walk)
      if (allowed(at(--i))) {
        found = at(i);
        for (++i; i < tail_; ++i) at(i - 1) = at(i);
        --tail_;
      }
    leave();
    return found;
  }
  // Up to `most` of the oldest, until one is not `allowed`: how many, into out[], oldest first.
  template <class Allowed>
  uint32_t take_oldest(T** out, uint32_t most, Allowed&& allowed, bool wait) {
    if (!enter(wait)) return 0;
    uint32_t count = 0;
    while (count < most && head_ < tail_ && allowed(at(head_))) out[count++] = at(head_++);
    leave();
    return count;
  }

  uint32_t length() const { return length_.load(std::memory_order_acquire); }
  // Anybody, at any time: does what stands above hold?
  bool is_valid() {
    lock_.lock();
    const bool holds = holds_under_lock();
    lock_.unlock();
    return holds;
  }
  void destroy() {
    if (items_) release(items_, sizeof(T*) * room_);
    items_ = nullptr;
    room_ = 0;
  }

 private:
  bool holds_under_lock() {
    if ((room_ == 0) != (items_ == nullptr) || (room_ & (room_ - 1)) != 0) return false;
    if (head_ > tail_ || tail_ - head_ > room_ || length_.load(std::memory_order_relaxed) != tail_ - head_)
      return false;
    for (uint64_t i = head_; i < tail_; ++i)
      if (at(i) == nullptr) return false;
    return true;
  }
  T*& at(uint64_t i) { return items_[i & (room_ - 1)]; }
  bool enter(bool wait) {
    if (length() == 0) return false;
    if (!wait) return lock_.try_lock();
    lock_.lock();
    return true;
  }
  void leave() {
    length_.store(uint32_t(tail_ - head_), std::memory_order_release);
    lock_.unlock();
  }
  EK_NOINLINE void grow(uint32_t more) {
    uint64_t room = room_ ? room_ : 64;
    while (tail_ - head_ + more > room) room *= 2;
    auto** items = static_cast<T**>(allocate(sizeof(T*) * room));
    for (uint64_t i = head_; i < tail_; ++i) items[i & (room - 1)] = at(i);
    if (items_) release(items_, sizeof(T*) * room_);
    items_ = items;
    room_ = room;
  }

  Mutex lock_;
  std::atomic<uint32_t> length_{0};
  T** items_ = nullptr;
  uint64_t room_ = 0;                                 // a power of two, or 0
  uint64_t head_ = uint64_t(1) << 32, tail_ = head_;  // with room below, for push_oldest()

  friend struct Inside;  // tests that break it
};

}  // namespace einkorn::flow
