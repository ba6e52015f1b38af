#include "runtime/task/blocks.h"

#include <algorithm>

#include "runtime/settings/config.h"
#include "runtime/task/instance.h"
#include "runtime/task/large_blocks.h"
#include "schedule/freeing.h"

namespace einkorn::runtime {

namespace {
constexpr size_t kSlab = 64 << 10;
void*& link(void* block) { return *static_cast<void**>(block); }

// Blocks of one home and class on their way home: the first of them lists the others, so that the home worker, in whose
// cache none of them is, can ask for all at once instead of finding them one behind the other. In the block's words but
// the one that holds a task's owner, home and size_class.
struct Chain {
  static constexpr int kFirst = 5, kMost = kFirst + 8;
  Chain* next;  // of those that were sent home
  uint64_t count;
  Task* first[kFirst];
  uint64_t kept;
  Task* rest[kMost - kFirst];
  Task*& at(int i) { return i < kFirst ? first[i] : rest[i - kFirst]; }
};
static_assert(sizeof(Chain) == kBlockSizes[0] && offsetof(Chain, kept) == offsetof(Task, owner));

// Into the free list, which is empty.
void unpack(Worker* w, uint8_t c, Chain* chain) {
  w->chains[c] = chain->next;
  for (int i = 0; i < int(chain->count); ++i) {
    fetch_to_write(chain->at(i));
    fetch_to_write(chain->at(i) + 1);
  }
  void* list = nullptr;
  for (int i = int(chain->count); i-- > 0;) {
    link(chain->at(i)) = list;
    list = chain->at(i);
  }
  link(chain) = list;
  w->free_blocks[c] = chain;
}
}  // namespace

void* block_slow(Worker* w, uint8_t c) {
  // Acquire pairs with the release in send_home(): what the chains hold is visible.
  if (!w->chains[c] && w->returned[c].load(std::memory_order_relaxed))
    w->chains[c] = w->returned[c].exchange(nullptr, std::memory_order_acquire);
  if (w->chains[c]) {
    unpack(w, c, static_cast<Chain*>(w->chains[c]));
    void* block = w->free_blocks[c];
    w->free_blocks[c] = link(block);
    return block;
  }
  // What src/codelet keeps to invoke procedures with, where something else needs blocks of that class.
  if (Task* spare = w->spare_instances; c == kSpareClass && spare != nullptr) {
    w->spare_instances = spare->parent;
    return spare;
  }
  size_t bytes = kBlockSizes[c];
  if (size_t(w->fresh_end - w->fresh) < bytes) {
    w->fresh = static_cast<char*>(allocate(kSlab));
    w->fresh_end = w->fresh + kSlab;
  }
  Task* block = reinterpret_cast<Task*>(w->fresh);
  w->fresh += bytes;
  block->home = w->id;
  block->size_class = c;
  return block;
}

void send_home(Worker* w) {
  auto* chain = static_cast<Chain*>(w->foreign);
  if (!chain) return;
  std::atomic<void*>& stack = g_workers[w->foreign_home]->returned[w->foreign_class];
  void* top = stack.load(std::memory_order_relaxed);
  // Release: the chain's links, and all that was done with the blocks, for their owner, which takes the whole stack.
  // Who was not quick enough waits, each time longer: of a hundred threads that try all the time each puts the others
  // off, and all together take milliseconds.
  constexpr int kMostPauses = 4096;
  for (int pauses = 64;; pauses = std::min(2 * pauses, kMostPauses)) {
    chain->next = static_cast<Chain*>(top);
    if (stack.compare_exchange_strong(top, chain, std::memory_order_release, std::memory_order_relaxed)) break;
    pause(pauses);
    top = stack.load(std::memory_order_relaxed);
  }
  w->foreign = nullptr;
}

namespace {

void to_chain(Worker* w, Task* t) {
  auto* chain = static_cast<Chain*>(w->foreign);
  if (chain && w->foreign_home == t->home && w->foreign_class == t->size_class) {
    chain->at(int(chain->count)) = t;
    if (++chain->count == Chain::kMost) send_home(w);
    return;
  }
  send_home(w);
  w->foreign_home = t->home;
  w->foreign_class = t->size_class;
  w->foreign = chain = reinterpret_cast<Chain*>(t);
  chain->next = nullptr;
  chain->count = 0;
}

void chain_kept(Worker* w) {
  while (void* block = w->kept) {
    w->kept = link(block);
    to_chain(w, static_cast<Task*>(block));
  }
  w->kept_count = 0;
}

}  // namespace

void free_foreign(Worker* w, Task* t) {
  if (t->size_class == kHuge) return free_large(w, t);
  const schedule::Schedule* s = g_config.schedule;
  if (EK_LIKELY(s == nullptr || s->free == schedule::Free::now)) return to_chain(w, t);
  link(t) = w->kept;
  w->kept = t;
  ++w->kept_count;
  give_back_kept(w, false);
}

void give_back_kept(Worker* w, bool idle) {
  if (schedule::gives_back(*g_config.schedule, w->kept_count, idle)) chain_kept(w);
}

void leave_blocks(Worker* w) {
  if (w->own_bytes_at_hand != 0) free_block(w, w->own_at_hand);
  w->own_bytes_at_hand = 0;
  chain_kept(w);
  send_home(w);
  leave_large(w);
}

int count_blocks(const void* chains) {
  int n = 0;
  for (auto* chain = static_cast<const Chain*>(chains); chain; chain = chain->next) n += int(chain->count) + 1;
  return n;
}

}  // namespace einkorn::runtime
