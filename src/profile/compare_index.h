// Finds grains of one side of a comparison.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>
#include "profile/compare.h"
#include "profile/identity.h"

namespace einkorn::profile {

// Grains of one side by name. By hand: recordings have 10^7 grains, of which a std::unordered_map takes some 50 bytes
// each, and this 8 to 16.
class GrainIndex {
 public:
  explicit GrainIndex(const std::vector<ComparedGrain>& grains) : grains_(grains) {
    slots_.assign(std::bit_ceil(std::max<size_t>(16, grains.size() * 2)), kNone);
    for (uint32_t i = 0; i < grains.size(); ++i) {
      uint32_t& slot = find(grains[i]);
      if (slot == kNone) slot = i;  // only a damaged file has one name twice: the first counts
    }
  }
  uint32_t at(const ComparedGrain& g) const { return const_cast<GrainIndex*>(this)->find(g); }

 private:
  uint32_t& find(const ComparedGrain& g) {
    const size_t mask = slots_.size() - 1;
    size_t i = scramble(g.id_high ^ g.id_low) & mask;
    for (; slots_[i] != kNone; i = (i + 1) & mask) {
      const ComparedGrain& other = grains_[slots_[i]];
      if (other.id_high == g.id_high && other.id_low == g.id_low) break;
    }
    return slots_[i];
  }

  const std::vector<ComparedGrain>& grains_;
  std::vector<uint32_t> slots_;
};

}  // namespace einkorn::profile
