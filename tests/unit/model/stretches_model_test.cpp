// Procedures that invoke procedures, by the fast path and its loop (codelet/stretches.h), while another thread takes
// some of them: each runs once, and who waits goes on when its children have ended, and sees what they did.
#include <gtest/gtest.h>

#include "codelet/stretches.h"
#include "model/rig.h"

namespace {

using namespace rig;
using namespace einkorn::codelet;
using rt::Task;

struct Counts {
  model::Atomic<int> leaves{0}, ended{0}, fast_paths{0};
};
struct Frame {
  Counts* counts;
  int levels, rounds;
  bool waits;
};

// As ek_invoke().
void invoke_one(Instance* me, const Procedure* p, const Frame& frame) {
  Worker* w = rt::self();
  Task* t = take_spare(w, me, p, &frame);
  if (!t) return invoke(me, p, &frame, nullptr);
  frame.counts->fast_paths.fetch_add(1);
  begin_again(w, t, p, &frame);
  rt::submit_short(w, t);
}

// Instances within one of so many levels, it included: it has two children a round.
int instances(int levels, int rounds) { return levels == 0 ? 1 : 1 + 2 * rounds * instances(levels - 1, rounds); }
int leaves(int levels, int rounds) { return levels == 0 ? 1 : 2 * rounds * leaves(levels - 1, rounds); }

extern const Procedure kTree;
int run_tree(Instance* me) {
  auto& f = *static_cast<Frame*>(me->frame);
  model::check(rt::self()->current == rt::task_of(me), "it runs, but is not the current task");
  if (f.levels == 0) {
    f.counts->leaves.fetch_add(1);
    f.counts->ended.fetch_add(1);
    return kEnd;
  }
  if (me->at > 0) model::check(rt::outstanding(rt::task_of(me)) == 0, "it goes on before its children have ended");
  if (int(me->at) < f.rounds) {
    ++me->at;
    for (int i = 0; i < 2; ++i) invoke_one(me, &kTree, {f.counts, f.levels - 1, f.rounds, f.waits});
    return f.waits ? kWait : kEnd;
  }
  f.counts->ended.fetch_add(1);
  return kEnd;
}
const Procedure kTree{"tree", nullptr, run_tree, sizeof(Frame), 0, nullptr, 0, 0};

model::Result run(int levels, int rounds, model::Options options, bool waits = true) {
  return model::explore(options, [=] {
    auto p = regions(2, {1, 1}, [=](Worker* w) {
      auto* c = new (model::arena(sizeof(Counts))) Counts;
      parallel(w, 2, [=](Worker* me) {
        const Frame root{c, levels, rounds, waits};
        if (me->thread_num == 0) invoke(nullptr, &kTree, &root, nullptr);
      });
      model::check(c->leaves.load() == leaves(levels, rounds), "the region ended before its procedures");
      model::check(c->ended.load() == instances(levels, rounds), "an instance did not end, or twice");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a block was not freed, or freed twice"); };
    return p;
  });
}

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

TEST(StretchesModel, OneLevel) { expect_right(run(1, 1, {1, 1})); }
TEST(StretchesModel, TwoRounds) { expect_right(run(1, 2, {1, 1})); }
TEST(StretchesModel, TwoLevels) { expect_right(run(2, 1, {1, 0})); }

// That the checks can fail: who does not wait has ended before.
TEST(StretchesModel, OneThatDoesNotWaitIsCaught) { EXPECT_TRUE(run(1, 2, {1, 0}, false).failed); }

}  // namespace
