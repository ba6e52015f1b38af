// Arithmetic of loops, at the ends of the number range too, and control variables.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "runtime/settings/icv.h"
#include "runtime/loop/share.h"
#include "runtime/task/task.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::runtime;
constexpr int64_t kMin = INT64_MIN, kMax = INT64_MAX;
constexpr uint64_t kAll = UINT64_MAX;

TEST(TripCount, Signed) {
  EXPECT_EQ(trip_count(0, 10, 1), 10u);
  EXPECT_EQ(trip_count(0, 10, 3), 4u);
  EXPECT_EQ(trip_count(0, 9, 3), 3u);
  EXPECT_EQ(trip_count(10, 0, -3), 4u);
  EXPECT_EQ(trip_count(0, 0, 1), 0u);
  EXPECT_EQ(trip_count(1, 0, 1), 0u);
  EXPECT_EQ(trip_count(0, 1, -1), 0u);
  EXPECT_EQ(trip_count(kMin, kMax, 1), kAll);
  EXPECT_EQ(trip_count(kMax, kMin, -1), kAll);
  EXPECT_EQ(trip_count(kMin, kMax, kMax), 3u);
  EXPECT_EQ(trip_count(kMax, kMin, kMin), 2u);
  EXPECT_EQ(trip_count(kMax - 1, kMax, kMax), 1u);
}

TEST(TripCount, Unsigned) {
  EXPECT_EQ(trip_count_unsigned(true, 0, kAll, 1), kAll);
  EXPECT_EQ(trip_count_unsigned(true, 0, kAll, kAll), 1u);
  EXPECT_EQ(trip_count_unsigned(true, 5, 5, 1), 0u);
  EXPECT_EQ(trip_count_unsigned(false, kAll, 0, uint64_t(0) - 1), kAll);
  EXPECT_EQ(trip_count_unsigned(false, 10, 1, uint64_t(0) - 4), 3u);
}

// Every loop that is small enough to count.
TEST(TripCount, AgainstCounting) {
  for (int64_t lower = -6; lower <= 6; ++lower)
    for (int64_t upper = -6; upper <= 6; ++upper)
      for (int64_t step : {1, 2, 3, 7, -1, -2, -5}) {
        uint64_t n = 0;
        for (int64_t i = lower; step > 0 ? i < upper : i > upper; i += step) ++n;
        ASSERT_EQ(trip_count(lower, upper, step), n) << lower << " " << upper << " " << step;
      }
}

TEST(StaticPart, PartsAreContiguousAndDifferByOne) {
  for (uint64_t iterations : {uint64_t(0), uint64_t(1), uint64_t(7), uint64_t(1) << 63, kAll - 1, kAll})
    for (uint32_t n : {1u, 2u, 3u, 7u, 1000u}) {
      uint64_t next = 0, least = kAll, most = 0;
      for (uint32_t i = 0; i < n; ++i) {
        uint64_t first, count;
        static_part(iterations, i, n, first, count);
        ASSERT_EQ(first, next);
        next += count;
        least = std::min(least, count), most = std::max(most, count);
      }
      EXPECT_EQ(next, iterations);
      EXPECT_LE(most - least, 1u);
    }
}

// All chunks of a loop, given to `n` threads in turn by one thread that plays them all.
class ShareTest : public testing::Test {
 protected:
  Worker* w_ = self();
  // No time passes by a clock without ticks: then no rest of a guided loop is brief, and its chunks follow from its
  // rule.
  const uint32_t ticks_ = std::exchange(g_ticks_in_2_20_ns, 0);
  ~ShareTest() override { w_->thread_num = 0, w_->team->n = 1, g_ticks_in_2_20_ns = ticks_; }
  struct Chunk {
    uint64_t first, count;
  };
  std::vector<Chunk> chunks(LoopKind kind, uint64_t iterations, uint64_t chunk, int n, int limit = 1000,
                            bool nonmonotonic = false) {
    LoopSpec spec;
    spec.nonmonotonic = nonmonotonic;
    spec.kind = kind;
    spec.iterations = iterations;
    spec.chunk = chunk;
    w_->team->n = n;
    uint64_t met = w_->slot->shares_met;
    std::vector<Chunk> all;
    for (int i = 0; i < n; ++i) {
      w_->thread_num = i;
      w_->slot->shares_met = met;
      share_enter(w_, spec, 0);
      for (int k = 0; k < limit && share_next(w_); ++k) all.push_back({w_->view.first, w_->view.count});
      share_leave(w_);
    }
    std::sort(all.begin(), all.end(), [](Chunk a, Chunk b) { return a.first < b.first; });
    return all;
  }
  // least: of all but the last.
  void expect_cover(const std::vector<Chunk>& all, uint64_t iterations, uint64_t least = 1) {
    uint64_t next = 0;
    for (const Chunk& c : all) {
      ASSERT_EQ(c.first, next);
      next += c.count;
      ASSERT_GE(c.count, next == iterations ? 1 : least);
    }
    EXPECT_EQ(next, iterations);
  }
};

