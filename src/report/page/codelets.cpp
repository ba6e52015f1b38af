#include "report/page/codelets.h"

namespace einkorn::report {

using nlohmann::json;
using profile::kNone;

json page_codelets(const profile::Profile& p) {
  json out = json::array();
  for (const profile::CodeletGraph& g : p.codelet_graphs) {
    json codelets = json::array(), arcs = json::array();
    for (uint32_t i = g.first; i < g.first + g.count; ++i) {
      const profile::Codelet& c = p.codelets[i];
      json j = {{"executed", c.executed}, {"recorded", c.recorded}, {"exec", c.exec}, {"critical", c.critical}};
      if (c.source != kNone) j["source"] = c.source;
      if (c.at != kNone) j["at"] = c.at;
      if (c.median >= 0) j["median"] = c.median, j["longest"] = c.longest;
      codelets.push_back(std::move(j));
    }
    for (uint32_t i = g.first_arc; i < g.first_arc + g.arcs; ++i) {
      const profile::CodeletArc& a = p.codelet_arcs[i];
      arcs.push_back({{"from", a.from - g.first}, {"to", a.to - g.first}, {"count", a.count}});
    }
    json j = {{"name", g.name},
              {"procedure", g.procedure},
              {"runs", g.runs},
              {"codelets", std::move(codelets)},
              {"arcs", std::move(arcs)}};
    if (g.source != kNone) j["source"] = g.source;
    out.push_back(std::move(j));
  }
  return out;
}

}  // namespace einkorn::report
