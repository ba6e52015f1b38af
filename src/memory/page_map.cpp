#include "memory/page_map.h"

#include <cerrno>
#include <ctime>
#include <sys/mman.h>

#include "memory/nodes.h"
#include "memory/pages.h"

namespace einkorn::memory {

namespace {

// 48 bits of address, of which x86-64 gives programs 47 and Arm all: 14 + 12 + 10 + 12 of the page. A leaf is a page,
// and covers 4 MB.
constexpr int kLeafBits = 10, kMiddleBits = 12, kRootBits = 14, kPageBits = 12;
struct Leaf {
  std::atomic<uint32_t> words[1 << kLeafBits];
};
struct Middle {
  std::atomic<Leaf*> leaves[1 << kMiddleBits];
};
std::atomic<Middle*> g_root[1 << kRootBits];

constexpr uint32_t kLifeBits = 7u << kLifeShift;
constexpr uint32_t kLongestLife = 7;
constexpr uint32_t kStamps = 1u << (32 - kStampShift);

template <class T>
T* part(std::atomic<T*>& at, bool make) {
  // acquire: with the release below, so that a thread that sees a new part sees its zeros. They are the kernel's, but
  // ThreadSanitizer and the standard require the order.
  T* have = at.load(std::memory_order_acquire);
  if (have || !make) return have;
  int saved = errno;
  void* room = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = saved;
  if (room == MAP_FAILED) return nullptr;
  T* made = static_cast<T*>(room);
  if (at.compare_exchange_strong(have, made, std::memory_order_acq_rel)) return made;
  munmap(room, sizeof(T));
  return have;
}

uint32_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return uint32_t((uint64_t(t.tv_sec) * 1000 + uint64_t(t.tv_nsec) / 1000000) / 16) % kStamps;
}

uint32_t stamped(uint32_t now, uint32_t life) { return now << kStampShift | life << kLifeShift; }
uint32_t life_of(uint32_t word) { return (word & kLifeBits) >> kLifeShift; }
int node_in(uint32_t word) { return int(word & kNodeBits) - 1; }
// The stamp wraps after half a minute: now and then a word that nobody read for so long passes for a fresh one, and the
// kernel is asked a little later.
bool fresh(uint32_t word, uint32_t now) {
  return (word & kNodeBits) && ((now - (word >> kStampShift)) % kStamps) >> life_of(word) == 0;
}

std::atomic<bool> g_system_refuses{false};  // to say where pages are: then what we know must suffice

// Calls f(word, bytes of the range in its page, address of the page) for each page; word is nullptr if there is none.
template <class F>
void for_each_page(uintptr_t from, uintptr_t end, bool make, F f) {
  while (from < end) {
    std::atomic<uint32_t>* word = page_word(from, make);
    // Up to the end of the leaf the words follow each other.
    uintptr_t leaf_end = (from | ((uintptr_t(1) << (kLeafBits + kPageBits)) - 1)) + 1;
    if (leaf_end > end || leaf_end < from) leaf_end = end;
    while (from < leaf_end) {
      uintptr_t page = from & ~uintptr_t(kMapPage - 1), next = page + kMapPage;
      if (next > end || next < page) next = end;
      f(word, next - from, page);
      if (word) ++word;
      from = next;
    }
  }
}

// The counts to which a page's bytes are added.
struct Counts {
  uint64_t *all, *coarse;
  void add(int node, uint64_t bytes, uint32_t word) const {
    all[node] += bytes;
    if (coarse && (word & kCoarse)) coarse[node] += bytes;
  }
  // On all nodes in turn.
  void add_lines(uintptr_t from, uint64_t bytes) const {
    const Nodes& n = nodes();
    const uint64_t round = n.line * uint64_t(n.turns), rounds = bytes / round;
    for (int i = 0; rounds && i < n.turns; ++i) all[n.turn[i]] += rounds * n.line;
    for (const uintptr_t end = from + bytes % round; from < end;) {
      uintptr_t next = (from | (n.line - 1)) + 1;
      if (next > end) next = end;
      all[n.turn[from / n.line % uintptr_t(n.turns)]] += next - from;
      from = next;
    }
  }
};

// Pages of which the map knows nothing, or nothing new, collected for one question to the kernel.
class Question {
 public:
  Question(const Counts& out, uint32_t now) : out_(out), now_(now) {}
  ~Question() { ask(); }

  void add(std::atomic<uint32_t>* word, uint32_t seen, size_t bytes, uintptr_t page) {
    if (count_ == kMost) ask();
    words_[count_] = word;
    seen_[count_] = seen;
    bytes_[count_] = uint16_t(bytes);
    pages_[count_++] = reinterpret_cast<void*>(page);
  }

 private:
  static constexpr size_t kMost = 128;  // 4 kB of stack

  void ask() {
    if (count_ == 0) return;
    int status[kMost];
    if (g_system_refuses.load(std::memory_order_relaxed)) return without_answer();
    if (int error = ask_nodes(pages_, status, count_)) {
      if (error == EPERM || error == ENOSYS) g_system_refuses.store(true, std::memory_order_relaxed);
      return without_answer();
    }
    for (size_t i = 0; i < count_; ++i) answer(i, status[i]);
    count_ = 0;
  }

  void without_answer() {
    for (size_t i = 0; i < count_; ++i)
      if (int node = node_in(seen_[i]); node >= 0) out_.add(node, bytes_[i], seen_[i]);
    count_ = 0;
  }

