#include "simulate/inflation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "simulate/from_profile.h"
#include "simulate/rates.h"
#include "simulate/split_times.h"

namespace einkorn::simulate {

namespace {

using Line = std::tuple<std::string, uint32_t, std::string>;  // file, line, construct

Line line_of(const profile::Source& s) { return {s.file, s.line, s.construct}; }

// ns of work inside regions, by line.
std::map<Line, double> work_of(const profile::Profile& p) {
  std::map<Line, double> out;
  for (const profile::Grain& g : p.grains)
    if (g.source < p.sources.size() && (g.kind == profile::GrainKind::task || g.kind == profile::GrainKind::chunk ||
                                        g.kind == profile::GrainKind::share))
      out[line_of(p.sources[g.source])] += double(g.exec);
  return out;
}

}  // namespace

double slower_with(const machine::Machine& m, uint32_t threads) {
  const int node = m.pus.empty() ? 0 : m.pus[0].node;
  return rate_of_one(m, node) / rate_of_each(m, on_one_node(m, threads), node);
}

Inflation inflation(const profile::Profile& recorded, const profile::Profile& other, const machine::Machine& on,
                    std::string& error) {
  Inflation out;
  error.clear();
  const uint32_t a = recorded_threads(recorded), b = recorded_threads(other);
  if (a == b) {
    error = fmt::format("both have {} threads, and what memory costs shows between different numbers of them", a);
    return out;
  }
  double sa = slower_with(on, a), sb = slower_with(on, b);
  if (sa == sb) sa = a, sb = b;
  out.slower = sa;
  out.moved = !profile::same_distance(recorded.costs.line_now, other.costs.line_now);
  const double of_times = out.moved ? kDoubtWhereMoved : kDoubt;
  const std::map<Line, double> here = work_of(recorded), there = work_of(other);
  for (Inflation::End* end : {&out.likely, &out.least, &out.most}) {
    end->memory.assign(recorded.sources.size(), kUnknown);
    end->longer.assign(recorded.sources.size(), 1);
  }
  double all = 0, memory = 0;
  for (size_t i = 0; i < recorded.sources.size(); ++i) {
    const auto x = here.find(line_of(recorded.sources[i])), y = there.find(line_of(recorded.sources[i]));
    if (x == here.end() || y == there.end() || x->second <= 0) continue;
    const double ratio = y->second / x->second, part = (ratio - 1) * sa / (sb - sa);
    const double doubt = of_times * (1 + ratio) * sa / std::abs(sb - sa);
    auto memory_of = [](double m) { return float(std::clamp(m, 0.0, 1.0)); };
    out.likely.memory[i] = memory_of(part);
    out.least.memory[i] = memory_of(part - doubt);
    out.most.memory[i] = memory_of(part + doubt);
    if (part + doubt < 0) out.least.longer[i] = ratio;
    if (part - doubt > 1) out.most.longer[i] = ratio * sa / sb;
  }
  size_t found = 0;
  for (const auto& [line, ns] : here) found += there.count(line);
  if (found == 0) error = "they have no line in common: is it the same program?";
  for (const profile::Grain& g : recorded.grains) {
    if (g.source >= out.likely.memory.size() || out.likely.memory[g.source] < 0) continue;
    all += double(g.exec);
    memory += double(g.exec) * double(out.likely.memory[g.source]);
  }
  out.share = all > 0 ? memory / all : 0;
  return out;
}

}  // namespace einkorn::simulate
