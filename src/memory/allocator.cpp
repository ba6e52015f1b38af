#include "memory/allocator.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

#include "memory/arena.h"
#include "memory/distribution.h"

namespace einkorn::memory {

namespace {

// In front of each block that we give out.
struct Header {
  void* base;      // what the system gave
  uint64_t bytes;  // of these, charged to the allocator's pool
  Handle allocator;
  enum Kind : uint64_t {
    plain,
    locked,
    locked_small,
    distributed,
    locked_distributed
  } kind;  // malloc's; mapped by us; arena.h's; distribution.h's
};
static_assert(sizeof(Header) == 32, "keeps the alignment of malloc");

Header* header(void* p) { return static_cast<Header*>(p) - 1; }
bool predefined(Handle h) { return h <= kLastPredefined; }
// nullptr: one without traits.
Allocator* custom(Handle h) {
  static constinit Allocator pinned{.fallback = kNullFb, .pinned = true};
  if (!predefined(h)) return reinterpret_cast<Allocator*>(h);
  return h == kPinnedAllocator ? &pinned : nullptr;
}

uint64_t pages(uint64_t bytes) { return (bytes + 4095) & ~uint64_t(4095); }

bool charge(Allocator* a, uint64_t bytes) {
  if (!a || a->pool_size == kNoLimit) return true;
  uint64_t used = a->used.load(std::memory_order_relaxed);
  do {
    if (bytes > a->pool_size || used > a->pool_size - bytes) return false;
  } while (!a->used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

void refund(Allocator* a, uint64_t bytes) {
  if (a && a->pool_size != kNoLimit) a->used.fetch_sub(bytes, std::memory_order_relaxed);
}

// Where the partition trait puts memory; system: anywhere.
Layout layout_of(const Allocator* a) {
  switch (a ? a->partition : kEnvironment) {
    case kNearest: return Layout::nearest;
    case kBlocked: return Layout::blocked;
    case kInterleaved: return Layout::interleaved;
    default: return default_layout();
  }
}

void* system_memory(const Allocator* a, uint64_t bytes, bool zero, Header::Kind* kind) {
  Layout layout = layout_of(a);
  bool pinned = a && a->pinned;
  if (layout != Layout::system) {
    // Locks whole pages: one that other blocks share could not be unlocked.
    *kind = pinned ? Header::locked_distributed : Header::distributed;
    void* p = distribute(pinned ? pages(bytes) + kMostInArena : bytes, layout, zero);
    if (!p || !pinned || mlock(p, distributed_bytes(p)) == 0) return p;
    give_back(p);
    return nullptr;
  }
  if (!pinned) {
    *kind = Header::plain;
    return zero ? calloc(1, bytes) : malloc(bytes);
  }
  if (bytes <= kMostLocked) {
    *kind = Header::locked_small;
    bool fresh;
    void* p = arena_take_locked(bytes, &fresh);
    return p && zero && !fresh ? memset(p, 0, bytes) : p;
  }
  *kind = Header::locked;
  void* p = mmap(nullptr, pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  if (mlock(p, pages(bytes)) == 0) return p;
  munmap(p, pages(bytes));  // more than RLIMIT_MEMLOCK: the fallback trait decides
  return nullptr;
}

void system_free(const Header& h) {
  switch (h.kind) {
    case Header::plain: return ::free(h.base);
    case Header::locked: munmap(h.base, pages(h.bytes)); return;
    case Header::locked_small: return arena_give(h.base);
    case Header::distributed:
    case Header::locked_distributed: return give_back(h.base);
  }
}

// From one allocator, without fallback.
void* take(size_t alignment, size_t size, Handle handle, bool zero) {
  Allocator* a = custom(handle);
  if (a && alignment < a->alignment) alignment = a->alignment;
  uint64_t bytes;
  uint64_t extra = sizeof(Header) + (alignment > sizeof(void*) ? alignment - sizeof(void*) : 0);
  if (__builtin_add_overflow(size, extra, &bytes) || !charge(a, bytes)) return nullptr;
  Header::Kind kind;
  void* base = system_memory(a, bytes, zero, &kind);
  if (!base) {
    refund(a, bytes);
    return nullptr;
  }
  uintptr_t at = uintptr_t(base) + sizeof(Header);
  if (alignment > sizeof(void*)) at = (at + alignment - sizeof(void*)) & ~(alignment - 1);
  *header(reinterpret_cast<void*>(at)) = {base, bytes, handle, kind};
  return reinterpret_cast<void*>(at);
}

// The next allocator to try, or kNullAllocator.
Handle fallback(Handle failed, Handle otherwise, bool* abort) {
  Allocator* a = custom(failed);
  if (!a) return kNullAllocator;
  switch (a->fallback) {
    case kNullFb: return kNullAllocator;
    case kAbortFb: *abort = true; return kNullAllocator;
    case kAllocatorFb: return a->fb_data != kNullAllocator ? a->fb_data : otherwise;
    default: return kDefaultAllocator;
  }
}

constexpr int kMostFallbacks = 64;  // allocators may name each other in a circle

}  // namespace

// OpenMP's from 0 on, and omp_cgroup_mem_space 5 (clang 23), omp_default_mem_space 99 (clang 21, where 0 is
// omp_null_mem_space), llvm_omp_target_*_mem_space 100 to 102, ompx_gnu_managed_mem_space 200 (gcc 16).
bool is_space(uintptr_t space) { return space <= 5 || (space >= 99 && space <= 102) || space == 200; }

Handle allocator_of(uintptr_t space) {
  if (!is_space(space)) return kNullAllocator;
  return space <= 5 ? space + kDefaultAllocator : kDefaultAllocator;
}

Handle init_allocator(uintptr_t space, int count, const Trait* traits) {
  Allocator wanted;
  wanted.space = space;
  if (!is_space(space)) return kNullAllocator;
  for (int i = 0; i < count; ++i) {
    uintptr_t v = traits[i].value;
    bool standard = v == kDefault;
    switch (traits[i].key) {
      case Key::sync_hint:
        if (!standard && (v < kContended || v > kPrivate)) return kNullAllocator;
        break;
      case Key::alignment:
        if (!standard && (v == 0 || (v & (v - 1)) != 0)) return kNullAllocator;
        if (!standard && v > sizeof(void*)) wanted.alignment = v;
        break;
      case Key::access:
        if (!standard && (v < kAll || v > kCgroup) && (v < kAllOfLlvm || v > kMemspace)) return kNullAllocator;
        break;
      case Key::pool_size: wanted.pool_size = standard ? kNoLimit : v; break;
      case Key::fallback:
        if (!standard && (v < kDefaultMemFb || v > kAllocatorFb)) return kNullAllocator;
        wanted.fallback = standard ? kDefaultMemFb : Value(v);
        break;
      case Key::fb_data: wanted.fb_data = standard ? kNullAllocator : v; break;
      case Key::pinned:
        if (!standard && v > kTrue) return kNullAllocator;
        wanted.pinned = v == kTrue;
        break;
      case Key::partition:
        if (!standard && (v < kEnvironment || v > kInterleaved)) return kNullAllocator;
        wanted.partition = standard ? kEnvironment : Value(v);
        break;
      case Key::pin_device:
      case Key::preferred_device:
      case Key::device_access:
      case Key::target_access:
      case Key::atomic_scope:
      case Key::part_size: break;  // the only device is the host
      default: return kNullAllocator;
    }
  }
  void* room = malloc(sizeof(Allocator));
  if (!room) return kNullAllocator;
  auto* a = new (room) Allocator;
  a->space = wanted.space;
  a->alignment = wanted.alignment;
  a->pool_size = wanted.pool_size;
  a->fallback = wanted.fallback;
  a->fb_data = wanted.fb_data;
  a->pinned = wanted.pinned;
  a->partition = wanted.partition;
  return reinterpret_cast<Handle>(a);
}

void destroy_allocator(Handle h) {
  if (!predefined(h)) ::free(custom(h));
}

void* allocate(size_t alignment, size_t size, Handle handle, Handle otherwise, bool zero, bool* abort) {
  *abort = false;
  if (size == 0) return nullptr;
  if (handle == kNullAllocator) handle = otherwise;
  for (int i = 0; handle != kNullAllocator && i < kMostFallbacks; ++i) {
    if (void* p = take(alignment, size, handle, zero)) return p;
    handle = fallback(handle, otherwise, abort);
  }
  return nullptr;
}

void free(void* p) {
  if (!p) return;
  Header h = *header(p);
  system_free(h);
  refund(custom(h.allocator), h.bytes);
}

void* reallocate(void* p, size_t size, Handle to, Handle otherwise, bool* abort) {
  *abort = false;
  if (!p) return allocate(1, size, to, otherwise, false, abort);
  if (size == 0) {
    free(p);
    return nullptr;
  }
  Header old = *header(p);
  if (to == kNullAllocator) to = old.allocator;
  Allocator* a = custom(to);
  uint64_t old_size = old.bytes - (uintptr_t(p) - uintptr_t(old.base));
  bool plain = old.kind == Header::plain && uintptr_t(p) - uintptr_t(old.base) == sizeof(Header) &&
               (!a || a->alignment <= sizeof(void*));
  uint64_t bytes;
  if (plain && to == old.allocator && !__builtin_add_overflow(size, sizeof(Header), &bytes) &&
      (bytes <= old.bytes || charge(a, bytes - old.bytes))) {
    if (void* base = realloc(old.base, bytes)) {
      if (bytes < old.bytes) refund(a, old.bytes - bytes);
      auto* h = static_cast<Header*>(base);
      *h = {base, bytes, to, Header::plain};
      return h + 1;
    }
    if (bytes > old.bytes) refund(a, bytes - old.bytes);
  }
  void* moved = allocate(1, size, to, otherwise, false, abort);
  if (!moved) return nullptr;
  memcpy(moved, p, size < old_size ? size : old_size);
  free(p);
  return moved;
}

}  // namespace einkorn::memory
