// Ticks of the file -> ns since the start anchor.
#pragma once
#include <algorithm>
#include <cstdint>

namespace einkorn::profile {

class Ticks {
 public:
  Ticks() = default;
  // `limit`: no time is later than this many ns. This keeps sums over all threads of a damaged file within 64 bits.
  Ticks(uint64_t origin, double ns_per_tick, int64_t limit)
      : origin_(origin),
        whole_(uint64_t(ns_per_tick)),
        limit_(limit),
        fraction_(uint64_t((ns_per_tick - double(whole_)) * 0x1p63) << 1) {}

  // Times before the start anchor become 0: the anchor is taken before the first thread joins, but perhaps by another
  // CPU's clock.
  int64_t ns(uint64_t tick) const {
    uint64_t d = tick > origin_ ? tick - origin_ : 0;
    if (d > uint64_t(limit_)) d = uint64_t(limit_);
    // The fraction has 64 bits: rounding costs less than 1 ns in 2^63 ns.
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
