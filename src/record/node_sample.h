// On which memory nodes some pages of a block are.
#pragma once
#include <cstddef>
#include <cstdint>

#include "record/format.h"

namespace einkorn::record {

inline constexpr size_t kSampledPages = 64;

struct NodeSample {
  size_t count = 0;
  int node[kSampledPages];  // negative: no memory
};

// Of up to kSampledPages of the block's whole pages, at equal distances. A system call; errno stays.
void sample_nodes(const void* block, size_t bytes, NodeSample& out);

// Bytes by node, of one or many blocks; of kMostAllocationNodes. Whose field is nullptr until something is known.
using BytesOnNodes = uint64_t*;
// Each page stands for its part of the block.
void add_sample(const NodeSample&, size_t bytes, BytesOnNodes& to);
// Up to the last node with any.
uint32_t nodes_with_bytes(const uint64_t* on);

class Output;

// AllocationRecords, gathered into blocks of the file.
class AllocationBlocks {
 public:
  explicit AllocationBlocks(Output& out);
  ~AllocationBlocks();
  AllocationBlocks(const AllocationBlocks&) = delete;
  void add(uint32_t site, uint64_t blocks, uint64_t bytes, uint64_t largest, const uint64_t* on);

 private:
  void write();
  Output& out_;
  char* payload_;
  size_t used_ = 0;
};

}  // namespace einkorn::record
