// In which form a parallel loop of codelets runs, and how long it is predicted to take (schedule/tploop.h).
#include <gtest/gtest.h>

#include <vector>

#include "schedule/tploop.h"

using namespace einkorn::schedule;

namespace {

constexpr uint64_t kTicksOfUs = 1000;  // ticks of a microsecond, here
constexpr LoopCosts kLoopCosts{400, 250};

LoopDivision by_time(int threads, int instances, bool alone, uint64_t work) {
  return divided_loop({}, {1000, threads, instances, alone, work}, kLoopCosts);
}
LoopDivision by_range(const LoopThresholds& t, int64_t iterations, int threads, int instances) {
  return divided_loop(t, {iterations, threads, instances, true, 5 * kTicksOfUs}, kLoopCosts);
}
void expect_division(const LoopDivision& d, LoopForm form, int codelets, int procedures) {
  EXPECT_EQ(d.form, form);
  EXPECT_EQ(d.codelets, codelets);
  EXPECT_EQ(d.procedures, procedures);
}

// What the codelets of a division get of the range is the whole range, in order; of procedures each has `each` codelets
// at most, and at least one.
void expect_whole(const LoopDivision& d) {
  int codelets = 0;
  for (int k = 0; k < d.procedures; ++k) {
    const int its = std::min(d.each(), d.codelets - k * d.each());
    EXPECT_GT(its, 0);
    codelets += its;
  }
  if (d.procedures > 0) {
    EXPECT_EQ(codelets, d.codelets);
  }
}

}  // namespace

TEST(TpLoop, ByTimeItIsOneCodeletWhereThatIsQuicker) {
  expect_division(by_time(4, 1, true, kTicksOfUs / 2), LoopForm::one, 1, 0);
  expect_division(by_time(4, 4, true, 1000 * kTicksOfUs), LoopForm::one, 1, 0);
}

TEST(TpLoop, ByTimeThereAreNoProceduresForOneCluster) {
  expect_division(by_time(4, 1, false, 1'000'000 * kTicksOfUs), LoopForm::codelets, 4, 0);
  expect_division(by_time(1, 8, false, 1'000'000 * kTicksOfUs), LoopForm::codelets, 1, 0);
}

