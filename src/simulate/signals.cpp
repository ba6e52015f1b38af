#include "simulate/signals.h"

#include "simulate/types.h"

namespace einkorn::simulate {

using profile::Edge;
using profile::EdgeKind;
using profile::GrainKind;
using profile::Node;
using profile::NodeKind;

bool is_completion(const profile::Profile& p, const NodeEdges& edges, uint32_t n) {
  const Node& node = p.graph.nodes[n];
  if (node.kind != NodeKind::joint || node.grain == profile::kNone) return false;
  bool its = false;
  edges.each_in(n, [&](const Edge& e) {
    const uint32_t by = p.graph.nodes[e.from].grain;
    its |= e.kind == EdgeKind::creation && by != profile::kNone && by != node.grain && context_of(p, by) != node.grain;
  });
  return its;
}

bool is_signal(const profile::Profile& p, const NodeEdges& edges, const Edge& e) {
  const Node &to = p.graph.nodes[e.to], &from = p.graph.nodes[e.from];
  if (e.kind == EdgeKind::dependence && is_completion(p, edges, e.to))
    return from.kind != NodeKind::joint && context_of(p, from.grain) != to.grain;
  if (e.kind != EdgeKind::dependence || to.kind == NodeKind::chunk || to.kind == NodeKind::joint) return false;
  if (to.grain == profile::kNone || p.grains[to.grain].kind != GrainKind::task) return false;
  const uint32_t its = from.kind == NodeKind::joint ? profile::kNone : context_of(p, from.grain);
  if (its == profile::kNone) return false;
  bool goes_on = p.grains[its].kind != GrainKind::task;
  edges.each_out(e.from, [&](const Edge& other) { goes_on |= other.kind == EdgeKind::continuation; });
  return goes_on;
}

}  // namespace einkorn::simulate
