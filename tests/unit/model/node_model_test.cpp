// flow/node.h by itself, with no tasks about it: nodes are made and told to each other while another thread ends them,
// in all interleavings within the bounds. Each starts once, behind all that it follows, and is freed once. Wrong copies
// of the file are caught.
#include <gtest/gtest.h>

#include "flow/node.h"
#include "model/model.h"
#include "model/node_mutants.h"

namespace {

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

template <template <class> class Node>
struct Graph {
  struct Step {
    Node<Step> node;
    typename Node<Step>::Link links[2];
    Step* before[2] = {};
    int starts = 0, frees = 0;
    bool ended = false, keeps = false;
  };
  static constexpr int kSteps = 4;
  Step steps[kSteps];
  std::atomic<int> made{0};  // so many may be run by the other thread

  Graph() {
    for (Step& s : steps) s.node.init(), s.node.name();
  }
  void free_step(Step& s) { model::check(++s.frees == 1, "freed twice"); }
  void run(Step& s) {
    model::check(++s.starts == 1, "started twice");
    for (Step* b : s.before) model::check(!b || b->ended, "started before its predecessor had ended");
    s.ended = true;
    const uintptr_t list = s.node.close(s.keeps);
    if (!s.keeps && s.node.is_dropped(list)) free_step(s);
    Node<Step>::for_each(
        list, [](auto*) {},
        [this](Step* next) {
          if (next->node.count_down()) run(*next);
        });
    if (s.keeps && s.node.let_go()) free_step(s);
  }
  void drop(Step& s) {
    if (s.node.unname() && s.node.drop()) free_step(s);
  }
  // last: with the name that its creator had of it.
  bool tell(Step& s, int n, bool last) {
    s.links[n].successor = &s;
    if (!last) s.before[n]->node.name();
    if (s.before[n]->node.push(&s.links[n], 0)) return true;
    if (!s.before[n]->node.is_named() && s.before[n]->node.drop()) free_step(*s.before[n]);
    return false;
  }
  void publish(Step& s, bool last) {
    const uint32_t predecessors = s.before[1] ? 2 : 1;
    s.node.expect(predecessors);
    uint32_t missed = 0;
    for (uint32_t n = 0; n < predecessors; ++n) missed += !tell(s, int(n), last);
    if (missed != 0 && s.node.missed(missed)) run(s);
  }
  void at_end() {
    for (Step& s : steps) {
      model::check(s.starts == 1, "never started");
      model::check(s.frees == 1, "never freed");
    }
  }
};

// Two that the other thread ends, one behind both, one behind the first of them (or that again behind the third).
template <template <class> class Node>
model::Result explore(bool keeps = false) {
  return model::explore({3, 1}, [=] {
    using G = Graph<Node>;
    auto* g = new (model::arena(sizeof(G))) G;
    g->steps[0].keeps = keeps;
    g->steps[2].before[0] = &g->steps[0];
    g->steps[2].before[1] = &g->steps[1];
    g->steps[3].before[0] = &g->steps[0];
    model::Program p;
    p.threads = {[=] {
                   g->made.store(2);
                   g->publish(g->steps[2], false);
                   g->drop(g->steps[1]);
                   g->publish(g->steps[3], true);  // gives up the name of the first
                   g->drop(g->steps[2]);
                   g->drop(g->steps[3]);
                 },
                 [=] {
                   while (g->made.load() == 0) model::pause();
                   g->run(g->steps[0]);
                   g->run(g->steps[1]);
                 }};
    p.at_end = [=] { g->at_end(); };
    return p;
  });
}

TEST(NodeModel, BuiltWhileItRuns) { expect_right(explore<einkorn::flow::Node>()); }
TEST(NodeModel, KeptWhileItRuns) { expect_right(explore<einkorn::flow::Node>(true)); }

template <template <class> class Node>
void expect_caught(bool applied, bool keeps = false) {
  ASSERT_TRUE(applied) << "the text that the mutant changes is gone: model/mutants.cmake";
  EXPECT_TRUE(explore<Node>(keeps).failed);
}
TEST(NodeModel, CatchesAListThatIsReadAndThenClosed) {
  expect_caught<mutant_closes_late::Node>(mutant_closes_late::kApplied);
}
TEST(NodeModel, CatchesAPushBehindTheEnd) { expect_caught<mutant_pushes_late::Node>(mutant_pushes_late::kApplied); }
TEST(NodeModel, CatchesACountThatIsWrittenTwice) {
  expect_caught<mutant_counts_apart::Node>(mutant_counts_apart::kApplied);
}
TEST(NodeModel, CatchesMissedOnesCountedApart) {
  expect_caught<mutant_misses_apart::Node>(mutant_misses_apart::kApplied);
}
TEST(NodeModel, CatchesADropThatLooksFirst) { expect_caught<mutant_drops_late::Node>(mutant_drops_late::kApplied); }
TEST(NodeModel, CatchesAKeptNodeThatIsDropped) {
  expect_caught<mutant_drops_kept::Node>(mutant_drops_kept::kApplied, true);
}

}  // namespace
