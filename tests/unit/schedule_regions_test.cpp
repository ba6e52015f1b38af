// Which regions of codelets are worth threads, and which are timed (schedule/regions.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "schedule/regions.h"

using namespace einkorn::schedule;

namespace {

constexpr uint64_t kUs = 1000;  // ticks of a microsecond, here
constexpr uint64_t kAwake = 0, kAsleep = 1'000'000;

bool runs_alone(RegionTime t, uint64_t since, uint64_t us) {
  RegionsBefore none;
  return way_of(t, none, since, us, [since] { return since == kAsleep; }).alone;
}

int untimed(RegionTime& t) {
  int n = 0;
  while (runs_untimed(t)) ++n;
  return n;
}

}  // namespace

TEST(Regions, OfWhichNothingIsKnownGetThreads) {
  RegionTime t;
  EXPECT_FALSE(runs_untimed(t));
  EXPECT_FALSE(runs_alone(t, kAwake, kUs));
  EXPECT_FALSE(runs_alone(t, kAsleep, kUs));
}

TEST(Regions, GetThreadsWhereHalfOfThemIsMoreThanTheseCost) {
  RegionTime t;
  learn(t, 2 * kRegionAwakeUs * kUs - 1, kUs);
  EXPECT_TRUE(runs_alone(t, kAwake, kUs));
  t = {};
  learn(t, 2 * kRegionAwakeUs * kUs, kUs);
  EXPECT_FALSE(runs_alone(t, kAwake, kUs));
  EXPECT_TRUE(runs_alone(t, kAsleep, kUs));
}

TEST(Regions, OfNextToNothingOneOfSixteenIsTimed) {
  RegionTime t;
  learn(t, kUs / 10, kUs);
  EXPECT_EQ(untimed(t), int(kUntimed));
  learn(t, kUs / 10, kUs);
  EXPECT_EQ(untimed(t), int(kUntimed));
  learn(t, 2 * kRegionAwakeUs * kUs / kShortOfAwake, kUs);  // not that short any more
  EXPECT_EQ(untimed(t), 0);
}

TEST(Regions, ThatBecomeLongAreSeenToBeLongAtOnce) {
  RegionTime t;
  learn(t, kUs / 10, kUs);
  learn(t, 100 * kUs, kUs);
  EXPECT_FALSE(runs_untimed(t));
  EXPECT_FALSE(runs_alone(t, kAsleep, kUs));
  learn(t, 0, kUs);  // once short proves little
  EXPECT_EQ(t.work, 50 * kUs);
}

// ---- where it is open which way is the quicker one
// --------------------------------------------------------------------

namespace {

// Regions of sizes that come again and again, each in the way that was decided on, while threads are awake. What they
// took, by what they take where each is run in the better way of the two for all. gap_us: after each round of the sizes
// something else runs so long. awake_us: so long after a region with threads these fall asleep.
struct Played {
  double ratio;
  int alone, threads;
};
Played play(RegionTime& t, int regions, const std::vector<double>& sizes, double alone_us, double threads_us,
            double gap_us = 0, double awake_us = kPauseUs) {
  Played played{};
  RegionsBefore before;
  uint64_t now = 0;
  double took = 0, best[2] = {};
  for (int i = 0; i < regions; ++i) {
    const double size = sizes[size_t(i) % sizes.size()], us[2] = {threads_us * size, alone_us * size};
    if (size_t(i) % sizes.size() == 0) now += uint64_t(gap_us * kUs);
    const bool asleep = double(now - before.threads) >= awake_us * kUs;
    const RegionWay way = way_of(t, before, now, kUs, [asleep] { return asleep; });
    const bool wakes = !way.alone && asleep;
    const auto ticks = uint64_t((us[way.alone] + (wakes ? kRegionAsleepUs : 0)) * kUs);
    ended(before, way, now += ticks, ticks);
    learn(t, way.alone ? ticks : uint64_t(2 * us[0] * kUs), kUs);
    if (way.tried) learn_trial(t.trial, way.alone, ticks, 2, kUs);
    ++(way.alone ? played.alone : played.threads);
    took += us[way.alone] + (wakes ? kRegionAsleepUs : 0);
    for (const bool alone : {false, true}) best[alone] += us[alone];
  }
  played.ratio = took / std::min(best[0], best[1]);
  return played;
}
// Of one size; of three; of two that take turns; of a search's levels: of a graph without order, of a mesh.
std::vector<double> levels_of_mesh() {
  std::vector<double> sizes;
  for (int i = 0; i < 256; ++i) sizes.push_back((i < 128 ? i + 1 : 256 - i) / 64.0);
  return sizes;
}
const std::vector<std::vector<double>> kSizes = {
    {1}, {1, 3, 0.5}, {0.1, 2}, {0.3, 0.6, 2.5, 1.5, 0.3, 0.3}, levels_of_mesh()};

}  // namespace

