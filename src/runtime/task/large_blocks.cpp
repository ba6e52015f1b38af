#include "runtime/task/large_blocks.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "flow/mutex.h"
#include "runtime/task/blocks.h"

namespace einkorn::runtime {

namespace {

// In the line before the task.
struct Head {
  void* allocated;  // by the C library
  Head* next;       // in a list of free blocks
  size_t bytes;     // 0: of no class
  uint8_t of_class;
  void* last_word;  // how long the block is is not known later: it cannot be at its end
};
static_assert(sizeof(Head) <= kCacheLine);

Head* head_of(Task* t) { return reinterpret_cast<Head*>(reinterpret_cast<char*>(t) - kCacheLine); }
Task* task_of(Head* h) { return reinterpret_cast<Task*>(reinterpret_cast<char*>(h) + kCacheLine); }

constexpr size_t size_of(int c) { return kLargeSmallest << c; }
int class_of(size_t bytes) { return std::max(0, int(std::bit_width((bytes - 1) / kLargeSmallest))); }

struct Pool {
  flow::Mutex lock;
  Head* lists[Worker::kLargeClasses] = {};  // under the lock
  size_t bytes = 0;                         // of them
};
Pool g_pool;

// Blocks of one size would begin in the same lines of the caches, and put each other out.
size_t next_offset() {
  static std::atomic<uint32_t> count{0};
  constexpr uint32_t kStep = 5 * kCacheLine, kPage = 4096;
  return count.fetch_add(1, std::memory_order_relaxed) * kStep % kPage;
}

Head* allocate_head(size_t bytes, size_t room) {
  const size_t offset = next_offset();
  void* p = nullptr;
  if (posix_memalign(&p, kCacheLine, offset + kCacheLine + room) != 0)
    fatal("out of memory: a task with %zu bytes of private data", bytes);
  Head* h = reinterpret_cast<Head*>(static_cast<char*>(p) + offset);
  h->allocated = p;
  return h;
}

void put(Worker* w, Head* h) {
  h->next = static_cast<Head*>(w->large[h->of_class]);
  w->large[h->of_class] = h;
  w->large_bytes += uint32_t(h->bytes);
}
Head* take(Worker* w, int c) {
  Head* h = static_cast<Head*>(w->large[c]);
  if (h == nullptr) return nullptr;
  w->large[c] = h->next;
  w->large_bytes -= uint32_t(h->bytes);
  return h;
}

// From the pool, as many as are a quarter of what a worker may keep.
void fetch(Worker* w, int c) {
  if (!g_pool.lock.try_lock()) return;
  for (size_t left = std::max<size_t>(kLargeKept / 4 / size_of(c), 1); left > 0 && g_pool.lists[c] != nullptr; --left) {
    Head* h = g_pool.lists[c];
    if (w->large_bytes + h->bytes > kLargeKept) break;
    g_pool.lists[c] = h->next;
    g_pool.bytes -= h->bytes;
    put(w, h);
  }
  g_pool.lock.unlock();
}

// To the pool, until the worker has no more than that; the rest, where the pool is full or somebody else's, to the
// C library.
void give_away(Worker* w, size_t keep) {
  if (g_pool.lock.try_lock()) {
    for (int c = 0; c < Worker::kLargeClasses; ++c)
      while (w->large_bytes > keep && w->large[c] != nullptr && g_pool.bytes + size_of(c) <= kLargePooled) {
        Head* h = take(w, c);
        h->next = g_pool.lists[c];
        g_pool.lists[c] = h;
        g_pool.bytes += h->bytes;
      }
    g_pool.lock.unlock();
  }
  for (int c = 0; c < Worker::kLargeClasses; ++c)
    while (w->large_bytes > keep && w->large[c] != nullptr) free(take(w, c)->allocated);
}

}  // namespace

Task* large_block(Worker* w, size_t bytes) {
  Head* h;
  if (bytes > kLargest) {
    h = allocate_head(bytes, bytes);
    h->bytes = 0;
  } else {
    const int c = class_of(bytes);
    if (w->large[c] == nullptr) fetch(w, c);
    h = take(w, c);
    if (h == nullptr) {
      h = allocate_head(bytes, size_of(c));
      h->bytes = size_of(c);
      h->of_class = uint8_t(c);
    }
  }
  Task* t = task_of(h);
  t->home = kNoWorker;
  t->size_class = kHuge;
  return t;
}

void free_large(Worker* w, Task* t) {
  Head* h = head_of(t);
  if (h->bytes == 0) return free(h->allocated);
  put(w, h);
  EK_ASSERT(w->large_bytes <= kLargeKept + kLargest);
  if (EK_UNLIKELY(w->large_bytes > kLargeKept)) give_away(w, kLargeKept / 2);
}

void*& last_word_of_large(Task* t) { return head_of(t)->last_word; }

void leave_large(Worker* w) { give_away(w, 0); }

}  // namespace einkorn::runtime
