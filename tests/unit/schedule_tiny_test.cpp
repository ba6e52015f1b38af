// Which tiny tasks run at once (tiny.h), with a clock by hand: of nanoseconds, unless it says otherwise.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "schedule/tiny.h"

using namespace einkorn::schedule;

namespace {

// A task that makes others, as the runtime asks for each: the queue has room for so many, then tiny_at_once() is asked,
// and what it answers is done.
struct Creator {
  Inlining my;
  Creation made{};
  int64_t room = Inlining::kFirst;
  int queued = 0, at_once = 0;
  int me = 0;

  bool create(uint64_t takes, bool dependent = false) {
    ++made.created;
    made.creator = &me;
    made.dependent = dependent;
    bool now = false;
    if (room > 0) {
      --room;
    } else if (credit_at_once(my, &me) == AtOnce::yes) {
      now = true;
    } else {
      const TinyAnswer answer = tiny_at_once(my, made);
      if (answer.queue > 0) room = answer.queue;
      if (answer.queues_no_more) room = 0;
      if (!(now = answer.at_once) && room > 0) --room;
    }
    ++(now ? at_once : queued);
    made.now += made.time(now ? takes : 40);
    return now;
  }

  // Of a chain: it follows all that others have been given, and they are behind. It may be run at once if none has.
  bool follow(uint64_t takes) {
    ++made.created;
    made.creator = &me;
    made.dependent = true;
    const AtOnce answer = dependent_at_once(my, &me, made.created);
    const bool now = answer == AtOnce::yes || (answer == AtOnce::ask && (++asked, tiny_at_once(my, made).at_once));
    const bool can = now && given == 0;
    if (now && !can) not_at_once(my, made.created);
    if (!can) ++given;
    ++(can ? at_once : queued);
    made.now += made.time(can ? takes : 40);
    return can;
  }

  // It is the implicit task of a region of that function from here on.
  void begin(const void* function) {
    made.now += made.time(5000);
    made.function = function;
    made.created = made.created_beside = 0;
    queued = at_once = asked = given = 0;
    room = tries_first(my, &me, function) ? 0 : Inlining::kFirst;
  }
  int asked = 0, given = 0;
};

}  // namespace

TEST(Tiny, FirstQueuedThenTriedThenInLargerBatches) {
  Creator c;
  for (int i = 0; i < 100000; ++i) c.create(20);
  EXPECT_GE(c.queued, 2 * Inlining::kFirst);  // before it is asked at all, and before it is tried
  EXPECT_LT(c.queued, 1000);
  EXPECT_EQ(c.my.batch, 64);
}

TEST(Tiny, WhatIsLongIsQueuedLonger) {
  Creator c;
  for (int i = 0; i < 100000; ++i) c.create(100000);
  EXPECT_GT(c.at_once, 0);
  EXPECT_LT(c.at_once, 100);  // twice as many are queued after each
}

TEST(Tiny, WhoMakesTasksIsNotTiny) {
  Creator c;
  for (int i = 0; i < 20000; ++i)
    if (c.create(20)) ++c.made.created_beside;
  EXPECT_LT(c.at_once, 200);
}

TEST(Tiny, NotWhereCreationIsSlowOrPlacesAreAskedFor) {
  Creator slow;
  for (int i = 0; i < 20000; ++i) slow.create(20), slow.made.now += 3000;
  EXPECT_EQ(slow.at_once, 0);
  Creator placed;
  placed.made.placed = true;
  for (int i = 0; i < 20000; ++i) placed.create(20);
  EXPECT_EQ(placed.at_once, 0);
}

// 220 ns: tiny where it would have to be entered into a table, and where it is recorded; not else.
TEST(Tiny, AsLongAsQueueingItWouldTake) {
  auto at_once = [](bool dependent, bool recorded) {
    Creator c;
    c.made.recorded = recorded;
    for (int i = 0; i < 20000; ++i) c.create(220, dependent);
    return c.at_once;
  };
  EXPECT_LT(at_once(false, false), 500);
  EXPECT_GT(at_once(true, false), 19000);
  EXPECT_GT(at_once(false, true), 19000);
}

// The same times by clocks of other rates have the same answers.
TEST(Tiny, WhateverTheClock) {
  auto answers = [](uint32_t ticks_in_2_20_ns) {
    std::vector<bool> at_once;
    Creator c;
    c.made.ticks_in_2_20_ns = ticks_in_2_20_ns;
    for (int i = 0; i < 20000; ++i) at_once.push_back(c.create(i % 7000 < 4000 ? 32 : 128 * (1 + i % 5)));
    return at_once;
  };
  const std::vector<bool> by_ns = answers(1u << 20);
  EXPECT_GT(std::count(by_ns.begin(), by_ns.end(), true), 1000);
  EXPECT_GT(std::count(by_ns.begin(), by_ns.end(), false), 1000);
  EXPECT_EQ(answers(3u << 20), by_ns);
  EXPECT_EQ(answers(20u << 20), by_ns);
}

