// How evenly the work of each construct is divided among the threads, instance by instance.
//
// An instance is one execution of a work-sharing loop by a team; for shares, those between two barriers of the team;
// for tasks, those of one source in one region.
#include <algorithm>
#include "profile/metrics_parts.h"

namespace einkorn::profile {
namespace {

// Grains by instance: loops first, then the shares of each phase, then the tasks of each region together with shares
// whose phase is not known.
struct Instances {
  std::vector<uint32_t> begin, grain;

  explicit Instances(const Profile& p) : begin(p.loops.size() + p.phases.size() + p.regions.size() + 1, 0) {
    auto instance = [&](const Grain& g) {
      if (!executed(g) || g.thread == kNone || g.source == kNone || g.region == kNone) return kNone;
      if (g.kind == GrainKind::chunk) return g.loop;
      if (g.kind == GrainKind::share && g.phase < p.phases.size()) return uint32_t(p.loops.size()) + g.phase;
      return uint32_t(of_region(p, g.region));
    };
    for (const Grain& g : p.grains)
      if (const uint32_t i = instance(g); i != kNone) ++begin[i + 1];
    for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    grain.resize(begin.back());
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    for (uint32_t g = 0; g < p.grains.size(); ++g)
      if (const uint32_t i = instance(p.grains[g]); i != kNone) grain[next[i]++] = g;
  }

  static size_t of_region(const Profile& p, size_t region) { return p.loops.size() + p.phases.size() + region; }
  static uint32_t region_of(const Profile& p, size_t i) {
    if (i < p.loops.size()) return p.loops[i].region;
    return i < of_region(p, 0) ? p.phases[i - p.loops.size()].region : uint32_t(i - of_region(p, 0));
  }
};

// Work by thread of one source's grains in one instance.
struct Part {
  uint32_t source;
  int64_t longest = 0;
  std::vector<std::pair<uint32_t, int64_t>> by_thread;
};

struct SourceSums {
  double most = 0, mean = 0, longest = 0, chain = 0;
};

class Balance {
 public:
  Balance(const Profile& p, Metrics& m)
      : p_(p), m_(m), sums_(p.sources.size()), part_of_(p.sources.size(), kNone), place_of_(p.threads.size(), kNone) {}

  void run() {
    const Instances all(p_);
    for (size_t i = 0; i + 1 < all.begin.size(); ++i) {
      const uint32_t* first = all.grain.data() + all.begin[i];
      const uint32_t* last = all.grain.data() + all.begin[i + 1];
      if (first == last) continue;
      const uint32_t region = Instances::region_of(p_, i);
      const double team = region < p_.regions.size() ? std::max(1u, p_.regions[region].team) : 1;
      instance(first, last, team);
    }
    for (size_t s = 0; s < sums_.size(); ++s) {
      if (sums_[s].mean > 0) value(Metric::load_balance, s) = float(sums_[s].most / sums_[s].mean);
      if (sums_[s].chain > 0) value(Metric::longest_to_chain, s) = float(sums_[s].longest / sums_[s].chain);
    }
    coarse_and_created(all);
  }

 private:
  float& value(Metric metric, size_t source) { return m_.of_sources[size_t(metric) - kGrainMetrics][source]; }

  void instance(const uint32_t* first, const uint32_t* last, double team) {
    parts_.clear();
    for (const uint32_t* g = first; g < last; ++g) {
      const uint32_t source = p_.grains[*g].source;
      if (part_of_[source] == kNone) {
        part_of_[source] = uint32_t(parts_.size());
        parts_.push_back({source, 0, {}});
      }
    }
    // Part by part, so that one array by thread is enough.
    if (parts_.size() == 1) {
      for (const uint32_t* g = first; g < last; ++g) add(parts_[0], p_.grains[*g]);
      close(parts_[0], team);
    } else {
      order_.assign(first, last);
      std::stable_sort(order_.begin(), order_.end(),
                       [&](uint32_t a, uint32_t b) { return p_.grains[a].source < p_.grains[b].source; });
      for (size_t i = 0; i < order_.size(); ++i) {
        Part& part = parts_[part_of_[p_.grains[order_[i]].source]];
        add(part, p_.grains[order_[i]]);
        if (i + 1 == order_.size() || p_.grains[order_[i + 1]].source != part.source) close(part, team);
      }
    }
    for (const Part& part : parts_) part_of_[part.source] = kNone;
  }

  void add(Part& part, const Grain& g) {
    uint32_t& place = place_of_[g.thread];
    if (place == kNone) {
      place = uint32_t(part.by_thread.size());
      part.by_thread.emplace_back(g.thread, 0);
    }
    part.by_thread[place].second += g.exec;
    part.longest = std::max(part.longest, g.exec);
  }

  void close(Part& part, double team) {
    SourceSums& sums = sums_[part.source];
    int64_t most = 0, all = 0;
    std::vector<int64_t> chains;
    for (auto [thread, work] : part.by_thread) {
      place_of_[thread] = kNone;
      most = std::max(most, work);
      all += work;
      chains.push_back(work);
    }
    sums.most += double(most);
    sums.mean += double(all) / std::max(team, double(chains.size()));
    sums.longest += double(part.longest);
    sums.chain += median(chains);
  }

