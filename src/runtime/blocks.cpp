#include "runtime/blocks.h"

namespace einkorn::runtime {

namespace {
constexpr size_t kSlab = 64 << 10;
constexpr int kChain = 32;  // blocks sent home at once
void*& link(void* block) { return *static_cast<void**>(block); }
}  // namespace

void* block_slow(Worker* w, uint8_t c) {
  // Acquire pairs with the release in send_home(): the chain's links are visible.
  if (w->returned[c].load(std::memory_order_relaxed)) {
    void* chain = w->returned[c].exchange(nullptr, std::memory_order_acquire);
    w->free_blocks[c] = link(chain);
    return chain;
  }
  size_t bytes = kBlockSizes[c];
  if (size_t(w->fresh_end - w->fresh) < bytes) {
    w->fresh = static_cast<char*>(allocate(kSlab));
    w->fresh_end = w->fresh + kSlab;
  }
  void* block = w->fresh;
  w->fresh += bytes;
  return block;
}

void send_home(Worker* w) {
  if (!w->foreign_head) return;
  std::atomic<void*>& stack = g_workers[w->foreign_home]->returned[w->foreign_class];
  void* top = stack.load(std::memory_order_relaxed);
  do link(w->foreign_tail) = top;
  while (!stack.compare_exchange_weak(top, w->foreign_head, std::memory_order_release, std::memory_order_relaxed));
  w->foreign_head = w->foreign_tail = nullptr;
  w->foreign_count = 0;
}

void free_foreign(Worker* w, Task* t) {
  if (t->size_class == kHuge) return free_huge(t);
  if (w->foreign_head && (w->foreign_home != t->home || w->foreign_class != t->size_class || w->foreign_count >= kChain))
    send_home(w);
  w->foreign_home = t->home;
  w->foreign_class = t->size_class;
  link(t) = w->foreign_head;
  if (!w->foreign_head) w->foreign_tail = t;
  w->foreign_head = t;
  ++w->foreign_count;
}

// A line before the task holds its last word: how long the block is is not known later.
Task* huge_block(size_t bytes) {
  void* p = nullptr;
  if (posix_memalign(&p, kCacheLine, bytes + kCacheLine) != 0)
    fatal("out of memory: a task with %zu bytes of private data", bytes);
  Task* t = reinterpret_cast<Task*>(static_cast<char*>(p) + kCacheLine);
  t->home = kNoWorker;
  t->size_class = kHuge;
  return t;
}

void free_huge(Task* t) { free(reinterpret_cast<char*>(t) - kCacheLine); }

void*& last_word_of_huge(Task* t) { return *reinterpret_cast<void**>(reinterpret_cast<char*>(t) - sizeof(void*)); }

}  // namespace einkorn::runtime
