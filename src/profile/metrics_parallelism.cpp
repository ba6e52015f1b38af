// What else ran, and what idled, while a grain executed.
//
// A grain executes in its fragments. If a fragment waited for a lock, it ends too early here by the length of the wait:
// a node has only its begin and the length of its execution.
#include <algorithm>

#include "profile/metrics_parts.h"

namespace einkorn::profile {
namespace {

// Intervals are as long as the median grain, but there are at most this many in total, and for each grain.
constexpr int64_t kMostIntervals = 1 << 22, kMostForAGrain = 16;

bool executes(const Profile& p, const Node& n) {
  return n.weight > 0 && n.begin >= 0 && n.grain != kNone &&
         (n.kind == NodeKind::fragment || n.kind == NodeKind::chunk) && counted(p.grains[n.grain]);
}

template <class F>
void for_each_fragment(const Profile& p, F f) {  // of one grain, in the order of time
  for (const Node& n : p.graph.nodes)
    if (executes(p, n)) f(n.grain, n.begin, n.begin + n.weight);
}

// The smallest value in any range, in logarithmic time: a binary tree over the values, in an array.
class SmallestOf {
 public:
  explicit SmallestOf(const std::vector<uint32_t>& values) : size_(values.size()), tree_(2 * values.size()) {
    std::copy(values.begin(), values.end(), tree_.begin() + long(size_));
    for (size_t i = size_; i-- > 1;) tree_[i] = std::min(tree_[2 * i], tree_[2 * i + 1]);
  }
  uint32_t operator()(size_t first, size_t last) const {  // both included
    uint32_t least = ~0u;
    for (size_t l = first + size_, r = last + size_ + 1; l < r; l /= 2, r /= 2) {
      if (l & 1) least = std::min(least, tree_[l++]);
      if (r & 1) least = std::min(least, tree_[--r]);
    }
    return least;
  }

 private:
  size_t size_;
  std::vector<uint32_t> tree_;
};

// The number of threads that execute grains for more than half of each interval. A thread executes one grain at a time:
// grains that follow each other on it are never counted twice, and if work passes from one thread to another, only one
// of them has most of the interval.
void count_threads(const Profile& p, int64_t begin, int64_t end, int64_t interval, std::vector<uint32_t>& steps) {
  struct Stretch {
    int64_t begin, end;
    uint32_t thread;
  };
  std::vector<Stretch> all;
  for (const Node& n : p.graph.nodes)
    if (executes(p, n)) all.push_back({n.begin - begin, n.begin - begin + n.weight, n.thread});
  std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) {
    return std::pair(a.thread, a.begin) < std::pair(b.thread, b.begin);
  });
  auto counted = [&](int64_t i, int64_t covered) {
    const int64_t length = std::min(interval, end - begin - i * interval);
    if (2 * covered > length) ++steps[size_t(i)], --steps[size_t(i) + 1];
  };
  // For the current thread: the open interval, how much of it is executed, and up to where.
  int64_t at = -1, covered = 0, until = 0;
  uint32_t thread = kNone;
  auto close = [&] {
    if (at >= 0) counted(at, covered);
    at = -1, covered = 0;
  };
  for (const Stretch& s : all) {
    if (s.thread != thread) close(), thread = s.thread, until = 0;
    const int64_t b = std::max(s.begin, until), e = s.end;  // after a wait for a lock, stretches may overlap
    if (b >= e) continue;
    until = e;
    const int64_t first = b / interval, last = (e - 1) / interval;
    if (first != at) close(), at = first;
    covered += std::min(e, (first + 1) * interval) - b;
    if (last == first) continue;
    close();
    ++steps[size_t(first) + 1], --steps[size_t(last)];  // those that it fills
    at = last, covered = e - last * interval;
  }
  close();
}

int64_t median_length(const Profile& p) {
  std::vector<int64_t> lengths;
  lengths.reserve(p.grains.size());
  for (const Grain& g : p.grains)
    if (executed(g) && g.exec > 0) lengths.push_back(g.exec);
  return lengths.empty() ? 1 : int64_t(median(lengths));
}

void count_up(std::vector<uint32_t>& steps) {  // differences -> values
  uint32_t value = 0;
  for (uint32_t& s : steps) s = value += s;
}

