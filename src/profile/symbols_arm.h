// Instructions of 64-bit Arm that lead to an address, each one word: what symbols_calls.cpp and symbols_ranges.cpp ask
// of them.
#pragma once
#include <cstdint>
#include <optional>

namespace einkorn::profile::arm {

// The number of so many bits that begins there, with its sign.
inline int64_t bits(uint32_t word, int at, int count) {
  return int64_t(uint64_t(word >> at) << (64 - count)) >> (64 - count);
}
inline uint32_t reg(uint32_t word, int at) { return word >> at & 31; }

// b and bl; b.cond, cbz and cbnz; tbz and tbnz.
inline std::optional<uint64_t> branch(uint32_t word, uint64_t address) {
  if ((word & 0x7c000000) == 0x14000000) return address + uint64_t(bits(word, 0, 26) * 4);
  if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
    return address + uint64_t(bits(word, 5, 19) * 4);
  if ((word & 0x7e000000) == 0x36000000) return address + uint64_t(bits(word, 5, 14) * 4);
  return std::nullopt;
}
inline bool is_call(uint32_t word) { return word >> 26 == 0x25; }  // bl
inline bool is_jump(uint32_t word) { return word >> 26 == 0x05; }  // b
inline std::optional<uint32_t> jump_by_register(uint32_t word) {   // br
  if ((word & 0xfffffc1f) != 0xd61f0000) return std::nullopt;
  return reg(word, 5);
}

// adr and adrp, into reg(word, 0).
inline std::optional<uint64_t> near(uint32_t word, uint64_t address) {
  if ((word & 0x9f000000) != 0x10000000) return std::nullopt;
  return address + uint64_t(bits(word, 5, 19) * 4 + (word >> 29 & 3));
}
inline std::optional<uint64_t> page(uint32_t word, uint64_t address) {
  if ((word & 0x9f000000) != 0x90000000) return std::nullopt;
  return (address & ~uint64_t(0xfff)) + uint64_t((bits(word, 5, 19) * 4 + (word >> 29 & 3)) * 4096);
}

// What is added to a page of reg(word, 5): by add, and by ldr, whose word is at that place.
inline std::optional<uint32_t> added(uint32_t word) {
  if ((word & 0xffc00000) != 0x91000000) return std::nullopt;
  return word >> 10 & 0xfff;
}
inline std::optional<uint32_t> loaded(uint32_t word) {
  if ((word & 0xffc00000) != 0xf9400000) return std::nullopt;
  return (word >> 10 & 0xfff) * 8;
}

}  // namespace einkorn::profile::arm
