// The reduced grain graph: nodes put together, nothing lost.
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include "../scratch.h"
#include "../golden/golden_depend.h"
#include "../golden/golden_programs.h"
#include "profile/profile.h"
#include "report/layout/reduce.h"

namespace einkorn {
namespace {

using namespace test;
using profile::Edge;
using profile::EdgeKind;
using profile::Graph;
using profile::Node;
using profile::NodeKind;
using report::ReducedGraph;

profile::Profile load(const GrainFile& file) {
  const std::string path = scratch(".grain"), bytes = file.bytes();
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  profile::Profile p;
  profile::LoadOptions options;
  options.symbolize = false;
  profile::LoadError error;
  EXPECT_TRUE(profile::load(path, options, p, error)) << error.message;
  remove(path.c_str());
  return p;
}

std::map<NodeKind, int64_t> weights(const Graph& g) {
  std::map<NodeKind, int64_t> out;
  for (const Node& n : g.nodes) out[n.kind] += n.weight;
  return out;
}

size_t count(const Graph& g, NodeKind kind) {
  size_t n = 0;
  for (const Node& node : g.nodes) n += node.kind == kind;
  return n;
}

size_t count(const Graph& g, EdgeKind kind) {
  size_t n = 0;
  for (const Edge& e : g.edges) n += e.kind == kind;
  return n;
}

TEST(Reduce, KeepsWeightsOrderAndConnection) {
  for (const GrainFile& file : {figure53_tasks(), figure53_loop(), fib4(), nested(), depend_tasks(), depend_waits()}) {
    const profile::Profile p = load(file);
    const ReducedGraph r = report::reduce_graph(p.graph, {});
    EXPECT_EQ(weights(r.graph), weights(p.graph));
    uint64_t members = 0;
    for (uint32_t m : r.members) members += m;
    EXPECT_EQ(members, p.graph.nodes.size());
    // Topological, and every node but the first hangs off something.
    std::set<uint32_t> reached;
    for (const Edge& e : r.graph.edges) {
      EXPECT_LT(e.from, e.to);
      reached.insert(e.to);
    }
    EXPECT_EQ(reached.size(), r.graph.nodes.size() - 1);
    // One node a grain.
    std::set<uint32_t> grains;
    for (const Node& n : r.graph.nodes)
      if (n.kind == NodeKind::fragment || n.kind == NodeKind::chunk) {
        EXPECT_TRUE(grains.insert(n.grain).second);
      }
    // Every task is created once still.
    EXPECT_EQ(count(r.graph, EdgeKind::creation), count(p.graph, EdgeKind::creation));
    const ReducedGraph again = report::reduce_graph(r.graph, {});
    EXPECT_EQ(again.graph.nodes.size(), r.graph.nodes.size());
    EXPECT_EQ(again.graph.edges.size(), r.graph.edges.size());
  }
}

// foo creates bar and baz: one fork; the two shares have one node each.
TEST(Reduce, TasksOfFigure53) {
  const ReducedGraph r = report::reduce_graph(load(figure53_tasks()).graph, {});
  EXPECT_EQ(count(r.graph, NodeKind::fragment), 6u);  // program, two shares, foo, bar, baz
  EXPECT_EQ(count(r.graph, NodeKind::fork), 3u);      // region, foo, bar and baz
  EXPECT_EQ(count(r.graph, NodeKind::join), 2u);
  EXPECT_EQ(count(r.graph, EdgeKind::creation), 5u);
  EXPECT_EQ(count(r.graph, EdgeKind::join), 5u);  // bar, baz; foo, two shares
}

// Each thread's book-keeping is one node, its chunks are siblings below it.
TEST(Reduce, LoopOfFigure53) {
  const ReducedGraph r = report::reduce_graph(load(figure53_loop()).graph, {});
  EXPECT_EQ(count(r.graph, NodeKind::bookkeeping), 2u);
  EXPECT_EQ(count(r.graph, NodeKind::chunk), 5u);
  for (const Edge& e : r.graph.edges) {
    if (r.graph.nodes[e.to].kind == NodeKind::chunk) {
      EXPECT_EQ(r.graph.nodes[e.from].kind, NodeKind::bookkeeping);
    }
    if (r.graph.nodes[e.from].kind == NodeKind::chunk) {
      EXPECT_EQ(r.graph.nodes[e.to].kind, NodeKind::fragment);  // the share after the loop
    }
  }
}

}  // namespace
}  // namespace einkorn
