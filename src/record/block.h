// One block of a grain file, made in memory: for whoever writes such a file, the recorder and the simulator.
#pragma once
#include <cstddef>
#include "record/format.h"

struct ZSTD_CCtx_s;

namespace einkorn::record {

inline constexpr int kZstdLevel = 1;

// Most bytes of a block with such a payload: header, payload in whatever codec, padding.
size_t block_bound(size_t payload_bytes);

// The block at `at`, where block_bound() bytes are free. `header` has type and, where they matter, thread, sequence,
// first_tick and first_serial. `wanted`: what is not made smaller by it, or so much smaller that no reader would
// believe it, is stored raw. zstd: nullptr: memory is allocated for it. Returns all bytes.
size_t make_block(BlockHeader header, const void* payload, size_t bytes, Codec wanted, ZSTD_CCtx_s* zstd, char* at);

// The same where the payload lies in its place behind the header's, as `header.codec` and `header.raw_bytes` say.
size_t end_block(BlockHeader header, size_t stored, char* at);

}  // namespace einkorn::record
