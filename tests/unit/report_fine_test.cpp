// Tasks that are too fine, where the measured cost of recording is not that of this recording.
#include <algorithm>

#include <gtest/gtest.h>
#include "report/findings/findings.h"
#include "report_profiles.h"

using namespace einkorn::report;
using namespace einkorn::report_test;

namespace {

// One thread runs its 10,000 tasks of 100 ns at once, with `own` work in between, and another waits meanwhile.
// Unrecorded, its creator bears 10,000 x (10 + 100) ns, 1.1 ms, and the run lasts no less. Recording adds 390 ns to
// each, says a measurement.
std::vector<Finding> tiny_tasks_of_one(int64_t own) {
  const int64_t wall = own + 1 * ms;
  Builder b(wall, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main"), task = b.source("a.c", 9, "task", "main");
  b.region(region, 0, wall, 2);
  const uint32_t implicit = b.grain(GrainKind::implicit, 0, region, 0);
  b.grain(GrainKind::share, implicit, region, own);
  for (int i = 0; i < 10000; ++i)
    b.p.grains[b.grain(GrainKind::task, implicit, task, 100, 0)].flags |= einkorn::profile::kInlined;
  b.grain(GrainKind::implicit, 0, region, 0);
  b.spent(0, State::work, wall);
  b.spent(1, State::idle, wall);
  b.waited(region, 1, 10000, 0, wall);
  b.p.costs.threads = 2;
  b.p.costs(Interface::gomp, Cost::at_once) = {10, 400};
  return find_problems(b.p);
}

}  // namespace

// Measured while the machine was busy, recording took twice as long as the whole run: what is left is the 1.1 ms that
// the creator bears, and half of 1 ms is for each thread.
TEST(Fine, CostOfRecordingThatIsMoreThanTheRecordingTook) {
  const std::vector<Finding> found = tiny_tasks_of_one(1 * ms);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::tasks_too_fine);
  EXPECT_EQ(found[0].gain_ns, 600 * us);
}

// Four fifths of the work is the creator's own, but nearly all of that is recording: 5 - 3.9 ms of the run, of which
// half may be gained.
TEST(Fine, RecordingInTheCreatorsOwnWorkIsNotTheCreators) {
  const std::vector<Finding> found = tiny_tasks_of_one(4 * ms);
  ASSERT_EQ(found.size(), 1u) << "the idle time that follows from it is told once";
  EXPECT_EQ(found[0].kind, ProblemKind::tasks_too_fine);
  EXPECT_EQ(found[0].gain_ns, 550 * us);
}

// Of 9 ms, 3.9 are recording and 1 is the tasks': what the creator works itself is no matter of theirs.
TEST(Fine, WorkOfTheCreatorIsTheCreators) {
  const std::vector<Finding> found = tiny_tasks_of_one(8 * ms);
  EXPECT_GT(
      std::count_if(found.begin(), found.end(), [](const Finding& f) { return f.kind != ProblemKind::tasks_too_fine; }),
      0);
}
