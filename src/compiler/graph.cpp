#include "compiler/graph.h"

#include <algorithm>

#include "compiler/flow.h"

namespace einkorn::compiler {

namespace {

std::string in_line(uint32_t line) { return "line " + std::to_string(line); }

// The constructs whose text is between two sync points: "single 10, for 16".
std::string constructs(const Plan& plan, uint32_t begin, uint32_t end) {
  const Function& f = *plan.function;
  std::string out;
  for (size_t i = size_t(plan.region) + 1; i < f.directives.size(); ++i) {
    const Directive& d = f.directives[i];
    if (d.pragma.begin < begin || d.pragma.begin >= end || is_elsewhere(plan, d.pragma.begin)) continue;
    if (d.kind == Directive::invoke || d.kind == Directive::barrier || d.kind == Directive::taskwait) continue;
    out += (out.empty() ? "" : ", ") + d.name + " " + std::to_string(d.line);
  }
  return out;
}

GraphNode sync_node(const Plan& plan, const Sync& sync) {
  const Function& f = *plan.function;
  if (sync.call >= 0) {
    const Call& call = f.calls[size_t(sync.call)];
    return {GraphNode::invocation, sync.line, call.callee + "()", in_line(sync.line)};
  }
  const Directive& d = f.directives[size_t(sync.directive)];
  const bool whole = d.kind == Directive::barrier || d.kind == Directive::taskwait;
  return {GraphNode::synchronisation, sync.line, whole ? d.name : "end of '" + d.name + "'", in_line(sync.line)};
}

}  // namespace

Graph graph_of(const Plan& plan) {
  const Function& f = *plan.function;
  const Directive& region = f.directives[size_t(plan.region)];
  const bool is_region = !is_procedure(plan), is_invoked = is_region && !plan.is_complex;
  Graph it;
  it.name = plan.name;
  it.title = is_region ? (plan.is_complex ? "complex of " : "region of ") + f.name + "(), " + in_line(plan.line) +
                             (plan.free ? ", free" : ", pinned")
             : is_function(plan) ? "function " + f.name + "(), " + in_line(f.line)
                                 : "task of " + f.name + "(), " + in_line(plan.line);
  if (is_invoked) it.nodes.push_back({GraphNode::invocation, plan.line, region.name, in_line(plan.line)});
  std::vector<int> codelets, syncs;  // the nodes that these are
  const size_t count = plan.syncs.size();
  for (size_t k = 0; k <= count; ++k) {
    const uint32_t begin = k ? plan.syncs[k - 1].at : region.statement.begin;
    const uint32_t end = k < count ? plan.syncs[k].at : region.statement.end;
    const uint32_t line = k ? plan.syncs[k - 1].line : is_function(plan) ? f.line : plan.line;
    codelets.push_back(int(it.nodes.size()));
    it.nodes.push_back({GraphNode::computation, line, "codelet " + std::to_string(k + 1) + ", from " + in_line(line),
                        constructs(plan, begin, end)});
    for (size_t i = size_t(plan.region) + 1; i < f.directives.size(); ++i) {
      const Directive& d = f.directives[i];
      if (d.kind != Directive::invoke || d.pragma.begin < begin || d.pragma.begin >= end ||
          is_elsewhere(plan, d.pragma.begin))
        continue;
      const std::string name = d.call >= 0 ? f.calls[size_t(d.call)].callee + "()" : codelets_name(f, int(i));
      it.nodes.push_back({GraphNode::invocation, d.line, "task: " + name, in_line(d.line), codelets.back()});
      it.arcs.push_back({GraphArc::each, codelets.back(), int(it.nodes.size()) - 1});
    }
    syncs.push_back(int(it.nodes.size()));
    if (k < count) it.nodes.push_back(sync_node(plan, plan.syncs[k]));
  }
  it.nodes.push_back({GraphNode::synchronisation, plan.line, is_region ? "end of the region" : "end",
                      is_region ? "" : "for who waits for it"});
  const auto is_of_all = [&](int sync) {
    if (sync == int(count)) return is_region;
    const Sync& s = plan.syncs[size_t(sync)];
    return is_region && s.call < 0 && f.directives[size_t(s.directive)].kind != Directive::taskwait;
  };
  if (is_invoked) it.arcs.push_back({GraphArc::spread, 0, codelets[0]});
  for (const auto& [codelet, sync] : arcs_of(plan))
    it.arcs.push_back(
        {is_of_all(sync) ? GraphArc::gather : GraphArc::each, codelets[size_t(codelet)], syncs[size_t(sync)]});
  for (size_t s = 0; s < count; ++s)
    it.arcs.push_back({is_of_all(int(s)) ? GraphArc::spread : GraphArc::each, syncs[s], codelets[s + 1]});
  return it;
}

}  // namespace einkorn::compiler
