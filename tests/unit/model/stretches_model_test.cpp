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

// As ek_invoke(), which is in a library.
__attribute__((noinline)) void invoke_one(Instance* me, const Procedure* p, const Frame& frame) {
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

// Its own memory, if it has some: first and last word.
void write_own(const Instance* me) {
  auto* own = static_cast<void**>(me->own);
  if (const size_t n = me->procedure->own_bytes / sizeof(void*)) own[0] = own[n - 1] = me->frame;
}
void check_own(const Instance* me) {
  auto* own = static_cast<void**>(me->own);
  if (const size_t n = me->procedure->own_bytes / sizeof(void*))
    model::check(own[0] == me->frame && own[n - 1] == me->frame, "its own memory is another's, too");
}

int run_tree(Instance* me) {
  auto& f = *static_cast<Frame*>(me->frame);
  model::check(rt::self()->current == rt::task_of(me), "it runs, but is not the current task");
  if (me->at == 0) write_own(me);
  check_own(me);
  if (f.levels == 0) {
    f.counts->leaves.fetch_add(1);
    f.counts->ended.fetch_add(1);
    return kEnd;
  }
  if (me->at > 0) model::check(rt::outstanding(rt::task_of(me)) == 0, "it goes on before its children have ended");
  if (int(me->at) < f.rounds) {
    ++me->at;
    for (int i = 0; i < 2; ++i) invoke_one(me, me->procedure, {f.counts, f.levels - 1, f.rounds, f.waits});
    if (f.waits) return kWait;
    f.counts->ended.fetch_add(1);
    return kEnd;
  }
  f.counts->ended.fetch_add(1);
  return kEnd;
}
constexpr Procedure tree(uint32_t own_bytes) {
  return {"tree", nullptr, run_tree, sizeof(Frame), own_bytes, nullptr, 0, 0};
}
const Procedure kTree = tree(0), kTreeWithOwn = tree(16), kTreeWithOwnApart = tree(104);

model::Result run(int levels, int rounds, model::Options options, bool waits = true, const Procedure* tree = &kTree,
                  bool in_group = false) {
  return model::explore(options, [=] {
    auto p = regions(2, {1, 1}, [=](Worker* w) {
      auto* c = new (model::arena(sizeof(Counts))) Counts;
      parallel(w, 2, [=](Worker* me) {
        const Frame root{c, levels, rounds, waits};
        if (me->thread_num != 0) return;
        if (!in_group) return invoke(nullptr, tree, &root, nullptr);
        launch(tree, &root, nullptr);  // in a taskgroup
        model::check(c->ended.load() == instances(levels, rounds), "a taskgroup ended before its procedures");
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

TEST(StretchesModel, InATaskgroup) {
  expect_right(run(1, 2, {1, 1}, true, &kTree, true));
  expect_right(run(2, 1, {1, 0}, true, &kTree, true));
}
// Its end is all that waits for them.
TEST(StretchesModel, InATaskgroupNobodyWaits) { expect_right(run(1, 1, {1, 1}, false, &kTree, true)); }

TEST(StretchesModel, MemoryOfTheirOwn) {
  ASSERT_FALSE(has_own_apart(&kTreeWithOwn));
  expect_right(run(1, 2, {1, 1}, true, &kTreeWithOwn));
}
TEST(StretchesModel, MemoryOfTheirOwnApart) {
  ASSERT_TRUE(has_own_apart(&kTreeWithOwnApart));
  expect_right(run(1, 2, {1, 1}, true, &kTreeWithOwnApart));
  expect_right(run(2, 1, {1, 0}, true, &kTreeWithOwnApart));
}

// That the checks can fail: who does not wait has ended before.
TEST(StretchesModel, OneThatDoesNotWaitIsCaught) { EXPECT_TRUE(run(1, 2, {1, 0}, false).failed); }

}  // namespace
