// Allocators: valid and invalid traits, pools that count every byte and get it back, fallbacks, reallocation.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "memory/allocator.h"
#include "memory/nodes.h"

namespace {

using namespace einkorn::memory;

uint64_t used(Handle h) { return reinterpret_cast<Allocator*>(h)->used.load(); }

Handle make(std::vector<Trait> traits, uintptr_t space = 0) {
  return init_allocator(space, int(traits.size()), traits.data());
}

void* get(Handle h, size_t size, size_t alignment = 1, bool zero = false) {
  bool abort;
  void* p = allocate(alignment, size, h, kDefaultAllocator, zero, &abort);
  EXPECT_FALSE(abort);
  return p;
}

TEST(Allocators, Traits) {
  for (Trait bad : {Trait{Key::alignment, 3},
                    {Key::alignment, 0},
                    {Key::pinned, 2},
                    {Key::fallback, 2},
                    {Key::fallback, kAll},
                    {Key::partition, kAll},
                    {Key::sync_hint, kAll},
                    {Key::access, kContended},
                    {Key(15), 1},
                    {Key(0), 1}})
    EXPECT_EQ(make({bad}), kNullAllocator) << int(bad.key) << "=" << bad.value;
  for (int key = 1; key <= 8; ++key) {
    Handle h = make({{Key(key), kDefault}});
    EXPECT_NE(h, kNullAllocator) << key;
    destroy_allocator(h);
  }
  EXPECT_EQ(make({}, 98), kNullAllocator);
  destroy_allocator(kDefaultAllocator);  // a predefined one is not ours to free
  destroy_allocator(kPinnedAllocator);
}

TEST(Allocators, Spaces) {
  for (uintptr_t space : {0, 1, 2, 3, 4, 5, 99, 100, 102, 200}) {
    Handle own = make({{Key::part_size, 4096}, {Key::access, kAllOfLlvm}}, space);
    EXPECT_NE(own, kNullAllocator) << space;
    destroy_allocator(own);
    EXPECT_LE(allocator_of(space), 8u) << space;
  }
  EXPECT_EQ(allocator_of(1), 2u);  // omp_large_cap_mem_space, omp_large_cap_mem_alloc
  EXPECT_EQ(allocator_of(99), kDefaultAllocator);
  EXPECT_EQ(allocator_of(98), kNullAllocator);
}

TEST(Allocators, PoolsAreExact) {
  Handle h = make({{Key::pool_size, 4096}, {Key::fallback, kNullFb}});
  std::vector<void*> blocks;
  while (void* p = get(h, 100)) blocks.push_back(p);
  EXPECT_GE(blocks.size(), 4096u / 160);
  EXPECT_LE(used(h), 4096u);
  EXPECT_EQ(used(h) % blocks.size(), 0u);
  einkorn::memory::free(blocks.back());
  blocks.pop_back();
  void* again = get(h, 100);
  EXPECT_NE(again, nullptr) << "what was freed can be had again";
  einkorn::memory::free(again);
  bool abort;
  blocks[0] = reallocate(blocks[0], 60, kNullAllocator, kDefaultAllocator, &abort);
  blocks[0] = reallocate(blocks[0], 130, kNullAllocator, kDefaultAllocator, &abort);
  EXPECT_EQ(reallocate(blocks[0], 5000, kNullAllocator, kDefaultAllocator, &abort), nullptr);
  for (void* p : blocks) einkorn::memory::free(p);
  EXPECT_EQ(used(h), 0u);
  EXPECT_EQ(get(h, 4096), nullptr) << "our own header counts too";
  EXPECT_EQ(get(h, SIZE_MAX), nullptr);
  EXPECT_EQ(get(h, SIZE_MAX - 20), nullptr);
  EXPECT_EQ(used(h), 0u);
  destroy_allocator(h);
}

TEST(Allocators, Fallbacks) {
  bool abort;
  Handle fatal = make({{Key::pool_size, 10}, {Key::fallback, kAbortFb}});
  EXPECT_EQ(allocate(1, 100, fatal, kDefaultAllocator, false, &abort), nullptr);
  EXPECT_TRUE(abort);
  Handle big = make({{Key::pool_size, 1 << 20}});
  Handle small = make({{Key::pool_size, 10}, {Key::fallback, kAllocatorFb}, {Key::fb_data, big}});
  void* p = get(small, 1000);
  ASSERT_NE(p, nullptr);
  EXPECT_GE(used(big), 1000u);
  einkorn::memory::free(p);
  EXPECT_EQ(used(big), 0u);
  // A circle ends.
  Handle a = make({{Key::pool_size, 0}, {Key::fallback, kAllocatorFb}});
  Handle b = make({{Key::pool_size, 0}, {Key::fallback, kAllocatorFb}, {Key::fb_data, a}});
  reinterpret_cast<Allocator*>(a)->fb_data = b;
  EXPECT_EQ(get(a, 1), nullptr);
  Handle standard = make({{Key::pool_size, 0}});
  p = get(standard, 100);
  EXPECT_NE(p, nullptr) << "default_mem_fb";
  einkorn::memory::free(p);
  for (Handle h : {fatal, big, small, a, b, standard}) destroy_allocator(h);
}

TEST(Allocators, AlignmentAndZeros) {
  Handle h = make({{Key::alignment, 256}, {Key::pool_size, 1 << 20}});
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    auto* p = static_cast<unsigned char*>(get(h, 333, alignment, true));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(uintptr_t(p) % (alignment < 256 ? 256 : alignment), 0u);
    for (int i = 0; i < 333; ++i) ASSERT_EQ(p[i], 0);
    memset(p, 0xff, 333);
    bool abort;
    auto* moved = static_cast<unsigned char*>(reallocate(p, 5000, kDefaultAllocator, kDefaultAllocator, &abort));
    for (int i = 0; i < 333; ++i) ASSERT_EQ(moved[i], 0xff);
    einkorn::memory::free(moved);
  }
  EXPECT_EQ(used(h), 0u);
  destroy_allocator(h);
}

