#include "cli/simulate_subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/costs.h"
#include "simulate/from_profile.h"

namespace einkorn::cli {

using namespace einkorn::simulate;

bool make_subject(const std::string& file, const MemoryOptions& o, Change change,
                  const std::shared_ptr<MemoryOf>& memory, machine::Machine& m, Setup& common, Subject& out,
                  std::string& why) {
  const profile::Profile& p = *out.profile;
  auto program = std::make_shared<Program>();
  std::vector<Change> ends;
  if (o.recorded_on.empty()) take_waiting(p.costs, m, common.costs);
  if (!take_memory(o, p, m, *memory, change, ends, common, why)) return false;
  *program = from_profile(p, change, why);
  if (!why.empty()) return why = fmt::format("{}: {}.", file, why), false;
  out.name = p.program;
  out.recorded = double(p.wall_ns);
  out.recorded_threads = recorded_threads(p);
  out.unknown = unknown_share(*program);
  out.second = !o.with.empty();
  out.moved = memory->moved;
  out.in_cache = memory->in_cache;
  out.perturbed = perturbed_share(p);
  auto teams_of = [](std::shared_ptr<Program> of) {
    return [of](int members) { return with_members(*of, uint32_t(members)); };
  };
  out.with = teams_of(program);
  // The time of memory accesses is not known: at one end of the range all time is compute, at the other all is memory.
  auto all_of_it = [with = out.with] { return with; };
  auto changed = [profile = out.profile, memory, teams_of](const Change& by) {
    return [profile, memory, teams_of, by] {
      std::string none;  // it has been adapted once already
      return std::function<Program(int)>(teams_of(std::make_shared<Program>(from_profile(*profile, by, none))));
    };
  };
  if (ends.empty() && out.unknown > kWorthARange) {
    out.ends.push_back({all_of_it, 1});
    if (!memory->likely.empty()) {
      change.memory = memory->likely;
      out.ends.push_back({changed(change), 0});
      out.ends.back().likely_on = std::shared_ptr<const machine::Machine>(memory, &memory->usual);
      out.ends.back().recorded_rate = memory->usual_rate;
    }
  }
  for (size_t i = 0; i < ends.size(); ++i) out.ends.push_back({changed(ends[i]), double(i)});
  // Where the threads asked for their number only, each may have done all of the region's work, or a part of it.
  if (std::any_of(program->regions.begin(), program->regions.end(),
                  [](const Region& r) { return r.plain == Region::Plain::unknown; }))
    out.ends.push_back(
        {[program] { return [program](int members) { return with_members(*program, uint32_t(members), true); }; }});
  // Nor is it known whether threads that wait for a lock sleep. If a lock is held for about as long as they stay awake,
  // chance decides, and from then on one after the other sleeps. A recording in which they waited tells how many did.
  common.slept = memory->slept;
  // And how long a wake takes changes from one moment to the next: measured on one computer, 21 to 62 us. So does a
  // line between two CPUs that a host moves: 30 and 210 ns.
  const double line =
      program->locks > 0 && o.recorded_on.empty() ? take_line(p.costs, memory->second, m, common.costs) : 1;
  if (program->locks > 0 && common.slept < 0) {
    constexpr double kSlowWake = 2;
    out.ends.push_back({all_of_it, 0, true});
    out.ends.push_back({all_of_it, 0, false, kSlowWake, line});
  }
  if (line > 1) out.ends.push_back({all_of_it, 0, false, 1, line});
  return true;
}

Ends run_with_ends(const Subject& subject, const machine::Machine& m, const Setup& common, Sweep& sweep,
                   const std::function<void(double)>& progress) {
  Ends ends;
  const double runs = 1 + double(subject.ends.size());
  auto told = [&](double f) { progress((double(ends.size()) + f) / runs); };
  simulate::run(subject.with, m, common, sweep, told);
  for (const Subject::End& end : subject.ends) {
    Sweep its;
    its.schedules = sweep.schedules, its.names = sweep.names, its.threads = sweep.threads, its.shapes = sweep.shapes;
    Setup setup = common;
    setup.unknown_memory = float(end.unknown);
    if (end.awake) setup.slept = 0;
    setup.costs.sleeper *= end.wake;
    setup.costs.line *= end.line;
    if (end.likely_on) setup.recorded_rate = end.recorded_rate;
    simulate::run(end.make(), end.likely_on ? *end.likely_on : m, setup, its, told);
    ends.push_back(std::move(its));
  }
  return ends;
}

}  // namespace einkorn::cli
