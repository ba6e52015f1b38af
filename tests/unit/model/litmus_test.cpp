// The checker itself: it must find what x86 does and must not find what x86 does not do.
#include <gtest/gtest.h>

#include "model/model.h"

namespace {

using model::Atomic;
using std::memory_order_relaxed;
using std::memory_order_seq_cst;

const model::Options kAll{model::kUnbounded, model::kUnbounded, true, 4'000'000, model::Memory::tso};

struct Two {
  Atomic<int> x{0}, y{0}, z{0};
  int r0 = -1, r1 = -1;
};
Two* make() { return new (model::arena(sizeof(Two))) Two; }

enum class Fence { none, full, heavy_one_side };

// Store buffering (Dekker): x = 1; r0 = y || y = 1; r1 = x.
model::Result dekker(Fence fence) {
  return model::explore(kAll, [=] {
    Two* t = make();
    model::Program p;
    p.threads = {[=] {
                   t->x.store(1, memory_order_relaxed);
                   if (fence == Fence::full) model::full_fence();
                   t->r0 = t->y.load(memory_order_relaxed);
                 },
                 [=] {
                   t->y.store(1, memory_order_relaxed);
                   if (fence == Fence::full) model::full_fence();
                   if (fence == Fence::heavy_one_side) model::heavy_fence();
                   t->r1 = t->x.load(memory_order_relaxed);
                 }};
    p.at_end = [=] { model::check(t->r0 == 1 || t->r1 == 1, "both read 0"); };
    return p;
  });
}

TEST(Litmus, StoreBufferingIsSeen) {
  auto r = dekker(Fence::none);
  EXPECT_TRUE(r.failed);
  EXPECT_NE(r.message.find("both read 0"), std::string::npos);
}
TEST(Litmus, FencesForbidStoreBuffering) {
  auto r = dekker(Fence::full);
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted);
}
TEST(Litmus, OneHeavyFenceForbidsStoreBuffering) {
  auto r = dekker(Fence::heavy_one_side);
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted);
}

// Message passing: stores leave the buffer in order.
TEST(Litmus, StoresStayInOrder) {
  auto r = model::explore(kAll, [] {
    Two* t = make();
    model::Program p;
    p.threads = {[=] {
                   t->x.store(1, memory_order_relaxed);
                   t->y.store(1, memory_order_relaxed);
                 },
                 [=] {
                   t->r0 = t->y.load();
                   t->r1 = t->x.load();
                 }};
    p.at_end = [=] { model::check(!(t->r0 == 1 && t->r1 == 0), "stores out of order"); };
    return p;
  });
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted);
}

// A thread sees its own stores before others do.
TEST(Litmus, LoadsForwardFromTheBuffer) {
  bool early = false;
  auto r = model::explore(kAll, [&] {
    Two* t = make();
    model::Program p;
    p.threads = {[=] {
                   t->x.store(1, memory_order_relaxed);
                   model::check(t->x.load() == 1, "own store not seen");
                   t->r0 = t->y.load();
                 },
                 [=] {
                   t->y.store(1, memory_order_relaxed);
                   model::check(t->y.load() == 1, "own store not seen");
                   t->r1 = t->x.load();
                 }};
    p.at_end = [=, &early] { early |= t->r0 == 0 && t->r1 == 0; };
    return p;
  });
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(early);
}

TEST(Litmus, SequentialStoresAndUpdatesFlush) {
  for (bool update : {false, true}) {
    auto r = model::explore(kAll, [=] {
      Two* t = make();
      model::Program p;
      auto put = [=](Atomic<int>& a) {
        update ? void(a.fetch_add(1, memory_order_relaxed)) : a.store(1, memory_order_seq_cst);
      };
      p.threads = {[=] { put(t->x), t->r0 = t->y.load(); }, [=] { put(t->y), t->r1 = t->x.load(); }};
      p.at_end = [=] { model::check(t->r0 == 1 || t->r1 == 1, "both read 0"); };
      return p;
    });
    EXPECT_FALSE(r.failed) << r.message;
    EXPECT_TRUE(r.exhausted);
  }
}

// Without atomicity two increments can become one; the tree has all 20 orders of three accesses twice.
TEST(Litmus, LostUpdateIsSeen) {
  auto r = model::explore({model::kUnbounded, 0, true, 4'000'000, model::Memory::tso}, [] {
    Two* t = make();
    model::Program p;
    auto add = [=] { t->x.store(t->x.load() + 1); };
    p.threads = {add, add};
    p.at_end = [=] { model::check(t->x.load() == 2, "an increment was lost"); };
    return p;
  });
  EXPECT_TRUE(r.failed);
}
TEST(Litmus, SeesEachInterleavingOnce) {
  uint64_t orders = 0;
  auto r = model::explore({model::kUnbounded, 0, true, 4'000'000, model::Memory::tso}, [&] {
    Two* t = make();
    model::Program p;
    auto three = [=] { t->x.fetch_add(1), t->x.fetch_add(1), t->x.fetch_add(1); };
    p.threads = {three, three};
    p.at_end = [&orders] { ++orders; };
    return p;
  });
  EXPECT_TRUE(r.exhausted);
  // A thread's way is four stretches: to its first access, and from each of three. C(8,4) orders of these, and the
  // first execution, which only found out that x is shared.
  EXPECT_EQ(orders, 71u);
}

TEST(Litmus, LostWakeUpAndDeadlockAreSeen) {
  auto run = [](bool look_again) {
    return model::explore(kAll, [=] {
      auto* word = new (model::arena(64)) Atomic<uint32_t>(0);
      auto* done = new (model::arena(64)) Atomic<int>(0);
      model::Program p;
      p.threads = {[=] {
                     if (done->load() == 0) {
                       word->store(1);
                       if (!look_again || done->load() == 0) model::futex_wait(word, 1, -1);
                     }
                   },
                   [=] {
                     done->store(1);
                     if (word->load() == 1) {
                       word->store(2);
                       model::futex_wake(word, 1);
                     }
                   }};
      return p;
    });
  };
  auto bad = run(false), good = run(true);
  EXPECT_TRUE(bad.failed);
  EXPECT_NE(bad.message.find("sleeps"), std::string::npos) << bad.message;
  EXPECT_FALSE(good.failed) << good.message;
  EXPECT_TRUE(good.exhausted);
}

}  // namespace
