#include "profile/share_names.h"
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace einkorn::profile {

void name_shares(Profile& p, std::vector<uint32_t>* named_by) {
  const size_t known = p.sources.size();
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> named;  // region's source, wait's source -> that of the share
  std::map<std::tuple<std::string, uint32_t, std::string>, uint32_t> rows;
  for (Grain& g : p.grains) {
    if (g.kind != GrainKind::share || g.phase >= p.phases.size() || g.source >= known) continue;
    const Phase& phase = p.phases[g.phase];
    if (phase.last || phase.source >= known) continue;
    const auto [at, added] = named.try_emplace({g.source, phase.source}, g.source);
    if (added) {
      const Source &region = p.sources[g.source], &wait = p.sources[phase.source];
      const bool same = wait.line == region.line && wait.file == region.file && wait.function == region.function;
      if (wait.line != 0 && !same) {
        const auto [row, is_new] = rows.try_emplace({wait.file, wait.line, wait.function}, uint32_t(p.sources.size()));
        at->second = row->second;
        if (is_new) {
          Source share = wait;  // a copy, before the table grows
          share.construct = "share";
          p.sources.push_back(std::move(share));
          if (named_by) named_by->push_back(phase.source);
        }
      }
    }
    g.source = at->second;
  }
}

}  // namespace einkorn::profile
