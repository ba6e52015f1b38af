// The recorder's side of accesses.h: finds the library, gives its blocks to the writer.
#include "record/accesses.h"
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include "record/recorder.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {
namespace {

constexpr uint64_t kMostWaiting =
    64ull << 20;  // bytes; beyond this, threads wait: at this recording level their times mean little anyway
constexpr uint64_t kPatienceNs = 5'000'000'000;  // but not for a file system that hangs

bool write(uint32_t stream, uint64_t sequence, const void* payload, size_t bytes) {
  Process& g = g_process;
  const uint64_t since = monotonic_ns();
  while (g.access_bytes.load(std::memory_order_relaxed) > kMostWaiting && !g.over() &&
         monotonic_ns() - since < kPatienceNs) {
    timespec pause = {0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  if (g.over()) return false;  // before the lock: see after_fork_child()
  if (bytes > kAccessBlock || g.access_bytes.load(std::memory_order_relaxed) > kMostWaiting) return false;
  QueuedBlock* block = new_block(BlockType::accesses, stream, sequence, bytes);
  if (!block) return false;
  memcpy(block + 1, payload, bytes);
  return queue(block);
}

void write_lines(const void* records, size_t bytes) {
  QueuedBlock* block = new_block(BlockType::shared_lines, 0, 0, bytes);
  if (!block) return;
  memcpy(block + 1, records, bytes);
  queue(block);
}

constexpr AccessHost kHost = {write, write_lines};

}  // namespace

void find_access_library() {
  auto* library = static_cast<const AccessLibrary*>(dlsym(RTLD_DEFAULT, kAccessLibrarySymbol));
  if (!library) return;  // a program without hooks, such as the shell that starts the one with hooks
  if (library->version != kAccessLibraryVersion) {
    warn_once("libeinkorn-accesses.so is of another version: memory accesses are not recorded");
    return;
  }
  library->start(&kHost);
  g_process.accesses = library;
}

}  // namespace einkorn::record
