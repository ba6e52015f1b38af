#include "cli/simulate_memory.h"

#include <fmt/format.h>

#include "cli/progress.h"
#include "machine/load.h"
#include "simulate/costs.h"
#include "simulate/inflation.h"
#include "simulate/likely_memory.h"
#include "simulate/rates.h"

namespace einkorn::cli {

using namespace einkorn::simulate;

bool take_memory(const MemoryOptions& o, const profile::Profile& p, machine::Machine& m, MemoryOf& about,
                 Change& change, std::vector<Change>& ends, Setup& common, std::string& why) {
  // If the time of bytes is not known, they tell nothing.
  if (!m.bandwidth.empty()) change.recorded_on = &about.recorded_on, change.touches = &about.touches;
  if (o.recorded_on.empty() && o.with.empty()) {
    about.in_cache = fits_cache(p, m);
    if (about.in_cache) change.memory.assign(p.sources.size(), 0);
    about.usual = take_streams(p.costs, m) ? with_usual_streams(p.costs, m) : m;
    if (!about.usual.bandwidth.empty() && !about.in_cache) {
      about.usual_rate = rate_of_one(about.usual) / slower_with(about.usual, recorded_threads(p));
      about.likely = likely_memory(p, about.usual_rate);
    }
  }
  about.recorded_on = m;
  about.slept = slept_share(p, common.costs);
  if (!o.recorded_on.empty() && !machine::load(o.recorded_on, &about.recorded_on, &why))
    return why = fmt::format("--recorded-on: {}.", why), false;
  if (!o.recorded_on.empty() && about.recorded_on.bandwidth.empty())
    return why = fmt::format("--recorded-on: {} has no bandwidths (`einkorn machine --measure` finds them).",
                             o.recorded_on),
           false;
  double slower = slower_with(about.recorded_on, recorded_threads(p));
  if (!o.with.empty()) {
    profile::Profile other;
    profile::LoadError error;
    Progress progress;
    profile::LoadOptions load;
    load.graph = false;
    load.progress = [&](double f, const char* what) { progress(f, what); };
    if (!profile::load(o.with, load, other, error)) return why = fmt::format("--with: {}", error.message), false;
    if (!grain_times_valid(other)) return why = fmt::format("--with: the times of {} are not valid.", o.with), false;
    about.slept = std::max(about.slept, slept_share(other, common.costs));
    about.second = other.costs;
    const Inflation found = inflation(p, other, about.recorded_on, why);
    if (!why.empty()) return why = fmt::format("--with: {} and the recording: {}.", o.with, why), false;
    change.memory = found.likely.memory;
    for (const Inflation::End* end : {&found.least, &found.most}) {
      ends.push_back(change);
      ends.back().memory = end->memory;
      ends.back().longer = end->longer;
    }
    slower = found.slower;
    about.moved = found.moved;
  }
  common.recorded_rate = rate_of_one(about.recorded_on) / slower;
  return true;
}

double unknown_share(const Program& p) {
  const double work = p.work();
  return work > 0 ? p.unknown() / work : 0;
}

}  // namespace einkorn::cli