  void answer(size_t i, int status) {
    const Nodes& n = nodes();
    uint32_t seen = seen_[i];
    int node = node_in(seen);
    if (status >= 0) {
      if (n.real) node = status < kMaxNodes ? n.of_os[status] : -1;
    } else if (!(seen & kPlaced)) {
      node = -1;
    }
    if (node >= 0) out_.add(node, bytes_[i], seen);
    if (!words_[i]) {
      if (node < 0) return;
      words_[i] = page_word(uintptr_t(pages_[i]), true);
      if (!words_[i]) return;
    }
    uint32_t life = node != node_in(seen) ? 0 : life_of(seen) < kLongestLife ? life_of(seen) + 1 : kLongestLife;
    uint32_t known = node < 0 ? 0 : uint32_t(node + 1) | stamped(now_, life);
    // Fails if the word has changed since: then somebody moved or freed the page, and knows better. (If it was moved
    // away and back in the meantime, the word is as it was, and gets an answer from in between: believed for 16 ms.)
    words_[i]->compare_exchange_strong(seen, known | (seen & kFlags), std::memory_order_relaxed);
  }

  Counts out_;
  uint32_t now_;
  size_t count_ = 0;
  std::atomic<uint32_t>* words_[kMost];
  void* pages_[kMost];
  uint32_t seen_[kMost];
  uint16_t bytes_[kMost];
};

}  // namespace

std::atomic<uint32_t>* page_word(uintptr_t address, bool make) {
  if (address >> (kRootBits + kMiddleBits + kLeafBits + kPageBits)) return nullptr;
  uintptr_t page = address >> kPageBits;
  Middle* middle = part(g_root[page >> (kMiddleBits + kLeafBits)], make);
  if (!middle) return nullptr;
  Leaf* leaf = part(middle->leaves[(page >> kLeafBits) % (1 << kMiddleBits)], make);
  return leaf ? &leaf->words[page % (1 << kLeafBits)] : nullptr;
}

void bytes_per_node(const void* p, size_t bytes, uint64_t* out, uint64_t* coarse) {
  const Nodes& n = nodes();
  if (n.count == 1) {
    out[0] += bytes;
    return;
  }
  uintptr_t from = uintptr_t(p), end;
  if (__builtin_add_overflow(from, bytes, &end)) return;
  uint32_t time = now();
  const Counts counts{out, coarse};
  Question question(counts, time);
  for_each_page(from, end, false, [&](std::atomic<uint32_t>* word, size_t part, uintptr_t page) {
    // relaxed: the word is the whole information
    uint32_t w = word ? word->load(std::memory_order_relaxed) : 0;
    if (n.line && !(w & kNodeBits)) counts.add_lines(page < from ? from : page, part);
    else if (fresh(w, time)) counts.add(node_in(w), part, w);
    else if (n.real || (w & kNodeBits)) question.add(word, w, part, page);
  });
}

int node_of(const void* p) {
  const Nodes& n = nodes();
  if (n.count == 1) return 0;
  uint64_t bytes[kMaxNodes];
  for (int i = 0; i < n.count; ++i) bytes[i] = 0;
  bytes_per_node(p, 1, bytes);
  for (int i = 0; i < n.count; ++i)
    if (bytes[i]) return i;
  return -1;
}

void note_touch(const void* p, size_t bytes, int node) {
  const Nodes& n = nodes();
  if (n.real || n.count == 1 || node < 0 || node >= n.count) return;
  uintptr_t from = uintptr_t(p), end;
  if (__builtin_add_overflow(from, bytes, &end)) return;
  uint32_t time = now();
  for_each_page(from, end, true, [&](std::atomic<uint32_t>* word, size_t, uintptr_t) {
    if (!word) return;
    uint32_t w = word->load(std::memory_order_relaxed);
    while ((w & kArmed) || (!(w & kNodeBits) && !n.line)) {
      uint32_t mine = (w & (kPlaced | kRegion | kArena | kCoarse)) | uint32_t(node + 1) | stamped(time, 0);
      if (word->compare_exchange_weak(w, mine, std::memory_order_relaxed)) break;
    }
  });
}

namespace {

void set_node(const void* p, size_t bytes, int node, uint32_t placed) {
  uint32_t time = now();
  for_each_page(uintptr_t(p), uintptr_t(p) + bytes, true, [&](std::atomic<uint32_t>* word, size_t, uintptr_t) {
    if (!word) return;
    uint32_t w = word->load(std::memory_order_relaxed), mine;
    do {
      mine = (w & kFlags) | placed | uint32_t(node + 1) | stamped(time, 0);
    } while (!word->compare_exchange_weak(w, mine, std::memory_order_relaxed));
  });
}

}  // namespace

void place(const void* p, size_t bytes, int node, bool coarse) {
  set_node(p, bytes, node, coarse ? kPlaced | kCoarse : kPlaced);
}
void found(const void* p, size_t bytes, int node) { set_node(p, bytes, node, 0); }

void forget(const void* p, size_t bytes) {
  for_each_page(uintptr_t(p), uintptr_t(p) + bytes, false, [](std::atomic<uint32_t>* word, size_t, uintptr_t) {
    if (word) word->store(0, std::memory_order_relaxed);
  });
}

bool mark(const void* p, size_t bytes, uint32_t set, uint32_t clear) {
  bool all = true;
  for_each_page(uintptr_t(p), uintptr_t(p) + bytes, set != 0, [&](std::atomic<uint32_t>* word, size_t, uintptr_t) {
    if (!word) {
      all = set == 0 && all;
      return;
    }
    uint32_t w = word->load(std::memory_order_relaxed);
    while (!word->compare_exchange_weak(w, (w | set) & ~clear, std::memory_order_relaxed)) {}
  });
  return all;
}

}  // namespace einkorn::memory
