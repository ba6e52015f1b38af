// How block payloads are coded. Codec::packed compresses event words at a few instructions each; zstd would cost more
// than the recording did.
//
// A word is split into its low half (kind and time difference) and its high half (payload). The low half loses its
// leading zero bytes. The high half becomes the difference to that of the previous word with the same six lowest bits
// (for a record: of the same kind), zigzag coded, and is shortened, too. The further words of a record are treated
// alike: nothing here depends on what a word means.
#pragma once
#include <cstddef>
#include <cstdint>
#include "record/format.h"
#include "record/halves.h"

namespace einkorn::record {

// Room that pack_words() may need. Nothing follows what is packed.
constexpr size_t packed_bound(size_t words) { return words * 9 + 16; }

// What a block's header may say: writers obey it, and readers believe no other. A writer uses a codec only if it makes
// the payload smaller; packed_zstd only if it takes less than halves would, which begin with Started. The last rule
// bounds the memory that a small hostile file can demand; events shrink to about a fourth.
constexpr bool sizes_are_possible(Codec codec, uint64_t stored_bytes, uint64_t raw_bytes) {
  if (raw_bytes > kMaxRawBytes || codec > Codec::halves) return false;
  if (codec == Codec::raw || codec == Codec::halves) return stored_bytes == raw_bytes;
  const uint64_t most = raw_bytes + (codec == Codec::packed_zstd ? sizeof(Started) : 0);
  return stored_bytes <= most && raw_bytes <= (64u << 10) + 64 * stored_bytes;
}

// Returns the bytes written to `out`.
size_t pack_words(const uint64_t* words, size_t count, unsigned char* out);
// False: `in` is not a packing of exactly `count` words. Never writes more than these.
bool unpack_words(const unsigned char* in, size_t bytes, uint64_t* words, size_t count);

// For readers: decodes any codec; halves stay halves. False: damaged, or a codec of a later version.
bool decode_payload(Codec codec, const void* stored, size_t stored_bytes, void* raw, size_t raw_bytes);

// The same for a whole block, with halves expanded to words. Bytes: a vector or a string of bytes.
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
