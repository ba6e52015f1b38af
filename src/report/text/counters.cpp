#include "report/text/counters.h"
#include <algorithm>
#include <fmt/format.h>
#include "report/counters.h"
#include "report/text/table.h"

namespace einkorn::report {
namespace {

using profile::Profile;
using record::Counter;
using record::kUncounted;

// A ratio of two counters, both known of all grains.
struct Ratio {
  const char* name;
  Counter above, below;
  double factor;
  const char* unit;
};
constexpr Ratio kRatios[] = {
    {"IPC", Counter::instructions, Counter::cycles, 1, ""},
    {"stalled", Counter::stalled_cycles, Counter::cycles, 100, " %"},
    {"misses/1000", Counter::llc_misses, Counter::instructions, 1000, ""},
    {"remote", Counter::remote_accesses, Counter::llc_misses, 100, " %"},
};

std::string value_of(const Ratio& r, const profile::CountedEvents& counted, const SourceCounts& c) {
  const uint64_t above = c.of_all(counted, r.above), below = c.of_all(counted, r.below);
  if (above == kUncounted || below == kUncounted || below == 0) return "-";
  return significant(r.factor * double(above) / double(below)) + r.unit;
}

}  // namespace

std::string counters_text(const Profile& p, const Places& places, size_t lines) {
  const profile::CountedEvents& counted = p.counted;
  std::string out;
  bool estimated = false, some_unknown = false;
  std::vector<const Ratio*> ratios;
  for (const Ratio& r : kRatios)
    if (counted.has(r.above) && counted.has(r.below)) ratios.push_back(&r);
  auto row_of = [&](TextTable& table, std::vector<std::string> cells, const SourceCounts& c) {
    for (size_t i = 0; i < counted.counters.size(); ++i) {
      const uint64_t n = c.sum.values[i];
      const bool rough = c.sum.estimated >> i & 1;
      estimated |= rough && n != kUncounted;
      some_unknown |= c.known[i] < c.grains;
      cells.push_back(n == kUncounted ? "-" : fmt::format("{}{}", rough ? "~" : "", amount(n)));
    }
    for (const Ratio* r : ratios) cells.push_back(value_of(*r, counted, c));
    table.row(std::move(cells));
  };
  if (counted.any()) {
    const std::vector<SourceCounts> by_source = counts_by_source(p);
    TextTable table;
    std::vector<std::string> head = {"line", "construct", "grains"};
    for (const record::Counter c : counted.counters) head.emplace_back(record::counter_info(c).name);
    for (const Ratio* r : ratios) head.emplace_back(r->name);
    table.row(head);
    for (size_t i = 0; i < std::min(lines, by_source.size()); ++i) {
      const SourceCounts& c = by_source[i];
      const bool known = c.source != profile::kNone;
      row_of(table,
             {places(c.source), known ? p.sources[c.source].construct : profile::kGrainKindNames[size_t(c.kind)],
              count(c.grains)},
             c);
    }
    const SourceCounts all = all_counts(p);
    row_of(table, {"all grains", "", count(all.grains)}, all);
    SourceCounts elsewhere;
    elsewhere.sum = counted.elsewhere;
    row_of(table, {"elsewhere", "", ""}, elsewhere);
    table.print(out, "ll" + std::string(1 + counted.counters.size() + ratios.size(), 'r'));
    if (by_source.size() > lines) out += fmt::format("  ... and {} more\n", plural(by_source.size() - lines, "line"));
    out += "  elsewhere: in the runtime, in waits, in what was not recorded one by one, and in the recorder\n";
    if (estimated)
      out += "  ~ estimated: the counter shared the processor's with others, and counted part of the time\n";
    if (some_unknown)
      out += "  some grains' counts are not known (records are missing, or codelets): they are not in the sums\n";
  }
  for (const std::string& sentence : absent_counters(counted.absent)) out += "  " + sentence + '\n';
  return out;
}

}  // namespace einkorn::report
