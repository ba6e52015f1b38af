// Ticks of the file -> ns since the start anchor.
#pragma once
#include <algorithm>
#include <cstdint>

namespace einkorn::profile {

class Ticks {
 public:
  Ticks() = default;
  // So many ns in so many ticks: ns(tick) is the exact quotient, rounded down (docs/grain-file.md, Anchor), as anybody
  // else would compute it. `limit`: no time is later than this many ns. This keeps sums over all threads of a damaged
  // file within 64 bits.
  Ticks(uint64_t origin, uint64_t ns, uint64_t ticks, int64_t limit)
      : origin_(origin),
        whole_(ns / ticks),
        limit_(limit),
        fraction_(uint64_t(((unsigned __int128)(ns % ticks) << 64) / ticks) + (ns % ticks != 0)) {}

  // Times before the start anchor become 0: the anchor is taken before the first thread joins, but perhaps by another
  // CPU's clock.
  int64_t ns(uint64_t tick) const {
    uint64_t d = tick > origin_ ? tick - origin_ : 0;
    if (d > uint64_t(limit_)) d = uint64_t(limit_);
    // The fraction has 64 bits and is rounded up, so that what is a whole ns stays one: it is too large by less than
    // 1 ns in 2^64 ticks.
    unsigned __int128 t = (unsigned __int128)d * whole_ + ((unsigned __int128)d * fraction_ >> 64);
    return int64_t(std::min<unsigned __int128>(t, (unsigned __int128)limit_));
  }
  // For a duration.
  int64_t duration(uint64_t ticks) const { return ns(origin_ + ticks < origin_ ? ~0ull : origin_ + ticks); }
  int64_t limit() const { return limit_; }

 private:
  uint64_t origin_ = 0, whole_ = 1;
  int64_t limit_ = int64_t(1) << 53;
  uint64_t fraction_ = 0;
};

}  // namespace einkorn::profile
