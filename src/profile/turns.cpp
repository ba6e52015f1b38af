#include "profile/turns.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace einkorn::profile {

namespace {

std::vector<Edge> edges_of(std::vector<Turn> turns, const Profile& p) {
  auto of = [&](const Turn& t) -> const Grain& { return p.grains[t.grain]; };
  std::erase_if(turns,
                [&](const Turn& t) { return t.grain >= p.grains.size() || of(t).loop == kNone || t.last == kNone; });
  std::stable_sort(turns.begin(), turns.end(), [&](const Turn& a, const Turn& b) {
    return std::pair(of(a).loop, of(a).first_iteration) < std::pair(of(b).loop, of(b).first_iteration);
  });
  std::vector<Edge> out;
  for (size_t i = 1; i < turns.size(); ++i)
    if (of(turns[i - 1]).loop == of(turns[i]).loop)
      out.push_back({turns[i - 1].last, turns[i].first, EdgeKind::dependence});
  return out;
}

// The position of each node; empty: the edges form a cycle.
std::vector<uint32_t> places(const Graph& graph) {
  const size_t nodes = graph.nodes.size();
  std::vector<uint32_t> at(nodes + 1, 0), to(graph.edges.size()), before(nodes, 0), place(nodes);
  for (const Edge& e : graph.edges) ++at[e.from + 1], ++before[e.to];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<uint32_t> cursor(at.begin(), at.end() - 1);
  for (const Edge& e : graph.edges) to[cursor[e.from]++] = e.to;
  // The first one in the old order comes first.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<uint32_t>> ready;
  for (uint32_t n = 0; n < nodes; ++n)
    if (before[n] == 0) ready.push(n);
  uint32_t next = 0;
  for (; !ready.empty(); ++next) {
    const uint32_t n = ready.top();
    ready.pop();
    place[n] = next;
    for (uint32_t i = at[n]; i < at[n + 1]; ++i)
      if (--before[to[i]] == 0) ready.push(to[i]);
  }
  if (next < nodes) place.clear();
  return place;
}

}  // namespace

void chain_turns(const std::vector<Turn>& turns, Profile& out, std::vector<ChainLink>& chains,
                 std::vector<uint32_t>& node_of_step) {
  Graph& graph = out.graph;
  const std::vector<Edge> more = edges_of(turns, out);
  if (more.empty()) return;
  const size_t edges = graph.edges.size();
  graph.edges.insert(graph.edges.end(), more.begin(), more.end());
  if (std::all_of(more.begin(), more.end(), [](const Edge& e) { return e.from < e.to; })) return;
  const std::vector<uint32_t> place = places(graph);
  if (place.empty()) return graph.edges.resize(edges);
  std::vector<Node> nodes(graph.nodes.size());
  std::vector<bool> in_turn(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) nodes[place[n]] = graph.nodes[n], in_turn[place[n]] = graph.in_turn[n];
  graph.nodes.swap(nodes);
  graph.in_turn.swap(in_turn);
  for (Edge& e : graph.edges) e = {place[e.from], place[e.to], e.kind};
  for (ChainLink& c : chains) c.node = place[c.node];
  for (uint32_t& n : node_of_step)
    if (n != kNone) n = place[n];
  std::sort(chains.begin(), chains.end(), [](const ChainLink& a, const ChainLink& b) { return a.node < b.node; });
}

}  // namespace einkorn::profile
