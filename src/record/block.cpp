#include "record/block.h"
#include <algorithm>
#include <cstring>
#include <zstd.h>
#include "record/crc32c.h"
#include "record/packed.h"

namespace einkorn::record {

namespace {

// Bytes written to `out`, or 0 where no reader would believe in them (packed.h: that is not less than the payload, or
// too much less), or the codec does not apply to it.
size_t encode(Codec codec, const void* payload, size_t bytes, ZSTD_CCtx_s* zstd, char* out) {
  if (codec == Codec::raw || bytes < 64) return 0;
  auto believed = [&](size_t stored) {
    return !ZSTD_isError(stored) && sizes_are_possible(codec, stored, bytes) ? stored : 0;
  };
  if (codec == Codec::zstd) {
    const size_t room = ZSTD_COMPRESSBOUND(bytes);
    return believed(zstd ? ZSTD_compressCCtx(zstd, out, room, payload, bytes, kZstdLevel)
                         : ZSTD_compress(out, room, payload, bytes, kZstdLevel));
  }
  if (codec != Codec::packed || bytes % 8) return 0;
  return believed(pack_words(static_cast<const uint64_t*>(payload), bytes / 8, reinterpret_cast<unsigned char*>(out)));
}

}  // namespace

size_t block_bound(size_t payload_bytes) {
  return sizeof(BlockHeader) + padded(std::max(ZSTD_COMPRESSBOUND(payload_bytes), packed_bound(payload_bytes / 8)));
}

size_t make_block(BlockHeader header, const void* payload, size_t bytes, Codec wanted, ZSTD_CCtx_s* zstd, char* at) {
  header.raw_bytes = uint32_t(bytes);
  size_t stored = encode(wanted, payload, bytes, zstd, at + sizeof header);
  header.codec = stored ? wanted : Codec::raw;
  if (!stored) {
    if (bytes) memcpy(at + sizeof header, payload, bytes);
    stored = bytes;
  }
  return end_block(header, stored, at);
}

size_t end_block(BlockHeader header, size_t stored, char* at) {
  char* payload = at + sizeof header;
  memset(payload + stored, 0, padded(stored) - stored);
  header.magic = kBlockMagic;
  header.stored_bytes = uint32_t(stored);
  header.checksum = 0;
  header.checksum = crc32c(crc32c(0, &header, sizeof header), payload, stored);
  memcpy(at, &header, sizeof header);
  return sizeof header + padded(stored);
}

}  // namespace einkorn::record
