// Instances that belong to no thread (src/codelet/turns.h), in all interleavings within the bounds: each is gone on
// with once a phase, by one thread, which sees what all did in the phase before; nobody is under the number of another;
// and a region leaves everything as the next one needs it.
#include <gtest/gtest.h>

#include "codelet/turns.h"
#include "model/model.h"
#include "model/turns_mutants.h"

namespace {

struct Setting {
  int threads, instances, phases;
  int a_line = 2;
  bool tasks = false;  // all must look a second time before a phase is over
  bool holds = false;  // who has nothing to do is under its own number for a moment
};

template <class Turns, class Turn>
struct Region {
  static constexpr int kMost = 4;
  Turns turns;
  Turn turn[kMost];
  model::Atomic<uint64_t> been[kMost];  // phases that the instance has been through
  model::Atomic<int> under[kMost];      // threads under its number
  uint64_t first = 0;

  void enter(int i) {
    model::check(under[i].load(std::memory_order_relaxed) == 0, "two are under one number");
    under[i].store(1, std::memory_order_relaxed);
  }
  void leave(int i) { under[i].store(0, std::memory_order_relaxed); }

  void go_on(int i, uint64_t phase, const Setting& s) {
    enter(i);
    const uint64_t done = phase - first;
    model::check(done < uint64_t(s.phases), "it goes on behind the region's end");
    model::check(been[i].load(std::memory_order_relaxed) == done, "an instance goes on twice, or is not seen to have");
    for (int k = 0; k < s.instances; ++k) {
      const uint64_t other = been[k].load(std::memory_order_relaxed);
      model::check(other == done || other == done + 1,
                   "it goes on before all have come, or does not see that they did");
    }
    been[i].store(done + 1, std::memory_order_relaxed);
    leave(i);
    using Arrival = typename Turns::Arrival;
    switch (turns.arrive(turn[i], uint64_t(i), phase, done + 1 == uint64_t(s.phases), [&] { return !s.tasks; })) {
      case Arrival::uneven: model::fail("it takes some for ended that have not");
      case Arrival::last: may_end(phase); break;
      case Arrival::over:
      case Arrival::others_come: break;
    }
  }
  bool may_end(uint64_t phase) {
    if (!turns.all_arrived(phase)) return false;
    const auto ends = turns.end_phase(phase);
    model::check(ends != Turns::Arrival::uneven, "it takes some for ended that have not");
    return ends == Turns::Arrival::over;
  }

  void run(int mine, const Setting& s) {
    for (uint64_t phase; !Turns::is_over(phase = turns.now());) {
      for (int k = 0; k < s.instances; ++k)
        if (const int i = (mine + k) % s.instances; Turns::claim(turn[i], phase)) go_on(i, phase, s);
      for (int k = 0; s.holds && k < s.instances; ++k)
        if (const int i = (mine + k) % s.instances; Turns::hold(turn[i], phase)) {
          enter(i);
          leave(i);
          Turns::drop(turn[i]);
          break;
        }
      if (turns.now() == phase && !may_end(phase)) model::pause();
    }
  }
};

template <class Turns, class Turn>
model::Result explore(const Setting& s, model::Options options) {
  return model::explore(options, [=] {
    using R = Region<Turns, Turn>;
    auto* r = new (model::arena(sizeof(R))) R;
    r->turns.set_up(s.instances, s.a_line);
    r->first = r->turns.begin();
    model::Program program;
    for (int t = 0; t < s.threads; ++t) program.threads.push_back([=] { r->run(t, s); });
    program.at_end = [=] {
      for (int i = 0; i < s.instances; ++i)
        model::check(r->been[i].load() == uint64_t(s.phases), "the region is over, and an instance is not");
      // One that has too few threads; and the next one, by one thread.
      r->turns.begin();
      r->turns.take_back();
      model::check(Turns::is_over(r->turns.now()), "a region is there that was taken back");
      r->first = r->turns.begin();
      for (int i = 0; i < s.instances; ++i) r->been[i].store(0);
      r->run(0, s);
      for (int i = 0; i < s.instances; ++i)
        model::check(r->been[i].load() == uint64_t(s.phases), "the next region is over, and an instance is not");
      r->~R();
    };
    return program;
  });
}

using einkorn::codelet::Turn;
using einkorn::codelet::Turns;

void expect_right(const Setting& s, model::Options options) {
  const model::Result r = explore<Turns, Turn>(s, options);
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

TEST(TurnsModel, Two) { expect_right({2, 2, 2}, {2, 1}); }
TEST(TurnsModel, TwoOfThreeInstances) { expect_right({2, 3, 2}, {1, 1}); }
TEST(TurnsModel, Three) { expect_right({3, 3, 2, 3}, {1, 1}); }
TEST(TurnsModel, ThreeInGroups) { expect_right({3, 3, 1}, {1, 1}); }
TEST(TurnsModel, FourInstancesInGroups) { expect_right({2, 4, 2}, {1, 1}); }
TEST(TurnsModel, TasksAreLookedFor) {
  expect_right({.threads = 2, .instances = 2, .phases = 2, .tasks = true}, {2, 1});
}
TEST(TurnsModel, NumbersAreTakenForTasks) {
  expect_right({.threads = 2, .instances = 2, .phases = 2, .holds = true}, {2, 1});
}

#define EK_MUTANT(name, room, ...)                                                                        \
  TEST(TurnsModel, name) {                                                                                \
    ASSERT_TRUE(room::kApplied) << "turns.h changed: adapt model/mutants.cmake";                          \
    model::Options options{2, 2};                                                                         \
    options.memory = model::Memory::weak; /* x86 orders some of that */                                   \
    EXPECT_TRUE((explore<room::Turns, room::Turn>(__VA_ARGS__, options).failed)) << "a wrong one passed"; \
  }
EK_MUTANT(CatchesAClaimByTwo, mutant_claims_by_store, Setting{2, 2, 1})
EK_MUTANT(CatchesAHoldByTwo, mutant_holds_by_store, Setting{.threads = 2, .instances = 2, .phases = 2, .holds = true})
EK_MUTANT(CatchesAnUnorderedPhase, mutant_unordered_phase, Setting{2, 2, 2})
EK_MUTANT(CatchesAnUnorderedArrival, mutant_unordered_arrival, Setting{2, 2, 2})
EK_MUTANT(CatchesAnUnorderedGroup, mutant_unordered_group, Setting{2, 3, 2})
EK_MUTANT(CatchesAnUnorderedDrop, mutant_unordered_drop,
          Setting{.threads = 2, .instances = 2, .phases = 2, .holds = true})
EK_MUTANT(CatchesAPhaseThatTwoEnd, mutant_ends_by_store,
          Setting{.threads = 2, .instances = 2, .phases = 2, .tasks = true})
EK_MUTANT(CatchesAnEndThatIsNotCounted, mutant_ends_uncounted, Setting{2, 2, 1})
EK_MUTANT(CatchesARegionThatStaysCounted, mutant_takes_nothing_back, Setting{2, 2, 1})
EK_MUTANT(CatchesOneThatKeepsItsTurn, mutant_keeps_turn, Setting{2, 2, 2})

}  // namespace
