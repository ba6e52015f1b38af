// The deque of src/flow/deque.h, this very code, in all interleavings of small cases. Every item that was pushed is
// taken exactly once, by the owner or a thief, and what the owner pops respects its base. Known-bad variants must be
// caught.
#include <gtest/gtest.h>

#include <algorithm>

#include "flow/deque.h"
#include "model/deque_mutants.h"

namespace {

namespace rt = einkorn::flow;

struct Tso {
  template <class U>
  using Atomic = model::Atomic<U>;
  using Lock = rt::Mutex;
  static void light_fence() {}
  static void heavy_fence() { model::heavy_fence(); }
  static void full_fence() { model::full_fence(); }
  static uint64_t ticks() { return 0; }  // nothing takes long
};
// Everything takes long; every other time only.
struct Slow : Tso {
  static uint64_t ticks() { return now += 1 << 20; }
  static inline uint64_t now = 0;
};
struct Mixed : Tso {
  static uint64_t ticks() { return now += odd++ & 1 ? 1 : 1 << 20; }
  static inline uint64_t now = 0, odd = 0;
};

// Its owner passes full fences in pop() from its 'f' on.
struct Fenced : Tso {
  static void light_fence() {
    if (fences) model::full_fence();
  }
  static inline bool fences = false;  // the owner's alone
};

struct Item {
  int taken = 0;
  bool pushed = false;
};

// A case: what the owner does, letter by letter (p push, o pop, b publish, k publish but the youngest, f a region that
// is fenced begins), and how many times each thief tries.
struct Case {
  const char* owner;
  int thieves = 1, tries = 1;
  bool force = true;
  bool wait = false;  // thieves wait for the lock
  int most = 1;       // that a thief takes at once
};

// share: of what is public a thief takes one in so many at most.
template <class Deque>
model::Result run(const Case& c, model::Options options, int64_t share = 2) {
  return model::explore(options, [=] {
    struct Shared {
      Deque deque;
      Item items[8];
    };
    auto* s = new (model::arena(sizeof(Shared))) Shared;
    s->deque.init();
    Mixed::odd = 0;  // every execution alike
    Fenced::fences = false;
    rt::Onlooker::forget();
    model::name(&s->deque, "deque");
    model::Program p;
    auto take = [](Item* item) {
      model::check(item != nullptr && item->pushed, "an item was taken that nobody pushed");
      model::check(item->taken++ == 0, "an item was taken twice");
    };
    p.threads.push_back([=] {
      int next = 0;
      for (const char* o = c.owner; *o; ++o) {
        if (*o == 'p') {
          s->items[next].pushed = true;
          s->deque.push(&s->items[next++]);
        } else if (*o == 'o') {
          if (Item* item = s->deque.pop()) take(item);
        } else if (*o == 'f') {
          Fenced::fences = true;
          s->deque.init(true);
        } else {
          s->deque.publish(*o == 'k');
        }
      }
    });
    for (int i = 0; i < c.thieves; ++i)
      p.threads.push_back([=] {
        for (int k = 0; k < c.tries; ++k) {
          Item* some[8];
          int count = 0;
          if (s->deque.seems_empty()) continue;
          auto amount = [=](int64_t length) { return std::clamp<int64_t>(length / share, 1, c.most); };
          if (s->deque.steal_some(
                  some, amount, count, c.force, [](Item*) { return true; }, c.wait) == Deque::Steal::taken)
            for (int i = 0; i < count; ++i) take(some[i]);
        }
      });
    p.at_end = [=] {
      // What is left is still there, for the owner or a thief, each once.
      Item* item = nullptr;
      int left = 0, pushed = 0, taken = 0;
      for (Item& i : s->items) pushed += i.pushed, taken += i.taken;
      model::check(s->deque.bottom() >= 0 && !(s->deque.has_public() && s->deque.seems_empty()),
                   "top <= split <= bottom");
      if (s->deque.steal(item, true, [](Item*) { return true; }) == Deque::Steal::taken) take(item), ++left;
      while ((item = s->deque.pop())) take(item), ++left;
      model::check(taken + left == pushed, "an item was lost");
      model::check(s->deque.seems_empty() && !s->deque.has_public(), "empty at the end");
      if (pushed < 8) {  // and it works on
        s->items[7].pushed = true;
        s->deque.push(&s->items[7]);
        item = s->deque.pop();
        model::check(item == &s->items[7], "pushed and popped alone");
      }
    };
    return p;
  });
}

using Small = rt::Deque<Item, Tso, 2>;  // grows at the third item
using Roomy = rt::Deque<Item, Tso, 8>;
using OneThenHalf = rt::Deque<Item, Mixed, 8>;
using OneByOne = rt::Deque<Item, Slow, 8>;  // the owner takes no more than one back at a time

void expect_right(const Case& c, model::Options options) {
  for (auto& r :
       {run<Small>(c, options, 1), run<Roomy>(c, options), run<OneByOne>(c, options), run<OneThenHalf>(c, options)}) {
    EXPECT_FALSE(r.failed) << c.owner << ": " << r.message;
    EXPECT_TRUE(r.exhausted) << c.owner << ": not all seen in " << r.executions;
  }
}

// All words of up to five operations: nothing that the owner can do in five steps is left out.
TEST(DequeModel, EveryShortOwnerAgainstOneThief) {
  const char letters[] = "pob";
  int words = 0;
  for (int length = 2; length <= 5; ++length) {
    int all = 1;
    for (int i = 0; i < length; ++i) all *= 3;
    for (int w = 0; w < all; ++w) {
      char owner[6] = {};
      for (int i = 0, rest = w; i < length; ++i, rest /= 3) owner[i] = letters[rest % 3];
      if (owner[0] != 'p') continue;  // nothing to share before the first push
      ++words;
      for (bool force : {false, true}) expect_right({owner, 1, 1, force}, {2, 1});
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
  EXPECT_EQ(words, 3 + 9 + 27 + 81);
}

TEST(DequeModel, ForcedStealWithWideBounds) {
  for (const char* owner : {"po", "pb"}) expect_right({owner, 1, 1}, {4, 2});
}

TEST(DequeModel, TwoStealsInARow) {
  for (const char* owner : {"ppoo", "ppopo", "pppoo", "pbpoo", "ppboo", "popo", "ppopp"})
    expect_right({owner, 1, 2}, {2, 1});
}

TEST(DequeModel, TwoThieves) {
  for (const char* owner : {"ppo", "ppoo", "popo", "pppoo", "ppboo", "ppopo"})
    for (bool wait : {false, true}) expect_right({owner, 2, 1, true, wait}, {1, 1});
}

TEST(DequeModel, SeveralAtOnce) {
  for (const char* owner : {"ppoo", "pppoo", "ppkoo", "pppkoo", "ppbpoo", "pppkopo", "ppppooo"})
    for (bool force : {false, true}) expect_right({owner, 1, 2, force, false, 8}, {2, 1});
  for (const char* owner : {"pppoo", "ppbpo"}) expect_right({owner, 2, 1, true, true, 8}, {1, 1});
}

using FencedOne = rt::Deque<Item, Fenced, 8>;

// With membarrier gone: regions that are fenced begin while thieves may still be looking at the queue as it was.
TEST(DequeModel, FencedFromSomeRegionOn) {
  for (const char* owner : {"fpo", "fppoo", "fpopo", "fppboo", "pofpo", "ppoofppo", "pboofpo"})
    for (int tries : {1, 2}) {
      auto r = run<FencedOne>({owner, 1, tries}, {2, 2});
      EXPECT_FALSE(r.failed) << owner << ": " << r.message;
      EXPECT_TRUE(r.exhausted) << owner;
    }
  // It does not need the heavy fence any more.
  model::Options weak{2, 2};
  weak.heavy_fences = false;
  for (const char* owner : {"fpo", "fppoo", "fpopo"}) EXPECT_FALSE(run<FencedOne>({owner}, weak).failed) << owner;
}

void expect_caught(const model::Result& r) {
  EXPECT_TRUE(r.failed) << "a wrong deque passed " << r.executions << " executions";
}

TEST(DequeModel, CatchesAMissingHeavyFence) {
  model::Options weak{2, 2};
  weak.heavy_fences = false;
  expect_caught(run<Roomy>({"po"}, weak));
}
TEST(DequeModel, CatchesAFencedOwnerWithoutFences) { expect_caught(run<Roomy>({"fpo"}, {2, 2})); }
TEST(DequeModel, CatchesSplitReadBeforeBottomIsStored) {
  ASSERT_TRUE(mutant_split_first::kApplied) << "deque.h changed: adapt model/mutants.cmake";
  expect_caught(run<mutant_split_first::Deque<Item, Tso, 8>>({"po"}, {2, 2}));
}
TEST(DequeModel, CatchesAMissingRetreat) {
  ASSERT_TRUE(mutant_no_retreat::kApplied) << "deque.h changed: adapt model/mutants.cmake";
  expect_caught(run<mutant_no_retreat::Deque<Item, Tso, 8>>({"ppo"}, {2, 2}));
}
TEST(DequeModel, CatchesAStaleBottom) {
  ASSERT_TRUE(mutant_stale_bottom::kApplied) << "deque.h changed: adapt model/mutants.cmake";
  expect_caught(run<mutant_stale_bottom::Deque<Item, Tso, 8>>({"po"}, {2, 2}));
}
TEST(DequeModel, CatchesATakenBackItemThatStaysPublic) {
  ASSERT_TRUE(mutant_keeps_item_public::kApplied) << "deque.h changed: adapt model/mutants.cmake";
  expect_caught(run<mutant_keeps_item_public::Deque<Item, Slow, 8>>({"ppbo"}, {2, 2}));
}
TEST(DequeModel, CatchesGrowthWithoutTheLock) {
  ASSERT_TRUE(mutant_unlocked_growth::kApplied) << "deque.h changed: adapt model/mutants.cmake";
  expect_caught(run<mutant_unlocked_growth::Deque<Item, Tso, 2>>({"pppo"}, {2, 2}));
}
TEST(DequeModel, CatchesAPublishThatUndoesAThiefs) {
  ASSERT_TRUE(mutant_publishes_blindly::kApplied) << "deque.h changed: adapt model/mutants.cmake";
  model::Options options{2, 1};
  options.memory = model::Memory::tso;  // a store that waits in its buffer while the thief's is seen
  expect_caught(run<mutant_publishes_blindly::Deque<Item, Tso, 2>>({"pppkopo", 1, 2, true, false, 8}, options, 1));
}
// A thief sees the new bottom before the slot: not on x86, where stores are seen in their order; nor where its heavy
// fence makes the owner pass one.
TEST(DequeModel, CatchesAPushWithoutRelease) {
  ASSERT_TRUE(mutant_push_unordered::kApplied) << "deque.h changed: adapt model/mutants.cmake";
  using Wrong = mutant_push_unordered::Deque<Item, Fenced, 8>;
  model::Options options{2, 2};
  options.memory = model::Memory::tso;
  EXPECT_FALSE(run<Wrong>({"fp"}, options).failed);
  options.memory = model::Memory::weak;
  EXPECT_FALSE(run<FencedOne>({"fp"}, options).failed);
  expect_caught(run<Wrong>({"fp"}, options));
}

}  // namespace
