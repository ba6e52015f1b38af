// The caller of a pool's function: by unwinding the stack once, and from where it was the last time afterwards.
#include "record/pools.h"
#include <gtest/gtest.h>
#include <vector>

namespace einkorn::record {
namespace {

#define EK_FRAME __attribute__((noinline))
#define EK_KEEP() asm volatile("" ::: "memory")

// The frames are those of a program: a caller, the pool, the runtime's entry point, and what that calls.
const void* g_expected;

EK_FRAME const void* inner(const void* return_address) {
  const void* found = caller_of_pool(return_address);
  EK_KEEP();
  return found;
}
EK_FRAME const void* inner_by_another_way(const void* return_address) {
  volatile char more[200];
  more[0] = 1;
  (void)more[0];
  const void* found = inner(return_address);
  EK_KEEP();
  return found;
}
EK_FRAME const void* entry(bool another_way) {
  const void* const return_address = __builtin_return_address(0);
  const void* found = another_way ? inner_by_another_way(return_address) : inner(return_address);
  EK_KEEP();
  return found;
}
EK_FRAME const void* pool(bool another_way) {
  g_expected = __builtin_return_address(0);
  const void* found = entry(another_way);
  EK_KEEP();
  return found;
}
template <int N>
EK_FRAME const void* caller(bool another_way) {
  volatile char of_each_its_own[16 * (N + 1)];
  of_each_its_own[0] = N;
  (void)of_each_its_own[0];
  const void* found = pool(another_way);
  EK_KEEP();
  return found;
}

TEST(Pools, TheCallerIsFoundWithoutUnwindingFromTheSecondTimeOn) {
  prepare_pools();
  const auto callers = {caller<0>, caller<1>, caller<2>};
  if (!callers.begin()[0](false)) GTEST_SKIP() << "no unwinder, or glibc before 2.35";
  for (auto call : callers) EXPECT_EQ(call(false), g_expected);
  const int before = times_unwound_for_test();
  for (int i = 0; i < 10; ++i)
    for (auto call : callers) EXPECT_EQ(call(false), g_expected);
  EXPECT_EQ(times_unwound_for_test(), before);
}

TEST(Pools, TheCallerIsFoundIfTheRuntimeComesAnotherWay) {
  prepare_pools();
  if (!caller<0>(false)) GTEST_SKIP() << "no unwinder, or glibc before 2.35";
  for (int i = 0; i < 10; ++i)
    for (bool another_way : {false, true, true}) {
      EXPECT_EQ(caller<0>(another_way), g_expected);
      EXPECT_EQ(caller<1>(another_way), g_expected);
    }
}

}  // namespace
}  // namespace einkorn::record
