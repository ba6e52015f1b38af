#include <algorithm>
#include <unordered_map>
#include "profile/compare.h"
#include "profile/identity.h"
#include "profile/pairing.h"

namespace einkorn::profile {

namespace {

uint32_t extent_of(const Profile& p, const Grain& g) {
  if (g.kind == GrainKind::share) return g.region < p.regions.size() ? p.regions[g.region].team : 0;
  return g.iterations < 0 ? 0 : uint32_t(g.iterations);
}

// Instances of loops have no name of their own in a profile: that of their region's creator, and their place in it. Nor
// have phases.
uint64_t instance_key(const Profile& p, uint32_t region, IdKind kind, uint32_t ordinal) {
  if (region >= p.regions.size()) return 0;
  const Region& r = p.regions[region];
  GrainId id;
  if (r.parent_grain < p.grains.size()) id = {p.grains[r.parent_grain].id_high, p.grains[r.parent_grain].id_low};
  return derive(derive(id, IdKind::region, r.ordinal), kind, ordinal).high;
}

// Of each source whose text the recording keeps, its line and the next ones that say something.
std::vector<std::vector<std::string>> texts_of(const Profile& p) {
  constexpr size_t kMostLines = 4;
  std::unordered_map<std::string, std::vector<const SourceText*>> by_file;
  for (const SourceText& t : p.source_texts) by_file[t.file].push_back(&t);
  std::vector<std::vector<std::string>> out(p.sources.size());
  for (size_t i = 0; i < p.sources.size(); ++i) {
    const Source& s = p.sources[i];
    const auto at = by_file.find(s.file);
    if (at == by_file.end() || s.line == 0) continue;
    for (const SourceText* t : at->second) {
      if (s.line < t->first_line || s.line - t->first_line >= t->lines.size()) continue;
      for (size_t l = s.line - t->first_line; l < t->lines.size() && out[i].size() < kMostLines; ++l)
        if (std::string text = comparable_text(t->lines[l]); !text.empty()) out[i].push_back(std::move(text));
      break;
    }
  }
  return out;
}

}  // namespace

Side side_of(const Profile& p) {
  Side s;
  s.program = p.program;
  s.argv = p.argv;
  s.threads = uint32_t(p.threads.size());
  s.wall_ns = p.wall_ns;
  s.times_valid = p.times_valid;
  s.predicted = p.predicted;
  if (s.predicted.empty()) s.line_ns = p.costs.line_now;
  s.complete = p.totals.complete;
  s.thread_time = p.thread_time;
  for (const Thread& t : p.threads) s.cpu_time_known |= t.cpu_ns >= 0;
  s.lost = p.totals.lost_tasks + p.totals.lost_chunks;
  s.sources = p.sources;
  s.texts = texts_of(p);
  for (const LoopInstance& l : p.loops)
    s.loops.push_back({instance_key(p, l.region, IdKind::loop, l.ordinal), l.source,
                       l.region < p.regions.size() ? p.regions[l.region].source : kNone, l.iterations});
  uint32_t region = kNone, ordinal = 0;
  for (const Phase& phase : p.phases) {  // by region, in order
    ordinal = phase.region == region ? ordinal + 1 : 0;
    region = phase.region;
    s.phases.push_back({instance_key(p, region, IdKind::share, ordinal), 0,
                        region < p.regions.size() ? p.regions[region].source : kNone});
  }
  std::vector<uint32_t> first_phase(p.regions.size(), kNone);
  for (uint32_t i = 0; i < p.phases.size(); ++i)
    if (uint32_t r = p.phases[i].region; r < first_phase.size()) first_phase[r] = std::min(first_phase[r], i);
  auto phase_of = [&](const Grain& g) {
    return g.phase < p.phases.size() && g.region < first_phase.size() && g.phase >= first_phase[g.region]
               ? g.phase - first_phase[g.region]
               : kNone;
  };
  s.grains.reserve(size_t(std::count_if(p.grains.begin(), p.grains.end(), executed)));
  for (uint32_t i = 0; i < p.grains.size(); ++i) {
    const Grain& g = p.grains[i];
    if (!executed(g)) continue;
    const bool share = g.kind == GrainKind::share;
    const uint32_t loop = share                     ? (g.phase < s.phases.size() ? g.phase : kNone)
                          : g.loop < s.loops.size() ? g.loop
                                                    : kNone;
    if (share && loop != kNone) s.phases[loop].exec += g.exec;
    const uint64_t first = g.first_iteration < 0 ? 0 : uint64_t(g.first_iteration);
    s.grains.push_back({g.id_high, g.id_low, first, g.exec, extent_of(p, g), i,
                        g.source < p.sources.size() ? g.source : kNone, loop, phase_of(g), g.kind});
    if (loop != kNone && g.kind == GrainKind::chunk) ++s.loops[loop].chunks, s.loops[loop].exec += g.exec;
  }
  for (const Aggregate& a : p.aggregates) {
    if (!a.executed || a.grain >= p.grains.size()) continue;
    const Grain& g = p.grains[a.grain];
    s.aggregates.push_back({g.id_high, g.id_low, a.source < p.sources.size() ? a.source : kNone,
                            a.chunks ? GrainKind::chunk : GrainKind::task, a.executed, a.exec});
    s.aggregated += a.executed;
  }
  return s;
}

}  // namespace einkorn::profile
