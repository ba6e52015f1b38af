// Which runs of graphs are left to one thread (schedule/runs.h).
#include <gtest/gtest.h>

#include "schedule/runs.h"

using namespace einkorn::schedule;

namespace {

constexpr uint64_t kUs = 1000;  // ticks of a microsecond, here
constexpr uint32_t kThreads = 2;

// Runs of a graph of so many codelets, of which the time is known for either way. True: the last one stayed alone.
bool run(RunTimes& t, int runs, uint64_t codelets, uint64_t shared, uint64_t alone) {
  bool stayed = false;
  while (runs-- > 0) {
    const uint64_t alone_for = stays_alone(t, codelets, kUs);
    stayed = alone < alone_for;
    // Who has to ask others all the same is late with it.
    learn(t, stayed ? alone : alone_for + shared, alone_for, !stayed, kThreads);
  }
  return stayed;
}
int stayed_of(RunTimes& t, int runs, uint64_t codelets, uint64_t shared, uint64_t alone) {
  int n = 0;
  while (runs-- > 0) n += run(t, 1, codelets, shared, alone);
  return n;
}

}  // namespace

TEST(Runs, AreSharedWhileNothingIsKnown) {
  RunTimes t;
  EXPECT_EQ(stays_alone(t, 1000, kUs), 0u);
}

TEST(Runs, OfFineCodeletsStayAloneWhereThatIsSooner) {
  RunTimes t;
  EXPECT_FALSE(run(t, 1, 4096, 140 * kUs, 40 * kUs));
  EXPECT_TRUE(run(t, 1, 4096, 140 * kUs, 40 * kUs));
  EXPECT_GE(stayed_of(t, 1000, 4096, 140 * kUs, 40 * kUs), 990);
}

TEST(Runs, OfFineCodeletsThatGainByOthersAreShared) {
  RunTimes t;
  EXPECT_LE(stayed_of(t, 1000, 4096, 25 * kUs, 40 * kUs), 10);
}

TEST(Runs, OfLongerCodeletsAreNotTriedAlone) {
  RunTimes t;
  EXPECT_EQ(stayed_of(t, 1000, 100, 100 * kUs, 50 * kUs), 0);
}

TEST(Runs, AreSharedAgainWhenCodeletsBecomeLong) {
  RunTimes t;
  run(t, 10, 1000, 100 * kUs, 30 * kUs);
  ASSERT_TRUE(run(t, 1, 1000, 100 * kUs, 30 * kUs));
  // The first of the long runs asks others after four times what the others took.
  EXPECT_EQ(stays_alone(t, 1000, kUs), 4 * 30 * kUs);
  EXPECT_EQ(stayed_of(t, 100, 1000, 10'000 * kUs, 20'000 * kUs), 0);
}

TEST(Runs, ThatOneCouldNotHelpTeachNothing) {
  RunTimes t;
  learn(t, 10 * kUs, 0, false, kThreads);
  EXPECT_EQ(stays_alone(t, 1000, kUs), 0u);
}

TEST(Runs, OfAnotherTeamAreAnotherMatter) {
  RunTimes t;
  run(t, 10, 1000, 100 * kUs, 30 * kUs);
  learn(t, 50 * kUs, 0, true, 8);
  EXPECT_EQ(stays_alone(t, 1000, kUs), 0u);
}
