// One worker's queue of tasks: a split deque with a forced publish.
//
// Indices grow without bound and name slots modulo the capacity:
//
//        top ............ split ............ bottom
//         |--- public ----|---- private -----|
//
// The owner pushes and pops at `bottom`. Between split and bottom it needs no atomic read-modify-write, no fence and no
// lock. Thieves take at `top`, below split only, and under the lock. Who wants more than is public raises split:
//   - the owner does so when it pushes while somebody is hungry (publish());
//   - a thief does so by force when the owner is busy in user code (steal() with force): it raises split, makes the owner
//     pass a barrier (heavy_fence), then reads bottom. The owner's pop stores bottom, then reads split (light_fence
//     between). By Dekker's argument the owner sees the raised split, or the thief sees the lowered bottom, or both.
// Force costs both tens of microseconds where CPUs are virtual. Where items last so long that a lock for each does not
// count the owner therefore keeps nothing to itself: it takes back one at a time, and lets thieves have all when it
// begins to wait (publish_long()). What these take besides the one that they run they make public at once, too.
//
// Invariants, under the lock and with the owner outside pop(): top <= split <= bottom, bottom - top <= capacity;
// top never falls; split is lowered under the lock only, and raised there or by the owner; slots in [top, bottom) hold
// tasks that were pushed and not taken. The idea of split queues is Dinan et al. (SC'09) and van Dijk's Lace (2014);
// the forced publish is ours. Checked: tests/unit/model/deque_model_test.cpp explores all interleavings of small cases
// with store buffers.
#pragma once
#include "base/clock.h"
#include "base/tunables.h"
#include "flow/mutex.h"

namespace einkorn::flow {

// What the deque is built on. The model checker puts its own in place, so that it runs this very code.
struct Native {
  template <class U>
  using Atomic = std::atomic<U>;
  using Lock = Mutex;
  static void light_fence() { base::light_fence(); }
  static void heavy_fence() { base::heavy_fence(); }
  static void full_fence() { base::full_fence(); }
  static uint64_t ticks() { return base::ticks(); }
};

template <class T, class Platform = Native, int64_t kFirstCapacity = 256>
class Deque {
  template <class U>
  using Atomic = typename Platform::template Atomic<U>;

 public:
  // By the owner, which holds no items. fenced: from now on its light_fence() is a full one.
  void init(bool fenced = false) {
    // Release: who reads it sees all that was popped with less.
    if (EK_UNLIKELY(fenced && !fenced_.load(std::memory_order_relaxed))) fenced_.store(true, std::memory_order_release);
    if (slots_.load(std::memory_order_relaxed)) return;
    has_slots(new_slots(kFirstCapacity), kFirstCapacity);
    room_ = kFirstCapacity;
  }
  // has_room() says no from so many on, by what the owner has seen of thieves: to be asked for again with takes_more()
  // or allow().
  void limit(int64_t items) { room_ = items < kFirstCapacity ? items : kFirstCapacity; }
  // So many more than there are now.
  void allow(int64_t more) {
    // Acquire: a thief has read the slots below the top that it stored, so they may be written again.
    seen_top_ = top_.load(std::memory_order_acquire);
    const int64_t items = bottom_.load(std::memory_order_relaxed) - seen_top_ + more;
    room_ = items <= mask_ ? items : mask_ + 1;
  }
  // The owner's, after has_room(): is the queue that long still, or have thieves made room?
  bool takes_more() {
    // Acquire: as in allow().
    seen_top_ = top_.load(std::memory_order_acquire);
    return has_room();
  }
  void destroy() {
    if (slots_) release(slots_, size_t(mask_ + 1) * sizeof(Slot));
    slots_ = nullptr;
    thieves_ = {};
  }

  // ---- owner ----
  // false: it holds as many as `most` already (a power of two), nothing happened.
  bool try_push(T* item, int64_t most) {
    int64_t b = bottom_.load(std::memory_order_relaxed);
    if (EK_UNLIKELY(b - seen_top_ > mask_) && !make_room(b, most)) return false;
    push_into_room(item);
    return true;
  }
  void push(T* item) { try_push(item, INT64_MAX); }
  // The same after has_room().
  void push_into_room(T* item) {
    int64_t b = bottom_.load(std::memory_order_relaxed);
    slots_.load(std::memory_order_relaxed)[b & mask_].store(item, std::memory_order_relaxed);
    // Release: a thief that reads this bottom sees the slot, and what the task's creator wrote into the task.
    bottom_.store(b + 1, std::memory_order_release);
  }

  // Room for one more, without growing and under the limit.
  bool has_room() const { return bottom_.load(std::memory_order_relaxed) - seen_top_ < room_; }