TEST_F(ShareTest, EveryKindCoversTheLoop) {
  for (LoopKind kind :
       {LoopKind::static_, LoopKind::dynamic, LoopKind::guided, LoopKind::automatic, LoopKind::trapezoidal})
    for (uint64_t iterations : {0, 1, 2, 99, 100})
      for (uint64_t chunk : {0, 1, 3, 100, 1000})
        for (int n : {1, 2, 7, 64, 65})
          for (bool nonmonotonic : {false, true}) {
            const bool whole = chunk > 0 && (kind == LoopKind::dynamic || kind == LoopKind::guided);
            expect_cover(chunks(kind, iterations, chunk, n, 1000, nonmonotonic), iterations, whole ? chunk : 1);
          }
}

TEST_F(ShareTest, EveryKindCoversTheLongestLoops) {
  for (LoopKind kind : {LoopKind::static_, LoopKind::dynamic, LoopKind::guided, LoopKind::trapezoidal})
    for (uint64_t iterations :
         {uint64_t(UINT32_MAX), uint64_t(UINT32_MAX) + 1, uint64_t(1) << 62, (uint64_t(1) << 63) + 1, kAll})
      for (uint64_t chunk : {iterations / 5, iterations / 2 + 1, iterations, uint64_t(1) << 61, kAll})
        for (int n : {1, 3, 64})
          for (bool nonmonotonic : {false, true})
            expect_cover(chunks(kind, iterations, chunk, n, 1000, nonmonotonic), iterations);
}

// By a clock by which everything is brief.
TEST_F(ShareTest, GuidedLoopsWithABriefRestAreCovered) {
  einkorn::base::g_ticks_in_2_20_ns = UINT32_MAX;
  for (uint64_t iterations : {uint64_t(1), uint64_t(2), uint64_t(99), uint64_t(5000), (uint64_t(1) << 63) + 1})
    for (uint64_t chunk : {uint64_t(1), uint64_t(3), iterations / 5 + 1})
      for (int n : {1, 2, 7}) {
        w_->team->n = n;
        expect_cover(chunks(LoopKind::guided, iterations, chunk, n), iterations);
        expect_cover(chunks(LoopKind::guided, iterations, chunk, n, 1000, true), iterations);
      }
  w_->team->n = 2;
  const auto all = chunks(LoopKind::guided, 100, 1, 2);
  ASSERT_EQ(all.size(), 2u);  // one thread plays both, and has half of it first
  EXPECT_EQ(all[1].count, 50u);
}

TEST_F(ShareTest, GuidedChunksShrinkToTheLeast) {
  w_->team->n = 4;
  auto all = chunks(LoopKind::guided, 1000, 5, 4);
  expect_cover(all, 1000);
  EXPECT_EQ(all[0].count, 250u);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i].count, all[i - 1].count);
  for (size_t i = 0; i + 1 < all.size(); ++i) EXPECT_GE(all[i].count, 5u);
}

LoopSpec guided_in_any_order(uint64_t iterations) {
  LoopSpec spec;
  spec.kind = LoopKind::guided;
  spec.iterations = iterations;
  spec.chunk = 1;
  spec.nonmonotonic = true;
  return spec;
}

// Where chunks may come in any order each thread begins with the chunk of its number, whoever comes first.
TEST_F(ShareTest, FirstChunksOfGuidedLoopsAreTheThreadsOwn) {
  LoopSpec spec = guided_in_any_order(1000);
  static const char caller = 0;  // a loop that has not been in any place before
  spec.caller = &caller;
  w_->team->n = 4;
  for (const int sets_up : {0, 2, 3}) {
    const uint64_t met = w_->slot->shares_met;
    struct {
      int thread;
      uint64_t first, count;
    } const own[] = {{0, 0, 250}, {1, 250, 188}, {2, 438, 141}, {3, 579, 106}};
    WorkShareView views[4];
    for (int i = 0; i < 4; ++i) {
      w_->thread_num = (sets_up + i) % 4;
      w_->slot->shares_met = met;
      share_enter(w_, spec, 0);
      if (w_->thread_num == 1) {  // comes late: the others share what is left, the last chunk at the end
        views[1] = w_->view;
        continue;
      }
      ASSERT_TRUE(share_next(w_));
      EXPECT_EQ(w_->view.first, own[w_->thread_num].first);
      EXPECT_EQ(w_->view.count, own[w_->thread_num].count);
      views[w_->thread_num] = w_->view;
    }
    std::vector<Chunk> rest;
    w_->thread_num = 0, w_->view = views[0];
    while (share_next(w_)) rest.push_back({w_->view.first, w_->view.count});
    EXPECT_EQ(rest.back().first + rest.back().count, 1000u);
    std::sort(rest.begin(), rest.end(), [](Chunk a, Chunk b) { return a.first < b.first; });
    EXPECT_EQ(rest[0].first, 250u);
    EXPECT_EQ(rest[0].count, 47u);  // a fourth of what belongs to thread 1
    EXPECT_EQ(rest[1].count, 36u);
    EXPECT_EQ(rest[2].count, 31u);  // no less than an eighth of a fourth of all
    uint64_t sum = 0;
    for (const Chunk& c : rest) sum += c.count;
    EXPECT_EQ(sum, 1000u - 250 - 141 - 106);
    share_leave(w_);
    for (const int other : {1, 2, 3}) {
      w_->thread_num = other, w_->view = views[other];
      EXPECT_FALSE(share_next(w_));
      share_leave(w_);
    }
  }
}