TEST(TpLoop, ByTimeProceduresMayCostATwentieth) {
  // 2 procedures and 8 codelets cost 2,800 ticks; all threads together 8 x 56,000.
  expect_division(by_time(8, 2, false, 8 * 56'000 - 8), LoopForm::codelets, 8, 0);
  expect_division(by_time(8, 2, false, 8 * 56'000), LoopForm::procedures, 8, 2);
  expect_division(by_time(8, 2, false, ~uint64_t(0)), LoopForm::procedures, 8, 2);  // nothing is known of it
}

TEST(TpLoop, ThresholdsDecideByTheRangeAlone) {
  const LoopThresholds t{true, 100, 200, 0, 0};
  expect_division(by_range(t, 0, 4, 2), LoopForm::one, 1, 0);
  expect_division(by_range(t, 99, 4, 2), LoopForm::one, 1, 0);
  expect_division(by_range(t, 100, 4, 2), LoopForm::codelets, 4, 0);
  expect_division(by_range(t, 199, 4, 2), LoopForm::codelets, 4, 0);
  expect_division(by_range(t, 200, 4, 2), LoopForm::procedures, 4, 2);
  expect_division(by_range(t, 200, 4, 1), LoopForm::codelets, 4, 0);
  expect_division(by_range({true, 0, 0, 0, 0}, 0, 4, 2), LoopForm::procedures, 4, 2);
}

TEST(TpLoop, ThresholdsMaySayHowManyCodeletsAndProcedures) {
  const LoopThresholds t{true, 100, 200, 5, 3};
  expect_division(by_range(t, 150, 4, 2), LoopForm::codelets, 5, 0);
  expect_division(by_range(t, 250, 4, 1), LoopForm::procedures, 15, 3);
  EXPECT_EQ(by_range(t, 250, 4, 1).each(), 5);
  expect_division(by_range({true, 0, 0, 1, 1}, 250, 4, 1), LoopForm::procedures, 1, 1);
}

TEST(TpLoop, CodeletsOfProceduresAreAllThereIsWithConsecutiveNumbers) {
  for (int codelets = 1; codelets <= 40; ++codelets)
    for (int m = 1; m <= codelets; ++m) {
      const LoopDivision d = procedures_of(codelets, m);
      EXPECT_EQ(d.each(), (codelets + m - 1) / m);
      EXPECT_LE(d.procedures, m);
      expect_whole(d);
    }
}

TEST(TpLoop, TimeIsPredictedFromTheIterations) {
  LoopTime t;
  EXPECT_EQ(predicted(t, 10), ~uint64_t(0));  // not known
  learn(t, 5000, 100, true);
  EXPECT_EQ(predicted(t, 10), 500u);
  EXPECT_EQ(predicted(t, 1'000'000), 50'000'000u);
  EXPECT_EQ(predicted(t, 0), 0u);
  EXPECT_LT(predicted(t, INT64_MAX), ~uint64_t(0));  // it is known, however long
  learn(t, 3000, 100, true);
  EXPECT_EQ(predicted(t, 10), 400u);
  learn(t, 0, 0, true);  // nothing to be learnt
  EXPECT_EQ(predicted(t, 10), 400u);
  learn(t, 0, 100, true);
  EXPECT_EQ(predicted(t, 10), 200u);
}

TEST(TpLoop, ThatBecomesLongIsBelievedInStepsAndOneThatWasInterruptedForgotten) {
  LoopTime t;
  learn(t, 1 * kTicksOfUs, 1000, true);
  learn(t, 10'000 * kTicksOfUs, 1000, true);
  EXPECT_EQ(predicted(t, 1000), 4 * kTicksOfUs);
  for (int i = 0; i < 6; ++i) learn(t, 10'000 * kTicksOfUs, 1000, true);
  EXPECT_NEAR(double(predicted(t, 1000)), 10'000.0 * kTicksOfUs, 10.0 * kTicksOfUs);
  for (int i = 0; i < 20; ++i) learn(t, 1 * kTicksOfUs, 1000, true);
  EXPECT_NEAR(double(predicted(t, 1000)), 1.0 * kTicksOfUs, 20.0);
}

TEST(TpLoop, OfShortOnesThatRunAloneOneOfSixteenIsTimed) {
  LoopTime t;
  EXPECT_FALSE(runs_untimed(t, 10, kTicksOfUs));  // nothing is known
  learn(t, kTicksOfUs / 10, 10, true);
  int untimed = 0;
  while (runs_untimed(t, 10, kTicksOfUs)) ++untimed;
  EXPECT_EQ(untimed, int(kUntimed));
  learn(t, kTicksOfUs / 10, 10, true);
  EXPECT_FALSE(runs_untimed(t, 200, kTicksOfUs));  // so many are no longer short
  EXPECT_TRUE(runs_untimed(t, 199, kTicksOfUs));
  learn(t, kTicksOfUs / 10, 10, false);  // threads have it
  EXPECT_FALSE(runs_untimed(t, 10, kTicksOfUs));
}

TEST(TpLoop, SizeClassesAreFourTimesEachOther) {
  EXPECT_EQ(class_of_loop(0, kTicksOfUs), 0);
  EXPECT_EQ(class_of_loop(4 * kTicksOfUs - 1, kTicksOfUs), 0);
  EXPECT_EQ(class_of_loop(4 * kTicksOfUs, kTicksOfUs), 1);
  EXPECT_EQ(class_of_loop(16 * kTicksOfUs, kTicksOfUs), 2);
  EXPECT_EQ(class_of_loop(4096 * kTicksOfUs, kTicksOfUs), 6);
  EXPECT_EQ(class_of_loop(~uint64_t(0), kTicksOfUs), kLoopClasses - 1);
}

// Thread loops and short ones of the same place in the program: what is found for one size does not count for another.
TEST(TpLoop, WhatIsQuickerIsFoundForEachSizeApart) {
  struct Size {
    int64_t iterations;
    double alone_us, threads_us;
  };
  // 10 us: threads make it slower; 200 us: faster.
  const std::vector<Size> sizes = {{100, 10, 14}, {2000, 200, 120}};
  LoopTime time;
  RegionTime of_class[kLoopClasses];
  RegionsBefore before;
  uint64_t now = 0;
  int wrong = 0;
  constexpr int kRounds = 4000;
  for (int i = 0; i < kRounds; ++i) {
    const Size& s = sizes[size_t(i) % 2];
    const uint64_t work = predicted(time, s.iterations);
    RegionTime& its = of_class[class_of_loop(work, kTicksOfUs)];
    its.work = work;
    const RegionWay way = way_of(its, before, now, kTicksOfUs, [] { return false; });
    const auto took = uint64_t((way.alone ? s.alone_us : s.threads_us) * kTicksOfUs);
    ended(before, way, now += took, took);
    learn(time, uint64_t(s.alone_us * kTicksOfUs), s.iterations, way.alone);
    if (way.tried) learn_trial(its.trial, way.alone, took, 2, kTicksOfUs);
    if (i >= kRounds / 2) wrong += way.alone != (s.alone_us < s.threads_us);
  }
  EXPECT_LT(wrong, kRounds / 2 / 20);
}