  // The youngest item with index >= base, or nullptr. base <= bottom.
  T* pop(int64_t base = 0) { return pop_with(base, Platform::light_fence); }
  // Where there is a heavy_fence(), for who knows.
  T* pop_short(int64_t base) {
    return pop_with(base, [] { std::atomic_signal_fence(std::memory_order_seq_cst); });
  }
  // Lets thieves have all but the `keep` youngest. Called when somebody is hungry. Without the lock, for which it would
  // have to wait for thieves, at each push. An update, and only of what it has read: a thief that uses force may be
  // raising split, and must not find that undone. It may store over this one what bottom was before: then there is less
  // for thieves than there might be, and nothing else.
  void publish(int64_t keep = 0) {
    int64_t s = bottom_.load(std::memory_order_relaxed) - keep, old = split_.load(std::memory_order_relaxed);
    // Release: the slots below it, and what their tasks' creator wrote into them.
    if (s > old) split_.compare_exchange_strong(old, s, std::memory_order_release, std::memory_order_relaxed);
  }
  // When the owner begins to wait: all, where items last long, as far as the latest pops tell.
  void publish_long() {
    if (EK_UNLIKELY(long_)) publish();
  }
  // No more than one that is not public. The owner's.
  bool keeps_at_most_one() const {
    return bottom_.load(std::memory_order_relaxed) - split_.load(std::memory_order_relaxed) <= 1;
  }

  int64_t bottom() const { return bottom_.load(std::memory_order_relaxed); }

  // About how many there are. The owner's.
  int64_t seems_to_hold() const {
    return bottom_.load(std::memory_order_relaxed) - top_.load(std::memory_order_relaxed);
  }

  // ---- anybody ----
  // Acquire: after what was stored before the push, such as the bit that led here. No more: it is a hint, but for who
  // has passed a fence (park.h).
  bool seems_empty() const { return top_.load(std::memory_order_relaxed) >= bottom_.load(std::memory_order_acquire); }
  bool has_public() const { return top_.load(std::memory_order_relaxed) < split_.load(std::memory_order_relaxed); }

  // By the owner, outside of pop(): does what stands above hold? Under the lock, as a thief that uses force has split
  // above bottom for a moment.
  bool is_valid() {
    lock_.lock();
    const bool holds = holds_under_lock();
    lock_.unlock();
    return holds;
  }

  enum class Steal { taken, empty, busy, refused };
  // Takes the oldest item if `allowed(item)`. With force also from the private part. busy: another thread holds the
  // lock; not with `wait`, for who is about to sleep and must be certain. `allowed` runs under the lock; the item is
  // alive while it does.
  template <class Allowed>
  Steal steal(T*& out, bool force, Allowed&& allowed, bool wait = false) {
    int count;
    return steal_some(&out, [](int64_t) { return int64_t(1); }, count, force, allowed, wait);
  }
  // The same for amount(how many are public) items, oldest first: `count` of them. amount: from 1 to what it is given.
  template <class Amount, class Allowed>
  Steal steal_some(T** out, Amount&& amount, int& count, bool force, Allowed&& allowed, bool wait = false) {
    // A lock asked for in vain, or taken for nothing, would be in the way of who finds something.
    if (!force && !has_public()) return Steal::empty;
    if (EK_UNLIKELY(wait)) lock_.lock();
    else if (lock_.held() || !lock_.try_lock()) return Steal::busy;
    int64_t t = top_.load(std::memory_order_relaxed);
    // Acquire: the slots below it, and what their tasks' creator wrote into them; pairs with publish().
    int64_t s = split_.load(std::memory_order_acquire);
    if (t >= s) {
      int64_t b = bottom_.load(std::memory_order_relaxed);
      if (!force || b <= t) {
        lock_.unlock();
        return Steal::empty;
      }
      forced_ = true;
      split_.store(b, std::memory_order_relaxed);
      // Orders the store of split before the load of bottom; pairs with light_fence() in pop(). Acquire: pairs with
      // init(), so that who passed light fences only has popped before what is read of bottom.
      if (EK_UNLIKELY(fenced_.load(std::memory_order_acquire))) Platform::full_fence();
      else Platform::heavy_fence();
      // Acquire: the slots below it, and what their tasks' creator wrote into them.
      int64_t now = bottom_.load(std::memory_order_acquire);
      if (now < b) {  // the owner has popped meanwhile: what it may have in hand is not ours
        s = now > t ? now : t;
        split_.store(s, std::memory_order_relaxed);
      } else {
        s = b;
      }
      if (s <= t) {
        lock_.unlock();
        return Steal::empty;
      }
    }
    // split or bottom was read with acquire: the slot is visible. The capacity only changes under the lock.
    const auto [slots, mask] = thieves_;
    const int64_t enough = amount(s - t);
    int taken = 0;
    do {
      T* item = slots[(t + taken) & mask].load(std::memory_order_relaxed);
      if (!allowed(item)) break;
      out[taken] = item;
    } while (++taken < enough);
    // Release: the slots were read before; pairs with the owner's acquire where it makes room.
    if (taken > 0) top_.store(t + taken, std::memory_order_release);
    lock_.unlock();
    count = taken;
    return taken > 0 ? Steal::taken : Steal::refused;
  }

