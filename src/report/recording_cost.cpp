#include "report/recording_cost.h"
#include <algorithm>
#include <fmt/format.h>
#include "report/wording.h"

namespace einkorn::report {

using profile::Cost;
using profile::GrainKind;
using profile::Metric;
using profile::Metrics;
using profile::Profile;

namespace {

// Of a task that another thread than its maker runs, with a body shorter than this: where nobody records its maker
// would run it at once (schedule/tiny.h: some 60 ns with making it; recorded bodies have what a task adds
// inside of them).
constexpr int64_t kTiny = 60;

}  // namespace

profile::MeasuredCost grain_cost(const Profile& p, const profile::Grain& g) {
  auto of = [&](Cost c) { return p.costs(p.interface, c); };
  const profile::MeasuredCost own = of(Cost::task);
  auto or_own = [&](Cost c) { return of(c).known() ? of(c) : own; };  // measured by an earlier version, or on one CPU
  profile::MeasuredCost cost;
  if (g.kind == GrainKind::chunk) cost = of(Cost::chunk);
  else if (g.kind != GrainKind::task) return {};
  else if (profile::at_once(g)) cost = of(Cost::at_once);
  else if (g.iterations >= 0) cost = or_own(Cost::piece);
  else if (g.thread == g.creator || g.thread == profile::kNone || g.creator == profile::kNone) cost = own;
  else if (cost = or_own(Cost::handed_over); cost.known() && g.exec < kTiny && of(Cost::at_once).known())
    cost.plain = of(Cost::at_once).plain;
  return cost;
}

std::optional<int64_t> recording_slowed(const Profile& p, const Metrics& m) {
  if (p.costs.threads == 0 || !p.times_valid || !p.predicted.empty()) return std::nullopt;
  auto more = [&](Cost c) {
    const profile::MeasuredCost& cost = p.costs(p.interface, c);
    return cost.known() ? std::max(0.0, cost.recorded - cost.plain) : 0;
  };
  double of_threads = 0, of_wall = 0;
  for (const profile::Grain& g : p.grains)
    if (const profile::MeasuredCost cost = grain_cost(p, g); cost.known()) of_threads += cost.recorded - cost.plain;
  for (const profile::Phase& phase : p.phases) {
    const profile::Region& region = p.regions[phase.region];
    if (region.team <= 1) of_threads += phase.last ? more(Cost::inner) : 0;
    else of_wall += more(phase.last ? Cost::region : Cost::barrier);
  }
  const double threads = std::isnan(m[Metric::threads]) ? 1 : m[Metric::threads];
  // Threads that dispute a queue do so less where each is slowed: recording may even save time.
  return int64_t(std::clamp(of_wall + of_threads / threads, 0.0, double(p.wall_ns)));
}

std::string recording_slowed_text(const Profile& p, const Metrics& m) {
  const std::optional<int64_t> slowed = recording_slowed(p, m);
  if (!slowed || 100 * *slowed < p.wall_ns) return "";
  return fmt::format("recording slowed the program by about {} ({})", duration(*slowed, 2),
                     percent(double(*slowed), double(std::max<int64_t>(1, p.wall_ns - *slowed))));
}

}  // namespace einkorn::report
