// Counters of threads: the protocol of their pages, played by the test; software counters as the kernel has them.
#include "record/counters.h"
#include <gtest/gtest.h>
#include <cstring>
#include <string>
#include <vector>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace einkorn::record {
namespace {

struct FakePage {
  perf_event_mmap_page page{};
  HeldPage held;
  FakePage() {
    held.page = &page;
    page.cap_user_rdpmc = 1;
    page.pmc_width = 48;
    page.index = 3;
    page.offset = 1000;
    page.time_enabled = page.time_running = 500;
  }
};

TEST(CounterPage, AddsTheProcessorsCounterToTheOffset) {
  FakePage f;
  CounterState s;
  uint32_t asked = 99;
  EXPECT_TRUE(read_counter_page(
      f.held,
      [&](uint32_t i) {
        asked = i;
        return uint64_t(234);
      },
      [] { return 0ull; }, s));
  EXPECT_EQ(asked, 2u);  // of index 3: the processor's counters are numbered from 0
  EXPECT_EQ(s.count, 1234u);
  EXPECT_EQ(s.enabled, 500u);
  EXPECT_EQ(s.running, 500u);
}

// The kernel lets counters begin below zero, so that they overflow after so many events.
TEST(CounterPage, ACounterIsSignedAndAsWideAsThePageSays) {
  FakePage f;
  f.page.offset = 5000;
  CounterState s;
  const uint64_t minus_100 = (uint64_t(1) << 48) - 100;
  EXPECT_TRUE(read_counter_page(f.held, [&](uint32_t) { return minus_100; }, [] { return 0ull; }, s));
  EXPECT_EQ(s.count, 4900u);
  f.page.pmc_width = 64;
  EXPECT_TRUE(read_counter_page(f.held, [&](uint32_t) { return minus_100; }, [] { return 0ull; }, s));
  EXPECT_EQ(s.count, 5000 + minus_100);
}

TEST(CounterPage, OfAnEventThatIsNotOnTheProcessorTheOffsetIsAll) {
  FakePage f;
  f.page.index = 0;
  CounterState s;
  EXPECT_TRUE(read_counter_page(
      f.held,
      [](uint32_t) -> uint64_t {
        ADD_FAILURE();
        return 0;
      },
      [] { return 0ull; }, s));
  EXPECT_EQ(s.count, 1000u);
}

// The thread was moved between the readings: another index, another offset. What was read before counts for nothing.
TEST(CounterPage, IsReadAgainIfItChangesMeanwhile) {
  FakePage f;
  CounterState s;
  int readings = 0;
  auto pmc = [&](uint32_t i) {
    if (++readings == 1) {
      f.page.lock += 2;
      f.page.index = 1;
      f.page.offset = 2000;
    }
    return i == 0 ? uint64_t(7) : uint64_t(99999);
  };
  EXPECT_TRUE(read_counter_page(f.held, pmc, [] { return 0ull; }, s));
  EXPECT_EQ(readings, 2);
  EXPECT_EQ(s.count, 2007u);
}

TEST(CounterPage, GivesUpWhereItIsNotAllowedOrNeverAtRest) {
  FakePage f;
  CounterState s;
  auto restless = [&](uint32_t) {
    ++f.page.lock;
    return uint64_t(1);
  };
  EXPECT_FALSE(read_counter_page(f.held, restless, [] { return 0ull; }, s));
  f.page.cap_user_rdpmc = 0;
  EXPECT_FALSE(read_counter_page(f.held, [](uint32_t) { return uint64_t(1); }, [] { return 0ull; }, s));
}

// The page has the times of the last change; since then the clock has gone on.
TEST(CounterPage, TimeGoesOnForAnEventThatSharesTheProcessor) {
  FakePage f;
  f.page.cap_user_time = 1;
  f.page.time_enabled = 1000;
  f.page.time_running = 400;
  f.page.time_mult = 3;
  f.page.time_shift = 1;
  f.page.time_offset = 20;
  CounterState s;
  auto clock = [] { return 100ull; };  // 150 ns by mult and shift, and 20
  EXPECT_TRUE(read_counter_page(f.held, [](uint32_t) { return uint64_t(0); }, clock, s));
  EXPECT_EQ(s.enabled, 1170u);
  EXPECT_EQ(s.running, 570u);
  f.page.index = 0;
  EXPECT_TRUE(read_counter_page(f.held, [](uint32_t) { return uint64_t(0); }, clock, s));
  EXPECT_EQ(s.enabled, 1170u);
  EXPECT_EQ(s.running, 400u);
}

// From here on only the counter is read, and the lock.
struct ReadPage : FakePage {
  uint64_t counter = 100;
  CounterState state;
  explicit ReadPage(unsigned width = 48) {
    page.pmc_width = uint16_t(width);
    read();
  }
  void read() {
    ASSERT_TRUE(read_counter_page(held, [&](uint32_t) { return counter; }, [] { return 0ull; }, state));
  }
  // What was seen; -1: the page is to be read.
  int64_t seen() {
    uint64_t n;
    return read_held_page(held, [&](uint32_t) { return counter; }, n) ? int64_t(n) : -1;
  }
};

TEST(HeldPage, TellsWhatTheCounterHasCountedSinceTheReadingBefore) {
  ReadPage f;
  EXPECT_EQ(f.seen(), 0);
  f.counter += 40;
  EXPECT_EQ(f.seen(), 40);
  f.counter += 2;
  EXPECT_EQ(f.seen(), 2);
  EXPECT_EQ(f.held.since(), 42u);
  const uint64_t before = f.state.count;
  f.page.offset += 1;
  f.page.lock += 2;
  EXPECT_EQ(f.seen(), -1);
  f.read();
  EXPECT_EQ(f.state.count, before + 43);  // the whole page goes on from where the counter alone had come
  EXPECT_EQ(f.held.since(), 0u);
  EXPECT_EQ(f.seen(), 0);
}

// Through zero, from where the kernel lets counters begin, and past the end of a narrow one.
TEST(HeldPage, ACounterWraps) {
  for (unsigned width : {32u, 48u, 64u}) {
    ReadPage f(width);
    const uint64_t last = ~uint64_t(0) >> (64 - width);
    f.counter = last;
    f.read();
    f.counter = (f.counter + 7) & last;
    EXPECT_EQ(f.seen(), 7) << width;
  }
}

TEST(HeldPage, IsAskedForTheCounterOnlyWhereItIsTheOneThatWasRead) {
  ReadPage f;
  uint32_t asked = 99;
  uint64_t n;
  auto pmc = [&](uint32_t i) {
    asked = i;
    return uint64_t(0);
  };
  f.page.lock += 2;  // of a processor that has not so many, for example
  EXPECT_FALSE(read_held_page(f.held, pmc, n));
  EXPECT_EQ(asked, 99u);
  f.page.lock -= 2;
  EXPECT_TRUE(read_held_page(f.held, pmc, n));
  EXPECT_EQ(asked, 2u);
}

// The thread is moved after the lock was looked at: the counter is another event's.
TEST(HeldPage, IsNotBelievedIfItChangesWhileTheCounterIsRead) {
  ReadPage f;
  uint64_t n = 5;
  const HeldPage before = f.held;
  auto moves = [&](uint32_t) {
    f.page.lock += 2;
    return uint64_t(99999);
  };
  EXPECT_FALSE(read_held_page(f.held, moves, n));
  EXPECT_EQ(f.held.raw, before.raw);
  EXPECT_EQ(n, 5u);
  EXPECT_EQ(f.seen(), -1);
}

TEST(HeldPage, IsNotHeldWhileTheEventIsOffTheProcessorOrSharesIt) {
  ReadPage f;
  f.page.index = 0;
  f.read();
  EXPECT_EQ(f.seen(), -1);
  f.page.index = 3;
  f.read();
  EXPECT_EQ(f.seen(), 0);
  f.page.time_enabled += 100;
  f.read();
  EXPECT_EQ(f.seen(), -1);
  f.page.time_running += 100;
  f.page.cap_user_rdpmc = 0;
  CounterState s;
  EXPECT_FALSE(read_counter_page(f.held, [](uint32_t) { return uint64_t(0); }, [] { return 0ull; }, s));
  EXPECT_EQ(f.seen(), -1);
  EXPECT_EQ(f.held.since(), 0u);
}

// Three events, of which the list has others in between. The last one is scheduled anew: what the others have seen is
// not lost, nor told twice.
TEST(HeldPage, SeveralAreReadUpToOneThatHasChanged) {
  perf_event_mmap_page pages[3] = {};
  HeldPage held[3];
  uint64_t counters[3] = {1000, 2000, 3000};
  auto pmc = [&](uint32_t i) { return counters[i]; };
  CounterState s;
  for (uint32_t i = 0; i < 3; ++i) {
    pages[i] = FakePage().page;
    pages[i].index = i + 1;
    held[i].page = &pages[i];
    held[i].bit = 2u << 2 * i;
    ASSERT_TRUE(read_counter_page(held[i], pmc, [] { return 0ull; }, s));
  }
  counters[0] += 5;
  counters[2] += 7;
  uint64_t words[4] = {};
  uint32_t payload = 0;
  int done = -1;
  EXPECT_EQ(put_held_pages(held, 3, pmc, words, payload, done), words + 2);
  EXPECT_EQ(payload, 2u | 32u);
  EXPECT_EQ(words[0], 5u);
  EXPECT_EQ(words[1], 7u);
  counters[1] += 11;
  pages[2].lock += 2;
  payload = 0;
  EXPECT_EQ(put_held_pages(held, 3, pmc, words, payload, done), nullptr);
  EXPECT_EQ(done, 2);
  uint64_t values[6] = {9, 9, 9, 9, 9, 9};
  take_back(held, done, words, payload, values);
  EXPECT_EQ(values[1], 0u);
  EXPECT_EQ(values[3], 11u);
  EXPECT_EQ(values[5], 9u);
  EXPECT_EQ(held[1].since(), 11u);
}

TEST(CounterPage, WhatWasCountedForAPartOfTheTimeIsScaled) {
  EXPECT_EQ(scaled_count(300, 900, 300).value, 900u);
  EXPECT_TRUE(scaled_count(300, 900, 300).estimated);
  EXPECT_EQ(scaled_count(300, 900, 900).value, 300u);
  EXPECT_FALSE(scaled_count(300, 900, 900).estimated);
  EXPECT_EQ(scaled_count(0, 900, 0).value, kUncounted);  // not on the processor: nobody knows
  EXPECT_FALSE(scaled_count(0, 900, 0).estimated);
  EXPECT_EQ(scaled_count(0, 0, 0).value, 0u);
  EXPECT_EQ(scaled_count(uint64_t(1) << 60, 1u << 30, 1).value, kUncounted - 1);
}

TEST(CounterNames, AreReadAsAList) {
  CounterList list;
  std::string_view wrong;
  ASSERT_TRUE(parse_counters("true", list, wrong));
  EXPECT_EQ(list.count, kMostCounters);
  ASSERT_TRUE(parse_counters("page-faults,cycles,page_faults", list, wrong));
  ASSERT_EQ(list.count, 2);
  EXPECT_EQ(list.counters[0], Counter::page_faults);
  EXPECT_EQ(list.counters[1], Counter::cycles);
  EXPECT_FALSE(parse_counters("cycles,cylces", list, wrong));
  EXPECT_EQ(wrong, "cylces");
  EXPECT_FALSE(parse_counters("cycles,", list, wrong));
  EXPECT_EQ(wrong, "");
  EXPECT_NE(wrong.data(), nullptr);
  std::string all;
  for (const CounterInfo& c : kCounterTable) all += (all.empty() ? "" : ",") + std::string(c.name);
  EXPECT_FALSE(parse_counters(all, list, wrong));
  EXPECT_EQ(wrong.data(), nullptr);  // too many
}

TEST(CounterNames, ReasonsComeFromErrors) {
  EXPECT_EQ(absence(Counter::cycles, 0), Absence::none);
  EXPECT_EQ(absence(Counter::cycles, ENOSYS), Absence::kernel);
  EXPECT_EQ(absence(Counter::cycles, EMFILE), Absence::descriptors);
  EXPECT_EQ(absence(Counter::migrations, EACCES), Absence::paranoid);
  EXPECT_EQ(absence(Counter::page_faults, EINVAL), Absence::not_there);
}

CounterList list_of(std::initializer_list<Counter> counters) {
  CounterList list;
  for (Counter c : counters) list.counters[list.count++] = c;
  return list;
}

constexpr size_t kPages = 64;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr size_t kPagesBeside = 4 * kPages;  // a sanitizer's own, about what lies in the others
#else
constexpr size_t kPagesBeside = 0;
#endif

void touch_new_pages() {
  const auto page = size_t(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, kPages * page);
}

void expect_page_faults(ThreadCounters& c, int i) {
  c.read();
  touch_new_pages();
  const uint64_t faults = c.read().values[i], after = c.read().values[i];
  EXPECT_GE(faults, kPages);
  EXPECT_LE(faults, kPages + kPagesBeside + 16);
  EXPECT_LE(after, 2u);
}

TEST(ThreadCounters, CountPageFaultsSinceTheReadingBefore) {
  ThreadCounters c;
  Absence absent[kMostCounters];
  c.open(list_of({Counter::context_switches, Counter::page_faults}), absent);
  EXPECT_EQ(absent[0], Absence::none);
  EXPECT_EQ(absent[1], Absence::none);
  ASSERT_TRUE(c.on());
  expect_page_faults(c, 1);
  c.read();
  usleep(1000);
  EXPECT_GE(c.read().values[0], 1u);
  c.close();
  EXPECT_FALSE(c.on());
}

// A system call at each border of a grain would be most of what a border costs.
TEST(ThreadCounters, AskTheKernelOnlyAfterSomethingHasHappened) {
  ThreadCounters c;
  Absence absent[kMostCounters];
  c.open(list_of({Counter::page_faults, Counter::context_switches, Counter::major_faults}), absent);
  constexpr int kRounds = 100;
  int calls = 0;
  touch_new_pages();  // and what reading itself touches
  c.read();
  for (int i = 0; i < kRounds; ++i) calls += c.read().called_kernel;
  if (calls == kRounds) GTEST_SKIP() << "no ring: kernel.perf_event_paranoid, or kernel.perf_event_mlock_kb";
  EXPECT_LT(calls, kRounds / 2);  // the system may do something else meanwhile
  uint64_t faults = 0, switches = 0;
  calls = 0;
  for (int i = 0; i < kRounds; ++i) {
    if (i % 10 == 0) touch_new_pages();
    const CounterReading r = c.read();
    calls += r.called_kernel;
    faults += r.values[0];
    switches += r.values[1];
  }
  EXPECT_GE(faults, kRounds / 10 * kPages);
  EXPECT_GE(calls, kRounds / 10);
  EXPECT_LT(calls, kRounds / 2);
  c.read();
  usleep(1000);
  const CounterReading slept = c.read();
  EXPECT_TRUE(slept.called_kernel);
  EXPECT_GE(slept.values[1], 1u);
  c.close();
}

// More than the ring has room for: nobody takes them out.
TEST(ThreadCounters, TheirRingIsNeverFull) {
  ThreadCounters c;
  Absence absent[kMostCounters];
  c.open(list_of({Counter::page_faults}), absent);
  for (int i = 0; i < 20; ++i) expect_page_faults(c, 0);
  uint64_t faults = 0;
  for (int i = 0; i < 20; ++i) touch_new_pages();
  faults = c.read().values[0];
  EXPECT_GE(faults, 20 * kPages);
  EXPECT_LE(faults, 20 * (kPages + kPagesBeside + 16));
  c.close();
}

// Where there are no descriptors left the kernel's other account serves; what that does not have is absent.
TEST(ThreadCounters, GoOnWithoutPerfEvents) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  ThreadCounters c;
  Absence absent[kMostCounters];
  c.open(list_of({Counter::migrations, Counter::page_faults, Counter::context_switches, Counter::major_faults}),
         absent);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(absent[0], Absence::descriptors);
  EXPECT_EQ(absent[1], Absence::none);
  ASSERT_TRUE(c.on());
  EXPECT_EQ(c.read().values[0], kUncounted);
  expect_page_faults(c, 1);
  c.close();
}

