// Tasks of the critical path that run late, on graphs put together by hand.
#include <gtest/gtest.h>
#include "report/findings/findings.h"
#include "report_profiles.h"

using namespace einkorn::report;
using namespace einkorn::report_test;
using einkorn::profile::EdgeKind;
using einkorn::profile::Node;

namespace {

// Two threads, 1 ms. Five tasks of a chain, 80 us each; 48 others of 25 us. Work 1.6 ms, so 0.8 by two threads; the
// path takes 0.4. The chain is made at 0 and begins at 0.6: until then both threads run others, then one of them idles.
struct LateChain {
  Builder b{1000 * us, 2};
  uint32_t chain, other, region, implicit, fork = 0;
  uint32_t first = 0;  // node of the first chain task

  explicit LateChain(int64_t begins = 600 * us) {
    chain = b.source("/a/late.c", 12, "task", "make");
    other = b.source("/a/late.c", 20, "task", "main");
    region = b.source("/a/late.c", 10, "parallel", "main");
    const uint32_t wait = b.source("/a/late.c", 10, "barrier", "main");
    b.region(region, 0, 1000 * us, 2);
    implicit = b.grain(GrainKind::implicit, 0, region, 0);
    add_node({NodeKind::fragment, true, implicit, kNone, 0, 0, 0});
    fork = add_node({NodeKind::fork, true, implicit, chain, 0, 0, 0});
    edge(fork - 1, fork, EdgeKind::continuation);
    uint32_t before = fork;
    for (int i = 0; i < 5; ++i) {
      const uint32_t grain = b.grain(GrainKind::task, implicit, chain, 80 * us, 0, 0);
      const uint32_t node = add_node({NodeKind::fragment, true, grain, kNone, 0, begins + i * 80 * us, 80 * us});
      edge(before, node, i == 0 ? EdgeKind::creation : EdgeKind::dependence);
      if (i == 0) first = node;
      before = node;
    }
    for (int i = 0; i < 48; ++i) {
      const uint32_t grain = b.grain(GrainKind::task, implicit, other, 25 * us, 0, 0);
      edge(fork, add_node({NodeKind::fragment, false, grain, kNone, 1, i / 2 * 25 * us, 25 * us}), EdgeKind::creation);
    }
    b.p.critical_path_ns = b.p.burdened_path_ns = 400 * us;
    b.p.parallelism = 4;
    b.spent(0, State::work, 1000 * us);
    b.spent(1, State::work, 600 * us);
    b.spent(1, State::idle, 400 * us);
    b.waited(wait, 1, 53, 0, 400 * us);
  }
  uint32_t add_node(Node n) {
    b.p.graph.nodes.push_back(n);
    return uint32_t(b.p.graph.nodes.size() - 1);
  }
  void edge(uint32_t from, uint32_t to, EdgeKind kind) {
    auto& edges = b.p.graph.edges;
    edges.push_back({from, to, kind});
    std::stable_sort(edges.begin(), edges.end(), [](const auto& x, const auto& y) { return x.from < y.from; });
  }
  // 0: there is none.
  int64_t gain() {
    for (const Finding& f : find_problems(b.p))
      if (f.kind == ProblemKind::late_tasks) return f.gain_ns;
    return 0;
  }
};

}  // namespace

// 1 ms - max(0.8, 0.4) = 0.2; 0.4 x (1 - 1/2) = 0.2; the first task of the chain was 0.6 late.
TEST(LateTasks, AreThoseOfThePath) {
  LateChain c;
  const std::vector<Finding> found = find_problems(c.b.p);
  const auto late =
      std::find_if(found.begin(), found.end(), [](const Finding& f) { return f.kind == ProblemKind::late_tasks; });
  ASSERT_NE(late, found.end());
  EXPECT_EQ(late->gain_ns, 200 * us);
  EXPECT_EQ(late->source, c.chain);
  EXPECT_EQ(late->grains, 5u);
  EXPECT_STREQ(tune_tries(c.b.p, *late), "a priority for these tasks");
}

// What bounds the gain: how late they are; else there is nothing that a priority could change.
TEST(LateTasks, AreNoProblemWhereTheyBeginAtOnce) {
  EXPECT_EQ(LateChain(100 * us).gain(), 100 * us);
  EXPECT_EQ(LateChain(0).gain(), 0);
}

TEST(LateTasks, AreNotMostOfAllWork) {
  LateChain c;
  for (int i = 0; i < 10; ++i) {
    const uint32_t grain = c.b.grain(GrainKind::task, c.implicit, c.chain, 200 * us, 0, 0);
    c.add_node({NodeKind::fragment, false, grain, kNone, 1, 0, 200 * us});
  }
  EXPECT_EQ(c.gain(), 0);
}

TEST(LateTasks, AreNotThoseOfARecursion) {
  LateChain c;
  ++c.b.p.grains[c.b.p.graph.nodes[c.first].grain].depth;
  EXPECT_EQ(c.gain(), 0);
}
