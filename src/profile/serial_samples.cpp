#include "profile/serial_samples.h"
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace einkorn::profile {

void attach_samples(const Recording& rec, Symbolizer& symbolizer, Profile& out) {
  std::vector<uint32_t> outermost;
  for (uint32_t r = 0; r < out.regions.size(); ++r)
    if (out.regions[r].level <= 1 && out.regions[r].begin >= 0) outermost.push_back(r);
  std::ranges::stable_sort(outermost, {}, [&](uint32_t r) { return out.regions[r].begin; });
  std::map<std::tuple<std::string, uint32_t, std::string, std::string>, uint32_t> known;
  for (const Recording::RawSample& s : rec.samples) {
    if (s.monotonic_ns < rec.first_monotonic_ns) continue;
    SerialSample sample;
    sample.at = int64_t(std::min<uint64_t>(s.monotonic_ns - rec.first_monotonic_ns, uint64_t(INT64_MAX)));
    const auto next = std::upper_bound(outermost.begin(), outermost.end(), sample.at,
                                       [&](int64_t at, uint32_t r) { return at < out.regions[r].begin; });
    if (next != outermost.begin() && sample.at <= out.regions[next[-1]].end) continue;  // within the region before
    if (next != outermost.end()) sample.before = *next;
    Source source = symbolizer.resolve_sample(rec.sample_addresses.data() + s.first, s.callers, s.count);
    if (!source.function.empty()) {
      const auto [at, added] =
          known.try_emplace({source.file, source.line, source.function, source.module}, uint32_t(out.sources.size()));
      if (added) out.sources.push_back(std::move(source));
      sample.source = at->second;
    }
    out.serial_samples.push_back(sample);
  }
  std::ranges::stable_sort(out.serial_samples, {}, &SerialSample::at);
}

}  // namespace einkorn::profile
