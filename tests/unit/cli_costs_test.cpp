// What waiting for a lock takes on this machine, as `einkorn record` measures it (cli/costs.h).
#include "cli/costs.h"

#include <gtest/gtest.h>

#include "base/cpus.h"

namespace {

using einkorn::profile::RuntimeCosts;
using enum einkorn::profile::Waiting;

// How long each takes is the machine's; which is the longest is not. The least of several tries, or the median of
// sleeps that were sleeps: so whatever else runs here, they are found.
TEST(Costs, OfWaitingAreMeasuredBetweenTwoCpus) {
  RuntimeCosts found;
  einkorn::cli::measure_waiting(found);
  if (einkorn::base::allowed_cpus() < 2) {
    for (double ns : found.waiting) EXPECT_EQ(ns, -1) << "there is nobody to wait for";
    return;
  }
  EXPECT_GT(found(pause), 0);
  EXPECT_LT(found(pause), 1000);
  EXPECT_GT(found(line), 0);
  EXPECT_GT(found(wake), found(line));
  EXPECT_GT(found(wake_call), 0);
  EXPECT_EQ(found.threads, 0u) << "nothing was measured of constructs";
}

// Afterwards the caller may run where it could before.
TEST(Costs, MeasuringLeavesTheCallerItsCpus) {
  einkorn::base::CpuSet before, after;
  ASSERT_TRUE(einkorn::base::affinity(0, &before));
  RuntimeCosts found;
  einkorn::cli::measure_waiting(found);
  ASSERT_TRUE(einkorn::base::affinity(0, &after));
  EXPECT_TRUE(before == after);
}

// It may find nothing on a busy machine, but does not wait for that.
TEST(Costs, OfALineNow) {
  double found = -1;
  for (int i = 0; i < 100 && found < 0; ++i) found = einkorn::cli::line_now();
  if (einkorn::base::allowed_cpus() < 2) EXPECT_LT(found, 0);
  else EXPECT_GT(found, 0);
}

TEST(Costs, RoundsTogether) {
  using einkorn::profile::Cost, einkorn::profile::Interface;
  std::vector<RuntimeCosts> rounds(3);
  auto take = [&](Cost c, double a, double b, double d) {
    const double plain[] = {a, b, d};
    for (int i = 0; i < 3; ++i) rounds[i](Interface::gomp, c) = {plain[i], 10 * plain[i]};
  };
  take(Cost::at_once, 14, 12, 13);
  take(Cost::task, 40, 90, 50);
  take(Cost::chunk, 5, 22, 9);
  take(Cost::handed_over, 200, -1, -1);  // so few were taken that nothing is known
  for (int i = 0; i < 3; ++i) {
    rounds[i](Interface::kmpc, Cost::task) = {50, 140};
    rounds[i](Interface::kmpc, Cost::handed_over) = {210, -1};
  }
  const double added[] = {160, 170, 200};
  for (int i = 0; i < 3; ++i) rounds[i].with_body[0] = {1, 1 + added[i]};
  const double lines[] = {80, 35, 210};
  for (int i = 0; i < 3; ++i) rounds[i](line) = lines[i];
  const RuntimeCosts costs = einkorn::cli::of_rounds(rounds);
  EXPECT_EQ(costs(Interface::gomp, Cost::at_once).plain, 12);
  EXPECT_EQ(costs(Interface::gomp, Cost::at_once).recorded, 12 + 170) << "what recording adds to a task with a body";
  EXPECT_EQ(costs(Interface::gomp, Cost::task).plain, 50);
  EXPECT_EQ(costs(Interface::gomp, Cost::chunk).plain, 9);
  EXPECT_EQ(costs(Interface::gomp, Cost::chunk).recorded, 90);
  EXPECT_EQ(costs(Interface::gomp, Cost::handed_over).plain, 200);
  EXPECT_TRUE(costs(Interface::gomp, Cost::handed_over).known());
  EXPECT_EQ(costs(Interface::kmpc, Cost::handed_over).plain, 210);
  EXPECT_EQ(costs(Interface::kmpc, Cost::handed_over).recorded, 300) << "as another task, by recording";
  EXPECT_FALSE(costs(Interface::kmpc, Cost::chunk).known());
  EXPECT_EQ(costs(line), 35);
  EXPECT_EQ(costs.line_most, 210);
  EXPECT_EQ(costs.line_now, 80) << "the distance to which they belong";
}

TEST(Costs, TheMiddle) {
  EXPECT_EQ(einkorn::cli::middle_of({3}), 3);
  EXPECT_EQ(einkorn::cli::middle_of({5, 1, 3}), 3);
  EXPECT_EQ(einkorn::cli::middle_of({4, 2}), 4);
}

}  // namespace