  // For the tasks of each region: the longest, and who created them.
  void coarse_and_created(const Instances& all) {
    std::vector<double> work(p_.regions.size(), 0);
    for (const Grain& g : p_.grains)
      if (executed(g) && g.region < work.size()) work[g.region] += double(g.exec);
    double longest = 0, even = 0;
    double asked = 0,
           given =
               0;  // thread time that the other threads need for the tasks; that they have while the tasks are created
    uint64_t tasks = 0, by_one = 0;
    for (size_t r = 0; r < p_.regions.size(); ++r) {
      const size_t i = Instances::of_region(p_, r);
      int64_t most = 0, executed_tasks = 0;
      std::vector<uint64_t> created(1, 0);
      uint64_t here = 0;
      for (uint32_t at = all.begin[i]; at < all.begin[i + 1]; ++at) {
        const Grain& g = p_.grains[all.grain[at]];
        if (g.kind != GrainKind::task) continue;
        most = std::max(most, g.exec);
        executed_tasks += g.exec;
        ++here;
        if (g.creator == kNone) continue;
        if (g.creator >= created.size()) created.resize(g.creator + 1u, 0);
        ++created[g.creator];
      }
      if (here == 0) continue;
      const double team = std::max(1u, p_.regions[r].team);
      longest += double(most);
      even += work[r] / team;
      tasks += here;
      const auto busiest = std::max_element(created.begin(), created.end());
      if (*busiest < 2 || 10 * *busiest < 9 * here || team < 2) continue;
      by_one += here;
      given += between_creations(all, i, uint32_t(busiest - created.begin())) * double(here) * (team - 1);
      asked += double(executed_tasks);
    }
    if (even > 0) m_[Metric::too_coarse] = longest / even;
    if (tasks > 0 && 10 * by_one >= 9 * tasks && asked > 0) m_[Metric::creation_bottleneck] = given / asked;
  }

  // The mean time from one creation by the thread to the next, without the tasks that it executed meanwhile. If the
  // creating task waited in between, nothing could be created: such times do not count.
  double between_creations(const Instances& all, size_t i, uint32_t creator) {
    std::vector<std::pair<int64_t, uint32_t>> made;  // when, by which task
    for (uint32_t at = all.begin[i]; at < all.begin[i + 1]; ++at)
      if (const Grain& g = p_.grains[all.grain[at]];
          g.kind == GrainKind::task && g.creator == creator && g.create_begin >= 0)
        made.emplace_back(g.create_begin, context_of(p_, g.parent));
    std::sort(made.begin(), made.end());
    if (made.size() < 2) return 0;
    const auto& waits = this->waits();
    std::vector<bool> counts(made.size() - 1);
    int64_t time = 0, gaps = 0;
    for (size_t k = 0; k + 1 < made.size(); ++k) {
      const auto [from, parent] = made[k];
      const auto wait = std::upper_bound(waits.begin(), waits.end(), std::pair(parent, from));
      const bool waited = wait != waits.end() && wait->first == parent && wait->second <= made[k + 1].first;
      counts[k] = !waited || made[k + 1].second != parent;
      if (counts[k]) time += made[k + 1].first - from, ++gaps;
    }
    for (uint32_t at = all.begin[i]; at < all.begin[i + 1]; ++at) {
      const Grain& g = p_.grains[all.grain[at]];
      if (g.kind != GrainKind::task || g.thread != creator || g.begin < made.front().first || g.end > made.back().first)
        continue;
      const auto after = std::upper_bound(made.begin(), made.end(), std::pair(g.begin, kNone));
      if (after != made.end() && counts[size_t(after - made.begin()) - 1]) time -= g.exec;
    }
    return gaps > 0 ? std::max<double>(0, double(time)) / double(gaps) : 0;
  }

  // When grains' waits ended, by grain; computed for the first region in which one thread creates all tasks.
  const std::vector<std::pair<uint32_t, int64_t>>& waits() {
    if (!waits_.empty()) return waits_;
    for (const Node& n : p_.graph.nodes)
      if (n.kind == NodeKind::join && n.grain != kNone) waits_.emplace_back(context_of(p_, n.grain), n.begin);
    std::sort(waits_.begin(), waits_.end());
    return waits_;
  }

  const Profile& p_;
  Metrics& m_;
  std::vector<SourceSums> sums_;
  std::vector<uint32_t> part_of_;   // by source: index in parts_, for the current instance
  std::vector<uint32_t> place_of_;  // by thread: in the current part
  std::vector<Part> parts_;
  std::vector<uint32_t> order_;
  std::vector<std::pair<uint32_t, int64_t>> waits_;
};

}  // namespace

void metrics_of_balance(const Profile& p, Metrics& m) { Balance(p, m).run(); }

}  // namespace einkorn::profile
