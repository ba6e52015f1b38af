#include "report/text/serial.h"
#include <algorithm>
#include <map>
#include <fmt/format.h>
#include "report/text/table.h"
#include "report/wording.h"

namespace einkorn::report {

using profile::kNone;
using profile::Profile;

std::vector<SerialFunction> serial_functions(const Profile& p) {
  std::map<uint32_t, std::map<uint32_t, uint64_t>> counts;  // function -> region after it
  for (const profile::SerialSample& s : p.serial_samples)
    ++counts[s.source][s.before < p.regions.size() ? p.regions[s.before].source : kNone];
  std::vector<SerialFunction> out;
  for (const auto& [source, before] : counts) {
    SerialFunction f;
    f.source = source;
    for (const auto& [region, samples] : before) f.samples += samples;
    f.before =
        std::max_element(before.begin(), before.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
    out.push_back(f);
  }
  std::ranges::stable_sort(out, [](auto& a, auto& b) { return a.samples > b.samples; });
  return out;
}

std::string serial_text(const Profile& p) {
  constexpr size_t kRows = 5;
  constexpr double kWorth = 0.01;  // of the samples
  const std::vector<SerialFunction> all = serial_functions(p);
  if (all.empty()) return "";
  const Places places(p);
  TextTable table;
  table.row({"function", "line", "samples", "share", "before the region at"});
  size_t rows = 0;
  for (const SerialFunction& f : all) {
    if (rows == kRows || double(f.samples) < kWorth * double(p.serial_samples.size())) break;
    const bool known = f.source < p.sources.size();
    table.row({known ? printable(shortened(p.sources[f.source].function, 40)) : "?", known ? places(f.source) : "",
               count(f.samples), percent(double(f.samples), double(p.serial_samples.size())),
               f.before == kNone ? "-" : places(f.before)});
    ++rows;
  }
  std::string text;
  table.print(text, "llrrl");
  return text;
}

}  // namespace einkorn::report
