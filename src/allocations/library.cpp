// libeinkorn-allocations.so: malloc() and its relations, which pass each call on to whom it would have gone without us
// (the C library, or the program's own allocator in another library), and tell the runtime of large blocks.
//
// Loaded by LD_PRELOAD, so in the program's children, too. It keeps nothing: what it hands out is the next one's, so
// whoever frees a block may do so by any function. Invariant: what is called before dlsym() has answered, by dlsym()
// itself, comes from g_early, and is never given back.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>

#include "base/allocation_library.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace einkorn::allocations {
namespace {

using base::AllocationHost;
using base::kLeastAllocation;

struct Next {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void (*free)(void*);
  void* (*memalign)(size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
};
Next g_next;
std::atomic<bool> g_found{false};
__thread bool t_looking = false;

std::atomic<const AllocationHost*> g_host{nullptr};
// What the host does may allocate, and free.
__thread bool t_inside = false;

alignas(16) char g_early[16384];
std::atomic<size_t> g_early_used{0};

void* early(size_t bytes) {
  const size_t room = (bytes + 15) / 16 * 16;
  if (bytes > sizeof g_early) return nullptr;
  const size_t at = g_early_used.fetch_add(room, std::memory_order_relaxed);
  return at + room <= sizeof g_early ? g_early + at : nullptr;
}
bool is_early(const void* p) { return uintptr_t(p) - uintptr_t(g_early) < sizeof g_early; }

template <class F>
void look(F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

// False: it is being looked for, by this thread. Several threads may look at once: they find the same.
bool find_next() {
  // Acquire: g_next, stored before.
  if (__builtin_expect(g_found.load(std::memory_order_acquire), 1)) return true;
  if (t_looking) return false;
  t_looking = true;
  Next n;
  look(n.malloc, "malloc");
  look(n.calloc, "calloc");
  look(n.realloc, "realloc");
  look(n.free, "free");
  look(n.memalign, "memalign");
  look(n.aligned_alloc, "aligned_alloc");
  look(n.posix_memalign, "posix_memalign");
  look(n.valloc, "valloc");
  look(n.pvalloc, "pvalloc");
  g_next = n;
  // Release: g_next.
  g_found.store(true, std::memory_order_release);
  t_looking = false;
  return true;
}

__attribute__((noinline)) void tell(void* block, size_t bytes, const void* return_address, bool is_empty) {
  // Acquire: what the host has set up.
  const AllocationHost* host = g_host.load(std::memory_order_acquire);
  if (!host || !block || t_inside) return;
  const int saved = errno;
  t_inside = true;
  host->made(block, bytes, return_address, is_empty);
  t_inside = false;
  errno = saved;
}

inline void* told(void* block, size_t bytes, const void* return_address, bool is_empty = true) {
  if (__builtin_expect(bytes >= kLeastAllocation, 0)) tell(block, bytes, return_address, is_empty);
  return block;
}

inline void tell_gone(void* block) {
  const AllocationHost* host = g_host.load(std::memory_order_acquire);
  if (__builtin_expect(host != nullptr, 0) && host->gone && block) host->gone(block);
}

void start(const AllocationHost* host) { g_host.store(host, std::memory_order_release); }

}  // namespace
}  // namespace einkorn::allocations

using namespace einkorn::allocations;

EXPORT void* malloc(size_t bytes) {
  if (!find_next()) return early(bytes);
  return told(g_next.malloc(bytes), bytes, __builtin_return_address(0));
}

EXPORT void* calloc(size_t count, size_t each) {
  size_t bytes = 0;
  const bool too_many = __builtin_mul_overflow(count, each, &bytes);
  if (!find_next()) return too_many ? nullptr : early(bytes);  // never used before: zeros
  return told(g_next.calloc(count, each), too_many ? 0 : bytes, __builtin_return_address(0));
}

EXPORT void free(void* block) {
  if (is_early(block) || !find_next()) return;
  tell_gone(block);
  g_next.free(block);
}

static void* resized(void* block, size_t bytes, const void* return_address) {
  if (!find_next()) return block ? nullptr : early(bytes);
  if (is_early(block)) {
    void* moved = g_next.malloc(bytes);
    const size_t before = size_t(g_early + sizeof g_early - static_cast<char*>(block));
    if (moved) memcpy(moved, block, bytes < before ? bytes : before);
    return moved;
  }
  tell_gone(block);
  return told(g_next.realloc(block, bytes), bytes, return_address, block == nullptr);
}

EXPORT void* realloc(void* block, size_t bytes) { return resized(block, bytes, __builtin_return_address(0)); }

// The C library's own calls realloc(), which would be told of by itself.
EXPORT void* reallocarray(void* block, size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) return errno = ENOMEM, nullptr;
  return resized(block, bytes, __builtin_return_address(0));
}

// Nobody calls these while dlsym() is looking.
EXPORT void* memalign(size_t alignment, size_t bytes) {
  if (!find_next() || !g_next.memalign) return errno = ENOMEM, nullptr;
  return told(g_next.memalign(alignment, bytes), bytes, __builtin_return_address(0));
}

EXPORT void* aligned_alloc(size_t alignment, size_t bytes) {
  if (!find_next() || !g_next.aligned_alloc) return errno = ENOMEM, nullptr;
  return told(g_next.aligned_alloc(alignment, bytes), bytes, __builtin_return_address(0));
}

EXPORT int posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (!find_next() || !g_next.posix_memalign) return ENOMEM;
  const int error = g_next.posix_memalign(block, alignment, bytes);
  if (!error) told(*block, bytes, __builtin_return_address(0));
  return error;
}

EXPORT void* valloc(size_t bytes) {
  if (!find_next() || !g_next.valloc) return errno = ENOMEM, nullptr;
  return told(g_next.valloc(bytes), bytes, __builtin_return_address(0));
}

EXPORT void* pvalloc(size_t bytes) {
  if (!find_next() || !g_next.pvalloc) return errno = ENOMEM, nullptr;
  return told(g_next.pvalloc(bytes), bytes, __builtin_return_address(0));
}

EXPORT const einkorn::base::AllocationLibrary einkorn_allocations = {
    einkorn::base::kAllocationLibraryVersion,
    start,
    {{"malloc", reinterpret_cast<void*>(malloc)}, {"free", reinterpret_cast<void*>(free)}}};
