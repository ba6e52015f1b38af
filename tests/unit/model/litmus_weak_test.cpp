// The checker under weak memory: the litmus tests of the literature (Alglave, Maranget and Tautschnig, "Herding cats",
// TOPLAS 2014, by their names there), with and without what forbids their outcome.
#include <gtest/gtest.h>

#include "model/model.h"

namespace {

using model::Atomic;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

const model::Options kAll{model::kUnbounded, model::kUnbounded, true, 4'000'000, model::Memory::weak};

struct Words {
  Atomic<int> x{0}, y{0};
  int r[4] = {-1, -1, -1, -1};
};
using Thread = void (*)(Words*);

// Can the program end so that `odd` is true of it? All executions are seen.
bool can(std::initializer_list<Thread> threads, bool (*odd)(const Words&)) {
  bool seen = false;
  auto r = model::explore(kAll, [&] {
    auto* w = new (model::arena(sizeof(Words))) Words;
    model::Program p;
    for (Thread t : threads) p.threads.push_back([=] { t(w); });
    p.at_end = [=, &seen] { seen |= odd(*w); };
    return p;
  });
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted);
  return seen;
}

// MP: data, then a flag. x86 does this by itself.
bool stale_data(const Words& w) { return w.r[0] == 1 && w.r[1] == 0; }
template <std::memory_order store, std::memory_order load>
bool message_passing() {
  return can({[](Words* w) { w->x.store(1, memory_order_relaxed), w->y.store(1, store); },
              [](Words* w) { w->r[0] = w->y.load(load), w->r[1] = w->x.load(memory_order_relaxed); }},
             stale_data);
}
TEST(WeakLitmus, MessagePassing) {
  EXPECT_TRUE((message_passing<memory_order_relaxed, memory_order_relaxed>()));
  EXPECT_TRUE((message_passing<memory_order_release, memory_order_relaxed>()));
  EXPECT_TRUE((message_passing<memory_order_relaxed, memory_order_acquire>()));
  EXPECT_FALSE((message_passing<memory_order_release, memory_order_acquire>()));
  EXPECT_FALSE((message_passing<memory_order_seq_cst, memory_order_seq_cst>()));
}
// By fences: each makes of the relaxed access beside it one that releases or acquires.
TEST(WeakLitmus, MessagePassingByFences) {
  EXPECT_FALSE(can(
      {[](Words* w) { w->x.store(1, memory_order_relaxed), model::full_fence(), w->y.store(1, memory_order_relaxed); },
       [](Words* w) {
         w->r[0] = w->y.load(memory_order_relaxed), model::full_fence();
         w->r[1] = w->x.load(memory_order_relaxed);
       }},
      stale_data));
  EXPECT_TRUE(can(
      {[](Words* w) { w->x.store(1, memory_order_relaxed), model::full_fence(), w->y.store(1, memory_order_relaxed); },
       [](Words* w) { w->r[0] = w->y.load(memory_order_relaxed), w->r[1] = w->x.load(memory_order_relaxed); }},
      stale_data));
}
// An update in between passes on what the release before it has left; a store does not.
TEST(WeakLitmus, AnUpdatePassesOn) {
  auto begin = [](Words* w) { w->x.store(1, memory_order_relaxed), w->y.store(1, memory_order_release); };
  auto end = [](Words* w) { w->r[0] = w->y.load(memory_order_acquire), w->r[1] = w->x.load(memory_order_relaxed); };
  auto odd = [](const Words& w) { return w.r[0] == 2 && w.r[1] == 0; };
  EXPECT_FALSE(can({begin,
                    [](Words* w) {
                      int one = 1;
                      w->y.compare_exchange_strong(one, 2, memory_order_relaxed);
                    },
                    end},
                   odd));
  EXPECT_TRUE(can({begin,
                   [](Words* w) {
                     if (w->y.load(memory_order_relaxed) == 1) w->y.store(2, memory_order_relaxed);
                   },
                   end},
                  odd));
}

