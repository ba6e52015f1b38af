#include "profile/share_names.h"
#include <map>
#include <utility>

namespace einkorn::profile {

void name_shares(Profile& p, std::vector<uint32_t>* named_by) {
  const size_t known = p.sources.size();
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> named;  // region's source, wait's source -> that of the share
  for (Grain& g : p.grains) {
    if (g.kind != GrainKind::share || g.phase >= p.phases.size() || g.source >= known) continue;
    const Phase& phase = p.phases[g.phase];
    if (phase.last || phase.source >= known) continue;
    const Source &region = p.sources[g.source], &wait = p.sources[phase.source];
    if (wait.line == 0 || (wait.line == region.line && wait.file == region.file && wait.function == region.function))
      continue;
    const auto [at, added] = named.try_emplace({g.source, phase.source}, uint32_t(p.sources.size()));
    if (added) {
      Source share = wait;  // a copy, before the table grows
      share.construct = "share";
      // Two regions that call the same function: one row.
      for (const auto& [key, source] : named)
        if (key.second == phase.source && source < p.sources.size()) at->second = source;
      if (at->second == p.sources.size()) {
        p.sources.push_back(std::move(share));
        if (named_by) named_by->push_back(phase.source);
      }
    }
    g.source = at->second;
  }
}

}  // namespace einkorn::profile
