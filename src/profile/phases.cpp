#include "profile/phases.h"
#include <algorithm>
#include <utility>

namespace einkorn::profile {
namespace {

// Sums of a phase, while its members are visited one after the other. Times are since the region's begin: their sums
// stay small.
struct Sum {
  int64_t last = INT64_MIN;  // when the last member came to its end
  double came = 0, left = 0;
};

class RegionPhases {
 public:
  RegionPhases(const Recording& rec, const std::vector<uint32_t>& sources, Profile& out)
      : rec_(rec), sources_(sources), out_(out) {}

  void run(const RawRegion& raw) {
    raw_ = &raw;
    first_ = out_.phases.size();
    sums_.clear();
    for (uint32_t m = 0; m < raw.members; ++m)
      if (!member(rec_.members[raw.first_member + m])) return drop();
    close();
  }

 private:
  // False: a stretch of the region was lost.
  bool member(uint32_t context) {
    size_t at = 0;
    int64_t begin = -1, taken = 0;
    bool leaving = false;
    for (uint32_t c = context; c != kNone; c = rec_.contexts[c].next_stay) {
      if (rec_.contexts[c].estimated) return false;
      for (uint32_t i = rec_.contexts[c].first_step; i != kNone; i = rec_.steps[i].next) {
        const Step& s = rec_.steps[i];
        if (begin < 0) begin = s.begin;
        if (std::exchange(leaving, false)) sums_[at - 1].left += since(s.begin);
        if (s.grain < out_.grains.size()) {
          Grain& g = out_.grains[s.grain];
          if (g.kind == GrainKind::share || g.kind == GrainKind::chunk) g.phase = uint32_t(first_ + at);
        }
        if (s.action != Action::wait_team && s.action != Action::wait_end) continue;
        Phase& phase = open(at);
        Sum& sum = sums_[at];
        const int64_t took = std::max<int64_t>(0, s.end - begin);
        phase.source = s.ref < sources_.size() ? sources_[s.ref] : kNone;
        phase.last = s.action == Action::wait_end;
        ++phase.members;
        phase.longest = std::max(phase.longest, took);
        phase.taken += took;
        taken += took;
        sum.last = std::max(sum.last, s.end);
        sum.came += since(s.end);
        leaving = !phase.last;
        begin = -1;
        ++at;
        if (phase.last) break;  // the time that follows is the runtime's
      }
    }
    if (leaving) sums_[at - 1].left += since(rec_.contexts[context].end);
    Region& region = out_.regions[raw_->region];
    region.busiest = std::max(region.busiest, taken);
    return true;
  }

  Phase& open(size_t at) {
    if (first_ + at == out_.phases.size()) {
      out_.phases.emplace_back().region = raw_->region;
      sums_.emplace_back();
    }
    return out_.phases[first_ + at];
  }

  void close() {
    const int64_t end = out_.regions[raw_->region].end;
    for (size_t i = 0; i < sums_.size(); ++i) {
      Phase& phase = out_.phases[first_ + i];
      const Sum& sum = sums_[i];
      const double all = double(phase.members), last = since(sum.last);
      phase.waited = whole(all * last - sum.came);
      phase.leaving = whole(phase.last ? all * (since(end) - last) : sum.left - all * last);
    }
    // Shares after the last recorded wait (the program was killed) are not in a phase.
    if (first_ == out_.phases.size()) drop();
  }

  void drop() {
    out_.phases.resize(first_);
    out_.regions[raw_->region].busiest = 0;
  }

  // A damaged file may hold any times.
  static int64_t whole(double ns) { return int64_t(std::clamp(ns, 0.0, 1e18)); }
  double since(int64_t t) const { return double(t - raw_->begin); }

  const Recording& rec_;
  const std::vector<uint32_t>& sources_;
  Profile& out_;
  const RawRegion* raw_ = nullptr;
  size_t first_ = 0;
  std::vector<Sum> sums_;  // by phase of the current region
};

}  // namespace

void find_phases(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out) {
  RegionPhases regions(rec, site_source, out);
  for (size_t r = 0; r < rec.regions.size(); ++r)
    if (rec.regions[r].region != kNone) regions.run(rec.regions[r]);
  for (Grain& g : out.grains)
    if (g.phase >= out.phases.size() || out.phases[g.phase].region != g.region) g.phase = kNone;
}

}  // namespace einkorn::profile
