#include "record/allocations.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/recorder.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

constexpr size_t kMostCallers = 1024;
constexpr uint32_t kMostNodes = 1024;
constexpr size_t kSampledPages = 64;  // of a block
// Of a call's blocks all up to this number are asked about, then each 16th.
constexpr uint64_t kAllSampled = 64, kEach = 16;

struct Caller {
  const void* return_address;
  uint64_t blocks, bytes, largest, asked;
  uint64_t* on;  // bytes by node, as far as the system was asked; of kMostNodes. nullptr: not yet
};

// Blocks that live: in sets of one cache line, by their address. What finds its set full takes the place of one of
// them, of which nothing more is noted.
constexpr size_t kWays = 8, kSets = 1024;
struct alignas(64) Set {
  std::atomic<const void*> block[kWays];
};
struct Block {
  size_t bytes;
  uint32_t caller;
};

struct Table {
  Set sets[kSets];
  Block blocks[kSets][kWays];
  uint8_t next[kSets];
  Caller callers[kMostCallers];
};

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
// Under the lock, but for the addresses in its sets, which note_free() looks at without. Relaxed: a block that a thread
// frees was noted by that thread, or told to it by the program, with an order of its own.
std::atomic<Table*> g_table{nullptr};
size_t g_callers = 0;
bool g_on_nodes = false;

size_t set_of(const void* block) {
  return size_t((uint64_t(reinterpret_cast<uintptr_t>(block)) >> 4) * 0x9e3779b97f4a7c15ull >> 54);
}
static_assert(kSets == size_t(1) << 10);

// On which nodes its pages are now.
void ask(const void* block, const Block& b, Caller& c) {
  if (!g_on_nodes || (c.asked >= kAllSampled && c.asked++ % kEach != 0)) return;
  if (!c.on) c.on = static_cast<uint64_t*>(map_memory(kMostNodes * sizeof(uint64_t)));
  if (!c.on) return;
  static const size_t page = size_t(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (uintptr_t(block) + page - 1) / page * page, end = (uintptr_t(block) + b.bytes) / page * page;
  if (end <= begin) return;
  const size_t all = (end - begin) / page, count = std::min(all, kSampledPages);
  void* pages[kSampledPages];
  int status[kSampledPages];
  for (size_t i = 0; i < count; ++i) {
    pages[i] = reinterpret_cast<void*>(begin + i * all / count * page);
    status[i] = -1;
  }
  const int saved = errno;
  // A page without memory has an error in its place.
  if (syscall(SYS_move_pages, 0, count, pages, nullptr, status, 0) == 0) {
    if (c.asked < kAllSampled) ++c.asked;
    for (size_t i = 0; i < count; ++i)
      if (status[i] >= 0 && uint32_t(status[i]) < kMostNodes) c.on[status[i]] += b.bytes / count;
  }
  errno = saved;
}

Caller* caller_of(Table& t, const void* return_address) {
  for (size_t i = 0; i < g_callers; ++i)
    if (t.callers[i].return_address == return_address) return &t.callers[i];
  if (g_callers == kMostCallers) return nullptr;
  t.callers[g_callers].return_address = return_address;
  return &t.callers[g_callers++];
}

}  // namespace

bool keep_allocations(bool on_nodes) {
  auto* table = static_cast<Table*>(map_memory(sizeof(Table)));
  if (!table) return false;
  g_on_nodes = on_nodes;
  g_table.store(table, std::memory_order_release);
  return true;
}

void note_allocation(const void* block, size_t bytes, const void* return_address) {
  Table* t = g_table.load(std::memory_order_acquire);
  if (!t) return;
  Guard guard(g_lock);
  Caller* c = caller_of(*t, return_address);
  if (!c) return;
  ++c->blocks;
  c->bytes += bytes;
  c->largest = std::max<uint64_t>(c->largest, bytes);
  const size_t s = set_of(block);
  Set& set = t->sets[s];
  size_t way = 0;
  while (way < kWays && set.block[way].load(std::memory_order_relaxed)) ++way;
  if (way == kWays) way = t->next[s]++ % kWays;
  t->blocks[s][way] = {bytes, uint32_t(c - t->callers)};
  set.block[way].store(block, std::memory_order_relaxed);
}

void note_free(const void* block) {
  Table* t = g_table.load(std::memory_order_acquire);
  if (!t) return;
  const size_t s = set_of(block);
  Set& set = t->sets[s];
  bool here = false;
  for (auto& one : set.block) here |= one.load(std::memory_order_relaxed) == block;
  if (!here) return;
  Guard guard(g_lock);
  for (size_t way = 0; way < kWays; ++way)
    if (set.block[way].load(std::memory_order_relaxed) == block) {
      const Block& b = t->blocks[s][way];
      ask(block, b, t->callers[b.caller]);
      set.block[way].store(nullptr, std::memory_order_relaxed);
    }
}

void write_allocations() {
  Table* t = g_table.load(std::memory_order_acquire);
  if (!t) return;
  Guard guard(g_lock);
  for (size_t s = 0; s < kSets; ++s)
    for (size_t way = 0; way < kWays; ++way)
      if (const void* block = t->sets[s].block[way].load(std::memory_order_relaxed))
        ask(block, t->blocks[s][way], t->callers[t->blocks[s][way].caller]);
  auto nodes_of = [](const Caller& c) {
    uint32_t nodes = 0;
    for (uint32_t n = 0; c.on && n < kMostNodes; ++n)
      if (c.on[n]) nodes = n + 1;
    return nodes;
  };
  size_t bytes = 0;
  for (size_t i = 0; i < g_callers; ++i) bytes += sizeof(AllocationRecord) + nodes_of(t->callers[i]) * sizeof(uint64_t);
  if (bytes == 0 || bytes > kMaxRawBytes) return;
  QueuedBlock* queued = new_block(BlockType::allocations, 0, 0, bytes);
  if (!queued) return;
  auto* to = reinterpret_cast<char*>(queued + 1);
  for (size_t i = 0; i < g_callers; ++i) {
    const Caller& c = t->callers[i];
    const AllocationRecord r{g_process.sites.find_or_add(Construct::allocation, 0, nullptr, c.return_address, nullptr),
                             nodes_of(c), c.blocks, c.bytes, c.largest};
    memcpy(to, &r, sizeof r);
    to += sizeof r;
    if (r.nodes) memcpy(to, c.on, r.nodes * sizeof(uint64_t));
    to += r.nodes * sizeof(uint64_t);
  }
  queue(queued);
}

void reset_allocations_lock() { g_lock = PTHREAD_MUTEX_INITIALIZER; }

}  // namespace einkorn::record
