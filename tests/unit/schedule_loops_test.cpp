// How loops are divided, and from whose block iterations are stolen.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "schedule/loops.h"
#include "schedule/taskloop.h"

using namespace einkorn::schedule;

TEST(Loops, VictimRules) {
  RandomState random;
  const std::vector<uint64_t> left = {0, 3, 9, 0, 5};
  auto count = [&](int t) { return left[size_t(t)]; };
  auto distance = [](int t) { return t == 4 ? 1.f : 2.f; };
  EXPECT_EQ(choose_loop_victim(LoopVictim::most_loaded, 0, 5, random, count, distance), 2);
  EXPECT_EQ(choose_loop_victim(LoopVictim::nearest, 0, 5, random, count, distance), 4);
  EXPECT_EQ(choose_loop_victim(LoopVictim::nearest, 2, 5, random, count, [](int) { return 1.f; }),
            4);  // the next after it
  std::set<int> seen;
  for (int i = 0; i < 200; ++i) seen.insert(choose_loop_victim(LoopVictim::random, 0, 5, random, count, distance));
  EXPECT_EQ(seen, (std::set<int>{1, 2, 4}));
  EXPECT_EQ(choose_loop_victim(LoopVictim::random, 0, 5, random, [](int) { return uint64_t(0); }, distance), -1);
}

// What the runtime hands out by number, or by one fetch_add, is what the table's rules say by position.
TEST(Loops, TheTableSaysWhatTheFastWaysDo) {
  for (uint64_t iterations : {1, 2, 99, 1000, 12345})
    for (uint64_t chunk : {1, 3, 100, 20000})
      for (uint64_t threads : {1, 2, 7}) {
        const LoopShape shape{iterations, threads, chunk};
        const Trapezoid t(iterations, threads, chunk);
        uint64_t next = 0, first = 0, count = 0;
        for (uint64_t k = 0; t.chunk(k, first, count); ++k, next += count) {
          ASSERT_EQ(first, next);
          ASSERT_EQ(trapezoidal_at(shape, first), count);
        }
        EXPECT_EQ(next, iterations);
        for (const LoopRule& rule : kLoopRules) {
          for (next = 0; next < iterations; next += count) {
            count = rule.count(shape, next);
            ASSERT_GE(count, 1u) << rule.name;
            ASSERT_LE(count, iterations - next) << rule.name;
          }
          EXPECT_EQ(next, iterations) << rule.name;
        }
      }
  EXPECT_STREQ(kLoopRules[kDynamicRule].name, "dynamic");
  EXPECT_STREQ(kLoopRules[kGuidedRule].name, "guided");
  EXPECT_STREQ(kLoopRules[kTrapezoidalRule].name, "trapezoidal");
}

TEST(Loops, FactoringHalvesRoundByRound) {
  const LoopShape shape{1000, 4, 10};
  std::vector<uint64_t> sizes;
  for (uint64_t first = 0; first < 1000; first += sizes.back()) sizes.push_back(factoring_at(shape, first));
  EXPECT_EQ(std::vector<uint64_t>(sizes.begin(), sizes.begin() + 8),
            (std::vector<uint64_t>{125, 125, 125, 125, 63, 63, 63, 63}));
  EXPECT_EQ(sizes[sizes.size() - 2], 10u);
}

TEST(Loops, ABriefRestOfAGuidedLoopIsOneChunk) {
  EXPECT_TRUE(is_brief_rest(25, 50, 100, 150));   // would take 50
  EXPECT_FALSE(is_brief_rest(25, 25, 150, 150));  // 150, which is not less
  EXPECT_TRUE(is_brief_rest(24, 25, 150, 150));
  EXPECT_FALSE(is_brief_rest(1, 1, ~uint64_t(0), 150));
  EXPECT_FALSE(is_brief_rest(~uint64_t(0), 1, 1, 150));
  EXPECT_FALSE(is_brief_rest(1, 0, 1, 150));
  EXPECT_FALSE(is_brief_rest(51, 50, 1, 150));  // more than the last chunk had
  EXPECT_FALSE(is_brief_rest(8, 8, 0, 1));      // by a clock that has not ticked
}

TEST(Loops, ABatchOfShortChunksDoubles) {
  Batch<double> b;
  EXPECT_EQ(batch_size(b, 0., 100., 1000, 2), 1u);
  EXPECT_EQ(batch_size(b, 199., 100., 1000, 2), 2u);
  EXPECT_EQ(batch_size(b, 300., 100., 1000, 2), 4u);
  EXPECT_EQ(batch_size(b, 1000., 100., 1000, 2), 4u);  // neither short nor long
  EXPECT_EQ(batch_size(b, 1001., 100., 24, 2), 6u);    // no more than a share of what is left
  EXPECT_EQ(batch_size(b, 9000., 100., 1000, 2), 1u);
  EXPECT_EQ(half_from(0, 1), 0u);
  EXPECT_EQ(half_from(10, 15), 12u);
}