TEST(Allocators, Pinned) {
  Handle h = make({{Key::pinned, kTrue}, {Key::fallback, kNullFb}, {Key::pool_size, 1 << 16}});
  if (void* p = get(h, 5000, 64, true)) {  // more than RLIMIT_MEMLOCK allows: nullptr is right too
    memset(p, 1, 5000);
    bool abort;
    p = reallocate(p, 9000, h, kDefaultAllocator, &abort);
    EXPECT_EQ(static_cast<char*>(p)[4999], 1);
    einkorn::memory::free(p);
  }
  EXPECT_EQ(used(h), 0u);
  destroy_allocator(h);
}

// Sanitizers' mlock() does nothing.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kLocks = false;
#else
constexpr bool kLocks = true;
#endif

// Kilobytes that are locked, as the kernel counts them.
long locked() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (long kilobytes; word == "VmLck:" && status >> kilobytes) return kilobytes;
  return -1;
}

TEST(Allocators, SmallPinnedBlocksSharePages) {
  Handle h = make({{Key::pinned, kTrue}, {Key::fallback, kNullFb}});
  void* first = get(h, 10);
  if (!first) GTEST_SKIP() << "RLIMIT_MEMLOCK allows none";
  const long before = locked();
  EXPECT_EQ(before > 0, kLocks);
  void* second = get(h, 10);
  EXPECT_EQ(uintptr_t(first) / 4096, uintptr_t(second) / 4096);
  EXPECT_EQ(locked(), before);
  memset(second, 1, 10);
  einkorn::memory::free(second);
  auto* again = static_cast<char*>(get(h, 10, 1, true));
  EXPECT_EQ(again, second);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(again[i], 0);
  std::vector<void*> blocks;
  for (size_t size = 1; size < 2000; size += 13) {
    blocks.push_back(get(h, size, 64));
    ASSERT_NE(blocks.back(), nullptr);
    EXPECT_EQ(uintptr_t(blocks.back()) % 64, 0u);
    memset(blocks.back(), int(size), size);
  }
  for (void* p : blocks) einkorn::memory::free(p);
  // A child's memory is not locked by its parent: it takes pages of its own.
  const pid_t child = fork();
  if (child == 0) {
    reset_locks_in_child();
    const bool none = locked() == 0;
    einkorn::memory::free(first);
    const void* own = get(h, 10);
    _exit(none && own && own != first && (locked() > 0) == kLocks ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  einkorn::memory::free(first);
  einkorn::memory::free(again);
  destroy_allocator(h);
}

}  // namespace