// Some programs close every descriptor that they have not opened.
TEST(ThreadCounters, AreNotKnownOnceTheirDescriptorsAreClosed) {
  ThreadCounters c;
  Absence absent[kMostCounters];
  c.open(list_of({Counter::page_faults}), absent);
  ASSERT_TRUE(c.on());
  const std::string folder = "/proc/self/fd/";
  bool closed = false;
  for (int fd = 3; fd < 4096; ++fd) {
    char name[64];
    const ssize_t n = readlink((folder + std::to_string(fd)).c_str(), name, sizeof name - 1);
    if (n > 0 && std::string(name, size_t(n)).find("perf_event") != std::string::npos) closed = close(fd) == 0;
  }
  touch_new_pages();  // where there is a ring, nothing is asked before
  EXPECT_EQ(c.read().values[0] == kUncounted, closed);
  EXPECT_EQ(c.read().values[0] == kUncounted, closed);
}

// The child's counters are the parent's: it lets go of them, and opens its own.
TEST(ThreadCounters, AreLeftToTheParentByAFork) {
  ThreadCounters c;
  Absence absent[kMostCounters];
  const CounterList list = list_of({Counter::page_faults, Counter::context_switches});
  c.open(list, absent);
  ASSERT_TRUE(c.on());
  const pid_t child = fork();
  if (child == 0) {
    c.abandon();
    if (c.on()) _exit(1);
    c.open(list, absent);
    c.read();
    touch_new_pages();
    _exit(c.read().values[0] >= kPages ? 0 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  expect_page_faults(c, 0);
  c.close();
}

}  // namespace
}  // namespace einkorn::record
