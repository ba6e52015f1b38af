#include "schedule/graph_form.h"

#include <gtest/gtest.h>

namespace einkorn::schedule {
namespace {

// Runs of a graph that takes so long in each way; returns what they take, and how many were by one thread.
struct Runs {
  float took = 0;
  int alone = 0;
};
Runs run(GraphTimes& t, int count, float alone, float together, float most = 1e6f) {
  Runs sum;
  for (int i = 0; i < count; ++i) {
    const GraphForm f = form_of(t, most);
    const float took = f == GraphForm::alone ? alone : together;
    learn(t, f, took);
    sum.took += took;
    sum.alone += f == GraphForm::alone;
  }
  return sum;
}

TEST(GraphForm, TheQuickerWayIsTakenAndTheOtherOneSeldomTried) {
  GraphTimes a, b;
  const Runs quick = run(a, 2000, 100, 300);
  EXPECT_EQ(form_of(a, 1e6f), GraphForm::alone);
  EXPECT_LT(quick.took, 2000 * 100 * 1.03f);
  const Runs shared = run(b, 2000, 300, 100);
  EXPECT_LT(shared.took, 2000 * 100 * 1.03f);
  EXPECT_GE(shared.alone, 2);
  EXPECT_LE(shared.alone, 20);
}

TEST(GraphForm, WhatTakesLongIsNeverRunByOneThread) {
  GraphTimes t;
  EXPECT_EQ(run(t, 500, 2e6f, 1.1e6f).alone, 0);
}

TEST(GraphForm, WhatChangesIsFoundOut) {
  GraphTimes t;
  run(t, 1000, 100, 300);
  run(t, 1100, 400, 300);
  EXPECT_EQ(quicker(t), GraphForm::together);
}

TEST(GraphForm, OneInterruptionDoesNotTurnIt) {
  GraphTimes t;
  run(t, 20, 100, 300);
  learn(t, GraphForm::alone, 1e9f);
  EXPECT_EQ(quicker(t), GraphForm::alone);
}

}  // namespace
}  // namespace einkorn::schedule
