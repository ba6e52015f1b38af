// What a recording's times are worth to a replay.
#include <algorithm>

#include "simulate/from_profile.h"

namespace einkorn::simulate {

using profile::Grain;
using profile::GrainKind;

bool grain_times_valid(const profile::Profile& profile) {
  const double of_work = double(profile.thread_time[size_t(profile::State::offcpu)]),
               all = double(profile::all_thread_time(profile));
  return profile.times_valid || (!profile.totals.clock_jumped && of_work <= profile::kMostWithoutCpu * all);
}

namespace {

template <class Counts>
double perturbed_part(const profile::Profile& profile, Counts&& counts) {
  double all = 0, perturbed = 0;
  for (const Grain& g : profile.grains) {
    if (g.kind == GrainKind::initial || g.kind == GrainKind::implicit) continue;
    all += double(g.exec);
    if ((g.flags & profile::kPerturbed) && counts(g)) perturbed += double(g.exec);
  }
  return all > 0 ? perturbed / all : 0;
}

}  // namespace

double perturbed_share(const profile::Profile& profile, uint32_t depth) {
  return perturbed_part(profile,
                        [&](const Grain& g) { return depth == 0 || (g.kind == GrainKind::task && g.depth >= depth); });
}

double perturbed_share(const profile::Profile& profile, const std::vector<double>& speedup) {
  return perturbed_part(profile, [&](const Grain& g) { return g.source < speedup.size() && speedup[g.source] != 1; });
}

uint32_t recorded_threads(const profile::Profile& profile) {
  uint32_t most = 1;
  for (const profile::Region& r : profile.regions) most = std::max(most, r.team);
  return most;
}

}  // namespace einkorn::simulate
