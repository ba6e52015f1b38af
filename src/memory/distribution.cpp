#include "memory/distribution.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

#include "memory/arena.h"
#include "memory/page_map.h"
#include "memory/pages.h"

namespace einkorn::memory {

namespace {

// The page in front of a block that is not malloc's or an arena's. give_back() recognises it by the mark kRegion in the
// page map.
struct Region {
  size_t bytes;  // of the block
};

// To the kernel each range with its own policy is a mapping of its own, and a process may have 65,530. If a layout
// would need more policies than this, its pages are populated on their nodes at once.
constexpr size_t kMostPolicies = 4096;

std::atomic<Layout> g_default{Layout::system};
std::atomic<unsigned> g_turn{0};

int nth(const NodeSet& set, size_t n) {
  int node = set.next(0);
  while (n-- > 0) node = set.next(node + 1);
  return node;
}

int next_in_turn(const NodeSet& set) {
  return nth(set, g_turn.fetch_add(1, std::memory_order_relaxed) % unsigned(set.count()));
}

// A block of whole units whose address is a multiple of `units` of them.
char* region(size_t* bytes, size_t units) {
  const Nodes& n = nodes();
  size_t whole;
  if (__builtin_add_overflow(*bytes, n.unit - 1, &whole) || whole > SIZE_MAX / 2) return nullptr;
  whole = whole / n.unit * n.unit;
  char* head = map_pages(page_bytes() + whole, n.unit * units, page_bytes());
  if (!head) return nullptr;
  char* block = head + page_bytes();
  if (!mark(head, page_bytes(), kRegion, 0)) {
    unmap_pages(head, page_bytes() + whole);
    return nullptr;
  }
  reinterpret_cast<Region*>(head)->bytes = whole;
  *bytes = whole;
  return block;
}

bool is_region(const void* p) {
  if (uintptr_t(p) % page_bytes()) return false;
  std::atomic<uint32_t>* word = page_word(uintptr_t(p) - page_bytes(), false);
  return word && (word->load(std::memory_order_relaxed) & kRegion);
}

bool in_arena(const void* p) {
  std::atomic<uint32_t>* word = page_word(uintptr_t(p), false);
  return word && (word->load(std::memory_order_relaxed) & kArena);
}

size_t region_bytes(void* p) { return reinterpret_cast<Region*>(static_cast<char*>(p) - page_bytes())->bytes; }

// Calls f(first byte, bytes, node) for each longest range of units with one owner. owner(i): node of unit i.
template <class Owner, class F>
void for_each_run(size_t bytes, Owner owner, F f) {
  size_t unit = nodes().unit, units = bytes / unit;
  for (size_t first = 0, end; first < units; first = end) {
    int node = owner(first);
    for (end = first + 1; end < units && owner(end) == node;) ++end;
    f(first * unit, (end - first) * unit, node);
  }
}

// Tells the system; 0, or the error with which it refuses.
template <class Owner>
int lay_out_really(char* block, size_t bytes, Owner owner, bool move = false) {
  const Nodes& n = nodes();
  size_t runs = 0;
  for_each_run(bytes, owner, [&](size_t, size_t, int) { ++runs; });
  int error = 0;
  if (runs <= kMostPolicies) {
    for_each_run(bytes, owner, [&](size_t at, size_t size, int node) {
      if (!error) error = prefer_node(block + at, size, n.os[node], move);
    });
    return error;
  }
  no_huge_pages(block, bytes);
  size_t step = page_bytes();
  for (int node = n.with_cpus.next(0); node >= 0; node = n.with_cpus.next(node + 1)) {
    PreferredNode here(n.os[node]);
    if (here.error()) return here.error();
    for (size_t at = 0; at < bytes; at += step)
      if (owner(at / n.unit) == node) *static_cast<volatile char*>(block + at) = 0;
  }
  return 0;
}

// Nodes to which data goes, in their order.
struct Order {
  int node[kMaxNodes];
  size_t count = 0;
  explicit Order(const NodeSet& set) {
    for (int n = set.next(0); n >= 0; n = set.next(n + 1)) node[count++] = n;
  }
  // Of the unit, in a block of so many units a node.
  int of_block(size_t unit, size_t units) const { return node[unit / units % count]; }
};

// Units of one of `count` equal parts.
size_t part_units(size_t bytes, size_t count) {
  const size_t part = bytes / count + (bytes % count != 0), unit = nodes().unit;
  return part / unit + (part % unit != 0);
}

template <class Owner>
void* laid_out(size_t bytes, Owner owner, bool coarse = false) {
  char* block = region(&bytes, 1);
  if (!block) return nullptr;
  const Nodes& n = nodes();
  int error = n.real && n.count > 1 ? lay_out_really(block, bytes, owner) : 0;
  if (error) cannot_place(error);
  else for_each_run(bytes, owner, [&](size_t at, size_t size, int node) { place(block + at, size, node, coarse); });
  return block;
}

// Nodes in the order in which the kernel gives pages to them in turn, page 0 of memory to the first one.
struct Turns {
  NodeSet os;
  int node[kMaxNodes];
  size_t count = 0;
  explicit Turns(const NodeSet& set) {
    const Nodes& n = nodes();
    for (int k = set.next(0); k >= 0; k = set.next(k + 1)) os.add(n.os[k]), node[count++] = k;
    if (!n.real) return;
    count = 0;
    for (int o = os.next(0); o >= 0; o = os.next(o + 1)) node[count++] = n.of_os[o];
  }
};

// Pages in turn: one policy of the kernel for all of them. It counts by address, so the block begins where the first
// node's turn comes.
void* in_turn(size_t bytes, const NodeSet& set) {
  const Nodes& n = nodes();
  const Turns turns(set);
  char* block = region(&bytes, turns.count);
  if (!block) return nullptr;
  int error = n.real && n.count > 1 ? interleave(block, bytes, turns.os) : 0;
  if (error) cannot_place(error);
  else
    for (size_t i = 0; i < bytes / n.unit; ++i) place(block + i * n.unit, n.unit, turns.node[i % turns.count]);
  return block;
}

// Each policy splits a mapping of the process, of which it may have 65,530, and who has none left can start no thread:
// they are counted now and then, and half of them is left to the program. Blocks that are freed give theirs back.
bool has_mappings_left(int of_a_block) {
  constexpr int kMost = 32'768, kMostBetween = 8'192;
  static std::atomic<int> since{0};
  static std::atomic<bool> left{true};
  if (since.fetch_add(of_a_block, std::memory_order_relaxed) + of_a_block < kMostBetween)
    return left.load(std::memory_order_relaxed);
  since.store(0, std::memory_order_relaxed);
  const int count = count_mappings();
  const bool was = left.exchange(count < kMost, std::memory_order_relaxed);
  if (was && count >= kMost && g_hooks.warn)
    g_hooks.warn("the process has so many mappings of memory that no more blocks are placed, until it has fewer");
  return count < kMost;
}

void* from_system(size_t bytes, bool zero) { return zero ? calloc(1, bytes) : malloc(bytes); }

// On a machine whose lines have homes, memory lies on all nodes unless it is put on one.
void* in_lines(size_t bytes, bool zero) {
  void* p = nullptr;
  if (posix_memalign(&p, nodes().line < 64 ? 64 : nodes().line, bytes) != 0) return nullptr;
  return zero ? memset(p, 0, bytes) : p;
}

void* small_block(size_t bytes, int node, bool coarse, bool zero) {
  bool fresh;
  void* p = arena_take(bytes, node, coarse, &fresh);
  if (p && zero && !fresh) memset(p, 0, bytes);
  return p;
}

}  // namespace

void set_default_layout(Layout l) { g_default.store(l, std::memory_order_relaxed); }
Layout default_layout() { return g_default.load(std::memory_order_relaxed); }

void* distribute(size_t bytes, Layout layout, bool zero) {
  if (layout == Layout::system) return from_system(bytes ? bytes : 1, zero);
  if (bytes == 0) bytes = 1;
  int node = -1;
  const bool coarse = layout == Layout::coarse;
  if (layout == Layout::fine && nodes().line && bytes >= nodes().line) return in_lines(bytes, zero);
  if (layout == Layout::nearest) {
    node = current_node();
    if (node < 0) return from_system(bytes, zero);
  } else if (coarse || bytes < nodes().unit) {
    node = next_in_turn(layout == Layout::interleaved ? team_nodes() : nodes().with_cpus);
  }
  if (node >= 0) {
    if (bytes <= kMostInArena) return small_block(bytes, node, coarse, zero);
    return laid_out(bytes, [node](size_t) { return node; }, coarse);
  }
  if (layout == Layout::blocked) return distribute_blocks(bytes, 0);
  return in_turn(bytes, layout == Layout::interleaved ? team_nodes() : nodes().with_cpus);
}

void* distribute_blocks(size_t bytes, size_t block_bytes) {
  const Nodes& n = nodes();
  const Order order(n.with_cpus);
  if (bytes == 0) bytes = 1;
  const size_t units =
      block_bytes ? block_bytes / n.unit + (block_bytes % n.unit != 0) : part_units(bytes, order.count);
  return laid_out(bytes, [&](size_t unit) { return order.of_block(unit, units); });
}

void lay_out(void* p, size_t bytes, Layout layout, bool is_empty) {
  const Nodes& n = nodes();
  uintptr_t end;
  if (n.count < 2 || __builtin_add_overflow(uintptr_t(p), bytes, &end)) return;
  const uintptr_t begin = (uintptr_t(p) + n.unit - 1) / n.unit * n.unit;
  if (end / n.unit * n.unit <= begin) return;
  if (n.real && !has_mappings_left(n.count + 1)) return;
  bytes = end / n.unit * n.unit - begin;
  char* block = reinterpret_cast<char*>(begin);
  if (n.real && is_empty) drop_pages(block, bytes);  // where that is refused they stay where they are
  if (layout == Layout::fine) {
    const Turns turns(n.with_cpus);
    const int error = n.real ? interleave(block, bytes, turns.os) : 0;
    if (error) return cannot_place(error);
    for (size_t i = 0; !n.real && i < bytes / n.unit; ++i)
      place(block + i * n.unit, n.unit, turns.node[(begin / n.unit + i) % turns.count]);
    return;
  }
  auto by = [&](auto owner) {
    const int error = n.real ? lay_out_really(block, bytes, owner, !is_empty) : 0;
    if (error) return cannot_place(error);
    if (!n.real) for_each_run(bytes, owner, [&](size_t at, size_t size, int node) { place(block + at, size, node); });
  };
  if (layout == Layout::blocked) {
    const Order order(n.with_cpus);
    const size_t units = part_units(bytes, order.count);
    return by([&](size_t unit) { return order.of_block(unit, units); });
  }
  const int node = layout == Layout::nearest ? current_node() : next_in_turn(n.with_cpus);
  if (node >= 0) by([node](size_t) { return node; });
}

void* distribute_tiles(size_t rows, size_t columns, size_t element_bytes, size_t block_rows, size_t block_columns) {
  size_t row, bytes;
  if (!rows || !columns || !element_bytes || !block_rows || !block_columns) return nullptr;
  if (__builtin_mul_overflow(columns, element_bytes, &row) || __builtin_mul_overflow(row, rows, &bytes)) return nullptr;
  const Nodes& n = nodes();
  const Order order(n.with_cpus);
  const size_t count = order.count;
  size_t down = 1;
  for (size_t p = 1; p * p <= count; ++p)
    if (count % p == 0) down = p;
  size_t across = count / down, last = rows * columns - 1;
  return laid_out(bytes, [&](size_t unit) {
    size_t at = unit * n.unit, element = at / element_bytes + (at % element_bytes != 0);
    if (element > last) element = last;
    size_t i = element / columns / block_rows, j = element % columns / block_columns;
    return order.node[i % down * across + j % across];
  });
}

void give_back(void* p) {
  if (!p) return;
  if (is_region(p)) {
    char* head = static_cast<char*>(p) - page_bytes();
    size_t bytes = page_bytes() + region_bytes(p);
    forget(head, bytes);  // before the system may reuse the addresses
    unmap_pages(head, bytes);
  } else if (in_arena(p)) {
    arena_give(p);
  } else {
    free(p);
  }
}

size_t distributed_bytes(void* p) {
  return is_region(p) ? region_bytes(p) : in_arena(p) ? arena_bytes(p) : malloc_usable_size(p);
}

namespace {

// The page has no memory yet (or is the system's shared page of zeros).
bool absent(int status) { return status == -ENOENT || status == -EFAULT; }

// Pages without memory will come into being on the node.
int prefer_absent(void* const* pages, const int* status, size_t count, int os_node) {
  for (size_t i = 0, end; i < count; i = end) {
    end = i + 1;
    if (!absent(status[i])) continue;
    while (end < count && absent(status[end])) ++end;
    if (int error = prefer_node(pages[i], (end - i) * page_bytes(), os_node)) return error;
  }
  return 0;
}

// The error for a page that did not move.
int worse(int error, int status) {
  if (status >= 0 || absent(status) || error == EACCES) return error;
  return status == -EACCES ? EACCES : ENOMEM;
}

}  // namespace

int migrate(void* p, size_t bytes, int node) {
  const Nodes& n = nodes();
  uintptr_t end;
  if (node < 0 || node >= n.count || __builtin_add_overflow(uintptr_t(p), bytes, &end)) return EINVAL;
  if (bytes == 0 || (n.real && n.count == 1)) return 0;
  uintptr_t at = page_down(uintptr_t(p));
  end = page_up(end);
  constexpr size_t kBatch = 256;
  void* pages[kBatch];
  int status[kBatch], result = 0;
  while (at < end) {
    size_t count = 0;
    for (; count < kBatch && at < end; at += page_bytes()) pages[count++] = reinterpret_cast<void*>(at);
    int error = n.real ? move_to_node(pages, n.os[node], status, count) : ask_nodes(pages, status, count);
    if (!n.real && error)
      error = 0, std::fill_n(status, count, 0);  // nobody can say which pages have memory: assume that all have
    if (!error && n.real) error = prefer_absent(pages, status, count, n.os[node]);
    if (error == EPERM || error == ENOSYS) {
      cannot_place(error);
      return EPERM;
    }
    if (error) result = error == EACCES ? EACCES : ENOMEM;
    for (size_t i = 0; i < count; ++i) result = worse(result, status[i]);
    for (size_t i = 0; !error && i < count; ++i)
      if (status[i] >= 0) found(pages[i], page_bytes(), node);
      else if (absent(status[i])) place(pages[i], page_bytes(), node);
  }
  return result;
}

int fetch(void* p, size_t bytes) {
  int node = current_node();
  return node < 0 ? EINVAL : migrate(p, bytes, node);
}

}  // namespace einkorn::memory
