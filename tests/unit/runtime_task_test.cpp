// What a task's word means, and that who takes it for something else is stopped, in checked builds.
#include <gtest/gtest.h>

#include "runtime/types.h"

namespace {

using einkorn::runtime::Task;

TEST(TaskWord, KeepsWhatEachMeaningNeeds) {
  Task t{}, next{};
  t.set_base(int64_t(1) << 50);
  EXPECT_EQ(t.base(), int64_t(1) << 50);
  t.set_base(-1);
  EXPECT_EQ(t.base(), -1);
  t.set_place(-2);
  EXPECT_EQ(t.place(), -2);
  t.set_body_bytes(size_t(1) << 40);
  EXPECT_EQ(t.body_bytes(), size_t(1) << 40);
  *t.link() = &next;
  EXPECT_EQ(*t.link(), &next);
}

#ifdef EINKORN_ASSERT
TEST(TaskWordDeathTest, StopsWhoTakesItForSomethingElse) {
  Task t{}, next{};
  t.set_place(3);
  EXPECT_DEATH(t.base(), "broken invariant");
  t.set_base(3);
  EXPECT_DEATH(t.place(), "broken invariant");
  *t.link() = &next;
  EXPECT_DEATH(t.base(), "broken invariant");
  EXPECT_DEATH(t.body_bytes(), "broken invariant");
}
#endif

}  // namespace
