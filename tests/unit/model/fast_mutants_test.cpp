// Copies of the fast path with one fault each (mutants.cmake), all of which the checker must catch. A file of its own,
// because fast.h itself must not be included here: argument-dependent lookup would find its functions.
#include <gtest/gtest.h>

#include "model/fast_mutants.h"
#include "model/fast_ways.h"

namespace {

namespace rt = rig::rt;
using namespace rig::fast;

void expect_caught(bool applied, const model::Result& r, const char* how) {
  ASSERT_TRUE(applied) << "fast.h changed: adapt model/mutants.cmake";
  EXPECT_TRUE(r.failed) << "a wrong fast path passed " << r.executions << " executions";
  EXPECT_NE(r.message.find(how), std::string::npos) << r.message;
}

EK_FAST_WAY(CountsLate, mutant_counts_late)
TEST(FastModel, CatchesATaskQueuedBeforeItIsCounted) {
  expect_caught(mutant_counts_late::kApplied, task_of_task<CountsLate>({1, 1}), "the region ended before its tasks");
}
EK_FAST_WAY(JoinsLate, mutant_joins_late)
TEST(FastModel, CatchesATaskQueuedBeforeItJoinsItsGroup) {
  expect_caught(mutant_joins_late::kApplied, member_of_member<JoinsLate>({2, 0}),
                "the taskgroup ended before its members");
}
EK_FAST_WAY(LooksEarly, mutant_looks_early)
TEST(FastModel, CatchesIdleReadBeforeThePush) {
  expect_caught(mutant_looks_early::kApplied, push_and_wait<LooksEarly>(false, {1, 1}), "no thread can go on");
}
EK_FAST_WAY(WithoutFence, mutant_without_fence)
TEST(FastModel, CatchesAMissingFence) {
  expect_caught(mutant_without_fence::kApplied, push_and_wait<WithoutFence>(true, {1, 1}), "no thread can go on");
}
EK_FAST_WAY(LeavesChildren, mutant_leaves_children)
TEST(FastModel, CatchesAnUndeferredTaskFreedBeforeItsChildren) {
  expect_caught(mutant_leaves_children::kApplied, undeferred_parent<LeavesChildren>({1, 1}), "");
}
EK_FAST_WAY(KeepsRefs, mutant_keeps_refs)
TEST(FastModel, CatchesCountsOfTheBlocksFormerTask) {
  expect_caught(mutant_keeps_refs::kApplied, zombie<KeepsRefs>({1, 1}), "");
}

}  // namespace
