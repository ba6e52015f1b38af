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
  not_at_once(my);
  EXPECT_EQ(dependent_at_once(my, &me, created), AtOnce::ask);
  Creation c{&me, 10, 0, 0, true, false, false};
  EXPECT_TRUE(tiny_at_once(my, c).at_once);
  EXPECT_EQ(my.batch, 1);  // from the beginning
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
