#include "accesses/table.h"
#include <link.h>
#include <initializer_list>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include "accesses/library.h"
#include "accesses/varint.h"

namespace einkorn::accesses {

__thread Table* t_table __attribute__((tls_model("initial-exec"))) = nullptr;
Line g_no_line = {};

namespace {

constexpr uint64_t kDetailed = 256;    // accesses of a stretch from which on its instructions are written
constexpr uint64_t kOftenEnough = 16;  // accesses of one of them
constexpr uint32_t kMostTold = record::kMostInstructions;
constexpr uint32_t kTranslations =
    1024;  // translations of pages of 4 KiB; processors hold between one and two thousand
constexpr unsigned kPageBits = 12;
constexpr size_t kLongestStretch = 128 + size_t(kExactLines) * 12 + size_t(kMostTold) * 100;  // bytes, encoded
static_assert(kLongestStretch < record::kAccessBlock);

void* map(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

// Lines of the modelled cache, a power of two: this computer's first level, within reason.
uint32_t cache_lines() {
  long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  if (bytes < 16 << 10) bytes = 32 << 10;
  if (bytes > 256 << 10) bytes = 256 << 10;
  uint32_t lines = 1;
  while (lines * 2 <= uint64_t(bytes) >> kLineBits) lines *= 2;
  return lines;
}

// The lowest thread-local variable of the calling thread that lies between: glibc puts them on top of a thread's stack.
struct Between {
  uint64_t low, high;
};
int lower_to_tls(dl_phdr_info* info, size_t, void* data) {
  auto* b = static_cast<Between*>(data);
  auto at = reinterpret_cast<uint64_t>(info->dlpi_tls_data);
  if (at > b->low && at < b->high) b->high = at;
  return 0;
}

}  // namespace

uint64_t cache_bytes() { return uint64_t(cache_lines()) << kLineBits; }

Table* Table::create(bool main_thread) {
  void* memory = map(sizeof(Table));
  if (!memory) return nullptr;
  auto* t = new (memory) Table;
  const uint32_t sets = cache_lines() / 4, page_sets = kTranslations / 4;
  t->instructions_ = static_cast<Instruction*>(map(sizeof(Instruction) * kInstructions));
  t->block_ = static_cast<uint8_t*>(map(record::kAccessBlock));
  void* cache = map(sizeof(Set) * (sets + page_sets));
  if (!t->instructions_ || !t->block_ || !cache) {
    munmap(memory, sizeof(Table));
    return nullptr;  // the other mappings stay: the program is out of memory
  }
  t->cache_.use(static_cast<Set*>(cache), sets);
  t->pages_.use(static_cast<Set*>(cache) + sets, page_sets);
  t->use(main_thread);
  return t;
}

bool Table::reuse() {
  bool yes = true;
  if (!free_.compare_exchange_strong(yes, false, std::memory_order_acquire)) return false;  // pairs with detach()
  sequence_ = 0;
  over_ = false;
  use(false);
  return true;
}

void Table::use(bool main_thread) {
  stream_ = {&no_tick_, 0};
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
  }
  Between stack = {reinterpret_cast<uint64_t>(low), reinterpret_cast<uint64_t>(low) + bytes};
  if (!main_thread) {
    if (stack.high > uint64_t(pthread_self())) stack.high = uint64_t(pthread_self());
    dl_iterate_phdr(lower_to_tls, &stack);
  }
  stack_low_ = stack.low;
  stack_bytes_ = stack.high - stack.low;
}

void Table::attach(const record::AccessStream& stream) {
  stream_ = stream;
  attached_ = true;
  // The initial thread's accesses so far: in the stretch that began with the program, tick 0.
  next_stretch();
}

void Table::detach() {
  next_stretch();
  while (busy_.exchange(true, std::memory_order_acquire)) {}  // pairs with the release below: its blocks are complete
  hand_over();
  stream_ = {&no_tick_, 0};
  attached_ = false;
  over_ = true;
  busy_.store(false, std::memory_order_release);
  free_.store(true, std::memory_order_release);  // orders its contents before its next thread's accesses
}

void Table::finish() {
  if (busy_.exchange(true, std::memory_order_acquire))
    return;  // its thread is closing a stretch at the very end: the latest numbers are missing
  if (attached_ && !over_) {
    // The thread waits in the runtime, or the program ends under it: then its latest numbers may be half written.
    write_stretch();
    hand_over();
  }
  over_ = true;
  busy_.store(false, std::memory_order_release);
}

// ---- counting -------------------------------------------------------------------------------------------------------
Instruction& Table::instruction_slow(uint64_t key, uint32_t size) {
  const uint64_t home = slot_of(key);
  for (uint64_t at = home;; at = (at + 1) & (kInstructions - 1)) {
    Instruction& i = instructions_[at];
    if (i.key == key) return open(i, size);
    if (i.key != 0) continue;
    if (known_ == kMostInstructions) {
      // More than programs have: the remaining instructions of a kind share one entry, without an address, so that
      // nothing is said about its source line.
      const uint64_t shared = key >> kKindShift << kKindShift;
      if (key != shared) return instruction_slow(shared, size);
      if (known_ > kMostInstructions + 8) return open(instructions_[home], size);
    }
    ++known_;
    if (key & ~(3ull << kKindShift)) note_module(reinterpret_cast<void*>(key & ~(3ull << kKindShift)));
    i.key = key;
    return open(i, size);
  }
}

// Its first access in this stretch.
Instruction& Table::open(Instruction& i, uint32_t size) {
  if (i.stretch == stretch_) return i;
  const uint64_t key = i.key;
  if (!size) size = i.size;  // not an access: a line that it fetched is evicted
  i = Instruction();
  i.key = key;
  i.stretch = stretch_;
  i.size = size;
  touched_[touched_count_++] = uint16_t(&i - instructions_);
  return i;
}

void Table::any_access(uint64_t address, uint32_t size, uint64_t key) {
  if (*stream_.last != tick_) next_stretch();
  Instruction& i = instruction(key, size);
  if (address - stack_low_ < stack_bytes_) {
    ++i.stack;
    return;
  }
  ++i.count;
  const int64_t stride = int64_t(address - i.last);
  i.last = address;
  if (stride == i.stride) ++i.strides;
  else other_stride(i, stride);
  const uint64_t line = address >> kLineBits;
  const unsigned first = address & 63, last = first + size - 1;
  if (i.line->tag != line + 1) look_up(i, line);
  i.line->used |= words(first, last > 63 ? 63 : last);
  if (last < 64) return;
  look_up(i, line + 1);
  i.line->used |= words(0, last - 64);
}

// Two candidates: a stride that is neither replaces the second.
void Table::other_stride(Instruction& i, int64_t stride) {
  if (i.count == 1) return;  // there was none before
  if (stride == i.other && i.others) {
    if (++i.others > i.strides) {
      std::swap(i.stride, i.other);
      std::swap(i.strides, i.others);
    }
    return;
  }
  i.other = stride;
  i.others = 1;
  if (i.strides == 0) {
    std::swap(i.stride, i.other);
    std::swap(i.strides, i.others);
  }
}

void Table::look_up(Instruction& i, uint64_t line) {
  Line* l = cache_.find(line);
  if (!l) {
    l = cache_.victim(line);
    if (l->tag) leave(*l);
    *l = {line + 1, stretch_ - 1, 0, uint16_t(&i - instructions_), 1};
    ++i.fetched;
    const uint64_t page = line >> (kPageBits - kLineBits);
    if (!pages_.find(page)) {
      Line* p = pages_.victim(page);
      *p = {page + 1, 0, 0, 0, 1};
      ++i.walked;
    }
  }
  if (l->stretch != stretch_) {
    l->stretch = stretch_;
    lines_.add(line);
  }
  i.line = l;
}

void Table::leave(Line& l) {
  Instruction& by = open(instructions_[l.instruction], 0);
  ++by.left;
  by.used += unsigned(__builtin_popcount(l.used));
}

void Table::range(uint64_t address, uint64_t size, Access kind, uint64_t pc) {
  if (size == 0) return;
  if (__builtin_expect(*stream_.last != tick_, 0)) next_stretch();
  Instruction& i = instruction(pc | uint64_t(kind) << kKindShift, 0);
  const uint64_t count = (size + 7) / 8;
  if (address - stack_low_ < stack_bytes_) {
    i.stack += uint32_t(count);
    return;
  }
  i.count += count;
  i.bytes += size;
  if (i.strides == 0) i.stride = 8;
  i.strides += count - 1;  // within the range
  i.last = address + size - 1;
  const uint64_t last_line = (address + size - 1) >> kLineBits;
  for (uint64_t line = address >> kLineBits; line <= last_line; ++line) {
    const unsigned first = line == address >> kLineBits ? address & 63 : 0;
    const unsigned last = line == last_line ? (address + size - 1) & 63 : 63;
    look_up(i, line);
    i.line->used |= words(first, last);
  }
}

// ---- the end of a stretch
// -----------------------------------------------------------------------------------------------
void Table::next_stretch() {
  // Busy: this is a signal handler that interrupted this very function, or the recording is ending. The next access
  // comes here again.
  if (busy_.exchange(true, std::memory_order_acquire)) return;
  if (attached_ && !over_) write_stretch();
  tick_ = *stream_.last;
  if (attached_ || over_) {
    ++stretch_;
    touched_count_ = 0;
    lines_.clear();
  }
  busy_.store(false, std::memory_order_release);
}

void Table::write_stretch() {
  if (touched_count_ == 0) return;
  uint64_t loads = 0, stores = 0, stack_loads = 0, stack_stores = 0, read = 0, written = 0;
  for (uint32_t n = 0; n < touched_count_; ++n) {
    const Instruction& i = instructions_[touched_[n]];
    const auto kind = unsigned(i.key >> kKindShift);
    if (kind & kLoad) loads += i.count, read += i.all_bytes(), stack_loads += i.stack;
    if (kind & kStore) stores += i.count, written += i.all_bytes(), stack_stores += i.stack;
  }
  if (loads + stores + stack_loads + stack_stores == 0) return;  // lines only left the cache
  if (size_ + kLongestStretch > record::kAccessBlock) hand_over();
  Varints out(block_ + size_);
  out.put(tick_ - written_tick_);
  written_tick_ = tick_;
  for (uint64_t v : {loads, stores, stack_loads, stack_stores, read, written}) out.put(v);

  // The footprint: runs of adjacent lines, or the sketch.
  if (lines_.sketched()) {
    out.put(1);
    out.bytes(lines_.registers(), record::kLineRegisters);
  } else {
    const uint64_t* line = lines_.sorted();
    const uint32_t count = lines_.count();
    uint64_t runs = 0;
    for (uint32_t k = 0; k < count; ++k) runs += k == 0 || line[k] != line[k - 1] + 1;
    out.put(runs * 2);
    uint64_t end = 0;
    for (uint32_t k = 0; k < count;) {
      uint32_t after = k + 1;
      while (after < count && line[after] == line[after - 1] + 1) ++after;
      out.put(line[k] - end);
      out.put(after - k);
      end = line[k] + (after - k);
      k = after;
    }
  }

  auto told = [](const Instruction& i) {
    return (i.count >= kOftenEnough || i.left > 0) && i.key << (64 - kKindShift) != 0;
  };
  uint32_t count = 0;
  if (loads + stores >= kDetailed)
    for (uint32_t n = 0; n < touched_count_; ++n) count += told(instructions_[touched_[n]]);
  count = std::min(count, kMostTold);
  out.put(count);
  uint64_t before = 0;
  for (uint32_t n = 0; count > 0; ++n) {
    const Instruction& i = instructions_[touched_[n]];
    if (!told(i)) continue;
    --count;
    const uint64_t pc = i.key & ((1ull << kKindShift) - 1);
    out.put_signed(int64_t(pc - before));
    before = pc;
    out.put(i.key >> kKindShift);
    out.put(i.count);
    out.put(i.all_bytes());
    out.put_signed(i.stride);
    out.put(i.strides);
    out.put(i.fetched);
    out.put(i.walked);
    out.put(i.left);
    out.put(i.used);
  }
  size_ = size_t(out.end() - block_);
}

void Table::hand_over() {
  if (size_ == 0) return;
  write_block(stream_.index, sequence_++, block_, size_);
  size_ = 0;
  written_tick_ = 0;
}

}  // namespace einkorn::accesses
