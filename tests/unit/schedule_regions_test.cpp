// Which regions of codelets are worth threads, and which are timed (schedule/regions.h).
#include <gtest/gtest.h>

#include "schedule/regions.h"

using namespace einkorn::schedule;

namespace {

constexpr uint64_t kUs = 1000;  // ticks of a microsecond, here
constexpr uint64_t kAwake = 0, kAsleep = 1'000'000;

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
