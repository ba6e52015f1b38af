#include "report/page/allocations.h"
#include "report/locality.h"

namespace einkorn::report {

using nlohmann::json;

json page_allocations(const profile::Profile& p) {
  if (p.allocations.empty()) return nullptr;
  constexpr size_t kNodes = 8;  // of a line: more are no help to a reader, and there may be a thousand
  const Locality where = locality(p);
  const std::vector<const profile::Allocations*> far = on_one_node(p, where);  // in the order of p.allocations
  auto next = far.begin();
  json lines = json::array();
  for (const profile::Allocations& a : p.allocations) {
    json j = {{"blocks", a.blocks}, {"bytes", a.bytes}, {"largest", a.largest}};
    if (a.source < p.sources.size()) j["source"] = a.source;
    if (const NodeShares shares = node_shares(a.on, kNodes); shares.all > 0) {
      json on = json::array();
      for (const NodeShares::Share& s : shares.most)
        on.push_back({{"node", s.node}, {"share", double(s.bytes) / shares.all}});
      j["on"] = std::move(on);
      if (shares.others > 0) j["others"] = {{"nodes", shares.others}, {"share", shares.others_bytes / shares.all}};
    }
    if (next != far.end() && *next == &a) j["one_node"] = true, ++next;
    lines.push_back(std::move(j));
  }
  json out = {{"lines", std::move(lines)}};
  if (std::string advice = one_node_advice(p, where, far); !advice.empty()) out["advice"] = std::move(advice);
  return out;
}

}  // namespace einkorn::report
