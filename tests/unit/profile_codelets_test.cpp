// Runs of graphs of codelets in recordings of which something is missing, or that were made to be large.
#include <algorithm>

#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;

constexpr uint64_t kLong = 1000;

// The initial thread runs graphs, alone: nodes in any order in which they can be.
struct Runs {
  GrainFile file;
  uint32_t run = file.site(Construct::codelet_graph, 0, 0x1100);
  uint32_t of = file.site(Construct::codelet, 0x2000, 0x1200, record::kSiteHasDepend);
  Script& a = file.thread(Script::kInitial);
  uint64_t now = 10, id = 0;

  void begin(uint64_t graph) { id = a.at(now += 10).graph_run(run, graph); }
  void fire(uint32_t node) {
    a.at(now += 10).codelet(node, id);
    a.at(now += kLong).codelet_end();
  }
  void end() { a.at(now += 10).wait_end(); }
  Loaded load() {
    a.at(now += 10).thread_end();
    return load_file(file);
  }
};

std::vector<std::pair<uint32_t, uint32_t>> chain(uint32_t nodes) {
  std::vector<std::pair<uint32_t, uint32_t>> arcs;
  for (uint32_t n = 1; n < nodes; ++n) arcs.emplace_back(n - 1, n);
  return arcs;
}

std::vector<const profile::Grain*> codelets(const profile::Profile& p) {
  std::vector<const profile::Grain*> found;
  for (const profile::Grain& g : p.grains)
    if (g.kind == profile::GrainKind::task) found.push_back(&g);
  return found;
}

size_t dependences(const profile::Profile& p) {
  return size_t(std::count_if(p.graph.edges.begin(), p.graph.edges.end(),
                              [](const profile::Edge& e) { return e.kind == profile::EdgeKind::dependence; }));
}

// A block within the run is gone: those before and after it are the run's, and paths lead through those that are not
// known.
TEST(ProfileCodelets, ARunGoesOnAfterALostBlock) {
  Runs r;
  const uint32_t g = r.file.graph("chain", 8, {{r.of, 0}}, chain(8));
  r.begin(g);
  r.fire(0), r.fire(1);
  r.a.cut();
  r.fire(2), r.fire(3);
  r.a.lose();
  r.fire(4), r.fire(5);
  r.end();
  const Loaded l = r.load();
  ASSERT_TRUE(l.ok) << l.error.message;
  const auto all = codelets(l.profile);
  ASSERT_EQ(all.size(), 4u);
  for (const auto* c : all) EXPECT_EQ(c->parent, 0u);
  EXPECT_GE(l.profile.critical_path_ns, int64_t(4 * kLong)) << "no path leads through what is not known";
}

// Its description is gone: they are the run's all the same, in no order.
TEST(ProfileCodelets, ARunOfAnUnknownGraph) {
  for (const bool damaged : {false, true}) {
    Runs r;
    if (damaged) r.file.graph("circle", 3, {{r.of, 0}}, {{0, 1}, {1, 2}, {2, 1}});
    r.begin(1);
    r.fire(0), r.fire(1), r.fire(2);
    r.end();
    const Loaded l = r.load();
    ASSERT_TRUE(l.ok) << l.error.message;
    const auto all = codelets(l.profile);
    ASSERT_EQ(all.size(), 3u);
    for (uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(all[i]->parent, 0u);
      EXPECT_EQ(all[i]->first_iteration, i);
      EXPECT_EQ(all[i]->create_begin, 20) << "not created by the run";
      EXPECT_TRUE(all[i]->flags & profile::kEstimated);
    }
  }
}

// The site of a run is gone: it is a run all the same.
TEST(ProfileCodelets, ARunAtAnUnknownPlace) {
  Runs r;
  const uint32_t g = r.file.graph("chain", 2, {{r.of, 0}}, chain(2));
  r.run = 77;
  r.begin(g);
  r.fire(0), r.fire(1);
  r.end();
  const Loaded l = r.load();
  ASSERT_TRUE(l.ok) << l.error.message;
  ASSERT_EQ(codelets(l.profile).size(), 2u);
  EXPECT_EQ(codelets(l.profile)[1]->create_begin, 20);
  EXPECT_EQ(dependences(l.profile), 1u);
}

