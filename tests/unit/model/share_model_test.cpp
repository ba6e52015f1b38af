// The ring of worksharing constructs, and the first chunks of guided loops: the code of share.cpp and guided.h in all
// interleavings within the bounds.
#include <gtest/gtest.h>

#include "model/rig.h"

namespace {

using namespace rig;
using rt::Worker;

constexpr int kMostIterations = 8;

struct Loop {
  int runs[kMostIterations];
};

// Whether a thread may get its chunks in any order: then the first ones belong to the threads by number.
enum class Order { rising, any };

// How a loop is left: by a count of who leaves, or to the barrier that follows.
enum class Leave { counted, to_barrier };

// So many guided loops one after the other in the same region.
model::Result loops(model::Options options, int threads, int count, Leave (*how)(int loop), Order order = Order::rising,
                    int iterations = 3) {
  return model::explore(options, [=] {
    return regions(threads, {0, 1, 1}, [=](Worker* w) {
      auto* done = new (model::arena(size_t(count) * sizeof(Loop))) Loop[size_t(count)]();
      parallel(w, threads, [=](Worker* me) {
        me->slot->shares_met = 0;
        for (int i = 0; i < count; ++i) {
          rt::LoopSpec spec;
          spec.kind = rt::LoopKind::guided;
          spec.iterations = uint64_t(iterations);
          spec.chunk = 1;
          spec.nonmonotonic = order == Order::any;
          spec.whole_chunks = true;  // of one: then nobody asks the clock, by which in here all rests are brief
          bool has_last = false;
          rt::share_enter(me, spec, 0);
          while (rt::share_next(me)) {
            const auto& v = me->view;
            model::check(!has_last, "a thread got a chunk after the last one");
            has_last = v.first + v.count == spec.iterations;
            for (uint64_t at = v.first; at < v.first + v.count; ++at) ++done[i].runs[at];
          }
          if (how(i) == Leave::counted) {
            rt::share_leave(me);
          } else {
            rt::share_leave_to_barrier(me);
            rt::barrier(me, einkorn::record::Construct::barrier_workshare, nullptr, 0);
          }
        }
      });
      for (int i = 0; i < count; ++i)
        for (int at = 0; at < iterations; ++at)
          model::check(done[i].runs[at] == 1, "an iteration was lost, or came twice");
    });
  });
}

constexpr int kRing = rt::Team::kShares;
Leave barriers(int) { return Leave::to_barrier; }
Leave nowait(int) { return Leave::counted; }
// Each place of the ring is left in both ways, one after the other.
Leave by_turns(int loop) { return loop % 3 == 0 ? Leave::to_barrier : Leave::counted; }

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

TEST(ShareModel, FirstChunks) { expect_right(loops({2, 1}, 2, 1, nowait)); }
TEST(ShareModel, FirstChunksThreeThreads) { expect_right(loops({1, 1}, 3, 1, nowait)); }
TEST(ShareModel, OwnChunks) { expect_right(loops({2, 1}, 2, 1, nowait, Order::any, 8)); }
TEST(ShareModel, OwnChunksThreeThreads) { expect_right(loops({2, 0}, 3, 1, nowait, Order::any, 6)); }
TEST(ShareModel, OwnChunksOfFewIterations) { expect_right(loops({2, 0}, 3, 1, nowait, Order::any, 2)); }
TEST(ShareModel, RoundTheRing) { expect_right(loops({1, 0}, 2, kRing + 2, barriers)); }
TEST(ShareModel, OwnChunksRoundTheRing) { expect_right(loops({1, 0}, 2, kRing + 2, barriers, Order::any, 5)); }
TEST(ShareModel, OwnChunksBothWaysOfLeaving) { expect_right(loops({1, 0}, 2, 2 * kRing + 2, by_turns, Order::any, 4)); }
TEST(ShareModel, RoundTheRingDelayedStores) { expect_right(loops({0, 1}, 2, kRing + 2, barriers)); }
TEST(ShareModel, BothWaysOfLeaving) { expect_right(loops({1, 0}, 2, 2 * kRing + 2, by_turns)); }

}  // namespace
