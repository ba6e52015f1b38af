// The text in which a recording carries the costs of constructs on its machine.
#include <gtest/gtest.h>
#include "profile/costs.h"

using namespace einkorn::profile;

TEST(Costs, TextAndBack) {
  RuntimeCosts costs;
  costs.threads = 2;
  costs(Interface::gomp, Cost::task) = {14.25, 81};
  costs(Interface::kmpc, Cost::barrier) = {190, 420};
  costs(Waiting::pause) = 27.5;
  costs(Waiting::wake) = 55000;
  EXPECT_EQ(costs_text(costs), "threads=2 gomp.task=14.25/81 kmpc.barrier=190/420 pause=27.5 wake=5.5e+04");
  const RuntimeCosts back = costs_of_text(costs_text(costs));
  EXPECT_EQ(back.threads, 2u);
  EXPECT_DOUBLE_EQ(back(Interface::gomp, Cost::task).plain, 14.25);
  EXPECT_DOUBLE_EQ(back(Interface::gomp, Cost::task).recorded, 81);
  EXPECT_DOUBLE_EQ(back(Interface::kmpc, Cost::barrier).recorded, 420);
  EXPECT_FALSE(back(Interface::kmpc, Cost::task).known());
  EXPECT_DOUBLE_EQ(back(Waiting::pause), 27.5);
  EXPECT_DOUBLE_EQ(back(Waiting::wake), 55000);
  EXPECT_LT(back(Waiting::line), 0);
}

// A line between two CPUs that a host moves: the least that was seen, and the most.
TEST(Costs, LinesNearAndFar) {
  RuntimeCosts costs;
  costs.threads = 2;
  EXPECT_FALSE(widen_line(costs, -1)) << "not measured";
  EXPECT_TRUE(widen_line(costs, 60));
  EXPECT_EQ(costs_text(costs), "threads=2 line=60/60");
  EXPECT_FALSE(widen_line(costs, 63)) << "the same again";
  EXPECT_TRUE(widen_line(costs, 210));
  EXPECT_FALSE(widen_line(costs, 100));
  EXPECT_TRUE(widen_line(costs, 30));
  EXPECT_EQ(costs_text(costs), "threads=2 line=30/210");
  const RuntimeCosts back = costs_of_text(costs_text(costs));
  EXPECT_DOUBLE_EQ(back(Waiting::line), 30);
  EXPECT_DOUBLE_EQ(back.line_most, 210);
  EXPECT_LT(back.line_now, 0);
  costs.line_now = 74;
  EXPECT_EQ(costs_text(costs), "threads=2 line=30/210/74");
  EXPECT_DOUBLE_EQ(costs_of_text(costs_text(costs)).line_now, 74);
  EXPECT_DOUBLE_EQ(costs_of_text("line=56.8").line_most, 56.8) << "of an earlier version: one of them";
  for (const char* wrong : {"", "line=x/3", "line=-1/3"}) {
    EXPECT_LT(costs_of_text(wrong)(Waiting::line), 0) << wrong;
    EXPECT_LT(costs_of_text(wrong).line_most, 0) << wrong;
  }
}

// What slowed threads down most counts: a program's memory may be as slow again.
TEST(Costs, StreamsThatSlowEachOtherDown) {
  RuntimeCosts costs;
  costs.threads = 2;
  EXPECT_FALSE(widen_streams(costs, -1, -1)) << "not measured";
  EXPECT_TRUE(widen_streams(costs, 14, 28));
  EXPECT_FALSE(widen_streams(costs, 20, 38)) << "the same again";
  EXPECT_TRUE(widen_streams(costs, 20, 24));
  EXPECT_FALSE(widen_streams(costs, 20, 40));
  EXPECT_EQ(costs_text(costs), "threads=2 stream=20/24");
}

// What is usual comes nearer to each, whatever is the worst.
TEST(Costs, StreamsAsUsual) {
  RuntimeCosts costs;
  costs.threads = 2;
  see_streams(costs, -1, -1);
  EXPECT_LT(costs.stream_times, 0) << "not measured";
  see_streams(costs, 20, 40);
  EXPECT_EQ(costs_text(costs), "threads=2 stream=20/40/2");
  see_streams(costs, 10, 10);
  EXPECT_EQ(costs_text(costs), "threads=2 stream=10/10/1.7");
  widen_streams(costs, 20, 40);
  see_streams(costs, 20, 40);
  EXPECT_EQ(costs_text(costs), "threads=2 stream=10/10/1.79");
  EXPECT_DOUBLE_EQ(costs_of_text(costs_text(costs)).stream_times, 1.79);
  EXPECT_LT(costs_of_text("stream=10/10").stream_times, 0) << "of an earlier version";
}

TEST(Costs, StreamsAndTheCache) {
  RuntimeCosts costs;
  costs.threads = 2;
  costs.stream_alone = 12.75, costs.stream_all = 19.5, costs.cache_bytes = 33554432;
  EXPECT_EQ(costs_text(costs), "threads=2 stream=12.75/19.5 cache=33554432");
  const RuntimeCosts back = costs_of_text(costs_text(costs));
  EXPECT_DOUBLE_EQ(back.stream_alone, 12.75);
  EXPECT_DOUBLE_EQ(back.stream_all, 19.5);
  EXPECT_DOUBLE_EQ(back.cache_bytes, 33554432);
  for (const char* wrong : {"", "stream=12", "stream=12/x", "stream=0/3", "cache=x"}) {
    const RuntimeCosts none = costs_of_text(wrong);
    EXPECT_LT(none.stream_alone, 0) << wrong;
    EXPECT_LT(none.stream_all, 0) << wrong;
    EXPECT_LT(none.cache_bytes, 0) << wrong;
  }
}

TEST(Costs, WhatItDoesNotUnderstandIsLeftOut) {
  const RuntimeCosts costs = costs_of_text(
      "gomp.task=14 threads=2  gomp.chunk=9/ kmpc.task=x/3 gomp.steal=1/2 kmpc.chunk=-1/2 gomp.region=300/700junk =1/2 gomp.barrier=1e99/2 pause=x wake=-3");
  EXPECT_EQ(costs.threads, 2u);
  for (size_t i = 0; i < costs.of.size(); ++i)
    for (size_t c = 0; c < kCosts; ++c)
      EXPECT_EQ(costs.of[i][c].known(), i == 0 && Cost(c) == Cost::region)
          << kInterfaceNames[i] << '.' << kCostNames[c];
  for (const double w : costs.waiting) EXPECT_LT(w, 0);
  EXPECT_EQ(costs_of_text("").threads, 0u);
}
