#include "runtime/task/footprint.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/environment.h"
#include "machine/types.h"
#include "memory/nodes.h"
#include "memory/page_map.h"
#include "runtime/settings/icv.h"
#include "runtime/task/task.h"

namespace einkorn::runtime {

bool g_footprints = false;
std::atomic<bool> g_hinted{false};

namespace {

struct Footprint {
  std::vector<MemoryRange> ranges;
  int domain = -1;  // that the program named
  bool empty() const { return ranges.empty() && domain < 0; }
};

// Task -> footprint, in shards so that creators and thieves seldom meet.
struct alignas(kCacheLine) Shard {
  Mutex lock;
  std::unordered_map<const Task*, Footprint> footprints;
};
constexpr size_t kShards = 64;
Shard* g_shards = nullptr;
Shard& shard_of(const Task* t) { return g_shards[(uintptr_t(t) >> 6) * 0x9e3779b97f4a7c15u >> 58]; }

// Addresses that depend clauses named without a length.
Mutex g_bases_lock;
std::set<uintptr_t>* g_bases = nullptr;
constexpr size_t kMostBases = size_t(1) << 20;
constexpr size_t kLongestGuess = size_t(64) << 20;  // bytes

void note_base(uintptr_t address) {
  g_bases_lock.lock();
  if (g_bases->size() < kMostBases) g_bases->insert(address);
  g_bases_lock.unlock();
}

size_t guess_length(uintptr_t address) {
  g_bases_lock.lock();
  auto next = g_bases->upper_bound(address);
  size_t length = next == g_bases->end() ? 0 : *next - address;
  g_bases_lock.unlock();
  return length == 0 || length > kLongestGuess ? memory::kMapPage : length;
}

TaskHints& hints_of(Worker* w) {
  if (!w->hints) {
    w->hints = new (std::nothrow) TaskHints;
    if (!w->hints) fatal("out of memory: hints for tasks");
  }
  g_hinted.store(true, std::memory_order_relaxed);
  TaskHints& h = *w->hints;
  own_task(w);
  // Without the flag it is another task in the same memory.
  if (h.creator != w->current || !(w->current->flags & kTaskSlowPath)) {
    h.domain = -1;
    h.ranges.clear();
    h.near.clear();
    h.intense = 0;
    h.creator = w->current;
  }
  // The next task has to take the slow path, to be asked for its hints.
  w->current->flags = uint16_t((w->current->flags | kTaskSlowPath) & ~kTaskRecorded);
  return h;
}

uint8_t access_of(uint8_t mode) { return mode == kDepIn ? kReads : kReads | kWrites; }

}  // namespace

bool has_several_nodes() {
  if (base::environment("EINKORN_MACHINE")) return machine::this_machine().node_count() > 1;
  char text[64] = {};
  FILE* f = fopen("/sys/devices/system/node/online", "re");
  if (!f) return false;
  bool got = fgets(text, sizeof text, f) != nullptr;
  fclose(f);
  return got && text[strspn(text, "0123456789")] != '\n' && text[strspn(text, "0123456789")] != 0;
}

void footprints_init() {
  g_footprints = (!g_config.schedule->is_default || g_config.record || base::environment("EINKORN_MACHINE")) &&
                 has_several_nodes();
  if (!g_footprints) return;
  g_hinted.store(true, std::memory_order_relaxed);
  g_shards = new (std::nothrow) Shard[kShards];
  g_bases = new (std::nothrow) std::set<uintptr_t>;
  if (!g_shards || !g_bases) fatal("out of memory: footprints of tasks");
}

void footprints_after_fork() {
  new (&g_bases_lock) Mutex;
  // What another thread was changing is left as it is: memory that the child does not need.
  for (size_t i = 0; g_shards && i < kShards; ++i) new (&g_shards[i]) Shard;
}

void hint_domain(Worker* w, int domain) { hints_of(w).domain = domain; }

void hint_child_domain(Worker* w, int domain) {
  hints_of(w);
  change_icv(w, [=](Icv& v) { v.child_domain = int16_t(domain); });
}

void hint_range(Worker* w, const void* p, size_t bytes, uint8_t access) {
  TaskHints& h = hints_of(w);
  if (g_footprints && bytes > 0) h.ranges.push_back({uintptr_t(p), bytes, access});
}

void hint_intensity(Worker* w, const void* p) {
  TaskHints& h = hints_of(w);
  if (g_footprints) h.intense = uintptr_t(p);
}

void hint_affinity(Worker* w, const MemoryRange& range) {
  if (machine::this_machine().node_count() < 2) return;
  TaskHints& h = hints_of(w);
  if (g_footprints && range.bytes > 0) h.ranges.push_back(range);
  h.near.resize(size_t(machine::this_machine().node_count()));
  memory::bytes_per_node(reinterpret_cast<const void*>(range.address), range.bytes, h.near.data());
}

int take_hints(Worker* w, Task* t, const Dependence* list, int count) {
  int domain = -1;
  Footprint said;
  std::vector<MemoryRange>& ranges = said.ranges;
  uintptr_t intense = 0;
  if (TaskHints* h = w->hints; h && h->creator == t->parent) {
    domain = h->domain;
    for (size_t i = 0; h->domain < 0 && i < h->near.size(); ++i)
      if (h->near[i] > 0 && (domain < 0 || h->near[i] > h->near[size_t(domain)])) domain = int(i);
    ranges.swap(h->ranges);
    intense = std::exchange(h->intense, 0);
    h->near.clear();
    h->domain = -1;
    h->creator = nullptr;
  }
  const Icv& v = icv(t->icv);
  if (EK_UNLIKELY(v.child_domain >= 0)) {
    if (domain < 0) domain = v.child_domain;
    t->icv = v.without_domain;
  }
  if (!g_footprints) return domain;
  for (int i = 0; i < count; ++i) {
    if (list[i].mode == kDepAllMemory) continue;
    if (list[i].bytes == 0) note_base(list[i].address);
    ranges.push_back({list[i].address, list[i].bytes, access_of(list[i].mode)});
  }
  for (MemoryRange& r : ranges)
    if (intense != 0 && r.address == intense) r.access |= kMostUsed;
  if (w->stream) said.domain = domain;
  if (said.empty()) return domain;
  t->notes |= kHasFootprint;
  Shard& s = shard_of(t);
  s.lock.lock();
  s.footprints[t] = std::move(said);
  s.lock.unlock();
  return domain;
}

namespace {

void sum_up(const std::vector<MemoryRange>& ranges, NodeBytes* out) {
  size_t nodes = size_t(machine::this_machine().node_count());
  out->read.assign(nodes, 0);
  out->written.assign(nodes, 0);
  out->coarse.assign(nodes, 0);
  out->intense = -1;
  out->total = out->known = 0;
  out->estimated = false;
  std::vector<uint64_t> here(nodes), coarse(nodes);
  for (const MemoryRange& r : ranges) {
    size_t bytes = r.bytes;
    if (bytes == 0) {
      bytes = guess_length(r.address);
      out->estimated = true;
    }
    std::fill(here.begin(), here.end(), 0);
    std::fill(coarse.begin(), coarse.end(), 0);
    memory::bytes_per_node(reinterpret_cast<const void*>(r.address), bytes, here.data(), coarse.data());
    const auto most = std::max_element(coarse.begin(), coarse.end());
    if ((r.access & kMostUsed) && *most > 0) out->intense = int(most - coarse.begin());
    out->total += bytes;
    for (size_t i = 0; i < nodes; ++i) {
      out->known += here[i];
      (r.access & kWrites ? out->written : out->read)[i] += here[i];
      out->coarse[i] += coarse[i];
    }
  }
}

}  // namespace

bool bytes_of(const Task* t, NodeBytes* out) {
  if (!(t->notes & kHasFootprint)) return false;
  Shard& s = shard_of(t);
  s.lock.lock();
  auto at = s.footprints.find(t);
  std::vector<MemoryRange> ranges;
  if (at != s.footprints.end()) ranges = at->second.ranges;
  s.lock.unlock();
  if (ranges.empty()) return false;
  sum_up(ranges, out);
  return true;
}

void begin_footprint(Worker* w, Task* t) {
  if (!(t->flags & kTaskSlowPath) || !(t->notes & kHasFootprint)) return;
  t->notes &= uint8_t(~kHasFootprint);
  Shard& s = shard_of(t);
  s.lock.lock();
  Footprint said;
  if (auto at = s.footprints.find(t); at != s.footprints.end()) {
    said = std::move(at->second);
    s.footprints.erase(at);
  }
  s.lock.unlock();
  const std::vector<MemoryRange>& ranges = said.ranges;
  const int node = memory::current_node();
  for (const MemoryRange& r : ranges)
    if (node >= 0 && (r.access & kWrites))
      memory::note_touch(reinterpret_cast<const void*>(r.address), r.bytes ? r.bytes : guess_length(r.address), node);
  if (!w->stream) return;
  if (said.domain >= 0) w->stream->named_node(uint32_t(said.domain));
  if (ranges.empty()) return;
  NodeBytes bytes;
  sum_up(ranges, &bytes);
  w->stream->footprint(bytes.total, bytes.known, bytes.estimated);
  for (size_t i = 0; i < bytes.read.size(); ++i)
    if (bytes.read[i] + bytes.written[i] > 0) w->stream->footprint_node(uint32_t(i), bytes.read[i], bytes.written[i]);
  for (const MemoryRange& r : ranges)
    w->stream->footprint_range(r.access & (kReads | kWrites), r.bytes == 0, r.address,
                               r.bytes ? r.bytes : guess_length(r.address));
}

}  // namespace einkorn::runtime