TEST(Regions, ThatThreadsMakeSlowerComeToRunAlone) {
  for (const auto& sizes : kSizes) {
    RegionTime t;
    play(t, 300, sizes, 8, 16);
    EXPECT_LT(play(t, 20'000, sizes, 8, 16).ratio, 1.02);
  }
}

TEST(Regions, ThatThreadsMakeFasterKeepThem) {
  for (const auto& sizes : kSizes) {
    RegionTime t;
    EXPECT_LT(play(t, 20'000, sizes, 12, 7).ratio, 1.02);
  }
}

// Something else runs in between, or the other way was tried: those that follow do not all run alone for that.
TEST(Regions, OfWhichManyFollowWakeThreads) {
  RegionTime t;
  EXPECT_LT(play(t, 20'000, levels_of_mesh(), 2, 1.2, 1'000).ratio, 1.1);
  t = {};
  EXPECT_LT(play(t, 20'000, levels_of_mesh(), 8, 6, 1'000).ratio, 1.03);
}

// Those that come one by one, or few of them, are not worth it.
TEST(Regions, OfWhichFewFollowWakeNobody) {
  for (const size_t n : {1, 2, 6, 12}) {
    const std::vector<double> series(n, 1);
    RegionTime t;
    play(t, 100, series, 8, 5, 1'000);
    EXPECT_EQ(play(t, 1'000, series, 8, 5, 1'000).threads, 0) << n;
  }
}

// Threads look for work for longer than a pause is, most often.
TEST(Regions, BehindPausesGetThreadsThatAreAwake) {
  for (const size_t n : {1, 2, 6, 12}) {
    RegionTime t;
    const Played played = play(t, 4'000, std::vector<double>(n, 1), 8, 5, 300, 5'000);
    EXPECT_LT(played.ratio, 1.03) << n;
    EXPECT_GT(played.threads, 3'500) << n;
  }
}

// Either way will do; but not both in turn, as each time costs.
TEST(Regions, WhereBothWaysAreNearlyTheSameStayInOne) {
  for (const auto& sizes : kSizes) {
    RegionTime t;
    play(t, 1'000, sizes, 8, 7.5);
    const Played played = play(t, 4'000, sizes, 8, 7.5);
    EXPECT_LT(std::min(played.alone, played.threads), 4'000 / 8);
  }
}

// As levels that grow and shrink say: the first ones are short.
TEST(Regions, ThatBeganAloneComeToThreads) {
  RegionTime t;
  EXPECT_LT(play(t, 4'000, kSizes.back(), 8, 7.5).ratio, 1.03);
}

TEST(Regions, AreTriedAgainAsTheyMayChange) {
  RegionTime t;
  play(t, 2'000, {1}, 8, 16);
  const Played later = play(t, 20'000, {1}, 12, 7);
  EXPECT_GT(later.threads, 12'000);
  EXPECT_GT(play(t, 60'000, {1}, 8, 16).alone, 30'000);
}

TEST(Regions, OfMuchWorkAreNotTried) {
  RegionTime t;
  const double us = 2.0 * kTriedUs;
  const Played played = play(t, 20'000, {1}, us, us);
  EXPECT_EQ(played.alone, 0);
}

// What is tried leaves its data in one thread's caches.
TEST(Regions, OfMoreWorkAreTriedLater) {
  for (const auto& [us, first] : {std::pair{10.0, 90}, {50.0, 180}, {110.0, 270}, {5000.0, 460}}) {
    RegionTime t;
    EXPECT_EQ(play(t, first, {1}, 2 * us, us).alone, 0) << us;
    EXPECT_GT(play(t, first / 4 + 30, {1}, 2 * us, us).alone, 0) << us;
  }
}

// As threads that sleep have to be woken first: as long as nothing was tried.
TEST(Regions, OfLittleWorkRunAloneWhereThreadsSleep) {
  RegionTime t;
  learn(t, 5 * kUs, kUs);
  EXPECT_TRUE(runs_alone(t, kAsleep, kUs));
  EXPECT_FALSE(runs_alone(t, kAwake, kUs));
}
