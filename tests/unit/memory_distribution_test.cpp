#include "memory_support.h"

#include <thread>

#include "memory/allocator.h"

using Distribution = Memory;

namespace {
int node_at(const char* p, size_t page) { return memory::node_of(p + page * kPage); }
}  // namespace

TEST_F(Distribution, FineGoesPageByPage) {
  auto* p = static_cast<char*>(memory::distribute(9 * kPage + 1, Layout::fine));
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(node_at(p, i), int(i % kNodes));
  memset(p, 1, 9 * kPage + 1);
  memory::give_back(p);
  EXPECT_EQ(node_at(p, 0), -1);
}

TEST_F(Distribution, CoarseTakesTurns) {
  char* p[8];
  for (auto& q : p) q = static_cast<char*>(memory::distribute(5 * kPage, Layout::coarse));
  for (int k = 0; k < 8; ++k)
    for (size_t i = 0; i < 5; ++i) EXPECT_EQ(node_at(p[k], i), (node_at(p[0], 0) + k) % kNodes);
  for (auto* q : p) memory::give_back(q);
}

TEST_F(Distribution, InterleavedOverTheTeamOnly) {
  g_team.add(1), g_team.add(3);
  auto* p = static_cast<char*>(memory::distribute(6 * kPage, Layout::interleaved));
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(node_at(p, i), i % 2 ? 3 : 1);
  memory::give_back(p);
  for (int i = 0; i < 8; ++i) {
    void* small = memory::distribute(100, Layout::interleaved);
    EXPECT_EQ(memory::node_of(small) % 2, 1);
    memory::give_back(small);
  }
  g_team = {};  // nobody is bound: all
  p = static_cast<char*>(memory::distribute(6 * kPage, Layout::interleaved));
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(node_at(p, i), int(i % kNodes));
  memory::give_back(p);
}

TEST_F(Distribution, NearestIsTheThreads) {
  for (int node = 0; node < kNodes; ++node) {
    t_node = node;
    auto* large = static_cast<char*>(memory::distribute(20 * kPage, Layout::nearest));
    auto* small = static_cast<char*>(memory::distribute(10, Layout::nearest));
    EXPECT_EQ(bytes_on(large, 20 * kPage)[size_t(node)], 20 * kPage);
    EXPECT_EQ(memory::node_of(small), node);
    memory::give_back(large);
    memory::give_back(small);
  }
  t_node = -1;  // not known: the system's
  void* p = memory::distribute(20 * kPage, Layout::nearest);
  memset(p, 1, 20 * kPage);
  memory::give_back(p);
}

TEST_F(Distribution, BlockCyclic) {
  auto* p = static_cast<char*>(memory::distribute_blocks(20 * kPage - 1, 3 * kPage));
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(node_at(p, i), int(i / 3 % kNodes));
  memory::give_back(p);
  p = static_cast<char*>(memory::distribute_blocks(20 * kPage, 0));
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(node_at(p, i), int(i / 5));
  memory::give_back(p);
  p = static_cast<char*>(memory::distribute_blocks(5, 1));
  EXPECT_EQ(node_at(p, 0), 0);
  memory::give_back(p);
  EXPECT_EQ(memory::distribute_blocks(SIZE_MAX - 10, 1), nullptr);
}

TEST_F(Distribution, Tiles) {
  // Elements of a page each: 6 x 8, blocks of 2 x 3, domains 2 x 2.
  auto* p = static_cast<char*>(memory::distribute_tiles(6, 8, kPage, 2, 3));
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = 0; j < 8; ++j) EXPECT_EQ(node_at(p, i * 8 + j), int(i / 2 % 2 * 2 + j / 3 % 2));
  memory::give_back(p);
  // Pages that several rows share belong to the first element that begins in them: 12 bytes each, 1,000 a row.
  p = static_cast<char*>(memory::distribute_tiles(100, 1000, 12, 10, 1000));
  for (size_t page = 0; page < 100 * 12000 / kPage; ++page) {
    size_t row = (page * kPage + 11) / 12 / 1000;
    EXPECT_EQ(node_at(p, page), int(row / 10 % 2 * 2));
  }
  memory::give_back(p);
  EXPECT_EQ(memory::distribute_tiles(0, 1, 1, 1, 1), nullptr);
  EXPECT_EQ(memory::distribute_tiles(size_t(1) << 32, size_t(1) << 32, 8, 1, 1), nullptr);
}

