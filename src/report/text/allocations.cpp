#include "report/text/allocations.h"
#include <algorithm>
#include <fmt/format.h>
#include "report/text/table.h"

namespace einkorn::report {
namespace {

std::string megabytes(uint64_t bytes) { return significant(double(bytes) * 1e-6, 3); }

// "0: 62 %, 3: 38 %"
std::string nodes_text(const std::vector<uint64_t>& on) {
  double all = 0;
  for (const uint64_t bytes : on) all += double(bytes);
  if (all == 0) return "not known";
  constexpr size_t kShown = 4;
  std::vector<size_t> nodes;
  for (size_t node = 0; node < on.size(); ++node)
    if (on[node] > 0) nodes.push_back(node);
  std::stable_sort(nodes.begin(), nodes.end(), [&](size_t a, size_t b) { return on[a] > on[b]; });
  std::string text;
  for (size_t i = 0; i < std::min(kShown, nodes.size()); ++i)
    text += fmt::format("{}{}: {}", i ? ", " : "", nodes[i], percent(double(on[nodes[i]]), all));
  return nodes.size() > kShown ? text + fmt::format(", and {} more", nodes.size() - kShown) : text;
}

bool is_variable(const profile::Profile& p, const profile::Allocations& a) {
  return a.source < p.sources.size() && p.sources[a.source].construct == "variable";
}

}  // namespace

std::string allocations_text(const profile::Profile& p, const Places& places, const Locality& where, size_t lines) {
  if (p.allocations.empty()) return "";
  std::string out;
  TextTable table;
  table.row({"line", "blocks", "MB", "largest, MB", "on node"});
  for (size_t i = 0; i < std::min(lines, p.allocations.size()); ++i) {
    const profile::Allocations& a = p.allocations[i];
    table.row({(is_variable(p, a) ? "variable " : "") + places(a.source), count(a.blocks), megabytes(a.bytes),
               megabytes(a.largest), nodes_text(a.on)});
  }
  table.print(out, "lrrrl");
  if (p.allocations.size() > lines)
    out += fmt::format("  ... and {} more\n", plural(p.allocations.size() - lines, "line"));
  if (const std::vector<const profile::Allocations*> far = on_one_node(p); !far.empty()) {
    const auto variables = size_t(std::ranges::count_if(far, [&](const auto* a) { return is_variable(p, *a); }));
    std::string which = far.size() > variables ? "the blocks of " + plural(far.size() - variables, "line") : "";
    if (variables > 0) which += (which.empty() ? "" : " and ") + plural(variables, "variable");
    out += fmt::format(
        "  Grains ran on {} nodes, and {} {} on one. If threads of all nodes use them, let each write its part "
        "first, or give each node a part (docs/memory.md); einkorn tune tries the latter, without touching the source\n",
        where.nodes, which, far.size() == 1 && variables == 1 ? "lies" : "lie");
  }
  return out;
}

}  // namespace einkorn::report
