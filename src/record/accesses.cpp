// The recorder's side of accesses.h: finds the library, takes its blocks to the writer.
#include "record/accesses.h"
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include "record/recorder.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {
namespace {

constexpr uint64_t kMostWaiting = 64ull << 20;      // bytes; beyond, threads wait: at this level their times mean little anyway
constexpr uint64_t kPatienceNs = 5'000'000'000;     // but not for a file system that is stuck

bool write(uint32_t stream, uint64_t sequence, const void* payload, size_t bytes) {
  Process& g = g_process;
  const uint64_t since = monotonic_ns();
  while (g.access_bytes.load(std::memory_order_relaxed) > kMostWaiting && !g.over() && monotonic_ns() - since < kPatienceNs) {
    timespec pause = {0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  if (g.over()) return false;  // before the lock: see after_fork_child()
  if (bytes > kAccessBlock || g.access_bytes.load(std::memory_order_relaxed) > kMostWaiting) return false;
  const size_t all = sizeof(AccessBlock) + bytes;
  auto* block = static_cast<AccessBlock*>(map_memory(all));
  if (!block) return false;
  *block = {nullptr, sequence, bytes, stream};
  memcpy(block + 1, payload, bytes);
  bool taken = false;
  {
    Guard guard(g.pool.lock());
    if (g.phase.load(std::memory_order_acquire) == Phase::on) {
      (g.last_access_block ? g.last_access_block->next : g.access_blocks) = block;
      g.last_access_block = block;
      g.access_bytes.fetch_add(bytes, std::memory_order_relaxed);
      taken = true;
    }
  }
  if (taken) wake_writer();
  else unmap_memory(block, all);
  return taken;
}

constexpr AccessHost kHost = {write};

}  // namespace

void find_access_library() {
  auto* library = static_cast<const AccessLibrary*>(dlsym(RTLD_DEFAULT, kAccessLibrarySymbol));
  if (!library) return;  // a program without hooks, such as the shell that starts the one with
  if (library->version != kAccessLibraryVersion) {
    warn_once("libeinkorn-accesses.so is of another version: memory accesses are not recorded");
    return;
  }
  library->start(&kHost);
  g_process.accesses = library;
}

void write_access_blocks(AccessBlock* first, Output& out) {
  while (AccessBlock* b = first) {
    first = b->next;
    out.block(BlockType::accesses, b + 1, b->bytes, Codec::zstd, b->stream, b->sequence);
    g_process.access_bytes.fetch_sub(b->bytes, std::memory_order_relaxed);
    unmap_memory(b, sizeof(AccessBlock) + b->bytes);
  }
}

}  // namespace einkorn::record