TEST(Tiny, OneThatHasToWaitBreaksTheBatch) {
  Inlining my;
  int me = 0;
  uint32_t created = 0;
  my.of = &me, my.credit = 3, my.batch = 4;
  EXPECT_EQ(dependent_at_once(my, &me, created), AtOnce::yes);
  not_at_once(my, created);
  EXPECT_EQ(dependent_at_once(my, &me, ++created), AtOnce::ask);
  Creation c{&me, nullptr, created, 0, 0, true, false, false};
  EXPECT_TRUE(tiny_at_once(my, c).at_once);
  EXPECT_EQ(my.batch, 1);  // from the beginning
}

// To be answered takes lines that another thread writes.
TEST(Tiny, WhereOthersAreBehindItIsAskedSeldom) {
  Creator c;
  c.begin(&c);
  for (int i = 0; i < 10000; ++i) c.follow(20);
  EXPECT_EQ(c.at_once, 0);
  EXPECT_GE(c.asked, 10000 / Inlining::kFirst);
  EXPECT_LE(c.asked, 10000 / Inlining::kFirst + 10);
}

const int f = 0, g = 0;

TEST(TinyAgain, TheNextRegionOfTheFunctionTriesTheFirst) {
  Creator c;
  for (int region = 0; region < 10; ++region) {
    c.begin(&f);
    for (int i = 0; i < 1000; ++i) c.create(20);
    EXPECT_EQ(c.queued, region == 0 ? 2 * Inlining::kFirst : 0) << region;
  }
  c.begin(&g);
  for (int i = 0; i < 1000; ++i) c.create(20);
  EXPECT_EQ(c.queued, 2 * Inlining::kFirst);  // another one's may be of another kind
}

TEST(TinyAgain, AFunctionWithoutTasksBetweenIsNone) {
  Creator c;
  for (int region = 0; region < 10; ++region) {
    c.begin(&f);
    for (int i = 0; i < 1000; ++i) c.create(20);
    EXPECT_EQ(c.queued, region == 0 ? 2 * Inlining::kFirst : 0) << region;
    c.begin(&g);
  }
}

TEST(TinyAgain, RegionsOfNoKnownFunctionAreNew) {
  Creator c;
  for (int region = 0; region < 10; ++region) {
    c.begin(nullptr);
    for (int i = 0; i < 1000; ++i) c.create(20);
    EXPECT_EQ(c.queued, 2 * Inlining::kFirst) << region;
  }
}

// In the first region others are behind from its first task on, as chains queue what has to wait for the one before.
TEST(TinyAgain, AChainIsCaughtUpWithInTheNextRegion) {
  Creator c;
  for (int region = 0; region < 10; ++region) {
    c.begin(&f);
    for (int i = 0; i < 2000; ++i) c.follow(20);
    EXPECT_EQ(c.at_once, region == 0 ? 0 : 2000) << region;
  }
}

// Tiny in most regions, long in others: four that should be run by as many threads. What is lost is one task at a time,
// and seldom.
TEST(TinyAgain, LongTasksInTheNextRegionAreQueuedBehindTheFirst) {
  Creator c;
  int held_up = 0, tried = 0;
  for (int region = 0; region < 1000; ++region) {
    c.begin(&f);
    const bool is_long = region % 2 == 1;
    for (int i = 0; i < (is_long ? 4 : 1000); ++i) c.create(is_long ? 10'000'000 : 20);
    if (!is_long) continue;
    EXPECT_LE(c.at_once, 1) << region;
    held_up += c.at_once;
    if (region >= 500) tried += c.at_once;
  }
  EXPECT_GE(held_up, 1);
  EXPECT_LE(held_up, 11);
  EXPECT_LE(tried, 2);
}

// Long once, by a disturbance say: after a region that queues again it is tried again.
TEST(TinyAgain, OneLongTaskIsForgiven) {
  Creator c;
  auto region = [&](bool disturbed) {
    c.begin(&f);
    for (int i = 0; i < 2000; ++i) c.create(disturbed && i == 0 ? 50'000 : 20);
    return c.queued;
  };
  EXPECT_EQ(region(false), 2 * Inlining::kFirst);
  EXPECT_EQ(region(false), 0);
  EXPECT_GT(region(true), 300);
  EXPECT_EQ(region(false), 2 * Inlining::kFirst);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(region(false), 0);
}

TEST(Fine, TwoInARowThatWereNotAreQueued) {
  Inlining my;
  EXPECT_TRUE(fine_at_once(my));
  EXPECT_TRUE(times_fine(my));
  judge_fine(my, true);
  EXPECT_EQ(my.credit, kAdaptiveCredit);
  judge_fine(my, false);  // in doubt
  EXPECT_TRUE(fine_at_once(my));
  judge_fine(my, false);
  EXPECT_EQ(my.credit, -kAdaptiveCredit);
  for (int i = 0; i < kAdaptiveCredit; ++i) EXPECT_FALSE(fine_at_once(my));
  EXPECT_TRUE(fine_at_once(my));
  judge_fine(my, false);
  judge_fine(my, false);
  EXPECT_EQ(my.credit, -2 * kAdaptiveCredit);
  judge_fine(my, true);  // it has made tasks: at these it was asked again
  EXPECT_EQ(my.credit, kAdaptiveCredit);
}
