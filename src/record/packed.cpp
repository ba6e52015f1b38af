// Layout: for every two words a control byte, low nibble for the first; then the two words' bytes. A nibble is
//   bits 0..1: bytes of the low half, less one       bits 2..3: bytes of the high half: 0, 1, 2 or 4
// An odd last word has a control byte of its own, with a high nibble of 0. Little-endian.
#include "record/packed.h"
#include <cstdlib>
#include <cstring>
#include <zstd.h>

namespace einkorn::record {

namespace {

constexpr uint32_t zigzag(uint32_t v) { return v << 1 ^ uint32_t(int32_t(v) >> 31); }
constexpr uint32_t unzigzag(uint32_t v) { return v >> 1 ^ (0u - (v & 1)); }

// Bits of the control nibble, and bytes that the half takes: by the half's leading zeros.
struct Code {
  uint8_t bits, bytes;
};
struct Codes {
  Code low[33] = {}, high[33] = {};
  constexpr Codes() {
    for (int zeros = 0; zeros <= 32; ++zeros) {
      int length = zeros < 31 ? (31 - zeros) / 8 : 0, code = zeros == 32 ? 0 : zeros >= 24 ? 1 : zeros >= 16 ? 2 : 3;
      low[zeros] = {uint8_t(length), uint8_t(length + 1)};
      high[zeros] = {uint8_t(code << 2), uint8_t(code == 3 ? 4 : code)};
    }
  }
};
constexpr Codes kCodes;

inline int leading_zeros(uint32_t v) { return v ? __builtin_clz(v) : 32; }
constexpr uint32_t high_bytes(uint32_t code) { return code + (code == 3); }

constexpr uint32_t kMask[5] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};

}  // namespace

size_t pack_words(const uint64_t* __restrict words, size_t count, unsigned char* __restrict out) {
  uint32_t previous[64] = {};
  unsigned char* p = out;
  // May write up to 8 bytes past what counts: packed_bound() has room.
  auto put = [&](uint64_t w) {
    uint32_t low = uint32_t(w), high = uint32_t(w >> 32);
    uint32_t& before = previous[low & 63];
    uint32_t change = zigzag(high - before);
    before = high;
    const Code l = kCodes.low[leading_zeros(low)], h = kCodes.high[leading_zeros(change)];
    uint64_t bytes = uint64_t(low) | uint64_t(change) << (8 * l.bytes);
    memcpy(p, &bytes, 8);
    p += l.bytes + h.bytes;
    return unsigned(l.bits | h.bits);
  };
  size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    unsigned char* control = p++;
    unsigned first = put(words[i]);
    *control = static_cast<unsigned char>(first | put(words[i + 1]) << 4);
  }
  if (i < count) {
    unsigned char* control = p++;
    *control = static_cast<unsigned char>(put(words[i]));
  }
  return size_t(p - out);
}

bool unpack_words(const unsigned char* in, size_t bytes, uint64_t* words, size_t count) {
  uint32_t previous[64] = {};
  size_t at = 0;
  unsigned control = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i % 2 == 0) {
      if (at == bytes) return false;
      control = in[at++];
    } else {
      control >>= 4;
    }
    uint32_t low_size = (control & 3) + 1, high_size = high_bytes(control >> 2 & 3);
    if (bytes - at < low_size + high_size) return false;
    uint64_t both = 0;
    memcpy(&both, in + at, bytes - at < 8 ? bytes - at : 8);
    at += low_size + high_size;
    uint32_t low = uint32_t(both) & kMask[low_size];
    uint32_t change = uint32_t(both >> (8 * low_size)) & kMask[high_size];
    uint32_t& before = previous[low & 63];
    before += unzigzag(change);
    words[i] = uint64_t(low) | uint64_t(before) << 32;
  }
  return at == bytes && (count % 2 == 0 || (control >> 4) == 0);
}

bool decode_payload(Codec codec, const void* stored, size_t stored_bytes, void* raw, size_t raw_bytes) {
  auto unpack = [&](const void* packed, size_t bytes) {
    return raw_bytes % 8 == 0 &&
           unpack_words(static_cast<const unsigned char*>(packed), bytes, static_cast<uint64_t*>(raw), raw_bytes / 8);
  };
  switch (codec) {
    case Codec::raw:
    case Codec::halves:
      if (stored_bytes != raw_bytes) return false;
      if (raw_bytes != 0) memcpy(raw, stored, raw_bytes);  // of nothing, raw may be nullptr
      return true;
    case Codec::zstd: return ZSTD_decompress(raw, raw_bytes, stored, stored_bytes) == raw_bytes;
    case Codec::packed: return unpack(stored, stored_bytes);
    case Codec::packed_zstd: {
      size_t room = packed_bound(raw_bytes / 8);
      void* packed = malloc(room);
      if (!packed) return false;
      size_t bytes = ZSTD_decompress(packed, room, stored, stored_bytes);
      bool ok = !ZSTD_isError(bytes) && unpack(packed, bytes);
      free(packed);
      return ok;
    }
  }
  return false;
}

}  // namespace einkorn::record
