// The ring of worksharing constructs, and the first chunks of guided loops: the code of share.cpp in all interleavings
// within the bounds.
#include <gtest/gtest.h>

#include "model/rig.h"

namespace {

using namespace rig;
using rt::Worker;

constexpr int kIterations = 3;

struct Loop {
  int runs[kIterations];
};

// How a loop is left: by a count of who leaves, or to the barrier that follows.
enum class Leave { counted, to_barrier };

// So many guided loops one after the other in the same region.
model::Result loops(model::Options options, int threads, int count, Leave (*how)(int loop)) {
  return model::explore(options, [=] {
    return regions(threads, {0, 1, 1}, [=](Worker* w) {
      auto* done = new (model::arena(size_t(count) * sizeof(Loop))) Loop[size_t(count)]();
      parallel(w, threads, [=](Worker* me) {
        me->slot->shares_met = 0;
        for (int i = 0; i < count; ++i) {
          rt::LoopSpec spec;
          spec.kind = rt::LoopKind::guided;
          spec.iterations = kIterations;
          spec.chunk = 1;
          rt::share_enter(me, spec, 0);
          while (rt::share_next(me)) {
            const auto& v = me->view;
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
        for (int at = 0; at < kIterations; ++at)
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
TEST(ShareModel, RoundTheRing) { expect_right(loops({1, 0}, 2, kRing + 2, barriers)); }
TEST(ShareModel, RoundTheRingDelayedStores) { expect_right(loops({0, 1}, 2, kRing + 2, barriers)); }
TEST(ShareModel, BothWaysOfLeaving) { expect_right(loops({1, 0}, 2, 2 * kRing + 2, by_turns)); }

}  // namespace