TEST_F(Distribution, SmallBlocksShareThePagesOfANode) {
  std::vector<std::pair<char*, size_t>> blocks;
  for (size_t bytes = 1; bytes < 3 * kPage; bytes += 37 * kSlower) {
    auto* p = static_cast<char*>(memory::distribute(bytes, Layout::coarse));
    EXPECT_EQ(uintptr_t(p) % 16, 0u);
    EXPECT_GE(memory::distributed_bytes(p), bytes);
    memset(p, int(bytes), bytes);
    blocks.push_back({p, bytes});
    EXPECT_EQ(memory::node_of(p), (memory::node_of(blocks[0].first) + int(blocks.size() - 1)) % kNodes);
  }
  for (auto [p, bytes] : blocks)
    for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(p[i], char(bytes));
  for (auto [p, bytes] : blocks) memory::give_back(p);
  // Used again, and zeroed where that is asked for.
  for (int k = 0; k < kNodes; ++k) {
    auto* p = static_cast<char*>(memory::distribute(1000, Layout::coarse, true));
    for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(p[i], 0);
    memory::give_back(p);
  }
}

TEST_F(Distribution, ManyThreadsTakeAndGive) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      t_node = t;
      std::vector<char*> mine;
      for (int i = 0; i < 3000 / kSlower; ++i) {
        size_t bytes = size_t(i * 131 % 20000 + 1);
        Layout layout = i % 3 ? i % 3 == 1 ? Layout::nearest : Layout::coarse : Layout::fine;
        auto* p = static_cast<char*>(memory::distribute(bytes, layout));
        p[0] = p[bytes - 1] = char(t);
        if (layout == Layout::nearest && memory::node_of(p) != t) ++wrong;
        mine.push_back(p);
        if (mine.size() > 50) {
          char* q = mine[size_t(i) % mine.size()];
          if (*q != char(t)) ++wrong;
          memory::give_back(q);
          mine[size_t(i) % mine.size()] = mine.back();
          mine.pop_back();
        }
      }
      for (char* p : mine) memory::give_back(p);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(Distribution, MigrateAndFetch) {
  char* p = fresh(10);
  EXPECT_EQ(memory::migrate(p + kPage + 1, kPage, 2), 0);
  EXPECT_EQ(bytes_on(p, 10 * kPage), (Bytes{0, 0, 2 * kPage, 0}));
  t_node = 3;
  EXPECT_EQ(memory::fetch(p, 10 * kPage), 0);
  EXPECT_EQ(bytes_on(p, 10 * kPage), (Bytes{0, 0, 0, 10 * kPage}));
  EXPECT_EQ(memory::migrate(p, 1, kNodes), EINVAL);
  EXPECT_EQ(memory::migrate(p, 1, -1), EINVAL);
  EXPECT_EQ(memory::migrate(p, SIZE_MAX, 1), EINVAL);
  drop(p, 10);
}

namespace {
memory::Handle with(memory::Value partition, bool pinned = false) {
  memory::Trait traits[] = {{memory::Key::partition, partition},
                            {memory::Key::pinned, pinned ? memory::kTrue : memory::kFalse}};
  return memory::init_allocator(0, 2, traits);
}
}  // namespace

