// Tasks of the critical path that run late: others that were queued before or behind them ran first, and at the end all
// wait for the path.
//
// Of the wall time no schedule takes away more than what lies above (2), the longer of the path and the work by the
// threads; nor, whatever runs first, more than what the path has beyond its part of the work, span x (1 - 1 / threads)
// (Graham's bound); nor more than the tasks of the path were late: from when they might have begun until they did.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::GrainKind;
using profile::kNone;
using profile::NodeKind;
using profile::Profile;

// Much of the path, and not most of the work: else there is nothing that could wait instead.
constexpr double kOfPath = 0.2, kOfWork = 0.6;

struct PathConstruct {
  uint32_t source = kNone;
  std::vector<uint32_t> sources;
  int64_t work = 0, on_path = 0, late = 0;
  uint64_t tasks = 0;  // on the path
  uint32_t least_depth = UINT32_MAX, most_depth = 0;
};

// By node, when all had ended that it follows; of what has no time of its own, those before. -1: not known.
std::vector<int64_t> ready_times(const profile::Graph& g) {
  std::vector<int64_t> ready(g.nodes.size(), -1);
  for (const profile::Edge& e : g.edges) {
    const profile::Node& from = g.nodes[e.from];
    const int64_t end = from.begin >= 0 ? from.begin + from.weight : ready[e.from];
    ready[e.to] = std::max(ready[e.to], end);
  }
  return ready;
}

}  // namespace

void find_late_tasks(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  if (p.graph.nodes.empty() || e.b.span <= 0) return;
  const std::vector<int64_t> ready = ready_times(p.graph);
  // A line's tasks are one construct, whatever function they are in: a template's.
  std::map<std::tuple<std::string, uint32_t, uint32_t>, PathConstruct> all;
  std::vector<bool> begun(p.grains.size(), false);
  int64_t work = 0, path = 0;
  for (size_t i = 0; i < p.graph.nodes.size(); ++i) {
    const profile::Node& n = p.graph.nodes[i];
    if ((n.kind != NodeKind::fragment && n.kind != NodeKind::chunk) || n.grain == kNone) continue;
    work += n.weight;
    if (n.critical) path += n.weight;
    const profile::Grain& g = p.grains[n.grain];
    if (g.kind != GrainKind::task || g.source >= p.sources.size() || p.sources[g.source].construct != "task") continue;
    const profile::Source& s = p.sources[g.source];
    PathConstruct& c = all[{s.file, s.line, s.line ? 0 : g.source}];
    if (c.source == kNone) c.source = g.source;
    if (std::find(c.sources.begin(), c.sources.end(), g.source) == c.sources.end()) c.sources.push_back(g.source);
    c.work += n.weight;
    c.least_depth = std::min(c.least_depth, g.depth);
    c.most_depth = std::max(c.most_depth, g.depth);
    const bool is_first = !begun[n.grain];
    begun[n.grain] = true;
    if (!n.critical) continue;
    c.on_path += n.weight;
    c.tasks += is_first;
    if (is_first && !at_once(g) && n.begin >= 0 && ready[i] >= 0) c.late += std::max<int64_t>(0, n.begin - ready[i]);
  }
  for (const auto& [line, c] : all) {
    // Those of a recursion, at many depths, all lead to others: none of them is before the rest.
    if (c.least_depth != c.most_depth || double(c.on_path) < kOfPath * double(path) ||
        double(c.work) > kOfWork * double(work))
      continue;
    Finding f;
    f.kind = ProblemKind::late_tasks;
    f.gain_ns = std::min({e.b.room, int64_t(double(e.b.span) * (1 - 1 / std::max(1.0, e.b.threads))), c.late});
    f.source = c.source;
    f.sources = c.sources;
    f.about.sources = c.sources;
    f.about.kinds = profile::kOfTasks;
    f.what = fmt::format("tasks of the critical path run late (they are {} of it and {} of all work)",
                         percent(double(c.on_path), double(path)), percent(double(c.work), double(work)));
    f.advice =
        "Let them run before the others: create them first, or give them a priority clause and set "
        "OMP_MAX_TASK_PRIORITY.";
    f.evidence = {fmt::format("{} on the path could have begun {} earlier, all together", plural(c.tasks, "task"),
                              duration(c.late, 2)),
                  fmt::format("path {}, work by threads {}, of {}", duration(e.b.span, 2),
                              duration(int64_t(double(e.b.work) / e.b.threads), 2), duration(e.b.wall, 2))};
    out.push_back(std::move(f));
  }
}

}  // namespace einkorn::report