// SB, Dekker's.
bool both_old(const Words& w) { return w.r[0] == 0 && w.r[1] == 0; }
TEST(WeakLitmus, StoreBuffering) {
  EXPECT_TRUE(can({[](Words* w) { w->x.store(1, memory_order_release), w->r[0] = w->y.load(memory_order_acquire); },
                   [](Words* w) { w->y.store(1, memory_order_release), w->r[1] = w->x.load(memory_order_acquire); }},
                  both_old));
  EXPECT_FALSE(can(
      {[](Words* w) { w->x.store(1), w->r[0] = w->y.load(); }, [](Words* w) { w->y.store(1), w->r[1] = w->x.load(); }},
      both_old));
  EXPECT_FALSE(can({[](Words* w) {
                      w->x.store(1, memory_order_relaxed), model::full_fence(),
                          w->r[0] = w->y.load(memory_order_relaxed);
                    },
                    [](Words* w) {
                      w->y.store(1, memory_order_relaxed), model::full_fence(),
                          w->r[1] = w->x.load(memory_order_relaxed);
                    }},
                   both_old));
}
// Nothing on one side but a bound on the compiler: light_fence(). What the other side's heavy one is for.
TEST(WeakLitmus, OneHeavyFenceForbidsStoreBuffering) {
  auto light = [](Words* w) { w->x.store(1, memory_order_relaxed), w->r[0] = w->y.load(memory_order_relaxed); };
  EXPECT_FALSE(can({light,
                    [](Words* w) {
                      w->y.store(1, memory_order_relaxed), model::heavy_fence(),
                          w->r[1] = w->x.load(memory_order_relaxed);
                    }},
                   both_old));
  EXPECT_TRUE(can({light,
                   [](Words* w) {
                     w->y.store(1, memory_order_relaxed), model::full_fence(),
                         w->r[1] = w->x.load(memory_order_relaxed);
                   }},
                  both_old));
}
// On x86 an update is a fence; here it is not, whatever its order. fence_after_update() is for that.
TEST(WeakLitmus, AnUpdateIsNoFence) {
  EXPECT_TRUE(can({[](Words* w) { w->x.fetch_add(1), w->r[0] = w->y.load(memory_order_relaxed); },
                   [](Words* w) { w->y.fetch_add(1), w->r[1] = w->x.load(memory_order_relaxed); }},
                  both_old));
  EXPECT_FALSE(
      can({[](Words* w) { w->x.fetch_add(1), model::full_fence(), w->r[0] = w->y.load(memory_order_relaxed); },
           [](Words* w) { w->y.fetch_add(1), model::full_fence(), w->r[1] = w->x.load(memory_order_relaxed); }},
          both_old));
}

// CoRR: of one location no thread sees an older value after a newer one.
TEST(WeakLitmus, NeverBack) {
  EXPECT_FALSE(
      can({[](Words* w) { w->x.store(1, memory_order_relaxed), w->x.store(2, memory_order_relaxed); },
           [](Words* w) { w->r[0] = w->x.load(memory_order_relaxed), w->r[1] = w->x.load(memory_order_relaxed); }},
          [](const Words& w) { return w.r[0] > w.r[1]; }));
}
// IRIW: two readers see two writers' stores in different orders. Arm's processors do not since 2017, C++ allows it.
TEST(WeakLitmus, IndependentReads) {
  auto first = [](Words* w) { w->x.store(1, memory_order_release); };
  auto second = [](Words* w) { w->y.store(1, memory_order_release); };
  auto odd = [](const Words& w) { return w.r[0] == 1 && w.r[1] == 0 && w.r[2] == 1 && w.r[3] == 0; };
  EXPECT_TRUE(
      can({first, second,
           [](Words* w) { w->r[0] = w->x.load(memory_order_acquire), w->r[1] = w->y.load(memory_order_acquire); },
           [](Words* w) { w->r[2] = w->y.load(memory_order_acquire), w->r[3] = w->x.load(memory_order_acquire); }},
          odd));
}
// A compare-and-swap may fail by an old value, but never succeeds by one.
TEST(WeakLitmus, CompareAndSwapByOldValues) {
  auto add = [](Words* w) {
    int old = w->x.load(memory_order_relaxed);
    while (!w->x.compare_exchange_weak(old, old + 1, memory_order_relaxed, memory_order_relaxed)) {}
    w->r[0] = w->x.load(memory_order_relaxed);
  };
  EXPECT_FALSE(can({add, add}, [](const Words& w) { return w.x.load() != 2; }));
  EXPECT_TRUE(can({[](Words* w) { w->x.store(1, memory_order_relaxed), w->y.store(1, memory_order_relaxed); },
                   [](Words* w) {
                     w->r[0] = w->y.load(memory_order_relaxed);
                     int two = 2;
                     w->x.compare_exchange_strong(two, 3, memory_order_acq_rel, memory_order_relaxed);
                     w->r[1] = two;
                   }},
                  stale_data));
}

}  // namespace
