// Ticks to ns: the exact quotient, rounded down, as another reader of the file computes it.
#include <gtest/gtest.h>
#include <random>

#include "profile/ticks.h"

namespace einkorn {
namespace {

using profile::Ticks;

int64_t exactly(uint64_t d, uint64_t ns, uint64_t ticks) { return int64_t((unsigned __int128)d * ns / ticks); }

TEST(Ticks, WhatIsAWholeNanosecondStaysOne) {
  for (uint64_t rate : {2100000000ull, 2400000000ull, 999999999ull, 1000000000ull, 3ull, 2995200000ull}) {
    const Ticks t(5, 1000000000, rate, int64_t(1) << 53);
    EXPECT_EQ(t.ns(5 + rate), 1000000000);
    for (uint64_t i = 0; i < 100000; ++i)
      ASSERT_EQ(t.ns(5 + 21 * i), exactly(21 * i, 1000000000, rate)) << rate << " " << i;
  }
}

TEST(Ticks, AnyRateIsRoundedDown) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t ns = 1 + random() % (uint64_t(1) << 37), ticks = 1 + random() % (uint64_t(1) << 37);
    const uint64_t d = random() % (uint64_t(1) << 33);
    ASSERT_EQ(Ticks(0, ns, ticks, int64_t(1) << 62).ns(d), std::min(exactly(d, ns, ticks), int64_t(1) << 62))
        << ns << "/" << ticks;
  }
}

TEST(Ticks, BeforeTheOriginAndBeyondTheLimit) {
  const Ticks t(1000, 10, 3, 50);
  EXPECT_EQ(t.ns(999), 0);
  EXPECT_EQ(t.ns(1003), 10);
  EXPECT_EQ(t.ns(~0ull), 50);
  EXPECT_EQ(t.duration(3), 10);
}

}  // namespace
}  // namespace einkorn