void instantaneous(const Profile& p, const MetricOptions& options, Metrics& m) {
  int64_t begin = INT64_MAX, end = 0;
  for_each_fragment(p, [&](uint32_t, int64_t b, int64_t e) {
    begin = std::min(begin, b);
    end = std::max(end, e);
  });
  if (end <= begin) return;
  ParallelismOverTime& over = m.over_time;
  over.begin = begin;
  const int64_t wanted = options.interval_ns > 0 ? options.interval_ns : median_length(p);
  const int64_t most = std::min(kMostIntervals, kMostForAGrain * int64_t(p.grains.size()));
  over.interval = std::max({wanted, (end - begin) / most + 1, int64_t(1)});
  const int64_t interval = over.interval;
  const size_t intervals = size_t((end - begin + interval - 1) / interval);
  auto first_of = [&](int64_t b) { return (b - begin) / interval; };
  auto last_of = [&](int64_t e) { return (e - 1 - begin) / interval; };

  over.optimistic.assign(intervals + 1, 0);
  over.conservative.assign(intervals + 1, 0);
  count_threads(p, begin, end, interval, over.optimistic);
  for_each_fragment(p, [&](uint32_t, int64_t b, int64_t e) {
    const int64_t whole = (b - begin + interval - 1) / interval, part = (e - begin) / interval;
    if (whole < part) {
      ++over.conservative[size_t(whole)];
      --over.conservative[size_t(part)];
    }
  });
  for (auto* flavour : {&over.optimistic, &over.conservative}) {
    count_up(*flavour);
    flavour->pop_back();
    const Metric metric =
        flavour == &over.optimistic ? Metric::parallelism_optimistic : Metric::parallelism_conservative;
    if (!options.wants(metric)) continue;
    auto& out = m.of_grains[size_t(metric)];
    out.assign(p.grains.size(), kNaN);
    const SmallestOf smallest(*flavour);
    for_each_fragment(p, [&](uint32_t g, int64_t b, int64_t e) {
      const uint32_t least = metric == Metric::parallelism_optimistic;  // itself
      const float value = float(std::max(least, smallest(size_t(first_of(b)), size_t(last_of(e)))));
      out[g] = std::isnan(out[g]) ? value : std::min(out[g], value);
    });
  }
}

// The idle time of each bin is divided among the grains that execute in it, in proportion to their execution. If
// `price` is the idle time per ns of execution, a grain's idle time is the integral of `price` over its fragments: two
// look-ups in running sums.
void idle_caused(const Profile& p, Metrics& m) {
  const TimeBins& idle = p.idle_over_time;
  if (idle.width <= 0) return;
  const int64_t width = idle.width;
  const size_t bins = idle.bins.size();
  const int64_t over = width * int64_t(bins);
  std::vector<double> busy(bins + 1, 0),
      whole(bins + 1, 0);  // execution in a bin; fragments that fill it, as differences
  for_each_fragment(p, [&](uint32_t, int64_t b, int64_t e) {
    b = std::min(b, over);
    e = std::min(e, over);
    const size_t first = size_t(b / width), last = size_t(e / width);
    if (first == last) {
      busy[first] += double(e - b);
      return;
    }
    busy[first] += double(int64_t(first + 1) * width - b);
    busy[last] += double(e - int64_t(last) * width);
    whole[first + 1] += 1;
    whole[last] -= 1;
  });
  std::vector<double> price(bins + 1, 0), sum(bins + 1, 0);
  double filling = 0;
  for (size_t i = 0; i < bins; ++i) {
    filling += whole[i];
    const double in_bin = busy[i] + filling * double(width);
    price[i] = in_bin > 0 ? double(idle.bins[i]) / in_bin : 0;
    sum[i + 1] = sum[i] + price[i] * double(width);
  }
  auto until = [&](int64_t t) {
    t = std::min(t, over);
    const size_t i = size_t(t / width);
    return sum[i] + price[i] * double(t - int64_t(i) * width);
  };
  auto& out = m.of_grains[size_t(Metric::idle_caused)];
  out.assign(p.grains.size(), kNaN);
  for (size_t i = 0; i < p.grains.size(); ++i)
    if (executed(p.grains[i])) out[i] = 0;
  for_each_fragment(p, [&](uint32_t g, int64_t b, int64_t e) { out[g] += float(until(e) - until(b)); });
}

}  // namespace

void metrics_of_parallelism(const Profile& p, const MetricOptions& options, Metrics& m) {
  if (p.graph.nodes.empty()) return;
  if (options.wants(Metric::parallelism_optimistic) || options.wants(Metric::parallelism_conservative))
    instantaneous(p, options, m);
  if (options.wants(Metric::idle_caused)) idle_caused(p, m);
}

}  // namespace einkorn::profile
