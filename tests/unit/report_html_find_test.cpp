// Searches for grains in a page whose aggregates are not contiguous in the graph: other nodes are between theirs.
#include <gtest/gtest.h>
#include "report/page/find.h"

namespace einkorn::report {
namespace {

using namespace profile;

// Each node a grain of its own; source 1 for those asked for.
Profile grains(uint32_t nodes, std::initializer_list<uint32_t> wanted) {
  Profile p;
  p.sources.resize(2);
  p.grains.resize(nodes);
  for (uint32_t n = 0; n < nodes; ++n) {
    p.grains[n].source = 0;
    p.graph.nodes.push_back({NodeKind::fragment, false, n, 0});
  }
  for (const uint32_t n : wanted) p.grains[n].source = 1;
  return p;
}

FoundInside find(const Profile& p, const PageNodes& page) {
  Wanted wanted;
  wanted.sources = {0, 1};
  return find_inside(p, Metrics{}, wanted, page);
}

// Nodes 5 to 29 of 40: node 2 of the page stands for 10 and 20 to 23, the others for what is around.
PageNodes around() {
  PageNodes page;
  page.stretches = {{5, 5}, {11, 9}, {10, 0}, {24, 1}, {25, 5}};
  page.scattered = {{10, 2}, {20, 2}, {21, 2}, {22, 2}, {23, 2}};
  return page;
}

TEST(FindInside, LightsTheScatteredNodeThatHoldsAGrain) {
  for (const auto& [node, at] : {std::pair{9u, 0u},
                                 {10u, 2u},
                                 {11u, 1u},
                                 {14u, 1u},
                                 {19u, 1u},
                                 {20u, 2u},
                                 {23u, 2u},
                                 {24u, 3u},
                                 {25u, 4u},
                                 {29u, 4u}}) {
    const FoundInside found = find(grains(40, {node}), around());
    EXPECT_EQ(found.nodes, std::vector<uint8_t>{uint8_t(1u << at)}) << node;
    EXPECT_EQ(found.all, 1u) << node;
    EXPECT_EQ(found.here, 1u) << node;
    EXPECT_EQ(found.hidden, node == 24 ? kNone : node) << "24 is drawn as a node of its own";
  }
}

TEST(FindInside, CountsWhatIsInThePageOnly) {
  const FoundInside found = find(grains(40, {4, 10, 12, 22, 24, 30, 39}), around());
  EXPECT_EQ(found.all, 7u);
  EXPECT_EQ(found.here, 4u);
  EXPECT_EQ(found.nodes, std::vector<uint8_t>{0b01110});
  EXPECT_EQ(found.hidden, 10u);
}

// Forks first, then all that they fork: a piece's nodes are in two places.
TEST(Cut, ListsTheNodesOfScatteredGroups) {
  constexpr uint32_t kForks = 40;
  Profile p = grains(2 * kForks, {kForks + 3});
  for (uint32_t n = 0; n < kForks; ++n) {
    p.graph.nodes[n].kind = NodeKind::fork;
    if (n + 1 < kForks) p.graph.edges.push_back({n, n + 1, EdgeKind::continuation});
    p.graph.edges.push_back({n, kForks + n, EdgeKind::creation});
  }
  CutGraph cut;
  cut_graph(p.graph, 10, cut);
  const uint32_t count = uint32_t(cut.graph->nodes.size());
  ASSERT_GE(count, 5u);
  ASSERT_LE(count, 20u);
  PageNodes page;
  std::vector<uint32_t> in(p.graph.nodes.size(), kNone), members(count, 0);
  const auto put = [&](uint32_t node, uint32_t at) {
    EXPECT_EQ(in[node], kNone) << node;
    in[node] = at;
    ++members[at];
  };
  for (uint32_t i = 0; i < count; ++i) {
    page.stretches.push_back({cut.first_of(i), cut.scatters(i) ? 0 : cut.members_of(i)});
    for (uint32_t k = 0; k < page.stretches[i].count; ++k) put(cut.first_of(i) + k, i);
  }
  for (const Placed& s : page.scattered = cut.scattered) put(s.node, s.at);
  EXPECT_FALSE(cut.scattered.empty());
  for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(members[i], cut.members_of(i)) << i;
  for (uint32_t n = 0; n < kForks; ++n) EXPECT_EQ(in[n], in[kForks + n]) << "a piece holds what it forks: " << n;
  const FoundInside found = find(p, page);
  EXPECT_EQ(found.here, 1u);
  std::vector<uint8_t> lit((count + 7) / 8, 0);
  lit[in[3] / 8] = uint8_t(1u << in[3] % 8);
  EXPECT_EQ(found.nodes, lit);
}

}  // namespace
}  // namespace einkorn::report
