#include "record/allocations.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "record/node_sample.h"
#include "record/recorder.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

constexpr uint32_t kMostCallers = 1024;  // the last one stands for all others
// Of a call's blocks all up to this number are asked about, then each 64th.
constexpr uint64_t kAllSampled = 64, kEach = 64;
constexpr uint64_t kLockPatienceNs = 300'000'000;

struct Caller {
  const void* return_address;
  uint32_t site;
  uint64_t blocks, bytes, largest, freed;
  BytesOnNodes on;  // as far as the system was asked
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
  uint32_t count;  // of callers
  Caller callers[kMostCallers];
};

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
// Under the lock, but for the addresses in its sets, which note_free() looks at without. Relaxed: a block that a thread
// frees was noted by that thread, or told to it by the program, with an order of its own.
std::atomic<Table*> g_table{nullptr};
bool g_on_nodes = false;
// A signal that comes while the lock is held may end the program, and exit() frees.
__thread bool t_noting = false;

class Noting {
 public:
  Noting() {
    t_noting = true;
    pthread_mutex_lock(&g_lock);
  }
  ~Noting() {
    pthread_mutex_unlock(&g_lock);
    t_noting = false;
  }
  Noting(const Noting&) = delete;
  Noting& operator=(const Noting&) = delete;
};

size_t set_of(const void* block) {
  return size_t((uint64_t(reinterpret_cast<uintptr_t>(block)) >> 4) * 0x9e3779b97f4a7c15ull >> 54);
}
static_assert(kSets == size_t(1) << 10);

uint32_t caller_of(Table& t, const void* return_address) {
  uint32_t i = 0;
  while (i < t.count && t.callers[i].return_address != return_address) ++i;
  if (i < t.count) return i;
  if (t.count == kMostCallers) return kMostCallers - 1;
  if (++t.count == kMostCallers) return_address = nullptr;
  t.callers[i].return_address = return_address;
  t.callers[i].site = g_process.sites.find_or_add(Construct::allocation, 0, nullptr, return_address, nullptr);
  return i;
}

}  // namespace

bool keep_allocations(bool on_nodes) {
  auto* table = static_cast<Table*>(map_memory(sizeof(Table)));
  if (!table || !g_process.sites.create()) return false;
  g_on_nodes = on_nodes;
  g_table.store(table, std::memory_order_release);
  return true;
}

void note_allocation(const void* block, size_t bytes, const void* return_address) {
  Table* t = g_table.load(std::memory_order_acquire);
  if (!t || t_noting) return;
  Noting noting;
  const uint32_t caller = caller_of(*t, return_address);
  Caller& c = t->callers[caller];
  ++c.blocks;
  c.bytes += bytes;
  c.largest = std::max<uint64_t>(c.largest, bytes);
  const size_t s = set_of(block);
  Set& set = t->sets[s];
  // In the place of one at this address, which has gone without our being told; else in an empty one.
  size_t way = kWays;
  for (const void* wanted : {block, static_cast<const void*>(nullptr)})
    for (size_t i = 0; way == kWays && i < kWays; ++i)
      if (set.block[i].load(std::memory_order_relaxed) == wanted) way = i;
  if (way == kWays) way = t->next[s]++ % kWays;
  t->blocks[s][way] = {bytes, caller};
  set.block[way].store(block, std::memory_order_relaxed);
}

void note_free(const void* block) {
  Table* t = g_table.load(std::memory_order_acquire);
  if (!t) return;
  const size_t s = set_of(block);
  Set& set = t->sets[s];
  bool here = false;
  for (auto& one : set.block) here |= one.load(std::memory_order_relaxed) == block;
  if (!here || t_noting) return;
  Block b{};
  bool asks = false;
  {
    Noting noting;
    for (size_t way = 0; way < kWays; ++way)
      if (set.block[way].load(std::memory_order_relaxed) == block) {
        b = t->blocks[s][way];
        set.block[way].store(nullptr, std::memory_order_relaxed);
        Caller& c = t->callers[b.caller];
        asks = g_on_nodes && (++c.freed <= kAllSampled || c.freed % kEach == 0);
      }
  }
  if (!asks) return;
  NodeSample sample;
  sample_nodes(block, b.bytes, sample);
  Noting noting;
  add_sample(sample, b.bytes, t->callers[b.caller].on);
}

void write_allocations(Output& out) {
  Table* t = g_table.load(std::memory_order_acquire);
  if (!t || t->count == 0) return;
  // Whose thread waits for us in exit(), or is dead, may have it: then we do without.
  const bool locked = lock_within(g_lock, kLockPatienceNs);
  t_noting = true;  // whatever the writer calls
  for (size_t s = 0; g_on_nodes && s < kSets; ++s)
    for (size_t way = 0; way < kWays; ++way)
      if (const void* block = t->sets[s].block[way].load(std::memory_order_relaxed)) {
        const Block b = t->blocks[s][way];
        NodeSample sample;
        sample_nodes(block, b.bytes, sample);
        add_sample(sample, b.bytes, t->callers[b.caller].on);
      }
  {
    AllocationBlocks blocks(out);
    for (uint32_t i = 0; i < t->count; ++i)
      if (const Caller& c = t->callers[i]; c.blocks != 0)  // else in the parent of this process
        blocks.add(c.site, c.blocks, c.bytes, c.largest, c.on);
  }
  if (locked) pthread_mutex_unlock(&g_lock);
  t_noting = false;
}

int64_t allocating_calls() {
  const Table* t = g_table.load(std::memory_order_acquire);
  return t ? int64_t(t->count) : -1;
}

void forget_allocations() {
  g_lock = PTHREAD_MUTEX_INITIALIZER;
  Table* t = g_table.load(std::memory_order_relaxed);
  if (!t || t->count == 0) return;
  // The parent's file has them.
  for (uint32_t i = 0; i < t->count; ++i) {
    Caller& c = t->callers[i];
    c.blocks = c.bytes = c.largest = c.freed = 0;
    if (c.on) memset(c.on, 0, kMostAllocationNodes * sizeof(uint64_t));
  }
  for (Set& set : t->sets)
    for (auto& block : set.block) block.store(nullptr, std::memory_order_relaxed);
}

}  // namespace einkorn::record
