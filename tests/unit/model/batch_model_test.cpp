// Batches of a dynamic loop's chunks: the code of batch.cpp and share.cpp in all interleavings within the bounds.
// Nothing takes time here, so batches grow as fast as they can.
#include <gtest/gtest.h>

#include "model/rig.h"

namespace {

using namespace rig;
using rt::Worker;

constexpr int kMost = 64;

struct Loop {
  int runs[kMost];     // of each iteration
  bool last_was_last;  // the loop's last iteration came to a thread as its last
};

// `iterations` in chunks of `chunk`, by a team of `threads`, twice in the same region.
model::Result loops(model::Options options, int threads, int iterations, int chunk) {
  return model::explore(options, [=] {
    return regions(threads, {0, 1, 1}, [=](Worker* w) {
      auto* l = new (model::arena(2 * sizeof(Loop))) Loop[2]();
      parallel(w, threads, [=](Worker* me) {
        me->slot->shares_met = 0;
        for (int i = 0; i < 2; ++i) {
          rt::LoopSpec spec;
          spec.nonmonotonic = true;
          spec.iterations = uint64_t(iterations);
          spec.chunk = uint64_t(chunk);
          rt::share_enter(me, spec, 0);
          model::check(me->view.share->batched, "nothing to see: the loop is too short");
          bool last = false;
          while (rt::share_next(me)) {
            const auto& v = me->view;
            model::check(!last, "a chunk after the loop's last");
            last = v.first + v.count == uint64_t(iterations);
            for (uint64_t at = v.first; at < v.first + v.count; ++at) ++l[i].runs[at];
          }
          if (last) l[i].last_was_last = true;
          rt::share_leave(me);
        }
      });
      for (int i = 0; i < 2; ++i) {
        for (int at = 0; at < iterations; ++at)
          model::check(l[i].runs[at] == 1, "an iteration was lost, or came twice");
        model::check(l[i].last_was_last, "nobody knows that it had the last iteration");
      }
    });
  });
}

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

TEST(BatchModel, TwoThreads) { expect_right(loops({2, 0}, 2, 19, 1)); }
TEST(BatchModel, TwoThreadsDelayedStores) { expect_right(loops({1, 1}, 2, 19, 1)); }
TEST(BatchModel, LastChunkIsShort) { expect_right(loops({1, 0}, 2, 44, 3)); }
TEST(BatchModel, ThreeThreads) { expect_right(loops({1, 0}, 3, 28, 1)); }

// As a team of many does: batches grow to all of the share, and who asks guesses what is left.
TEST(BatchModel, AsManyThreads) {
  einkorn::schedule::g_few_for_counter = 1;
  const model::Result two = loops({2, 0}, 2, 19, 1), longer = loops({1, 0}, 2, 44, 3), three = loops({1, 0}, 3, 28, 1);
  einkorn::schedule::g_few_for_counter = 16;
  expect_right(two);
  expect_right(longer);
  expect_right(three);
}

}  // namespace
