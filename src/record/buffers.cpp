#include "record/buffers.h"
#include <algorithm>
#include "record/system.h"

namespace einkorn::record {

void BufferPool::configure(uint64_t memory_bytes) {
  // Two are the least that lets a producer fill one while the writer takes the other.
  capacity_ = uint32_t(std::clamp<uint64_t>(memory_bytes / kBufferBytes, 2, 1u << 24));
}

void BufferPool::after_fork_child() {
  while (full_) {
    Buffer* b = full_;
    full_ = b->next;
    put(b);
  }
  full_last_ = nullptr;
  full_count_.store(0, std::memory_order_relaxed);
  mapped_.store(free_count_.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void BufferPool::grow_if_empty() {
  if (free_count_.load(std::memory_order_relaxed)) return;
  // Reserve first, so that threads that grow the pool at the same time together stay within the bound.
  uint32_t mapped = mapped_.load(std::memory_order_relaxed), count;
  do {
    count = std::min(kSlab, capacity_ - mapped);
    if (!count) return;
  } while (!mapped_.compare_exchange_weak(mapped, mapped + count, std::memory_order_relaxed));
  auto memory = static_cast<char*>(map_memory(count * kBufferBytes));
  if (!memory) {
    // No more memory: what was mapped so far must suffice. The reservation is kept, so that the system is not asked
    // again at every record.
    return;
  }
  Guard guard(lock_);
  for (uint32_t i = 0; i < count; ++i) put(reinterpret_cast<Buffer*>(memory + i * kBufferBytes));
}

Buffer* BufferPool::take() {
  Buffer* b = free_;
  if (!b) return nullptr;
  free_ = b->next;
  free_count_.store(free_count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return b;
}

void BufferPool::put(Buffer* b) {
  b->next = free_;
  free_ = b;
  free_count_.store(free_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void BufferPool::queue_full(Buffer* b) {
  b->next = nullptr;
  if (full_last_) full_last_->next = b;
  else full_ = b;
  full_last_ = b;
  full_count_.fetch_add(1, std::memory_order_relaxed);
}

Buffer* BufferPool::take_all_full() {
  Buffer* b = full_;
  full_ = full_last_ = nullptr;
  return b;
}

}  // namespace einkorn::record
