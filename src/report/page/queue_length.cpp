#include "report/page/queue_length.h"
#include <algorithm>

namespace einkorn::report {
namespace {

using profile::Grain;

// [from, to): to == from where it did not wait, or where that is not known. A task that never started waits for ever.
struct Wait {
  int64_t from = 0, to = 0;
};
Wait wait_of(const Grain& g, int64_t end) {
  if (g.kind != profile::GrainKind::task || at_once(g) || g.create_begin < 0) return {};
  const int64_t from = g.create_begin + std::max<int64_t>(0, g.create_cost), to = g.begin < 0 ? end : g.begin;
  return {from, std::max(from, to)};
}

}  // namespace

QueueLength queue_length(const profile::Profile& p, size_t most_bins) {
  QueueLength out;
  int64_t end = p.wall_ns, waited = 0;
  for (const Grain& g : p.grains) {
    const Wait w = wait_of(g, p.wall_ns);
    end = std::max(end, w.to);
    waited += w.to - w.from;
  }
  if (waited == 0) return out;
  out.bin_ns = std::max<int64_t>(1, (end + int64_t(most_bins) - 1) / int64_t(most_bins));
  const size_t bins = size_t(end / out.bin_ns) + 1;
  // Whole bins as differences, so that a task costs the same however long it waits.
  std::vector<int64_t> parts(bins, 0), steps(bins + 1, 0);
  for (const Grain& g : p.grains) {
    const Wait w = wait_of(g, p.wall_ns);
    if (w.to == w.from) continue;
    const size_t first = size_t(w.from / out.bin_ns), last = size_t(w.to / out.bin_ns);
    if (first == last) {
      parts[first] += w.to - w.from;
      continue;
    }
    parts[first] += int64_t(first + 1) * out.bin_ns - w.from;
    parts[last] += w.to - int64_t(last) * out.bin_ns;
    ++steps[first + 1];
    --steps[last];
  }
  int64_t whole = 0;
  for (size_t b = 0; b < bins; ++b) {
    whole += steps[b];
    out.tasks.push_back(double(whole) + double(parts[b]) / double(out.bin_ns));
  }
  return out;
}

}  // namespace einkorn::report
