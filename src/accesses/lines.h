// The distinct lines of one stretch: exact up to kExactLines, beyond that a HyperLogLog sketch (Flajolet, Fusy,
// Gandouet, Meunier 2007; standard error 1.04 / sqrt(2048) = 2.3 %). Either can be united with that of another stretch.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include "record/format.h"

namespace einkorn::accesses {

using record::kExactLines;

class LineSet {
 public:
  void clear() {
    count_ = 0;
    if (sketched_) memset(registers_, 0, sizeof registers_);
    sketched_ = false;
    // Slots of other generations count as empty: nothing is cleared until the number wraps.
    if (++generation_ == 1u << kGenerationBits) {
      memset(slots_, 0, sizeof slots_);
      generation_ = 1;
    }
  }
  void add(uint64_t line) {
    line &= (1ull << kNumberBits) - 1;
    if (sketched_) return sketch(line);
    const uint64_t key = line | generation_ << kNumberBits;
    for (uint64_t at = line * 0x9e3779b97f4a7c15ull >> (64 - kSlotBits);; at = (at + 1) & ((1u << kSlotBits) - 1)) {
      if (slots_[at] == key) return;
      if (slots_[at] >> kNumberBits == generation_) continue;
      if (count_ == kExactLines) break;
      slots_[at] = key;
      lines_[count_++] = line;
      return;
    }
    sketched_ = true;
    for (uint32_t i = 0; i < count_; ++i) sketch(lines_[i]);
    sketch(line);
  }
  bool sketched() const { return sketched_; }
  const uint8_t* registers() const { return registers_; }
  // Ascending.
  const uint64_t* sorted() {
    std::sort(lines_, lines_ + count_);
    return lines_;
  }
  uint32_t count() const { return count_; }

 private:
  static constexpr unsigned kNumberBits = 41;  // of user addresses, which have 47 bits
  static constexpr unsigned kGenerationBits = 64 - kNumberBits;
  static constexpr unsigned kSlotBits = 14;
  static_assert(kExactLines * 2 <= 1u << kSlotBits);

  void sketch(uint64_t line) {
    const record::LineRank r = record::rank_of_line(line);
    if (registers_[r.index] < r.rank) registers_[r.index] = r.rank;
  }

  uint64_t slots_[1u << kSlotBits];
  uint64_t lines_[kExactLines];
  uint8_t registers_[record::kLineRegisters];
  uint64_t generation_ = 1;
  uint32_t count_ = 0;
  bool sketched_ = false;
};

}  // namespace einkorn::accesses