 private:
  template <class Fence>
  T* pop_with(int64_t base, Fence&& light_fence) {
    int64_t b = bottom_.load(std::memory_order_relaxed) - 1;
    if (b < base) return nullptr;
    // Release: as in push_into_room(), for who reads this bottom and not that one.
    bottom_.store(b, std::memory_order_release);
    light_fence();  // orders the store of bottom before the load of split; pairs with heavy_fence() in steal()
    if (EK_LIKELY(split_.load(std::memory_order_relaxed) <= b))
      return slots_.load(std::memory_order_relaxed)[b & mask_].load(std::memory_order_relaxed);
    return pop_slow(b);
  }

  bool holds_under_lock() const {
    const int64_t t = top_.load(std::memory_order_relaxed), s = split_.load(std::memory_order_relaxed);
    const int64_t b = bottom_.load(std::memory_order_relaxed), capacity = mask_ + 1;
    const Slot* slots = slots_.load(std::memory_order_relaxed);
    if (t > s || s > b || seen_top_ > t) return false;
    if (!slots) return t == b;
    if (capacity < kFirstCapacity || (capacity & mask_) != 0 || b - t > capacity) return false;
    if (room_ < 0 || room_ > capacity || took_back_ < 0) return false;
    for (int64_t i = t; i < b; ++i)
      if (slots[i & mask_].load(std::memory_order_relaxed) == nullptr) return false;
    return true;
  }

  using Slot = Atomic<T*>;
  // By the owner, under the lock if there were others before.
  void has_slots(Slot* slots, int64_t capacity) {
    slots_.store(slots, std::memory_order_relaxed);
    mask_ = capacity - 1;
    thieves_ = {slots, mask_};
  }
  static Slot* new_slots(int64_t n) { return static_cast<Slot*>(allocate(size_t(n) * sizeof(Slot))); }

  // bottom is b already and split > b: item b is public, or a thief has taken it.
  EK_NOINLINE T* pop_slow(int64_t b) {
    // Release, twice: as in pop_with().
    if (top_.load(std::memory_order_relaxed) > b) {  // top never falls: gone for certain, no lock needed
      bottom_.store(b + 1, std::memory_order_release);
      return nullptr;
    }
    lock_.lock_patiently();  // a thief holds it through its heavy_fence()
    int64_t t = top_.load(std::memory_order_relaxed);
    if (t > b) {
      bottom_.store(b + 1, std::memory_order_release);
      split_.store(b + 1, std::memory_order_relaxed);
      lock_.unlock();
      return nullptr;
    }
    // Take the younger half back, so that the next pops are private again; of long items only this one. (Long may have
    // passed for another reason, a sleep say, and who uses force thought so: then the next time tells.)
    uint64_t now = Platform::ticks();
    long_ = forced_ || now - took_back_at_ > in_ticks(tunables::kLongToKeep) * uint64_t(took_back_);
    forced_ = false;
    took_back_ = long_ ? 1 : b + 1 - (t + (b - t) / 2);
    took_back_at_ = now;
    split_.store(b + 1 - took_back_, std::memory_order_relaxed);
    T* item = slots_.load(std::memory_order_relaxed)[b & mask_].load(std::memory_order_relaxed);
    lock_.unlock();
    return item;
  }

  EK_NOINLINE bool make_room(int64_t b, int64_t most) {
    seen_top_ = top_.load(std::memory_order_acquire);  // as in allow()
    if (b - seen_top_ <= mask_) return true;
    if (mask_ + 1 >= most) return false;
    lock_.lock();  // thieves read thieves_ under the lock only
    Slot* old = slots_.load(std::memory_order_relaxed);
    int64_t n = mask_ + 1;
    Slot* more = new_slots(n * 2);
    for (int64_t i = top_.load(std::memory_order_relaxed); i < b; ++i)
      more[i & (n * 2 - 1)].store(old[i & mask_].load(std::memory_order_relaxed), std::memory_order_relaxed);
    has_slots(more, n * 2);
    if (room_ == n) room_ = n * 2;
    lock_.unlock();
    release(old, size_t(n) * sizeof(Slot));
    return true;
  }

  // Owner's line. Thieves that do not use force have no business with it: bottom changes with every push.
  alignas(kCacheLine) Atomic<int64_t> bottom_{0};
  Atomic<Slot*> slots_{nullptr};
  int64_t mask_ = 0;
  int64_t seen_top_ = 0;  // <= top: spares reading the thieves' line
  int64_t room_ = 0;      // see has_room(): the capacity, or a limit below the first one
  // By pop_slow(), the latest time: so many items, when (ticks), and whether those before lasted long.
  int64_t took_back_ = 0;
  uint64_t took_back_at_ = 0;
  bool long_ = false;
  // Read by the owner on every pop, and written rarely; and what thieves look at first.
  alignas(kCacheLine) Atomic<int64_t> split_{0};
  // Thieves' line, in which is all else that a steal needs but the items.
  alignas(kCacheLine) Atomic<int64_t> top_{0};
  typename Platform::Lock lock_;
  Atomic<bool> fenced_{false};  // see init(). It never falls again
  bool forced_ = false;         // under the lock: a thief had to use force since the owner took items back
  // slots_ and mask_ again, changed under the lock.
  struct {
    Slot* slots = nullptr;
    int64_t mask = 0;
  } thieves_;

  friend struct Inside;  // tests that break it
};

}  // namespace einkorn::flow
