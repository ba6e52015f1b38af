#include "memory/arena.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>

#include "memory/page_map.h"
#include "memory/pages.h"

namespace einkorn::memory {

namespace {

constexpr size_t kChunk = 1 << 20;
// Blocks of 32, 48, 64, 96, 128, ... bytes, the header included.
constexpr int kClasses = 19;
size_t class_bytes(int c) { return size_t(c % 2 ? 48 : 32) << (c / 2); }
static_assert((32u << 9) >= kMostInArena + 16, "the last class has room for the largest block");

enum Kind : uint32_t { kOfNode, kOfNodeCoarse, kLocked, kKinds };

struct Header {
  uint32_t size_class;
  int32_t node;
  Kind kind;
  uint32_t forks;
};
static_assert(sizeof(Header) == 16, "keeps the alignment of malloc");

struct Arena {
  pthread_mutex_t lock;
  uint32_t forks;  // locks of memory are not a child's: blocks from before its fork are not used again
  char* fresh;
  char* end;
  void* free[kClasses];
};
// Release and acquire: who finds one finds it set up. Locked blocks are all in that of node 0.
std::atomic<Arena*> g_arenas[kKinds][kMaxNodes];

Arena* arena_of(Kind kind, int node) {
  std::atomic<Arena*>& slot = g_arenas[kind][node];
  Arena* have = slot.load(std::memory_order_acquire);
  if (have) return have;
  auto* made = static_cast<Arena*>(calloc(1, sizeof(Arena)));
  if (!made) return nullptr;
  pthread_mutex_init(&made->lock, nullptr);
  if (slot.compare_exchange_strong(have, made, std::memory_order_acq_rel)) return made;
  ::free(made);
  return have;
}

bool refill_locked(Arena* a) {
  const size_t bytes = page_bytes();
  char* page = map_pages(bytes, bytes);
  if (!page) return false;
  if (mlock(page, bytes) != 0) {
    unmap_pages(page, bytes);
    return false;
  }
  a->fresh = page;
  a->end = page + bytes;
  return true;
}

bool refill(Arena* a, Kind kind, int node) {
  if (kind == kLocked) return refill_locked(a);
  const Nodes& n = nodes();
  size_t bytes = kChunk < n.unit ? n.unit : kChunk;
  char* chunk = map_pages(bytes, n.unit);
  if (!chunk) return false;
  if (!mark(chunk, bytes, kArena, 0)) {  // without the mark, arena_give() could not tell it from malloc's
    unmap_pages(chunk, bytes);
    return false;
  }
  int error = n.real && n.count > 1 ? prefer_node(chunk, bytes, n.os[node]) : 0;
  if (error) cannot_place(error);
  else place(chunk, bytes, node, kind == kOfNodeCoarse);
  a->fresh = chunk;
  a->end = chunk + bytes;
  return true;
}

void* take(size_t bytes, Kind kind, int node, bool* zeroed) {
  int c = 0;
  while (class_bytes(c) < bytes + sizeof(Header)) ++c;
  Arena* a = arena_of(kind, node);
  if (!a) return nullptr;
  pthread_mutex_lock(&a->lock);
  void* block = a->free[c];
  *zeroed = !block;
  if (block) {
    a->free[c] = *static_cast<void**>(block);
  } else if (size_t(a->end - a->fresh) >= class_bytes(c) || refill(a, kind, node)) {
    block = a->fresh + sizeof(Header);
    a->fresh += class_bytes(c);
  }
  if (block) static_cast<Header*>(block)[-1] = {uint32_t(c), node, kind, a->forks};
  pthread_mutex_unlock(&a->lock);
  return block;
}

}  // namespace

void* arena_take(size_t bytes, int node, bool coarse, bool* zeroed) {
  return take(bytes, coarse ? kOfNodeCoarse : kOfNode, node, zeroed);
}

void* arena_take_locked(size_t bytes, bool* zeroed) { return take(bytes, kLocked, 0, zeroed); }

void arena_give(void* p) {
  const Header& h = static_cast<Header*>(p)[-1];
  Arena* a = arena_of(h.kind, h.node);
  pthread_mutex_lock(&a->lock);
  if (h.forks == a->forks) {
    *static_cast<void**>(p) = a->free[h.size_class];
    a->free[h.size_class] = p;
  }
  pthread_mutex_unlock(&a->lock);
}

size_t arena_bytes(void* p) { return class_bytes(int(static_cast<Header*>(p)[-1].size_class)) - sizeof(Header); }

void arena_reset_locks() {
  for (auto& arenas : g_arenas)
    for (auto& slot : arenas)
      if (Arena* a = slot.load(std::memory_order_relaxed)) pthread_mutex_init(&a->lock, nullptr);
  if (Arena* a = g_arenas[kLocked][0].load(std::memory_order_relaxed))
    *a = {.lock = a->lock, .forks = a->forks + 1, .fresh = nullptr, .end = nullptr, .free = {}};
}

}  // namespace einkorn::memory
