#include "report/locality.h"
#include <algorithm>

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
