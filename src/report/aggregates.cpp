#include "report/aggregates.h"
#include <algorithm>
#include <map>

namespace einkorn::report {

std::vector<SourceAggregate> aggregates_by_source(const profile::Profile& p) {
  std::map<std::pair<uint32_t, bool>, SourceAggregate> found;
  for (const profile::Aggregate& a : p.aggregates) {
    SourceAggregate& s = found[{a.source, a.chunks}];
    s.source = a.source;
    s.chunks = a.chunks;
    s.created += a.created;
    if (a.executed > 0) {
      s.least = s.executed ? std::min(s.least, a.least) : a.least;
      s.most = std::max(s.most, a.most);
    }
    s.executed += a.executed;
    if (__builtin_add_overflow(s.exec, a.exec, &s.exec)) s.exec = INT64_MAX;
    for (size_t i = 0; i < s.histogram.size(); ++i) s.histogram[i] += a.histogram[i];
  }
  std::vector<SourceAggregate> out;
  for (auto& [key, aggregate] : found) out.push_back(aggregate);
  std::stable_sort(out.begin(), out.end(),
                   [](const SourceAggregate& a, const SourceAggregate& b) { return a.exec > b.exec; });
  return out;
}

}  // namespace einkorn::report
