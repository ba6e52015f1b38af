// Blocks that threads of the program make whole, and the writer writes.
#include "record/recorder.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {

namespace {

// Of what is among the queued blocks, a counter for some types.
std::atomic<uint64_t>* bytes_of(BlockType type) {
  if (type == BlockType::accesses) return &g_process.access_bytes;
  return type == BlockType::codelet_graphs ? &g_process.graph_bytes : nullptr;
}

void drop(QueuedBlock* b) {
  if (auto* bytes = bytes_of(b->type)) bytes->fetch_sub(b->bytes, std::memory_order_relaxed);
  unmap_memory(b, sizeof(QueuedBlock) + b->bytes);
}

}  // namespace

QueuedBlock* new_block(BlockType type, uint32_t stream, uint64_t sequence, size_t bytes) {
  auto* block = static_cast<QueuedBlock*>(map_memory(sizeof(QueuedBlock) + bytes));
  if (!block) return nullptr;
  *block = {nullptr, sequence, bytes, stream, type};
  if (auto* queued = bytes_of(type)) queued->fetch_add(bytes, std::memory_order_relaxed);
  return block;
}

bool queue(QueuedBlock* block) {
  Process& g = g_process;
  bool taken = false;
  if (!g.over()) {  // before the lock: see after_fork_child()
    Guard guard(g.pool.lock());
    if (g.phase.load(std::memory_order_acquire) == Phase::on) {
      (g.last_queued_block ? g.last_queued_block->next : g.queued_blocks) = block;
      g.last_queued_block = block;
      taken = true;
    }
  }
  if (taken) wake_writer();
  else drop(block);
  return taken;
}

void write_queued_blocks(QueuedBlock* first, Output& out) {
  while (QueuedBlock* b = first) {
    first = b->next;
    out.block(b->type, b + 1, b->bytes, Codec::zstd, b->stream, b->sequence);
    drop(b);
  }
}

}  // namespace einkorn::record
