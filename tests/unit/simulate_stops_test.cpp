// A thread that loses its CPU in one grain, in a recording whose times are valid otherwise: the profile says so, and no
// prediction has it.
#include <gtest/gtest.h>
#include "simulate/builder.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate_support.h"
#include "stopped_recording.h"

namespace einkorn::stops {
namespace {

using test::kMs;
using test::stopped_recording;

double predicted_ms(const profile::Profile& p, uint32_t workers) {
  std::string error;
  const simulate::Program program = simulate::from_profile(p, {}, error);
  EXPECT_EQ(error, "");
  return double(test::Replay(workers).run(simulate::with_members(program, workers)).makespan) / double(kMs);
}

TEST(Stops, OneIsToldOfItsGrain) {
  const profile::Profile p = stopped_recording();
  ASSERT_TRUE(p.times_valid);
  ASSERT_EQ(p.stops.size(), 1u);
  EXPECT_EQ(p.stops[0].ns, 40 * kMs);
  // That is in its grain's time, and on the critical path.
  EXPECT_EQ(p.grains[p.stops[0].grain].exec, 50 * kMs);
  EXPECT_EQ(p.critical_path_ns, 50 * kMs);
}

TEST(Stops, PredictionsLeaveThemOut) {
  const profile::Profile p = stopped_recording();
  EXPECT_NEAR(predicted_ms(p, 1), 1040, 0.01);
  EXPECT_NEAR(predicted_ms(p, 2), 520, 0.01);
  EXPECT_NEAR(predicted_ms(p, 104), 10, 0.01);  // each task on a thread of its own
}

// Nothing says in which of six tasks of 10 ms a thread was stopped for 9 ms; nor is a stop what is in every run.
TEST(Stops, NoneIsToldThatMayBeElsewhere) {
  profile::Profile p = stopped_recording(9 * kMs, 6);
  EXPECT_TRUE(p.times_valid);
  EXPECT_TRUE(p.stops.empty());
  p = stopped_recording(kMs / 2);
  EXPECT_TRUE(p.stops.empty());
  EXPECT_EQ(stopped_recording(0).stops.size(), 0u);
}

// Of what is missing among several tasks, that is told which cannot have been in the others.
TEST(Stops, AtLeastSoMuchIsTold) {
  const profile::Profile p = stopped_recording(40 * kMs, 2);  // the other task of those two has 10 ms
  ASSERT_EQ(p.stops.size(), 1u);
  EXPECT_EQ(p.stops[0].ns, 30 * kMs);
  EXPECT_EQ(p.grains[p.stops[0].grain].exec, 50 * kMs);
  EXPECT_NEAR(predicted_ms(p, 104), 20, 0.01);
}

}  // namespace
}  // namespace einkorn::stops
