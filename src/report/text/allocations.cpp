#include "report/text/allocations.h"
#include <algorithm>
#include <fmt/format.h>
#include "report/text/table.h"

namespace einkorn::report {
namespace {

std::string megabytes(uint64_t bytes) { return significant(double(bytes) * 1e-6, 3); }

// "0: 62 %, 3: 38 %"
std::string nodes_text(const std::vector<uint64_t>& on) {
  constexpr size_t kShown = 4;
  const NodeShares shares = node_shares(on, kShown);
  if (shares.all == 0) return "not known";
  std::string text;
  for (const NodeShares::Share& s : shares.most)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", s.node, percent(double(s.bytes), shares.all));
  return shares.others > 0 ? text + fmt::format(", and {} more", shares.others) : text;
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
  if (const std::string advice = one_node_advice(p, where, on_one_node(p, where)); !advice.empty())
    out += "  " + advice + '\n';
  return out;
}

}  // namespace einkorn::report
