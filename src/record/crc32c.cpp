#include "record/crc32c.h"
#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace einkorn::record {

namespace {

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = c & 1 ? c >> 1 ^ 0x82f63b78u : c >> 1;
    table[i] = c;
  }
  return table;
}
constexpr auto kTable = make_table();

#if defined(__x86_64__)
#define EK_CRC_TARGET __attribute__((target("sse4.2")))
bool has_crc_instruction() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}
using Crc = uint64_t;  // what the instruction has: its upper half is 0
EK_CRC_TARGET Crc add_word(Crc c, uint64_t word) { return _mm_crc32_u64(c, word); }
EK_CRC_TARGET Crc add_byte(Crc c, unsigned char byte) { return _mm_crc32_u8(uint32_t(c), byte); }
#elif defined(__aarch64__)
#define EK_CRC_TARGET __attribute__((target("+crc")))
bool has_crc_instruction() { return getauxval(AT_HWCAP) & HWCAP_CRC32; }
using Crc = uint32_t;
EK_CRC_TARGET Crc add_word(Crc c, uint64_t word) { return __builtin_aarch64_crc32cx(c, word); }
EK_CRC_TARGET Crc add_byte(Crc c, unsigned char byte) { return __builtin_aarch64_crc32cb(c, byte); }
#endif

#if defined(EK_CRC_TARGET)
EK_CRC_TARGET uint32_t crc32c_hardware(uint32_t crc, const void* data, size_t bytes) {
  auto p = static_cast<const unsigned char*>(data);
  Crc c = ~crc;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    c = add_word(c, word);
  }
  for (; bytes; --bytes) c = add_byte(c, *p++);
  return ~uint32_t(c);
}
#endif

}  // namespace

uint32_t crc32c_table(uint32_t crc, const void* data, size_t bytes) {
  auto p = static_cast<const unsigned char*>(data);
  uint32_t c = ~crc;
  for (; bytes; --bytes) c = c >> 8 ^ kTable[(c ^ *p++) & 255];
  return ~c;
}

uint32_t crc32c(uint32_t crc, const void* data, size_t bytes) {
#if defined(EK_CRC_TARGET)
  static const bool hardware = has_crc_instruction();
  if (hardware) return crc32c_hardware(crc, data, bytes);
#endif
  return crc32c_table(crc, data, bytes);
}

}  // namespace einkorn::record
