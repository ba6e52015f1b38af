// Codelets by hand (ek_codelet) in all interleavings within the bounds: who brings the counter to zero is one, and sees
// what was done before all signals; a reset before anybody may signal again makes the next round like the first; a
// firing is a task of the team, which its region waits for.
#include <gtest/gtest.h>

#include "codelet/procedure.h"
#include "model/signal_count_mutants.h"
#include "model/rig.h"

namespace {

using namespace rig;
using einkorn::codelet::Codelet;

// What ek_codelet_init() and ek_reset() store.
template <class SignalCount>
std::atomic<int32_t>& value_of(SignalCount& c) {
  static_assert(sizeof(SignalCount) == sizeof(std::atomic<int32_t>));
  return reinterpret_cast<std::atomic<int32_t>&>(c);
}

// In each round each thread signals once. late: the counter is reset after the others may signal again.
template <class SignalCount>
model::Result rounds(int threads, int count, model::Options options, bool late = false) {
  return model::explore(options, [=] {
    struct Shared {
      SignalCount counter;
      model::Atomic<int> made[3], fired{0}, round{0};
    };
    auto* s = new (model::arena(sizeof(Shared))) Shared;
    value_of(s->counter).store(threads);
    model::Program p;
    for (int i = 0; i < threads; ++i)
      p.threads.push_back([=] {
        for (int round = 1; round <= count; ++round) {
          s->made[i].store(round, std::memory_order_relaxed);
          const int32_t left = s->counter.arrive();
          model::check(left >= 0, "more signals than it waits for");
          if (left > 0) {
            while (s->round.load() < round) model::pause();
            continue;
          }
          for (int j = 0; j < threads; ++j)
            model::check(s->made[j].load(std::memory_order_relaxed) == round, "it is fired before all signals");
          s->fired.fetch_add(1);
          if (!late) value_of(s->counter).store(threads, std::memory_order_relaxed);
          s->round.store(round);
          if (late) value_of(s->counter).store(threads, std::memory_order_relaxed);
        }
      });
    p.at_end = [=] { model::check(s->fired.load() == count, "it is not fired once a round"); };
    return p;
  });
}

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

using einkorn::codelet::SignalCount;
TEST(SignalCountModel, TwoThreads) { expect_right(rounds<SignalCount>(2, 2, {2, 2})); }
TEST(SignalCountModel, ThreeThreads) { expect_right(rounds<SignalCount>(3, 2, {1, 1})); }
TEST(SignalCountModel, CatchesALateReset) { EXPECT_TRUE(rounds<SignalCount>(2, 2, {2, 2}, true).failed); }

#define EK_MUTANT(name, room)                                                            \
  TEST(SignalCountModel, name) {                                                         \
    ASSERT_TRUE(room::kApplied) << "signal_count.h changed: adapt model/mutants.cmake";  \
    EXPECT_TRUE(rounds<room::SignalCount>(2, 2, {2, 2}).failed) << "a wrong one passed"; \
  }
EK_MUTANT(CatchesACountInTwoSteps, mutant_stores_apart)
EK_MUTANT(CatchesALookBehindTheCount, mutant_looks_apart)

// As the runtime fires it: two tasks signal a codelet that has two rounds.
struct ByHand {
  Codelet codelet{};
  model::Atomic<int> made[2], fired{0};
};
void signal_first(void* data) {
  auto* h = static_cast<ByHand*>(data);
  h->made[0].fetch_add(1);
  einkorn::codelet::signal(&h->codelet, nullptr);
}
void signal_second(void* data) {
  auto* h = static_cast<ByHand*>(data);
  h->made[1].fetch_add(1);
  einkorn::codelet::signal(&h->codelet, nullptr);
}
void fire(Codelet* c) {
  auto* h = static_cast<ByHand*>(c->frame);
  const int round = h->fired.fetch_add(1) + 1;
  for (auto& made : h->made) model::check(made.load() == round, "it is fired before all signals");
  if (round == 2) return;
  value_of(c->count).store(int32_t(c->reset), std::memory_order_relaxed);
  spawn(rt::self(), signal_first, h);
  signal_second(h);
}

TEST(SignalCountModel, FiredByTheRuntime) {
  expect_right(model::explore({1, 1}, [] {
    auto p = regions(2, {1, 1}, [](rt::Worker* w) {
      auto* h = new (model::arena(sizeof(ByHand))) ByHand;
      h->codelet.fire = fire;
      h->codelet.frame = h;
      h->codelet.reset = 2;
      h->codelet.file = "model";
      h->codelet.cluster = einkorn::codelet::kNoCluster;
      value_of(h->codelet.count).store(2);
      parallel(w, 2, [=](rt::Worker* me) {
        if (me->thread_num == 0) spawn(me, signal_first, h), signal_second(h);
      });
      model::check(h->fired.load() == 2, "the region ended before the firings");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a block was not freed, or freed twice"); };
    return p;
  }));
}

}  // namespace
