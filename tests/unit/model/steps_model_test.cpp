// Waiting for how far a thread has got (src/flow/steps.h), in all interleavings within the bounds. A lost wake-up shows
// as a hang ("no thread can go on").
#include <gtest/gtest.h>

#include "flow/steps.h"
#include "model/model.h"
#include "model/steps_mutants.h"

namespace {

// Each thread of a line makes its step, posts it, and waits for those beside it. ends: the first one ends instead.
template <class Steps>
model::Result line(int threads, uint32_t steps, bool ends, model::Options options) {
  return model::explore(options, [=] {
    struct Line {
      Steps of[3];
      model::Atomic<uint32_t> made[3];
    };
    einkorn::base::g_asymmetric = true;
    auto* l = new (model::arena(sizeof(Line))) Line;
    model::Program program;
    for (int i = 0; i < threads; ++i)
      program.threads.push_back([=] {
        for (uint32_t step = 1; step <= steps; ++step) {
          l->made[i].store(step, std::memory_order_relaxed);
          if (ends && i == 0) return l->of[i].end();
          l->of[i].post(step);
          for (int j : {i - 1, i + 1}) {
            if (j < 0 || j == threads) continue;
            l->of[j].sleep_until(step);
            const uint32_t made = l->made[j].load(std::memory_order_relaxed);
            model::check(made >= step || (ends && j == 0), "it goes on before who is beside it has come");
            model::check(made <= step + 1, "who is beside it has not waited for it");
          }
        }
      });
    return program;
  });
}
void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

using einkorn::flow::Steps;
TEST(StepsModel, Two) { expect_right(line<Steps>(2, 1, false, {3, 3})); }
TEST(StepsModel, TwoOfThreeSteps) { expect_right(line<Steps>(2, 3, false, {2, 1})); }
TEST(StepsModel, Three) { expect_right(line<Steps>(3, 2, false, {1, 1})); }
TEST(StepsModel, OneEnds) { expect_right(line<Steps>(3, 2, true, {1, 1})); }

TEST(StepsModel, CatchesAPostWithoutAHeavyFenceOnTheOtherSide) {
  model::Options weak{2, 2};
  weak.heavy_fences = false;
  EXPECT_TRUE(line<Steps>(2, 2, false, weak).failed);
}

#define EK_MUTANT(name, room)                                                           \
  TEST(StepsModel, name) {                                                              \
    ASSERT_TRUE(room::kApplied) << "steps.h changed: adapt model/mutants.cmake";        \
    EXPECT_TRUE(line<room::Steps>(3, 2, false, {2, 2}).failed) << "a wrong one passed"; \
  }
EK_MUTANT(CatchesAPostThatLooksEarly, mutant_looks_early)
EK_MUTANT(CatchesASleeperThatDoesNotCount, mutant_sleeps_uncounted)
EK_MUTANT(CatchesAPostThatWakesOneOfTwo, mutant_wakes_one)

}  // namespace
