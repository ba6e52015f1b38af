// The fewest threads by predictions (tune/fewest.h), and what is tried of them. Predictions here are closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "hints/text.h"
#include "tune/combine.h"
#include "tune/propose.h"

namespace einkorn::tune {
namespace {

// Time by n threads, by that with `all`: a serial part, and beyond `enough` threads nothing is gained.
double amdahl(double serial, int enough, int n, int all) {
  auto time = [&](int threads) { return serial + (1 - serial) / std::min(threads, enough); };
  return time(n) / time(all);
}

struct Asked {
  std::set<int> threads;
  int times = 0;
  Predict by(const std::function<Ratio(int)>& ratio) {
    return [this, ratio](const std::vector<int>& asked) {
      ++times;
      std::vector<Ratio> found;
      for (const int n : asked) {
        EXPECT_TRUE(threads.insert(n).second) << n << " threads are asked about twice";
        found.push_back(ratio(n));
      }
      return found;
    };
  }
};

TEST(TuneFewest, ThreadsThatNothingGainsFrom) {
  for (const int all : {2, 3, 8, 48, 192})
    for (int enough = 1; enough <= std::min(all, 13); ++enough) {
      Asked asked;
      const Fewest f = fewest_threads(all, 0.05, asked.by([&](int n) {
        const double r = amdahl(0, enough, n, all);
        return Ratio{r, r};
      }));
      EXPECT_EQ(f.recorded, all);
      EXPECT_EQ(f.may, enough) << "of " << all;
      EXPECT_EQ(f.sure, enough) << "of " << all;
      EXPECT_LE(asked.threads.size(), 40u) << "a replay each";
      EXPECT_LE(asked.times, 4);
      for (const int n : asked.threads) EXPECT_TRUE(n >= 1 && n < all);
    }
}

// With a hundredth of it serial, 192 threads take 1 / 66 of the time, 168 of them 5 % more.
TEST(TuneFewest, OfManyThreads) {
  Asked asked;
  const Fewest f = fewest_threads(192, 0.05, asked.by([](int n) {
    const double r = amdahl(0.01, 192, n, 192);
    return Ratio{r, r};
  }));
  int least = 1;
  while (amdahl(0.01, 192, least, 192) > 1.05) ++least;
  EXPECT_EQ(f.may, least);
  EXPECT_LE(f.with_may.high, 1.05);
}

TEST(TuneFewest, BothEndsOfARange) {
  Asked asked;
  const Fewest f =
      fewest_threads(8, 0.10, asked.by([](int n) { return Ratio{n >= 3 ? 1.0 : 2.0, n >= 6 ? 1.02 : 1.5}; }));
  EXPECT_EQ(f.may, 3);
  EXPECT_EQ(f.sure, 6);
  EXPECT_EQ(f.with_may.high, 1.5);
  EXPECT_EQ(f.with_sure.high, 1.02);
}

TEST(TuneFewest, AllAreNeeded) {
  Asked asked;
  const Fewest f = fewest_threads(8, 0.05, asked.by([](int n) { return Ratio{8.0 / n, 8.0 / n}; }));
  EXPECT_EQ(f.may, 8);
  EXPECT_EQ(f.with_sure.high, 1);
}

TEST(TuneFewest, WhereNothingMoreIsPredictedAllIsUnknown) {
  int left = 1;
  const Predict predict = [&](const std::vector<int>& asked) {
    return left-- > 0 ? std::vector<Ratio>(asked.size(), Ratio{2, 2}) : std::vector<Ratio>();
  };
  EXPECT_FALSE(fewest_threads(48, 0.05, predict).known());
  left = 0;
  EXPECT_FALSE(fewest_threads(48, 0.05, predict).known());
}

struct Regions {
  profile::Profile p;
  std::vector<std::vector<profile::SourceCode>> code{2};
  explicit Regions(int count) {
    p.wall_ns = 1'000'000;
    p.sources.resize(2);
    for (size_t i = 0; i < 2; ++i) {
      p.sources[i].file = "a.c";
      p.sources[i].line = uint32_t(10 * (i + 1));
      p.sources[i].construct = "parallel";
      code[i] = {{"/bin/app", "00ff", 0x100 * (i + 1)}};
    }
    for (int i = 0; i < count; ++i) {
      profile::Region r;
      r.source = uint32_t(i), r.team = 8, r.level = 1, r.end = 400'000 - 1000 * i;
      p.regions.push_back(r);
    }
  }
  std::vector<Candidate> propose(const Fewest& f) { return tune::propose(p, code, {}, Goal::cores, false, f); }
};

TEST(TuneFewest, TheOneThatMayDoAndTheOneThatDoesAreTried) {
  Regions one(1);
  const auto found = one.propose({.recorded = 8, .may = 3, .sure = 5, .with_may = {1.01, 1.2}, .with_sure = {1, 1.04}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(hints::to_text(found[0].hints), "einkorn-hints 1\nobject app 00ff\nregion a.c:10 at 0x100 threads=3\n");
  EXPECT_EQ(found[0].what, "3 threads instead of 8");
  EXPECT_EQ(found[0].predicted.high, 1.2);
  EXPECT_EQ(hints::values_of(found[1].hints.hints[0]), "threads=5");
  EXPECT_TRUE(one.propose({.recorded = 8, .may = 8, .sure = 8, .with_may = {1, 1}, .with_sure = {1, 1}}).empty());
  // Nothing is predicted: half of them.
  ASSERT_EQ(one.propose({}).size(), 1u);
  EXPECT_EQ(hints::values_of(one.propose({})[0].hints.hints[0]), "threads=4");
}

// All regions together, as they were replayed; and then each one by itself.
TEST(TuneFewest, SeveralRegions) {
  Regions two(2);
  const auto found = two.propose({.recorded = 8, .may = 2, .sure = 2, .with_may = {1, 1}, .with_sure = {1, 1}});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].hints.hints.size(), 2u);
  EXPECT_EQ(found[0].what, "2 threads instead of 8 in each region");
  EXPECT_EQ(hints::values_of(found[2].hints.hints[0]), "threads=4");
  // What takes no fewer than what was accepted is not tried.
  hints::File accepted;
  EXPECT_TRUE(takes_fewer_threads(accepted, found[1]));
  accepted = with(accepted, found[0]);
  EXPECT_FALSE(takes_fewer_threads(accepted, found[0]));
  EXPECT_FALSE(takes_fewer_threads(accepted, found[1]));
  accepted = with({}, found[1]);
  EXPECT_TRUE(takes_fewer_threads(accepted, found[0]));
  EXPECT_TRUE(takes_fewer_threads(accepted, found[2]));
}

}  // namespace
}  // namespace einkorn::tune
