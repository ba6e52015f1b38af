#include "record/node_sample.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/recorder.h"
#include "record/system.h"

namespace einkorn::record {

void sample_nodes(const void* block, size_t bytes, NodeSample& out) {
  static const size_t page = size_t(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (uintptr_t(block) + page - 1) / page * page, end = (uintptr_t(block) + bytes) / page * page;
  if (end <= begin) return;
  const size_t all = (end - begin) / page, count = std::min(all, kSampledPages);
  void* pages[kSampledPages];
  for (size_t i = 0; i < count; ++i) pages[i] = reinterpret_cast<void*>(begin + i * all / count * page);
  const int saved = errno;
  if (syscall(SYS_move_pages, 0, count, pages, nullptr, out.node, 0) == 0) out.count = count;
  errno = saved;
}

void add_sample(const NodeSample& sample, size_t bytes, BytesOnNodes& to) {
  if (sample.count == 0) return;
  if (!to) to = static_cast<uint64_t*>(map_memory(kMostAllocationNodes * sizeof(uint64_t)));
  if (!to) return;
  for (size_t i = 0; i < sample.count; ++i)
    if (const int node = sample.node[i]; node >= 0 && uint32_t(node) < kMostAllocationNodes)
      to[node] += bytes / sample.count;
}

uint32_t nodes_with_bytes(const uint64_t* on) {
  uint32_t nodes = 0;
  for (uint32_t n = 0; on && n < kMostAllocationNodes; ++n)
    if (on[n]) nodes = n + 1;
  return nodes;
}

namespace {
constexpr size_t kPayload = 256 << 10, kMostOfOne = sizeof(AllocationRecord) + kMostAllocationNodes * sizeof(uint64_t);
}

AllocationBlocks::AllocationBlocks(Output& out) : out_(out), payload_(static_cast<char*>(map_memory(kPayload))) {}

AllocationBlocks::~AllocationBlocks() {
  write();
  if (payload_) unmap_memory(payload_, kPayload);
}

void AllocationBlocks::add(uint32_t site, uint64_t blocks, uint64_t bytes, uint64_t largest, const uint64_t* on) {
  if (!payload_) return;
  if (used_ + kMostOfOne > kPayload) write();
  const AllocationRecord r{site, nodes_with_bytes(on), blocks, bytes, largest};
  memcpy(payload_ + used_, &r, sizeof r);
  used_ += sizeof r;
  if (r.nodes) memcpy(payload_ + used_, on, r.nodes * sizeof(uint64_t));
  used_ += r.nodes * sizeof(uint64_t);
}

void AllocationBlocks::write() {
  if (used_ > 0) out_.block(BlockType::allocations, payload_, used_, Codec::zstd);
  used_ = 0;
}

}  // namespace einkorn::record
