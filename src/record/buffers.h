// The bounded pool of event buffers. A buffer's way: free -> a producer's current one -> full queue -> writer -> free.
//
// One lock guards the pool and the recorder's lists (recorder.h). It is held for a few instructions, and a producer
// takes it only once per buffer.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include "record/halves.h"

namespace einkorn::record {

struct Lane;

inline constexpr size_t kBufferBytes = 128 << 10;

// The state at a point of a stream: what a block header says of it, and the totals up to it.
struct Counts {
  uint64_t tick = 0;    // time of the latest record
  uint64_t serial = 0;  // tasks created
  uint64_t chunks = 0;
  uint64_t regions = 0;
};

// The head of its own kBufferBytes.
struct Buffer {
  Buffer* next;  // in the free list or the full queue; guarded by the lock
  Lane* lane;    // whose records these are
  Unit* end;     // full: end of its records
  Counts after;  // full: at `end`
  Unit* taken;   // writer only: what lies before it is in the file

  Unit* begin() { return reinterpret_cast<Unit*>(this + 1); }
  Unit* limit() { return reinterpret_cast<Unit*>(reinterpret_cast<char*>(this) + kBufferBytes); }
};

class BufferPool {
 public:
  void configure(uint64_t memory_bytes);
  void after_fork_child();  // only the free buffers are left
  pthread_mutex_t& lock() { return lock_; }

  // True where take() would probably find one. No lock.
  bool available() const {
    return free_count_.load(std::memory_order_relaxed) || mapped_.load(std::memory_order_relaxed) < capacity_;
  }
  // Maps more memory if the free list is empty and the bound allows it. Not under the lock: it is a system call.
  void grow_if_empty();
  // Under the lock:
  Buffer* take();  // most recently used first: its lines may still be in a cache. nullptr: none
  void put(Buffer*);
  void queue_full(Buffer*);
  Buffer* take_all_full();  // oldest first, linked by next

  // What waits for the writer.
  uint64_t full_bytes() const { return full_count_.load(std::memory_order_relaxed) * uint64_t(kBufferBytes); }
  // More than half of the pool waits for the writer.
  bool crowded() const { return full_count_.load(std::memory_order_relaxed) * 2 > capacity_; }
  // How far the writer is behind. Says nothing of pools of a few buffers: they are always full or empty.
  enum class Pressure { none, some, high };
  Pressure pressure() const {
    uint64_t full = full_count_.load(std::memory_order_relaxed);
    if (capacity_ < 16 || full * 4 < capacity_) return Pressure::none;
    return full * 4 >= capacity_ * 3ull ? Pressure::high : Pressure::some;
  }
  void written_one() { full_count_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kSlab = 8;  // buffers mapped at once

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  Buffer* free_ = nullptr;
  Buffer* full_ = nullptr;
  Buffer* full_last_ = nullptr;
  std::atomic<uint32_t> free_count_{0};
  std::atomic<uint32_t> full_count_{0};  // queued or being written
  std::atomic<uint32_t> mapped_{0};
  uint32_t capacity_ = 0;  // constant after configure()
};

}  // namespace einkorn::record
