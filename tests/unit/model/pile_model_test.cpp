// A pile on which several put and from which one takes all (flow/pile.h), in all interleavings: nothing is lost or
// taken twice, and who takes sees what was done before it was put.
#include <gtest/gtest.h>

#include "flow/pile.h"
#include "model/model.h"
#include "model/pile_mutants.h"

namespace {

struct Thing {
  std::atomic<Thing*> next{nullptr};
  model::Atomic<int> done{0}, taken{0};
};

// Each putter puts so many; one takes so often, and the rest is there in the end.
template <class Pile>
model::Result put_and_take(int putters, int each, int takes, bool weak = false) {
  model::Options options{3, 3};
  if (weak) options.memory = model::Memory::weak;
  return model::explore(options, [=] {
    struct All {
      Pile pile;
      Thing things[4];
      Thing* held = nullptr;  // taken, and not yet looked at
    };
    auto* all = new (model::arena(sizeof(All))) All;
    auto take = [=] {
      if (!all->held && !all->pile.seems_empty()) all->held = all->pile.template take<Thing>();
      for (Thing *t, *below; (t = all->held) != nullptr && Pile::below(t, &below); all->held = below) {
        model::check(t->done.load(std::memory_order_relaxed) == 1, "who takes does not see what was done");
        model::check(t->taken.fetch_add(1) == 0, "it is taken twice");
      }
    };
    model::Program p;
    for (int i = 0; i < putters; ++i)
      p.threads.push_back([=] {
        for (int k = 0; k < each; ++k) {
          Thing& mine = all->things[i * each + k];
          mine.done.store(1, std::memory_order_relaxed);
          all->pile.put(&mine);
        }
      });
    p.threads.push_back([=] {
      for (int i = 0; i < takes; ++i) take();
    });
    p.at_end = [=] {
      for (int i = 0; i < 2; ++i) take();
      for (int i = 0; i < putters * each; ++i) model::check(all->things[i].taken.load() == 1, "it is lost");
    };
    return p;
  });
}
void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

using einkorn::flow::Pile;
TEST(PileModel, OnePutsTwo) { expect_right(put_and_take<Pile>(1, 2, 2)); }
TEST(PileModel, TwoPut) { expect_right(put_and_take<Pile>(2, 1, 2)); }
TEST(PileModel, OnePutsThree) { expect_right(put_and_take<Pile>(1, 3, 1)); }
TEST(PileModel, TwoPutUnderWeakMemory) { expect_right(put_and_take<Pile>(2, 1, 2, true)); }

#define EK_MUTANT(name, room)                                                      \
  TEST(PileModel, name) {                                                          \
    ASSERT_TRUE(room::kApplied) << "pile.h changed: adapt model/mutants.cmake";    \
    EXPECT_TRUE(put_and_take<room::Pile>(2, 1, 2).failed) << "a wrong one passed"; \
  }
EK_MUTANT(CatchesWhoDoesNotWaitForWhatLiesBelow, mutant_unmarked)
EK_MUTANT(CatchesTheLinkBeforeTheExchange, mutant_links_first)
EK_MUTANT(CatchesWhoTakesAndLeavesItThere, mutant_leaves_it_there)

TEST(PileModel, CatchesWhoReleasesNothing) {
  ASSERT_TRUE(mutant_unordered::kApplied) << "pile.h changed: adapt model/mutants.cmake";
  EXPECT_TRUE(put_and_take<mutant_unordered::Pile>(2, 1, 2, true).failed) << "a wrong one passed";
}

}  // namespace