// A loop that was over at once is handed out as it is asked for, the first chunk to who sets it up; another one that
// comes to the same place is not.
TEST_F(ShareTest, BriefGuidedLoopsHaveNoOwnChunks) {
  LoopSpec spec = guided_in_any_order(100);
  w_->team->n = 2;
  static const char callers[2] = {};
  // Once in each place of the ring, by thread 1, which sets it up and takes all of it; thread 0 leaves it. Where the
  // first chunk begins.
  auto runs = [&](const char* caller, uint32_t clock) {
    einkorn::base::g_ticks_in_2_20_ns = clock;
    spec.caller = caller;
    uint64_t first = kAll;
    for (int i = 0; i < Team::kShares; ++i) {
      const uint64_t met = w_->slot->shares_met;
      w_->thread_num = 1;
      share_enter(w_, spec, 0);
      EXPECT_TRUE(share_next(w_));
      EXPECT_TRUE(i == 0 || first == w_->view.first);
      first = w_->view.first;
      while (share_next(w_)) {}
      share_leave(w_);
      w_->thread_num = 0, w_->slot->shares_met = met;
      share_enter(w_, spec, 0);
      share_leave(w_);
    }
    return first;
  };
  const uint32_t brief = UINT32_MAX, long_one = 0;
  EXPECT_EQ(runs(&callers[0], brief), 50u);
  EXPECT_EQ(runs(&callers[0], long_one), 0u);
  EXPECT_EQ(runs(&callers[0], brief), 50u);
  EXPECT_EQ(runs(&callers[0], brief), 0u);
  EXPECT_EQ(runs(&callers[1], long_one), 50u);
}

TEST_F(ShareTest, TrapezoidalChunksShrinkByAConstant) {
  w_->team->n = 4;
  auto all = chunks(LoopKind::trapezoidal, 1000, 5, 4);
  expect_cover(all, 1000);
  EXPECT_EQ(all[0].count, 125u);  // half of an equal part
  uint64_t step = all[0].count - all[1].count;
  EXPECT_GT(step, 0u);
  for (size_t i = 1; i + 1 < all.size(); ++i) EXPECT_EQ(all[i - 1].count - all[i].count, step);
  for (size_t i = 0; i + 1 < all.size(); ++i) EXPECT_GE(all[i].count, 5u);
  // Many chunks, of one size each: nothing to shrink from.
  all = chunks(LoopKind::trapezoidal, 1000, 400, 4);
  expect_cover(all, 1000);
  for (const Chunk& c : all) EXPECT_EQ(c.count, 125u);
}

TEST(IcvTest, EqualValuesAreOneBlock) {
  Icv a;
  a.num_threads = 12345;
  uint32_t first = intern_icv(a);
  EXPECT_EQ(intern_icv(a), first);
  EXPECT_EQ(icv(first).num_threads, 12345);
  auto differs = [&](auto change) {
    Icv b = a;
    change(b);
    EXPECT_NE(intern_icv(b), first);
  };
  differs([](Icv& v) { v.max_active_levels = 7; });
  differs([](Icv& v) { v.thread_limit = 7; });
  differs([](Icv& v) { v.default_device = 7; });
  differs([](Icv& v) { v.run_schedule.chunk = 7; });
  differs([](Icv& v) { v.run_schedule.kind = LoopKind::guided; });
  differs([](Icv& v) { v.run_schedule.monotonic = true; });
  differs([](Icv& v) { v.dynamic = true; });
  // Past a block of 1,024: entries do not move.
  const Icv* at = &icv(first);
  for (int i = 0; i < 2000; ++i) {
    Icv b = a;
    b.num_threads = 20000 + i;
    ASSERT_EQ(icv(intern_icv(b)).num_threads, 20000 + i);
  }
  EXPECT_EQ(&icv(first), at);
  EXPECT_EQ(intern_icv(a), first);
}

}  // namespace
