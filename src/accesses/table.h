// Sums of one thread's memory accesses, by stretch (record/accesses.h) and instruction. Only that thread writes it,
// except that the end of the recording closes all tables: see `busy`.
//
// No allocation, no lock and no system call on an access; a full block is handed to the recorder. That is why no
// library's table is used.
#pragma once
#include <atomic>
#include <cstdint>
#include "accesses/cache.h"
#include "accesses/lines.h"
#include "record/accesses.h"

namespace einkorn::accesses {

enum Access : uint8_t { kLoad = 1, kStore = 2 };  // both: an atomic read-modify-write

extern Line g_no_line;  // no address is in it

// The accesses of one instruction (the call of a hook, by its return address) in the current stretch.
struct alignas(64) Instruction {
  uint64_t key = 0;         // address | kind << kKindShift; 0: free
  uint64_t last = 0;        // address of its latest access
  int64_t stride = 0;       // between its consecutive accesses: the one seen most, as far as two candidates tell
  uint64_t strides = 0;     // how often, since it became a candidate
  Line* line = &g_no_line;  // of its latest access, if that is still there
  uint64_t count = 0;       // accesses, not to the stack
  uint64_t bytes = 0;       // of ranges: bytes beyond `size` per access
  uint32_t stretch = 0;     // stretch to which these counts belong
  uint32_t stack = 0;       // accesses to the thread's own stack

  int64_t other = 0;  // the second candidate
  uint64_t others = 0;
  uint32_t size = 0;  // of one access
  uint64_t all_bytes() const { return bytes + count * size; }

  uint64_t fetched = 0;  // lines that the model of the cache did not have
  uint64_t walked = 0;   // of these, those in pages that the model of address translation did not have
  uint64_t left = 0;     // lines that it had fetched left the cache ...
  uint64_t used = 0;     // ... of which so many words of four bytes had been used
};
static_assert(sizeof(Instruction) == 128);

class Table {
 public:
  static Table* create(bool main_thread);  // for the calling thread; nullptr: no memory
  bool reuse();                            // by the calling thread, if the thread that it was made for is gone
  void attach(const record::AccessStream&);
  void detach();  // the thread's stream ceases
  void finish();  // by any thread

  // The case of nearly all accesses: the same stretch, an instruction and a line that were seen before. Everything else
  // is one call, so that this function saves no registers.
  __attribute__((always_inline)) void access(uint64_t address, uint32_t size, Access kind, uint64_t pc) {
    const uint64_t key = pc | uint64_t(kind) << kKindShift, line = address >> kLineBits;
    Instruction& i = instructions_[slot_of(key)];
    const unsigned first = address & 63;
    if (__builtin_expect((*stream_.last != tick_) | (i.key != key) | (i.stretch != stretch_) |
                             (address - stack_low_ < stack_bytes_) | (i.line->tag != line + 1) | (first + size > 64),
                         0))
      return any_access(address, size, key);
    ++i.count;
    i.line->used |= uint16_t(((1u << (size + 3) / 4) - 1) << (first >> 2));
    const int64_t stride = int64_t(address - i.last);
    i.last = address;
    if (__builtin_expect(stride != i.stride, 0)) return other_stride(i, stride);
    ++i.strides;
  }
  uint32_t stream() const { return stream_.index; }
  // An access of any size: counts as one for each 8 bytes begun.
  void range(uint64_t address, uint64_t size, Access kind, uint64_t pc);

  // Destination and size of a copy that was just counted by its ranges: the call that carries it out must not be
  // counted again.
  uint64_t copied_to = 0, copied_bytes = 0;
  Table* next = nullptr;  // of all tables

 private:
  static constexpr unsigned kKindShift = 62;
  static constexpr unsigned kInstructionBits = 14;
  static constexpr uint32_t kInstructions = 1u << kInstructionBits;
  static constexpr uint32_t kMostInstructions = kInstructions / 4 * 3;

  static uint16_t words(unsigned first, unsigned last) { return uint16_t((2u << (last >> 2)) - (1u << (first >> 2))); }

  static uint64_t slot_of(uint64_t key) { return key * 0x9e3779b97f4a7c15ull >> (64 - kInstructionBits); }
  Instruction& instruction(uint64_t key, uint32_t size) {
    Instruction& i = instructions_[slot_of(key)];
    if (i.key == key && i.stretch == stretch_) return i;
    return instruction_slow(key, size);
  }
  void any_access(uint64_t address, uint32_t size, uint64_t key);
  Instruction& instruction_slow(uint64_t key, uint32_t size);
  Instruction& open(Instruction&, uint32_t size);
  void other_stride(Instruction&, int64_t stride);
  void look_up(Instruction&, uint64_t line);
  void leave(Line&);
  void use(bool main_thread);
  void next_stretch();
  void write_stretch();
  void hand_over();

  record::AccessStream stream_{};
  uint64_t tick_ = 0;
  uint32_t stretch_ = 1;
  uint32_t touched_count_ = 0;
  uint64_t stack_low_ = 0, stack_bytes_ = 0;
  Cache cache_;
  Cache pages_;         // pages whose translation the processor holds: the same model
  uint32_t known_ = 0;  // instructions with a key
  bool attached_ = false;
  // A stretch is being closed: by the thread, or by the end of the recording. A lock: acquire finds what the other did.
  std::atomic<bool> busy_{false};
  bool over_ = false;
  std::atomic<bool> free_{false};
  uint64_t no_tick_ = 0;       // of a thread without a stream
  uint64_t sequence_ = 0;      // of blocks
  uint64_t written_tick_ = 0;  // of the block's latest stretch
  uint8_t* block_ = nullptr;
  size_t size_ = 0;  // of what is in it
  Instruction* instructions_ = nullptr;
  LineSet lines_;
  uint16_t touched_[kInstructions];  // instructions of this stretch
};

// Of the modelled cache.
uint64_t cache_bytes();

extern __thread Table* t_table __attribute__((tls_model("initial-exec")));

}  // namespace einkorn::accesses
