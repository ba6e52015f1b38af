// The rules of the layout (src/report/layout/layout.h), on programs told call by call and on random ones.
#include <gtest/gtest.h>
#include <algorithm>
#include <functional>
#include <random>
#include "../viewer/synthetic.h"
#include "report/layout/layout.h"
#include "report/layout/cut.h"

namespace einkorn::report {
namespace {

using synthetic::Program;
using namespace profile;

struct Shape {
  const char* name;
  std::function<void(Program&, uint32_t)> tell;
};

void tree(Program& p, uint32_t grains) {
  p.work(100 + grains % 7 * 50);
  if (grains > 1) {
    const uint32_t first = (grains - 1) * 618 / 1000;
    for (const uint32_t part : {first, grains - 1 - first}) {
      if (part == 0) continue;
      p.begin(0, 0);
      tree(p, part);
      p.end();
      p.work(20);
    }
    p.wait(0);
  }
  p.work(grains % 11 * 300);
}

void deep(Program& p, uint32_t depth) {
  for (uint32_t i = 0; i < depth; ++i) p.begin(0, 0), p.work(10);
  for (uint32_t i = 0; i < depth; ++i) p.end(), p.wait(0), p.work(10);
}

void wide(Program& p, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) p.begin(0, 0), p.work(i % 5 * 100), p.end(), p.work(10);
  p.wait(0);
}

// Nobody waits before the region's end.
void rogue(Program& p, uint32_t depth) {
  p.region_begin(0, 2);
  p.member(0);
  p.share(0);
  for (uint32_t i = 0; i < depth; ++i) {
    p.begin(0, 0);
    p.work(10);
    if (i % 3 == 0) p.begin(0, 0), p.work(50), p.end();
  }
  for (uint32_t i = 0; i < depth; ++i) p.end(), p.work(10);
  p.member(1);
  p.region_end(0);
  p.work(5);
}

void loops(Program& p, uint32_t chunks) {
  p.region_begin(0, 4);
  for (int phase = 0; phase < 3; ++phase) {
    const uint32_t loop = p.loop(0, chunks, 1);
    for (uint32_t m = 0; m < 4; ++m) {
      p.member(m);
      if (phase == 1 && m == 2) continue;  // comes to the barrier with nothing done since the last one
      p.share(0);
      p.work(100);
      for (uint32_t c = m; c < chunks; c += 4) p.chunk(0, loop, c, 1, 500);
    }
    p.barrier(0);
  }
  p.region_end(0);
}

// Tasks, waits, groups, regions, barriers. Tasks wait for their children, or leave them all behind, or (mixed) either.
enum class Style { waits, leaves, mixed };
void random_program(Program& p, uint32_t seed, Style style) {
  std::mt19937 random(seed);
  const auto one_in = [&](uint32_t n) { return random() % n == 0; };
  std::function<void(int)> body = [&](int depth) {
    const uint32_t steps = random() % 5;
    for (uint32_t i = 0; i < steps; ++i) {
      if (one_in(2)) p.work(random() % 5000);
      if (depth < 5 && !one_in(3)) {
        p.begin(0, 0);
        body(depth + 1);
        if (style == Style::waits) p.wait(0);
        p.work(random() % 3000);  // a task has at least one fragment
        p.end();
      }
      if (style != Style::leaves && one_in(4)) p.wait(0);
      if (depth < 4 && one_in(6)) {
        const auto group = p.group_begin();
        body(depth + 1);
        p.group_end(group, 0);
      }
    }
  };
  p.work(50);
  for (int regions = 1 + random() % 3; regions > 0; --regions) {
    const uint32_t team = 1 + random() % 5;
    p.region_begin(0, team);
    for (uint32_t phases = 1 + random() % 3; phases > 0; --phases) {
      for (uint32_t m = 0; m < team; ++m) {
        p.member(m);
        if (one_in(4)) continue;
        p.share(0);
        p.work(random() % 900);
        if (one_in(2)) body(0);
      }
      if (phases > 1) p.barrier(0);
    }
    p.region_end(0);
    p.work(random() % 100);
    if (style == Style::leaves) continue;
    body(2);
    p.wait(0);
  }
  p.work(50);
}

void any_random(Program& p, uint32_t seed) { random_program(p, seed, Style(seed % 3)); }
void fork_join_random(Program& p, uint32_t seed) { random_program(p, seed, seed % 2 ? Style::waits : Style::leaves); }

const std::vector<Shape> kShapes = {{"tree", tree},   {"deep", deep},   {"wide", wide},
                                    {"rogue", rogue}, {"loops", loops}, {"random", fork_join_random}};

Profile told(const Shape& shape, uint32_t size) {
  Program p;
  p.source("a.c", 1, "f", "task");
  p.work(10);
  shape.tell(p, size);
  return p.finish(2);
}

struct Rect {
  int64_t l, r, t, b;
};
Rect rect(const Layout& l, uint32_t n) {
  return {l.x[n] - l.width[n] / 2, l.x[n] + l.width[n] / 2, l.y[n], l.y[n] + l.height[n]};
}

struct Line {
  int64_t x0, y0, x1, y1;
  uint32_t edge;
};

std::vector<Line> lines(const Graph& g, const Layout& l) {
  std::vector<Line> out;
  for (uint32_t i = 0; i < g.edges.size(); ++i) {
    const Route r = edge_route(g, l, g.edges[i]);
    auto add = [&](int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
      if (x0 != x1 || y0 != y1)
        out.push_back({std::min(x0, x1), std::min(y0, y1), std::max(x0, x1), std::max(y0, y1), i});
    };
    if (r.kind == Route::straight) add(r.from_x, r.from_y, r.to_x, r.to_y);
    else if (r.kind == Route::out_of_fork)
      add(r.from_x, r.run, r.column, r.run), add(r.column, r.run, r.column, r.to_y);
    else add(r.column, r.from_y, r.column, r.run), add(r.column, r.run, r.to_x, r.run);
  }
  return out;
}

void expect_clean(const Profile& p, const std::string& what) {
  const Graph& g = p.graph;
  const Layout l = compute_layout(g);
  const uint32_t n = uint32_t(g.nodes.size());
  // Overlaps: rectangles in order of their top, compared while they reach into each other's height.
  std::vector<uint32_t> by_top(n);
  for (uint32_t i = 0; i < n; ++i) by_top[i] = i;
  std::sort(by_top.begin(), by_top.end(), [&](uint32_t a, uint32_t b) { return l.y[a] < l.y[b]; });
  for (uint32_t i = 0; i < n; ++i) {
    const Rect a = rect(l, by_top[i]);
    for (uint32_t j = i + 1; j < n && l.y[by_top[j]] < a.b; ++j) {
      const Rect b = rect(l, by_top[j]);
      ASSERT_TRUE(a.r <= b.l || b.r <= a.l) << what << ": nodes " << by_top[i] << " and " << by_top[j] << " overlap";
    }
  }
  for (const Edge& e : g.edges)
    ASSERT_LE(l.y[e.from] + l.height[e.from], l.y[e.to])
        << what << ": edge " << e.from << " -> " << e.to << " leads upwards";
  for (uint32_t c = 0; c < l.chains.count(); ++c) {
    const Box& own = l.subtree[c];
    for (uint32_t k = l.chains.first[c]; k != kNone; k = l.chains.next[k]) {
      const Rect r = rect(l, k);
      ASSERT_TRUE(r.l >= own.left && r.r <= own.right && r.t >= own.top && r.b <= own.bottom) << what << ": node " << k;
    }
    if (l.chains.parent[c] == kNone) continue;
    const Box& up = l.subtree[l.chains.parent[c]];
    ASSERT_TRUE(own.left >= up.left && own.right <= up.right && own.top >= up.top && own.bottom <= up.bottom)
        << what << ": chain " << c << " reaches out of its parent's extent";
  }
  std::vector<uint32_t> order = l.order;
  std::sort(order.begin(), order.end());
  for (uint32_t i = 0; i < n; ++i) ASSERT_EQ(order[i], i) << what;
}

void expect_no_crossings(const Profile& p, const std::string& what) {
  const Graph& g = p.graph;
  const Layout l = compute_layout(g);
  const std::vector<Line> all = lines(g, l);
  for (const Line& h : all) {
    if (h.y0 != h.y1) continue;
    for (const Line& v : all) {
      if (v.x0 != v.x1) continue;
      ASSERT_FALSE(v.x0 > h.x0 && v.x0 < h.x1 && h.y0 > v.y0 && h.y0 < v.y1)
          << what << ": edges " << g.edges[h.edge].from << "->" << g.edges[h.edge].to << " and " << g.edges[v.edge].from
          << "->" << g.edges[v.edge].to << " cross";
    }
  }
  for (const Line& s : all)
    for (uint32_t n = 0; n < g.nodes.size(); ++n) {
      if (g.edges[s.edge].from == n || g.edges[s.edge].to == n) continue;
      const Rect r = rect(l, n);
      ASSERT_FALSE(s.x1 > r.l && s.x0 < r.r && s.y1 > r.t && s.y0 < r.b)
          << what << ": edge " << g.edges[s.edge].from << "->" << g.edges[s.edge].to << " runs through node " << n;
    }
}

TEST(Layout, NothingOverlapsAndTimeRunsDown) {
  for (const Shape& shape : kShapes)
    for (const uint32_t size : {0u, 1u, 2u, 5u, 40u, 400u})
      expect_clean(told(shape, size), std::string(shape.name) + " " + std::to_string(size));
  for (uint32_t seed = 1000; seed < 1300; ++seed)
    expect_clean(told({"any", any_random}, seed), "random " + std::to_string(seed));
}

TEST(Layout, ForkAndJoinEdgesNeverCross) {
  for (const Shape& shape : kShapes)
    for (const uint32_t size : {1u, 5u, 40u, 100u})
      expect_no_crossings(told(shape, size), std::string(shape.name) + " " + std::to_string(size));
  for (uint32_t seed = 2000; seed < 2200; ++seed)
    expect_no_crossings(told(kShapes.back(), seed), "random " + std::to_string(seed));
}

TEST(Layout, WorkIsLinear) {
  for (const Shape& shape : kShapes) {
    if (std::string(shape.name) == "random") continue;
    const uint64_t once = compute_layout(told(shape, 20000).graph).work,
                   twice = compute_layout(told(shape, 40000).graph).work;
    EXPECT_LE(double(twice), 2.05 * double(once)) << shape.name;
    EXPECT_GE(once, 20000u) << shape.name;  // the counter counts
  }
}

TEST(Layout, AMillionDeep) {
  const Profile p = told({"deep", deep}, 1000000);
  const Layout l = compute_layout(p.graph);
  ASSERT_EQ(l.chains.count(), 1000001u);
  for (const Edge& e : p.graph.edges) ASSERT_LT(l.y[e.from], l.y[e.to]);
}

TEST(Layout, AMillionSiblings) {
  const Profile p = told({"wide", wide}, 1000000);
  const Layout l = compute_layout(p.graph);
  std::vector<int64_t> columns;
  for (uint32_t c = 1; c < l.chains.count(); ++c) columns.push_back(l.x[l.chains.first[c]]);
  std::sort(columns.begin(), columns.end());
  ASSERT_EQ(columns.size(), 1000000u);
  ASSERT_EQ(std::adjacent_find(columns.begin(), columns.end()), columns.end()) << "two siblings in one column";
}

TEST(Layout, AMillionOutliveTheirParents) {
  const Profile p = told({"rogue", rogue}, 1000000);
  const Layout l = compute_layout(p.graph);
  for (const Edge& e : p.graph.edges) ASSERT_LT(l.y[e.from], l.y[e.to]);
}

TEST(Layout, HeightIsLinearInTimeUpToTheStretch) {
  Graph g;
  for (int i = 0; i < 100; ++i) g.nodes.push_back({NodeKind::fragment, false, 0, kNone, 0, 0, (i + 1) * 100});
  g.nodes.push_back({NodeKind::fragment, false, 0, kNone, 0, 0, 100000000});
  for (uint32_t i = 0; i + 1 < g.nodes.size(); ++i) g.edges.push_back({i, i + 1, EdgeKind::continuation});
  const Layout l = compute_layout(g);
  const int64_t floor = 2 * l.height[0] - l.height[1];
  for (int i = 0; (i + 1) * 100 <= l.linear_up_to_ns; ++i)
    EXPECT_NEAR(double(l.height[i] - floor), double(l.height[49] - floor) * (i + 1) / 50, 1.5) << i;
  EXPECT_GE(l.linear_up_to_ns, 9000);
  EXPECT_GT(l.height[100], l.height[99]);
  EXPECT_LT(l.height[100], 5 * l.height[99]) << "one long node must not flatten the rest";
}

TEST(Layout, ATeamStandsInOrderAndMeetsInItsForksColumn) {
  Program p;
  p.source("a.c", 1, "f", "parallel");
  p.work(10);
  p.region_begin(0, 4);
  for (int phase = 0; phase < 2; ++phase) {
    for (uint32_t m = 0; m < 4; ++m) p.member(m), p.share(0), p.work(100);
    if (phase == 0) p.barrier(0);
  }
  p.region_end(0);
  p.work(10);
  const Profile profile = p.finish(4);
  const Layout l = compute_layout(profile.graph);
  // 0 before, 1 fork, 2..5 members, 6 barrier, 7..10 members again, 11 the region's join, 12 after
  ASSERT_EQ(profile.graph.nodes.size(), 13u);
  for (const uint32_t n : {1u, 6u, 11u, 12u}) EXPECT_EQ(l.x[n], l.x[0]) << n;
  for (const uint32_t n : {2u, 3u, 4u, 7u, 8u, 9u}) EXPECT_LT(l.x[n], l.x[n + 1]) << n;
  EXPECT_LT(l.x[3], l.x[0]);
  EXPECT_GT(l.x[4], l.x[0]);
}

TEST(Layout, AChildStandsBesideItsParentBetweenForkAndJoin) {
  Program p;
  p.source("a.c", 1, "f", "task");
  p.work(10);  // 0
  for (int i = 0; i < 2; ++i) {
    p.begin(0, 0), p.work(100), p.end();  // 1 fork, 2 child; 4 fork, 5 child
    p.work(10);                           // 3; 6
  }
  p.wait(0);  // 7
  const Profile profile = p.finish(1);
  const Layout l = compute_layout(profile.graph);
  for (const uint32_t n : {1u, 3u, 4u, 6u, 7u}) EXPECT_EQ(l.x[n], l.x[0]) << n;
  EXPECT_NE(l.x[2], l.x[5]);
  for (const uint32_t child : {2u, 5u}) {
    EXPECT_NE(l.x[child], l.x[0]);
    EXPECT_GT(l.y[child], l.y[child - 1]);
    EXPECT_LT(l.y[child], l.y[7]);
  }
}

TEST(Layout, OddGraphsDoNotCrash) {
  EXPECT_EQ(compute_layout(Graph{}).order.size(), 0u);
  Graph loose;  // nodes without edges, and an edge that joins what no fork made
  for (int i = 0; i < 5; ++i)
    loose.nodes.push_back({i == 4 ? NodeKind::join : NodeKind::fragment, false, kNone, kNone, kNone, -1, -5});
  loose.edges = {{0, 4, EdgeKind::join}, {1, 4, EdgeKind::continuation}, {3, 4, EdgeKind::creation}};
  const Layout l = compute_layout(loose);
  EXPECT_EQ(l.order.size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_GT(l.height[i], 0);
}

TEST(Cut, KeepsEveryNodesShareAndTheOrder) {
  for (const Shape& shape : kShapes) {
    const Profile p = told(shape, shape.name == std::string("random") ? 7 : 3000);
    CutGraph cut;
    cut_graph(p, 60, cut);
    if (p.graph.nodes.size() <= 240) continue;
    ASSERT_EQ(cut.graph, &cut.smaller) << shape.name;
    EXPECT_LE(cut.graph->nodes.size(), 2 * 240u) << shape.name;
    EXPECT_GE(cut.graph->nodes.size(), 5u) << shape.name;
    uint64_t members = 0;
    int64_t before = 0, after = 0;
    const auto executes = [](const Node& n) { return n.kind == NodeKind::fragment || n.kind == NodeKind::chunk; };
    for (const uint32_t m : cut.members) members += m;
    for (const Node& n : p.graph.nodes) before += executes(n) ? n.weight : 0;
    for (const Node& n : cut.graph->nodes) after += executes(n) ? n.weight : 0;
    EXPECT_EQ(members, p.graph.nodes.size()) << shape.name;
    EXPECT_EQ(after, before) << shape.name;
    for (const Edge& e : cut.graph->edges) ASSERT_LT(e.from, e.to) << shape.name;
    Profile smaller;
    smaller.graph = cut.smaller;
    expect_clean(smaller, std::string("cut ") + shape.name);
    EXPECT_NE(cut.statement.find(std::to_string(p.graph.nodes.size())), std::string::npos);
  }
}

TEST(Cut, LeavesSmallGraphsAlone) {
  const Profile p = told({"tree", tree}, 500);
  CutGraph cut;
  cut_graph(p, 1000000, cut);
  EXPECT_EQ(cut.graph, &p.graph);
  EXPECT_TRUE(cut.statement.empty());
  EXPECT_EQ(cut.members_of(3), 1u);
}

}  // namespace
}  // namespace einkorn::report
