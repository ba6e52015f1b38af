#include "simulate/footprints.h"

#include <algorithm>

namespace einkorn::simulate {

namespace {

constexpr uint64_t kLongestGuess = uint64_t(64) << 20, kPage = 4096;  // as the runtime's
constexpr uint64_t kCutsOfEach = 16, kCutsAtLeast = 1 << 20;

struct Range {
  uint64_t begin, end;
  uint32_t grain;
  bool write;
};

std::vector<Range> ranges_of(const std::vector<profile::Touch>& touches, size_t grains) {
  std::vector<uint64_t> bases;
  for (const profile::Touch& t : touches)
    if (t.access) bases.push_back(t.address);
  std::sort(bases.begin(), bases.end());
  bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
  std::vector<Range> out;
  for (size_t i = 0, end; i < touches.size(); i = end) {
    const size_t kept = out.size();
    bool said = false;
    uint64_t sum = 0;
    for (end = i; end < touches.size() && touches[end].grain == touches[i].grain; ++end) {
      const profile::Touch& t = touches[end];
      if (!t.access || t.grain >= grains) continue;
      uint64_t bytes = t.bytes;
      if (bytes == 0) {
        const auto next = std::upper_bound(bases.begin(), bases.end(), t.address);
        bytes = next == bases.end() || *next - t.address > kLongestGuess ? kPage : *next - t.address;
      }
      said |= !t.estimated;
      if (t.address > UINT64_MAX - bytes) continue;
      out.push_back({t.address, t.address + bytes, t.grain, (t.access & 2) != 0});
      sum += bytes;
    }
    if (!said && sum < kPage) out.resize(kept);
  }
  return out;
}

class Cutting {
 public:
  explicit Cutting(const std::vector<Range>& ranges) {
    const uint64_t most = std::max<uint64_t>(kCutsAtLeast, kCutsOfEach * ranges.size());
    for (shift_ = 0;; shift_ += 2) {
      cuts_.clear();
      for (const Range& r : ranges) cuts_.push_back(down(r.begin)), cuts_.push_back(up(r.end));
      std::sort(cuts_.begin(), cuts_.end());
      cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
      uint64_t pieces = 0;
      for (const Range& r : ranges) pieces += last(r) - first(r);
      if (pieces <= most || shift_ >= 40) return;
    }
  }
  size_t first(const Range& r) const { return at(down(r.begin)); }
  size_t last(const Range& r) const { return at(up(r.end)); }  // one behind
  uint64_t begin(size_t piece) const { return cuts_[piece]; }
  uint64_t end(size_t piece) const { return cuts_[piece + 1]; }
  size_t pieces() const { return cuts_.empty() ? 0 : cuts_.size() - 1; }

 private:
  uint64_t down(uint64_t x) const { return x >> shift_ << shift_; }
  uint64_t up(uint64_t x) const {
    return down(x + ((uint64_t(1) << shift_) - 1)) < x ? x : down(x + ((uint64_t(1) << shift_) - 1));
  }
  size_t at(uint64_t x) const { return size_t(std::lower_bound(cuts_.begin(), cuts_.end(), x) - cuts_.begin()); }
  std::vector<uint64_t> cuts_;
  int shift_ = 0;
};

}  // namespace

Footprints footprints_of(const std::vector<profile::Touch>& touches, size_t grains) {
  Footprints out;
  for (const profile::Touch& t : touches) {
    if (t.access || t.grain >= grains || t.address > INT32_MAX) continue;
    if (out.domain.empty()) out.domain.assign(grains, -1);
    out.domain[t.grain] = int32_t(t.address);
  }
  const std::vector<Range> ranges = ranges_of(touches, grains);
  if (ranges.empty()) return out;
  const Cutting cut(ranges);

  // Pieces that somebody touches are data; those without a gap between them are one allocation.
  std::vector<int32_t> open(cut.pieces() + 1, 0);
  for (const Range& r : ranges) ++open[cut.first(r)], --open[cut.last(r)];
  std::vector<uint32_t> datum(cut.pieces(), kNone);
  int32_t around = 0;
  bool gap = true;
  for (size_t i = 0; i < cut.pieces(); ++i) {
    around += open[i];
    if (around == 0) {
      gap = true;
      continue;
    }
    if (gap) out.blocks.push_back(0);
    gap = false;
    datum[i] = uint32_t(out.data.size());
    const uint64_t bytes = cut.end(i) - cut.begin(i);
    out.data.push_back({bytes, -1, uint32_t(out.blocks.size() - 1), out.blocks.back()});
    out.blocks.back() += bytes;
  }
  out.first.assign(grains + 1, 0);
  size_t i = 0;
  for (uint32_t g = 0; g < grains; ++g) {
    out.first[g] = uint32_t(out.accesses.size());
    for (; i < ranges.size() && ranges[i].grain <= g; ++i)
      for (size_t k = cut.first(ranges[i]); k < cut.last(ranges[i]); ++k) {
        const uint64_t bytes = std::min(ranges[i].end, cut.end(k)) - std::max(ranges[i].begin, cut.begin(k));
        out.accesses.push_back({datum[k], bytes, ranges[i].write});
      }
  }
  out.first.back() = uint32_t(out.accesses.size());
  return out;
}

}  // namespace einkorn::simulate
