#include "memory_support.h"

#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <thread>

#include "memory/next_touch.h"

using NextTouch = Memory;

TEST_F(NextTouch, OnAModelTheNextWorkerGetsThem) {
  char* p = fresh(8);
  memory::note_touch(p, 8 * kPage, 0);
  EXPECT_EQ(memory::next_touch(p + 1, 5 * kPage), 0);  // pages 1 to 4
  p[2 * kPage] = 1;                                    // out of nobody's reach
  memory::note_touch(p, 3 * kPage, 2);
  EXPECT_EQ(bytes_on(p, 8 * kPage), (Bytes{6 * kPage, 0, 2 * kPage, 0}));
  memory::note_touch(p, 8 * kPage, 3);
  memory::note_touch(p, 8 * kPage, 1);
  EXPECT_EQ(bytes_on(p, 8 * kPage), (Bytes{4 * kPage, 0, 2 * kPage, 2 * kPage}));
  EXPECT_EQ(memory::next_touch(p, 0), 0);
  EXPECT_EQ(memory::next_touch(p + 10, kPage), 0);
  EXPECT_EQ(memory::next_touch(p, SIZE_MAX - 100), EINVAL);
  drop(p, 8);
}

// From here on the real thing, on the nodes that this computer has.
TEST_F(NextTouch, PagesComeBackWhole) {
  char* p = fresh(64);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(memory::arm_pages(p, 64 * kPage), 0);
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(p[i * kPage + 5], 1);
    ASSERT_EQ(memory::arm_pages(p, 64 * kPage), 0);
    ASSERT_EQ(memory::arm_pages(p, 32 * kPage), 0);  // again, where nobody was
    for (size_t i = 0; i < 64; ++i) p[i * kPage + 6] = 2;
  }
  drop(p, 64);
}

TEST_F(NextTouch, NotForMemoryOfAnotherKind) {
  char* p = fresh(4);
  mprotect(p + 2 * kPage, kPage, PROT_READ);
  EXPECT_EQ(memory::arm_pages(p, 4 * kPage), EINVAL);
  p[0] = 1;  // nothing has happened to it
  munmap(p + 2 * kPage, kPage);
  EXPECT_EQ(memory::arm_pages(p, 4 * kPage), EINVAL);
  drop(p, 4);
}

TEST_F(NextTouch, ManyThreadsOnTheSamePages) {
  constexpr size_t pages = 256;
  char* p = fresh(pages);
  std::atomic<long> sum{0};
  std::atomic<int> ready{0};
  constexpr int threads = 6, rounds = kSlower > 1 ? 5 : 20;
  for (int round = 0; round < rounds; ++round) {
    ASSERT_EQ(memory::arm_pages(p, pages * kPage), 0);
    ready = 0;
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t)
      team.emplace_back([&] {
        ready.fetch_add(1);
        while (ready.load() < threads) std::this_thread::yield();
        long mine = 0;
        for (size_t i = 0; i < pages; ++i) mine += static_cast<volatile char*>(p)[i * kPage];
        sum.fetch_add(mine);
      });
    for (auto& t : team) t.join();
  }
  EXPECT_EQ(sum.load(), long(threads) * rounds * long(pages));
  drop(p, pages);
}

// Pages armed again while others are on their way through them.
TEST_F(NextTouch, ArmedAgainWhileTouched) {
  constexpr size_t pages = 64;
  char* p = fresh(pages);
  std::atomic<bool> end{false};
  std::atomic<long> rounds{0};
  std::vector<std::thread> team;
  for (int t = 0; t < 3; ++t)
    team.emplace_back([&, t] {
      while (!end.load()) {
        for (size_t i = 0; i < pages; ++i) p[i * kPage + 64 * size_t(t)] = char(t);
        rounds.fetch_add(1);
      }
    });
  int armed = 0;
  // On a busy machine the threads may not have come to anything by then.
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (int i = 0; i < 300 / kSlower || ((!armed || !rounds) && std::chrono::steady_clock::now() < late); ++i)
    armed += memory::arm_pages(p, pages * kPage) == 0;
  end.store(true);
  for (auto& t : team) t.join();
  // EINVAL where some of the pages were out of reach and already on their way back in.
  EXPECT_GT(armed, 0);
  EXPECT_GT(rounds.load(), 0);
  for (size_t i = 0; i < pages; ++i) p[i * kPage + 700] = 1;
  drop(p, pages);
}

namespace {
sigjmp_buf g_back;
volatile int g_caught, g_plain;
void on_fault(int, siginfo_t*, void*) {
  g_caught = g_caught + 1;
  siglongjmp(g_back, 1);
}
void on_signal(int) { g_plain = g_plain + 1; }
}  // namespace

// Through the functions that the library exports as sigaction() and signal().
TEST_F(NextTouch, TheProgramsHandlerIsAsItAsked) {
  char* p = fresh(4);
  char* none = fresh(1);
  mprotect(none, kPage, PROT_NONE);
  struct sigaction a = {}, before;
  a.sa_sigaction = on_fault;
  a.sa_flags = SA_SIGINFO;
  ASSERT_EQ(memory::programs_sigaction(SIGSEGV, &a, nullptr), 0);
  ASSERT_EQ(memory::arm_pages(p, 4 * kPage), 0);
  g_caught = 0;
  g_plain = 0;
  if (sigsetjmp(g_back, 1) == 0) *static_cast<volatile char*>(none) = 1;
  EXPECT_EQ(g_caught, 1);
  ASSERT_EQ(memory::programs_sigaction(SIGSEGV, nullptr, &before), 0);
  EXPECT_TRUE(before.sa_sigaction == on_fault && (before.sa_flags & SA_SIGINFO));
  EXPECT_EQ(p[0], 1);
  EXPECT_EQ(g_caught, 1);
  // Later, by signal(); a signal that somebody sends.
  EXPECT_TRUE(reinterpret_cast<void*>(memory::programs_signal(SIGSEGV, on_signal)) ==
              reinterpret_cast<void*>(on_fault));
  raise(SIGSEGV);
  EXPECT_EQ(g_plain, 1);
  EXPECT_EQ(p[kPage], 1);
  EXPECT_TRUE(memory::programs_signal(SIGSEGV, SIG_IGN) == on_signal);
  raise(SIGSEGV);
  EXPECT_EQ(g_plain, 1);
  EXPECT_EQ(p[2 * kPage], 1);
  // Once only.
  a.sa_handler = on_signal;
  a.sa_flags = int(SA_RESETHAND);
  ASSERT_EQ(memory::programs_sigaction(SIGSEGV, &a, nullptr), 0);
  raise(SIGSEGV);
  EXPECT_EQ(g_plain, 2);
  ASSERT_EQ(memory::programs_sigaction(SIGSEGV, nullptr, &before), 0);
  EXPECT_TRUE(before.sa_handler == SIG_DFL);
  EXPECT_EQ(p[3 * kPage], 1);
  drop(p, 4);
  drop(none, 1);
}

TEST_F(NextTouch, WithoutAHandlerAFaultEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto fault = [](int how) {
    signal(SIGSEGV, how == 2 ? SIG_IGN : SIG_DFL);
    char* p = fresh(2);
    if (memory::arm_pages(p, 2 * kPage) != 0) _exit(3);
    if (p[0] != 1) _exit(4);
    if (how == 1) raise(SIGSEGV);
    volatile uintptr_t nowhere = 8;
    *reinterpret_cast<volatile char*>(nowhere) = 1;
    _exit(5);
  };
  EXPECT_EXIT(fault(0), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(fault(1), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(fault(2), testing::KilledBySignal(SIGSEGV), "");
}
