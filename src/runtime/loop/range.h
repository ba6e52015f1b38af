// A range of chunks or iterations in one word, so that one compare-and-swap takes from either end of it:
// begin << 32 | end, empty where begin >= end.
#pragma once
#include <cstdint>

namespace einkorn::runtime {

constexpr uint64_t begin_of(uint64_t word) { return word >> 32; }
constexpr uint64_t end_of(uint64_t word) { return uint32_t(word); }
constexpr uint64_t range(uint64_t begin, uint64_t end) { return begin << 32 | end; }
constexpr bool is_empty(uint64_t word) { return begin_of(word) >= end_of(word); }

}  // namespace einkorn::runtime
