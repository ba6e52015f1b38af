#include "report/counters.h"
#include <algorithm>
#include <fmt/format.h>
#include "report/source_costs.h"
#include "report/wording.h"

namespace einkorn::report {

using profile::CountedEvents;
using profile::Grain;
using profile::Profile;
using record::Absence;
using record::Counter;
using record::kMostCounters;
using record::kUncounted;

namespace {

void add(const CountedEvents& counted, uint32_t g, SourceCounts& to) {
  ++to.grains;
  const profile::Counts& c = counted.grains[g];
  for (size_t i = 0; i < counted.counters.size(); ++i) {
    if (c.values[i] == kUncounted) continue;
    ++to.known[i];
    to.sum.values[i] = c.values[i] + (to.sum.values[i] == kUncounted ? 0 : to.sum.values[i]);
  }
  to.sum.estimated |= c.estimated;
}

const char* reason(Absence why) {
  switch (why) {
    case Absence::none: break;
    case Absence::no_pmu:
      return "this machine shows no counters of its processor, as most virtual machines do. Its host can pass them on "
             "(QEMU: -cpu host,pmu=on); else record on a real machine";
    case Absence::not_there: return "this processor has no such counter";
    case Absence::paranoid:
      return "the kernel does not let this user count that: sudo sysctl kernel.perf_event_paranoid=1 (of cycles, "
             "instructions and the like 2 is enough)";
    case Absence::seccomp:
      return "a filter of system calls forbids perf_event_open, as containers have it: docker run --cap-add PERFMON";
    case Absence::kernel: return "this kernel has no perf_event_open";
    case Absence::descriptors: return "there are no file descriptors left for it: ulimit -n 65536";
  }
  return "not known why";
}

}  // namespace

uint64_t SourceCounts::of_all(const CountedEvents& counted, Counter c) const {
  const size_t i = counted.place_of(c);
  return i < kMostCounters && grains > 0 && known[i] == grains ? sum.values[i] : kUncounted;
}

std::vector<SourceCounts> counts_by_source(const Profile& p) {
  std::vector<SourceCounts> out;
  if (!p.counted.any()) return out;
  std::vector<size_t> at(p.sources.size() + 1);
  for (const SourceCost& c : source_costs(p)) {
    if (c.executed == 0) continue;
    at[std::min<size_t>(c.source, p.sources.size())] = out.size();
    out.emplace_back();
    out.back().source = c.source;
    out.back().kind = c.kind;
  }
  for (uint32_t g = 0; g < p.grains.size(); ++g)
    if (executed(p.grains[g])) add(p.counted, g, out[at[std::min<size_t>(p.grains[g].source, p.sources.size())]]);
  return out;
}

SourceCounts all_counts(const Profile& p) {
  SourceCounts all;
  if (!p.counted.any()) return all;
  for (uint32_t g = 0; g < p.grains.size(); ++g)
    if (executed(p.grains[g])) add(p.counted, g, all);
  return all;
}

std::string amount(uint64_t n) {
  if (n < 100'000) return count(n);
  for (const auto& [unit, name] : {std::pair{1e3, "k"}, {1e6, "M"}, {1e9, "G"}})
    if (double(n) < 1e3 * unit) return fmt::format("{} {}", significant(double(n) / unit), name);
  return fmt::format("{} T", significant(double(n) / 1e12));
}

std::vector<std::string> absent_counters(const std::vector<CountedEvents::Absent>& absent) {
  std::vector<std::string> out;
  for (int why = 1; why < record::kAbsences; ++why) {
    std::string names;
    for (const CountedEvents::Absent& a : absent)
      if (int(a.why) == why) names += (names.empty() ? "" : ", ") + std::string(record::counter_info(a.counter).name);
    if (!names.empty()) out.push_back(fmt::format("not counted: {}: {}", names, reason(Absence(why))));
  }
  return out;
}

}  // namespace einkorn::report