// Without its graph_run: a task of unknown origin, and no other run's codelet.
TEST(ProfileCodelets, AFiringWithoutItsRun) {
  Runs r;
  const uint32_t g = r.file.graph("chain", 2, {{r.of, 0}}, chain(2));
  r.begin(g);
  r.fire(0);
  r.end();
  r.id += 5;
  r.fire(1);
  const Loaded l = r.load();
  ASSERT_TRUE(l.ok) << l.error.message;
  ASSERT_EQ(codelets(l.profile).size(), 2u);
  EXPECT_EQ(codelets(l.profile)[0]->first_iteration, 0);
  EXPECT_FALSE(codelets(l.profile)[0]->flags & profile::kEstimated);
  EXPECT_EQ(codelets(l.profile)[1]->source, profile::kNone);
  EXPECT_TRUE(codelets(l.profile)[1]->flags & profile::kEstimated);
  EXPECT_EQ(dependences(l.profile), 0u);
}

// Many short runs of a large graph: their cost is not the graph's. (Otherwise this takes minutes.)
TEST(ProfileCodelets, ManyRunsOfALargeGraph) {
  constexpr uint32_t kNodes = 1 << 20, kRuns = 50'000;
  for (const bool whole : {true, false}) {
    Runs r;
    r.file.compress = true;
    const uint32_t g = r.file.graph_in_rows("large", kNodes, r.of, whole);
    for (uint32_t i = 0; i < kRuns; ++i) {
      r.begin(g);
      r.fire(0), r.fire(kNodes - 1);
      r.end();
    }
    const Loaded l = r.load();
    ASSERT_TRUE(l.ok) << l.error.message;
    EXPECT_EQ(codelets(l.profile).size(), 2 * kRuns);
    EXPECT_GT(l.profile.totals.runs_without_order, 0u);
  }
}

// What large runs have taken is not missing for small ones that come later, which were recorded whole.
TEST(ProfileCodelets, SmallRunsAfterLargeOnesHaveTheirOrder) {
  constexpr uint32_t kNodes = 1 << 20, kLarge = 400, kSmall = 10, kRuns = 100;
  Runs r;
  r.file.compress = true;
  const uint32_t large = r.file.graph_in_rows("large", kNodes, r.of, true);
  std::vector<std::pair<uint32_t, uint32_t>> chain;
  for (uint32_t i = 0; i + 1 < kSmall; ++i) chain.emplace_back(i, i + 1);
  const uint32_t small = r.file.graph("small", kSmall, {{r.of, 0}}, chain);
  for (uint32_t i = 0; i < kLarge; ++i) {
    r.begin(large);
    r.fire(0), r.fire(kNodes - 1);
    r.end();
  }
  for (uint32_t i = 0; i < kRuns; ++i) {
    r.begin(small);
    for (uint32_t n = 0; n < kSmall; ++n) r.fire(n);
    r.end();
  }
  const Loaded l = r.load();
  ASSERT_TRUE(l.ok) << l.error.message;
  EXPECT_GT(l.profile.totals.runs_without_order, 0u);
  EXPECT_LE(l.profile.totals.runs_without_order, uint64_t(kLarge));
  EXPECT_GE(dependences(l.profile), (kSmall - 1) * kRuns);
}

// More arcs than there is room for: they are left out, run by run, and that is told.
TEST(ProfileCodelets, ArcsTakeNoMoreMemoryThanThereIs) {
  constexpr uint32_t kSide = 300, kRuns = 60;
  Runs r;
  std::vector<std::pair<uint32_t, uint32_t>> arcs;
  for (uint32_t i = 0; i < kSide; ++i)
    for (uint32_t k = 0; k < kSide; ++k) arcs.emplace_back(i, kSide + k);
  const uint32_t g = r.file.graph("wide", 2 * kSide, {{r.of, 0}}, arcs);
  for (uint32_t i = 0; i < kRuns; ++i) {
    r.begin(g);
    for (uint32_t n = 0; n < 2 * kSide; ++n) r.fire(n);
    r.end();
  }
  r.a.at(r.now += 10).thread_end();
  const std::string path = scratch(".grain");
  r.file.save(path);
  profile::LoadOptions options;
  options.symbolize = false;
  options.memory_bytes = 200 << 20;
  profile::Profile p;
  profile::LoadError error;
  const bool ok = profile::load(path, options, p, error);
  remove(path.c_str());
  ASSERT_TRUE(ok) << error.message;
  const auto all = codelets(p);
  ASSERT_EQ(all.size(), kRuns * 2 * kSide);
  EXPECT_FALSE(all.front()->flags & profile::kEstimated) << "the first run has room";
  EXPECT_TRUE(all.back()->flags & profile::kEstimated);
  EXPECT_GE(dependences(p), arcs.size());
  EXPECT_LE(dependences(p), options.memory_bytes / 100);
}

}  // namespace
}  // namespace einkorn
