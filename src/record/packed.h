// How block payloads are coded. Codec::packed: event words made small at a few instructions each, where zstd would cost more than recording did.
//
// A word is split into its low half (kind and time difference) and its high half (payload). Of the low half the leading
// zero bytes are dropped; the high half is taken as the difference to the one before it with the same six lowest bits
// (for a record: of the same kind), zigzag coded, and shortened too. Words that follow a record's first are treated
// alike: nothing here depends on what a word means.
#pragma once
#include <cstddef>
#include <cstdint>
#include "record/format.h"
#include "record/halves.h"

namespace einkorn::record {

// Room that pack_words() may need. What is packed is followed by nothing.
constexpr size_t packed_bound(size_t words) { return words * 9 + 16; }

// What a block's header may say: what writers keep to, and readers believe. A writer takes a codec where it makes less of the payload:
// packed_zstd where that is less than what halves would take, which begin with Started. The last rule bounds what a small hostile file
// can grow into; events shrink to about a fourth.
constexpr bool sizes_are_possible(Codec codec, uint64_t stored_bytes, uint64_t raw_bytes) {
  if (raw_bytes > kMaxRawBytes || codec > Codec::halves) return false;
  if (codec == Codec::raw || codec == Codec::halves) return stored_bytes == raw_bytes;
  const uint64_t most = raw_bytes + (codec == Codec::packed_zstd ? sizeof(Started) : 0);
  return stored_bytes <= most && raw_bytes <= (64u << 10) + 64 * stored_bytes;
}

// Returns the bytes written to `out`.
size_t pack_words(const uint64_t* words, size_t count, unsigned char* out);
// False: `in` is not a packing of exactly `count` words. Writes no more than those.
bool unpack_words(const unsigned char* in, size_t bytes, uint64_t* words, size_t count);

// For readers: any codec; of halves, these. False: damaged, or a codec of a later version.
bool decode_payload(Codec codec, const void* stored, size_t stored_bytes, void* raw, size_t raw_bytes);

// The same of a whole block, halves as the words that they stand for. Bytes: a vector or string of them.
template <class Bytes>
bool decode_block(const BlockHeader& h, const void* stored, Bytes& out) {
  out.resize(h.raw_bytes);
  if (!decode_payload(h.codec, stored, h.stored_bytes, out.data(), out.size())) return false;
  if (h.codec != Codec::halves) return true;
  const Bytes halves = out;
  out.resize(expanded_bound(halves.size()) * sizeof(uint64_t));
  out.resize(expand_halves(halves.data(), halves.size(), reinterpret_cast<uint64_t*>(out.data())) * sizeof(uint64_t));
  return true;
}

}  // namespace einkorn::record
