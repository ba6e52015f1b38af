#include "report/locality.h"
#include <algorithm>
#include <fmt/format.h>
#include "report/wording.h"

namespace einkorn::report {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;

std::optional<Nearness> nearness(const Grain& g) {
  if (g.kind != GrainKind::task || g.fragments == 0 || at_once(g) || g.creator == kNone) return std::nullopt;
  if (g.thread == g.creator) return Nearness::own_thread;
  if (g.node == kNoNode || g.creator_node == kNoNode) return std::nullopt;
  return g.node == g.creator_node ? Nearness::same_node : Nearness::remote;
}

Locality locality(const profile::Profile& p) {
  Locality l;
  std::vector<bool> seen(kNoNode, false);
  for (const Grain& g : p.grains) {
    if (g.fragments > 0 && g.node != kNoNode && !seen[g.node]) seen[g.node] = true, ++l.nodes;
    const std::optional<Nearness> n = nearness(g);
    if (!n) continue;
    ++l.tasks[size_t(*n)];
    l.exec[size_t(*n)] += g.exec;
  }
  for (const profile::Footprint& f : p.footprints) {
    ++l.footprints;
    l.bytes += f.bytes;
    l.known += f.known;
    l.remote += f.remote;
    l.written += f.written;
    l.remote_written += f.remote_written;
    l.estimated |= f.estimated;
  }
  return l;
}

std::vector<const profile::Allocations*> on_one_node(const profile::Profile& p, const Locality& where) {
  constexpr uint64_t kLeastLargest = 1'000'000, kLeastPart = 20;
  std::vector<const profile::Allocations*> found;
  if (where.nodes < 2) return found;
  uint64_t largest = 0;
  for (const profile::Allocations& a : p.allocations) largest = std::max(largest, a.largest);
  for (const profile::Allocations& a : p.allocations) {
    double all = 0, most = 0;
    for (const uint64_t bytes : a.on) all += double(bytes), most = std::max(most, double(bytes));
    if (all > 0 && most >= kOneNode * all && a.largest >= std::max(kLeastLargest, largest / kLeastPart))
      found.push_back(&a);
  }
  return found;
}

bool is_variable(const profile::Profile& p, const profile::Allocations& a) {
  return a.source < p.sources.size() && p.sources[a.source].construct == "variable";
}

std::string one_node_advice(const profile::Profile& p, const Locality& where,
                            const std::vector<const profile::Allocations*>& far) {
  if (far.empty()) return "";
  const auto variables = size_t(std::ranges::count_if(far, [&](const auto* a) { return is_variable(p, *a); }));
  const size_t lines = far.size() - variables;
  std::string which = lines > 0 ? "the blocks of " + plural(lines, "line") : "";
  if (variables > 0) which += (which.empty() ? "" : " and ") + plural(variables, "variable");
  return fmt::format(
      "Grains ran on {} nodes, and {} {} on one. If threads of all nodes use them, let each write its part "
      "first, or give each node a part (docs/memory.md); einkorn tune tries the latter, without touching the source",
      where.nodes, which, lines == 0 && variables == 1 ? "lies" : "lie");
}

NodeShares node_shares(const std::vector<uint64_t>& on, size_t most) {
  NodeShares out;
  for (size_t node = 0; node < on.size(); ++node) {
    out.all += double(on[node]);
    if (on[node] > 0) out.most.push_back({uint32_t(node), on[node]});
  }
  std::stable_sort(out.most.begin(), out.most.end(),
                   [](const NodeShares::Share& a, const NodeShares::Share& b) { return a.bytes > b.bytes; });
  for (size_t i = most; i < out.most.size(); ++i) ++out.others, out.others_bytes += double(out.most[i].bytes);
  if (out.most.size() > most) out.most.resize(most);
  return out;
}

std::vector<SourceBytes> bytes_by_source(const profile::Profile& p) {
  std::vector<SourceBytes> out(p.sources.size() + 1);
  for (const Grain& g : p.grains) {
    if (g.footprint == kNone) continue;
    const profile::Footprint& f = p.footprints[g.footprint];
    SourceBytes& s = out[std::min<size_t>(g.source, p.sources.size())];
    s.bytes += f.bytes;
    s.known += f.known;
    s.remote += f.remote;
  }
  return out;
}

}  // namespace einkorn::report