// Of 17 threads and more: one, at once as many times more as it was too short, and all of the share.
TEST(Loops, ABatchOfManyThreads) {
  Batch<double> b;
  EXPECT_EQ(batch_size(b, 0., 100., 17 * 1000, 17), 1u);
  EXPECT_EQ(batch_size(b, 340., 100., 17 * 1000, 17), 10u);    // five times too short
  EXPECT_EQ(batch_size(b, 350., 100., 17 * 1000, 17), 256u);   // no more than 32 times, and no more than that
  EXPECT_EQ(batch_size(b, 2050., 100., 17 * 1000, 17), 256u);  // long enough
  EXPECT_EQ(batch_size(b, 3750., 100., 17 * 30, 17), 15u);     // half of the share
  EXPECT_EQ(batch_size(b, 3760., 100., 17 * 30, 17), 30u);     // short again: all that there is for one
  EXPECT_EQ(batch_size(b, 99'000., 100., 17 * 1000, 17), 1u);  // long chunks go one by one
  // Five times as long, or all that there is for one where the rest is not worth another round.
  for (const auto& [left, size] : {std::pair{17 * 240, 160}, {17 * 239, 239}, {17 * 161, 161}, {17 * 160 - 3, 160}}) {
    Batch<double> again{32, 0};
    EXPECT_EQ(batch_size(again, 680., 100., uint64_t(left), 17), uint64_t(size)) << left;
  }
  Batch<uint64_t> at_once{1, 5};
  EXPECT_EQ(batch_size<uint64_t>(at_once, 5, 100, 17 * 1000, 17), 32u);  // by a clock that has not ticked
}

// What a thread is told of all its chunks at once is what it would get one by one.
TEST(Loops, AThreadsStaticChunksTogether) {
  for (uint64_t iterations : {0, 1, 5, 24, 25, 1000})
    for (uint64_t chunk : {1, 3, 8, 2000})
      for (uint32_t n : {1u, 2u, 7u})
        for (uint32_t num = 0; num < n; ++num) {
          const StaticChunks own = static_chunks(iterations, chunk, num, n);
          uint64_t sum = 0, first = 0, count = 0, end = 0;
          for (uint64_t round = 0; static_chunk(iterations, chunk, num, n, round, first, count); ++round) {
            ASSERT_EQ(first, own.first + round * n * chunk);
            sum += count, end = first + count;
          }
          EXPECT_EQ(own.count, sum) << iterations << ' ' << chunk << ' ' << n << ' ' << num;
          EXPECT_EQ(own.has_last, iterations > 0 && end == iterations);
        }
}

TEST(Loops, PartsOfASimdLoopAreWholeVectors) {
  EXPECT_EQ(vectors_of_a_part(100, 4, 8), 32u);
  EXPECT_EQ(vectors_of_a_part(64, 4, 8), 16u);
  EXPECT_EQ(vectors_of_a_part(3, 4, 8), 8u);
}

TEST(Taskloop, GrainsizeAndNumTasks) {
  constexpr uint64_t kAll = UINT64_MAX;
  auto tasks = [](uint64_t iterations, uint64_t grainsize, uint64_t num_tasks, bool strict) {
    return TaskloopSplit(iterations, grainsize, num_tasks, strict, 2).tasks();
  };
  EXPECT_EQ(tasks(0, 3, 0, false), 0u);
  EXPECT_EQ(tasks(10, 3, 0, false), 3u);  // 3 to 5 iterations each
  EXPECT_EQ(tasks(10, 3, 0, true), 4u);   // 3, 3, 3, 1
  EXPECT_EQ(tasks(2, 3, 0, false), 1u);
  EXPECT_EQ(tasks(10, 0, 4, false), 4u);
  EXPECT_EQ(tasks(3, 0, 100, false), 3u);
  EXPECT_EQ(tasks(1000, 0, 0, false), 16u);  // by threads
  EXPECT_EQ(tasks(kAll, 1, 0, false), kAll);
  EXPECT_EQ(tasks(kAll, kAll, 0, true), 1u);
}

TEST(Taskloop, PiecesCoverTheLoopInOrder) {
  for (uint64_t iterations : {1, 10, 999})
    for (uint64_t grainsize : {0, 1, 3, 7})
      for (bool strict : {false, true}) {
        const TaskloopSplit split(iterations, grainsize, grainsize ? 0 : 4, strict, 2);
        uint64_t next = 0, first = 0, count = 0;
        for (uint64_t n = 0; n < split.tasks(); ++n, next += count) {
          split.piece(n, first, count);
          ASSERT_EQ(first, next);
          ASSERT_GE(count, 1u);
          if (strict && grainsize && n + 1 < split.tasks()) {
            ASSERT_EQ(count, grainsize);
          }
        }
        EXPECT_EQ(next, iterations);
      }
}
