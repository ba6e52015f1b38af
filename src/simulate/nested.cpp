#include "simulate/nested.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/format.h"

namespace einkorn::simulate {

namespace {

constexpr double kWorthAWord = 0.01;  // of the work

uint32_t around(const profile::Profile& p, uint32_t region) {
  const uint32_t grain = p.regions[region].parent_grain;
  return grain < p.grains.size() ? p.grains[grain].region : kNone;
}

std::string place_of(const profile::Profile& p, uint32_t source) {
  if (source >= p.sources.size()) return "";
  const profile::Source& s = p.sources[source];
  if (!s.line) return s.function.empty() ? "" : " in " + s.function;
  const size_t slash = s.file.rfind('/');
  return fmt::format(" at {}:{}", slash == std::string::npos ? s.file : s.file.substr(slash + 1), s.line);
}

// Teams of several threads inside teams of several.
std::string why_not_nested(const profile::Profile& p) {
  std::vector<uint8_t> inner(p.regions.size(), 0);
  uint32_t first = kNone;
  for (uint32_t r = 0; r < p.regions.size(); ++r) {
    uint32_t outer = around(p, r);
    if (outer < r) inner[r] = inner[outer];
    for (; outer < r && p.regions[r].team > 1 && !inner[r]; outer = around(p, outer))
      inner[r] = p.regions[outer].team > 1;
    if (inner[r] && first == kNone) first = r;
  }
  if (first == kNone) return "";
  double all = 0, in = 0;
  for (const profile::Grain& g : p.grains) {
    all += double(g.exec);
    if (g.region < inner.size() && inner[g.region]) in += double(g.exec);
  }
  if (in <= kWorthAWord * all) return "";
  return fmt::format(
      "the region{} had a team of {} threads inside another team, and a replay has one team at a time. Record the "
      "program with OMP_MAX_ACTIVE_LEVELS=1",
      place_of(p, p.regions[first].source), p.regions[first].team);
}

// Detached tasks of which nobody knows when their event was fulfilled, and by whom.
std::string why_not_detached(const profile::Profile& p) {
  std::vector<uint8_t> known;
  const auto& nodes = p.graph.nodes;
  std::vector<uint32_t> in(nodes.size(), 0);
  for (const profile::Edge& e : p.graph.edges) {
    const profile::Node& to = nodes[e.to];
    if (to.kind != profile::NodeKind::joint || e.kind != profile::EdgeKind::dependence) continue;
    const uint32_t g = nodes[e.from].grain == profile::kNone ? profile::kNone : context_of(p, nodes[e.from].grain);
    // By its own code, or by others: two edges come into its end then, or more.
    if (g != profile::kNone) ++in[e.to];
  }
  uint64_t missing = 0;
  uint32_t source = kNone;
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    const profile::Node& node = nodes[n];
    if (node.kind != profile::NodeKind::joint || node.grain == profile::kNone) continue;
    const profile::Grain& g = p.grains[node.grain];
    if (g.kind != profile::GrainKind::task || !(g.flags & profile::kDetached) || in[n] > 1) continue;
    ++missing;
    source = g.source;
  }
  if (missing == 0) return "";
  return fmt::format(
      "{} detached tasks{} ended when a thread that is not OpenMP's fulfilled their events, or one whose records are "
      "missing: nobody knows what that waited for",
      missing, place_of(p, source));
}

}  // namespace

std::vector<uint8_t> regions_of_callers(const profile::Profile& p, const std::vector<uint32_t>& members) {
  std::vector<uint8_t> out(p.regions.size(), 0);
  for (uint32_t r = 0; r < p.regions.size(); ++r) {
    if (members[r] < 2) {
      out[r] |= around(p, r) < r;
      continue;
    }
    bool alone = true;
    for (uint32_t o = around(p, r), below = r; o < below; below = o, o = around(p, o)) alone &= members[o] == 1;
    for (uint32_t o = around(p, r), below = r; alone && o < below; below = o, o = around(p, o)) out[o] = 1;
  }
  return out;
}

std::unordered_map<uint32_t, int64_t> nodes_stopped(const profile::Profile& p) {
  std::unordered_map<uint32_t, int64_t> of_grain, out;
  for (const profile::Stop& s : p.stops) of_grain[s.grain] += s.ns;
  if (of_grain.empty()) return out;
  std::unordered_map<uint32_t, uint32_t> longest;
  for (uint32_t n = 0; n < p.graph.nodes.size(); ++n) {
    const profile::Node& node = p.graph.nodes[n];
    if ((node.kind != profile::NodeKind::fragment && node.kind != profile::NodeKind::chunk) ||
        !of_grain.contains(node.grain))
      continue;
    const auto [at, fresh] = longest.try_emplace(node.grain, n);
    if (!fresh && p.graph.nodes[at->second].weight < node.weight) at->second = n;
  }
  for (const auto& [grain, node] : longest) out[node] = std::min(of_grain[grain], p.graph.nodes[node].weight);
  return out;
}

Region::Plain plain_of(const profile::Profile& p, uint32_t region) {
  const uint8_t asked = p.regions[region].asked;
  if (asked & record::kAskedThreads) return Region::Plain::divided;  // by hand, or by gcc in a static loop
  return asked ? Region::Plain::unknown : Region::Plain::repeated;
}

std::string why_no_replay(const profile::Profile& p) {
  if (std::string why = why_not_nested(p); !why.empty()) return why;
  return why_not_detached(p);
}

}  // namespace einkorn::simulate
