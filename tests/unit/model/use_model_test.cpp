// A graph that is freed while it may be run (src/codelet/use.h), in all interleavings: it is freed once, not before a
// run of it is over, and then by who sees all that was done with it.
#include <gtest/gtest.h>

#include "codelet/use.h"
#include "model/model.h"
#include "model/use_mutants.h"

namespace {

// One thread runs it `runs` times, another one frees it; a third one may run it, too.
template <class Use>
model::Result freed(int runners, int runs) {
  return model::explore({3, 3}, [=] {
    struct Graph {
      Use use;
      model::Atomic<int> begun{0}, in_use{0}, freed{0};
      model::Atomic<int> seats[2];
    };
    auto* g = new (model::arena(sizeof(Graph))) Graph;
    auto free_it = [=] {
      model::check(g->in_use.load() == 0, "it is freed while it is run");
      for (int i = 0; i < runners; ++i)
        model::check(g->seats[i].load(std::memory_order_relaxed) % 2 == 0, "who frees it does not see all of a run");
      model::check(g->freed.fetch_add(1) == 0, "it is freed twice");
    };
    model::Program p;
    for (int i = 0; i < runners; ++i)
      p.threads.push_back([=] {
        for (int run = 0; run < runs; ++run) {
          if (!g->use.begin()) continue;
          model::check(g->freed.load() == 0, "it is run after it was freed");
          model::check(g->in_use.fetch_add(1) == 0, "two run it at the same time");
          g->begun.store(1);
          for (int k = 0; k < 2; ++k) g->seats[i].store(2 * run + 1 + k, std::memory_order_relaxed);
          g->in_use.fetch_sub(1, std::memory_order_relaxed);
          if (!g->use.end()) free_it();
        }
      });
    p.threads.push_back([=] {
      if (g->use.may_free()) free_it();
    });
    p.at_end = [=] { model::check(g->freed.load() == 1, "it is not freed"); };
    return p;
  });
}
void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

using einkorn::codelet::Use;
TEST(UseModel, OneRun) { expect_right(freed<Use>(1, 1)); }
TEST(UseModel, TwoRuns) { expect_right(freed<Use>(1, 2)); }
TEST(UseModel, TwoRunners) { expect_right(freed<Use>(2, 1)); }

#define EK_MUTANT(name, room)                                                  \
  TEST(UseModel, name) {                                                       \
    ASSERT_TRUE(room::kApplied) << "use.h changed: adapt model/mutants.cmake"; \
    EXPECT_TRUE(freed<room::Use>(2, 1).failed) << "a wrong one passed";        \
  }
EK_MUTANT(CatchesAnEndThatDoesNotLook, mutant_ends_unseen)
EK_MUTANT(CatchesOneThatFreesAnyway, mutant_frees_anyway)
EK_MUTANT(CatchesARunOfADoomedOne, mutant_runs_doomed)

}  // namespace
