#include "memory_support.h"

#include <atomic>
#include <thread>

using PageMap = Memory;

TEST_F(PageMap, KnowsNothingAtFirst) {
  char* p = fresh(3);
  EXPECT_EQ(bytes_on(p, 3 * kPage), (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(memory::node_of(p), -1);
  EXPECT_EQ(bytes_on(nullptr, 100), (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(bytes_on(reinterpret_cast<void*>(~uintptr_t(0) - 10), 5), (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(bytes_on(reinterpret_cast<void*>(~uintptr_t(0) - 10), 50), (Bytes{0, 0, 0, 0}));
  drop(p, 3);
}

TEST_F(PageMap, PartsOfPagesCountAsTheyAre) {
  char* p = fresh(3);
  memory::place(p, kPage, 1);
  memory::place(p + 2 * kPage, kPage, 3);
  EXPECT_EQ(bytes_on(p, 3 * kPage), (Bytes{0, kPage, 0, kPage}));
  EXPECT_EQ(bytes_on(p + 100, 3 * kPage - 200), (Bytes{0, kPage - 100, 0, kPage - 100}));
  EXPECT_EQ(bytes_on(p + 100, 5), (Bytes{0, 5, 0, 0}));
  EXPECT_EQ(bytes_on(p, 0), (Bytes{0, 0, 0, 0}));
  std::vector<uint64_t> sum = {1, 2, 3, 4};
  memory::bytes_per_node(p, kPage, sum.data());
  EXPECT_EQ(sum, (Bytes{1, 2 + kPage, 3, 4}));  // added
  EXPECT_EQ(memory::node_of(p + 5), 1);
  EXPECT_EQ(memory::node_of(p + kPage), -1);
  EXPECT_EQ(memory::node_of(p + 2 * kPage), 3);
  drop(p, 3);
}

TEST_F(PageMap, RangesOverSeveralPartsOfTheTable) {
  constexpr size_t pages = 3000;  // a leaf has 1,024
  char* p = fresh(pages);
  for (size_t i = 0; i < pages; ++i) memory::place(p + i * kPage, kPage, int(i % kNodes));
  EXPECT_EQ(bytes_on(p, pages * kPage), (Bytes(4, pages / 4 * kPage)));
  EXPECT_EQ(bytes_on(p + 1000 * kPage, 80 * kPage), (Bytes(4, 20 * kPage)));
  drop(p, pages);
  EXPECT_EQ(bytes_on(p, pages * kPage), (Bytes{0, 0, 0, 0}));
}

// 64-bit Arm gives programs addresses of 48 bits, the highest first.
TEST_F(PageMap, HasRoomForEveryAddressThatAProgramCanHave) {
  EXPECT_NE(memory::page_word((uintptr_t(1) << 48) - memory::kMapPage, true), nullptr);
  EXPECT_EQ(memory::page_word(uintptr_t(1) << 48, true), nullptr);
}

TEST_F(PageMap, FirstTouchStays) {
  char* p = fresh(4);
  memory::note_touch(p + kPage + 7, kPage, 2);  // touches two pages
  EXPECT_EQ(bytes_on(p, 4 * kPage), (Bytes{0, 0, 2 * kPage, 0}));
  memory::note_touch(p, 4 * kPage, 3);
  EXPECT_EQ(bytes_on(p, 4 * kPage), (Bytes{0, 0, 2 * kPage, 2 * kPage}));
  memory::note_touch(p, 4 * kPage, kNodes);  // no such node
  memory::note_touch(p, 4 * kPage, -1);
  EXPECT_EQ(bytes_on(p, 4 * kPage), (Bytes{0, 0, 2 * kPage, 2 * kPage}));
  drop(p, 4);
}

// What a worker touched and the program gave back to the system since is not there any more; what we placed will come
// back.
TEST_F(PageMap, PagesThatAreGoneAreFoundOut) {
  char* p = fresh(2);
  int status;
  void* page = p;
  if (memory::ask_nodes(&page, &status, 1) != 0)
    GTEST_FAIL() << "this system does not say where pages are (move_pages)";
  memory::note_touch(p, kPage, 2);
  memory::place(p + kPage, kPage, 1);
  EXPECT_EQ(bytes_on(p, 2 * kPage), (Bytes{0, kPage, kPage, 0}));
  madvise(p, 2 * kPage, MADV_DONTNEED);
  for (int ms = 0; ms < 5000 && memory::node_of(p) >= 0; ms += 10) usleep(10'000);
  EXPECT_EQ(memory::node_of(p), -1);
  EXPECT_EQ(memory::node_of(p + kPage), 1);
  memory::note_touch(p, 2 * kPage, 3);
  EXPECT_EQ(bytes_on(p, 2 * kPage), (Bytes{0, kPage, 0, kPage}));
  drop(p, 2);
}

// Readers beside migrations: every page is somewhere at any time, and after the last migration where that said.
TEST_F(PageMap, ReadersBesideMovers) {
  constexpr size_t pages = 700;
  char* p = fresh(pages);
  memory::place(p, pages * kPage, 0);
  std::atomic<bool> end{false};
  std::atomic<long> wrong{0}, asked{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!end.load()) {
        uint64_t on[kNodes] = {}, sum = 0;
        memory::bytes_per_node(p + 10, pages * kPage - 20, on);
        for (uint64_t b : on) sum += b;
        if (sum != pages * kPage - 20) wrong.fetch_add(1);
        asked.fetch_add(1);
      }
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200 / kSlower; ++i) memory::migrate(p + size_t(t) * 350 * kPage, 350 * kPage, i % kNodes);
    });
  threads[3].join();
  threads[4].join();
  while (asked.load() < 30) usleep(1000);
  end.store(true);
  for (int t = 0; t < 3; ++t) threads[size_t(t)].join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(bytes_on(p, pages * kPage), (Bytes{0, 0, 0, pages * kPage}));
  drop(p, pages);
}

// Threads that make parts of the table at the same time, and touch the same pages: one of them wins, for good.
TEST_F(PageMap, FirstOfSeveralTouches) {
  constexpr size_t pages = 5000;
  char* p = fresh(pages);
  std::vector<std::thread> threads;
  for (int t = 0; t < kNodes; ++t)
    threads.emplace_back([=] {
      for (size_t i = 0; i < pages; ++i) memory::note_touch(p + (i * 7919 % pages) * kPage, 1, t);
    });
  for (auto& t : threads) t.join();
  Bytes first = bytes_on(p, pages * kPage);
  EXPECT_EQ(first[0] + first[1] + first[2] + first[3], pages * kPage);
  for (int t = 0; t < kNodes; ++t) memory::note_touch(p, pages * kPage, t);
  EXPECT_EQ(bytes_on(p, pages * kPage), first);
  drop(p, pages);
}
