// CRC-32C (Castagnoli, polynomial 0x1edc6f41 reflected), as in iSCSI (RFC 3720) and ext4: the checksum of grain file
// blocks.
#pragma once
#include <cstddef>
#include <cstdint>

namespace einkorn::record {

// Continues from `crc`, the value returned for the bytes before; 0 to begin.
uint32_t crc32c(uint32_t crc, const void* data, size_t bytes);
// The same without the CPU's instruction: what crc32c() falls back to.
uint32_t crc32c_table(uint32_t crc, const void* data, size_t bytes);

}  // namespace einkorn::record
