#include "profile/aggregates.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace einkorn::profile {

namespace {

void add(int64_t& sum, int64_t n) {  // only a damaged file exceeds it
  if (__builtin_add_overflow(sum, n, &sum)) sum = INT64_MAX;
}

}  // namespace

void gather_aggregates(const Recording& rec, const std::vector<uint32_t>& site_source,
                       const std::function<uint32_t(const RawSubtree&)>& grain_of, Profile& out) {
  out.aggregate_limits = rec.histogram_limits;
  std::map<std::tuple<uint32_t, uint32_t, bool>, Aggregate> found;
  for (const RawSubtree& s : rec.subtrees) {
    const uint32_t source = s.site < site_source.size() ? site_source[s.site] : kNone;
    const record::Construct construct =
        s.site < rec.sites.size() ? rec.sites[s.site].construct : record::Construct::unknown;
    const bool chunks = construct == record::Construct::loop || construct == record::Construct::sections;
    const uint32_t grain = grain_of(s);
    Aggregate& a = found[{grain, source, chunks}];
    a.grain = grain;
    a.source = source;
    a.chunks = chunks;
    a.created += s.created;
    if (s.executed > 0) {
      a.least = a.executed ? std::min(a.least, s.least) : s.least;
      a.most = std::max(a.most, s.most);
    }
    a.executed += s.executed;
    add(a.exec, s.work);
    for (size_t i = 0; i < a.histogram.size(); ++i) a.histogram[i] += s.histogram[i];
  }
  out.aggregates.reserve(found.size());
  for (auto& [key, aggregate] : found) out.aggregates.push_back(aggregate);
}

}  // namespace einkorn::profile
