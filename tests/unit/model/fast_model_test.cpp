// The fast path of tasks (runtime/task/fast.h) and taskwait's loop over the thread's own queue (task.cpp), as they
// ship.
#include <gtest/gtest.h>

#include "model/fast_ways.h"
#include "runtime/task/fast.h"

namespace {

namespace rt = rig::rt;
using namespace rig::fast;

EK_FAST_WAY(Ours, rt)

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

TEST(FastModel, TaskOfTask) { expect_right(task_of_task<Ours>({1, 1})); }
TEST(FastModel, Taskwait) { expect_right(taskwait_for<Ours>(1, {1, 1})); }
TEST(FastModel, TaskwaitForTwo) { expect_right(taskwait_for<Ours>(2, {1, 1})); }
TEST(FastModel, Zombie) { expect_right(zombie<Ours>({1, 1})); }
TEST(FastModel, MemberOfMember) { expect_right(member_of_member<Ours>({1, 1})); }
TEST(FastModel, UndeferredParent) { expect_right(undeferred_parent<Ours>({1, 1})); }
TEST(FastModel, APushWakesASleeper) { expect_right(push_and_wait<Ours>(false, {1, 1})); }
TEST(FastModel, APushWakesASleeperOfAFencedTeam) { expect_right(push_and_wait<Ours>(true, {1, 1})); }

}  // namespace