TEST_F(Distribution, AllocatorsWithAPartition) {
  bool abort;
  memory::Handle blocked = with(memory::kBlocked), interleaved = with(memory::kInterleaved),
                 nearest = with(memory::kNearest);
  auto get = [&](memory::Handle h, size_t bytes, size_t alignment = 1, bool zero = false) {
    return static_cast<char*>(memory::allocate(alignment, bytes, h, memory::kDefaultAllocator, zero, &abort));
  };
  char* p = get(blocked, 16 * kPage - 100);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(memory::node_of(p + i * kPage), int(i / 4));
  memory::free(p);
  p = get(interleaved, 16 * kPage, 8192);
  EXPECT_EQ(uintptr_t(p) % 8192, 0u);
  EXPECT_EQ((memory::node_of(p) + 1) % kNodes, memory::node_of(p + kPage));
  memory::free(p);
  t_node = 2;
  p = get(nearest, 100, 1, true);
  EXPECT_EQ(memory::node_of(p), 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p[i], 0);
  memset(p, 7, 100);
  p = static_cast<char*>(memory::reallocate(p, 10 * kPage, nearest, 1, &abort));
  EXPECT_EQ(memory::node_of(p + 9 * kPage), 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(p[i], 7);
  // From there to an allocator without, and back.
  p = static_cast<char*>(memory::reallocate(p, 200, memory::kDefaultAllocator, 1, &abort));
  EXPECT_EQ(p[99], 7);
  p = static_cast<char*>(memory::reallocate(p, 300, blocked, 1, &abort));
  EXPECT_EQ(p[99], 7);
  memory::free(p);
  for (memory::Handle h : {blocked, interleaved, nearest}) memory::destroy_allocator(h);
}

TEST_F(Distribution, PinnedAndPartitioned) {
  bool abort;
  memory::Handle h = with(memory::kInterleaved, true);
  auto* p = static_cast<char*>(memory::allocate(1, 100, h, 1, false, &abort));
  ASSERT_NE(p, nullptr);  // 64 kB may be locked by anybody
  EXPECT_GE(memory::node_of(p), 0);
  memory::free(p);
  memory::destroy_allocator(h);
}

TEST_F(Distribution, EnvironmentIsTheDefaultLayout) {
  memory::set_default_layout(Layout::fine);
  bool abort;
  auto* p = static_cast<char*>(memory::allocate(1, 8 * kPage, memory::kDefaultAllocator, 1, true, &abort));
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(memory::node_of(p + i * kPage), int(i % kNodes));
  memory::free(p);
  memory::set_default_layout(Layout::system);
  p = static_cast<char*>(memory::allocate(1, 8 * kPage, memory::kDefaultAllocator, 1, true, &abort));
  EXPECT_EQ(memory::node_of(p), -1);
  memory::free(p);
}

// What lies on one node for another reason is not coarse: Alg. 3 of the work goes by the policy.
TEST_F(Distribution, CoarseIsKnown) {
  for (size_t bytes : {size_t(100), size_t(5000), 10 * kPage}) {
    void* coarse = memory::distribute(bytes, Layout::coarse);
    t_node = memory::node_of(coarse);
    void* nearest = memory::distribute(bytes, Layout::nearest);
    Bytes want(4);
    want[size_t(t_node)] = bytes;
    EXPECT_EQ(coarse_on(coarse, bytes), want) << bytes;
    EXPECT_EQ(bytes_on(nearest, bytes), want) << bytes;
    EXPECT_EQ(coarse_on(nearest, bytes), (Bytes(4))) << bytes;
    memory::give_back(coarse);
    memory::give_back(nearest);
    coarse = memory::distribute(bytes, Layout::fine);  // in memory that may have been coarse before
    EXPECT_EQ(coarse_on(coarse, bytes), (Bytes(4))) << bytes;
    memory::give_back(coarse);
  }
  char* p = static_cast<char*>(memory::distribute(2 * kPage, Layout::coarse));
  memory::migrate(p, kPage, 3);  // stays one of those
  EXPECT_EQ(coarse_on(p, kPage), (Bytes{0, 0, 0, kPage}));
  memory::give_back(p);
}
