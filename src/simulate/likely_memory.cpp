#include "simulate/likely_memory.h"

#include <algorithm>
#include <utility>

namespace einkorn::simulate {

namespace {

constexpr float kAnyPart = 0.5;

// How sure it is that a phase goes over all bytes, if that takes so many times the time it took: times and bandwidths
// are known to some tens of a percent.
double all_of_it(double times) { return std::clamp((2 - times) / 0.75, 0.0, 1.0) / 2; }

float likely_part(double times) {
  const double sure = all_of_it(times);
  return float(std::min(1.0, times) * (sure + (1 - sure) * double(kAnyPart)));
}

}  // namespace

std::vector<float> likely_memory(const profile::Profile& recorded, double rate) {
  const double bytes = double(recorded.totals.resident_bytes);
  if (bytes <= 0 || rate <= 0) return {};
  std::vector<float> out(recorded.sources.size(), kAnyPart);
  std::vector<double> ns(out.size(), 0);
  std::vector<bool> phases_only(out.size(), true);
  std::vector<std::pair<uint32_t, uint32_t>> phases;  // source, phase
  for (const profile::Grain& g : recorded.grains) {
    if (!profile::executed(g) || g.source >= out.size()) continue;
    if (g.phase == profile::kNone) phases_only[g.source] = false;
    ns[g.source] += double(g.exec);
    const std::pair here{g.source, g.phase};
    if (phases.empty() || phases.back() != here) phases.push_back(here);
  }
  std::sort(phases.begin(), phases.end());
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  std::vector<double> count(out.size(), 0);
  for (const auto& [source, phase] : phases) ++count[source];
  for (size_t s = 0; s < out.size(); ++s)
    if (phases_only[s] && ns[s] > 0) out[s] = likely_part(count[s] * bytes / (rate * ns[s]));
  return out;
}

}  // namespace einkorn::simulate
