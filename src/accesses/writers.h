// Cache lines that several threads write: each time that another thread than the latest one writes to a line, the line
// has to come from there. A table of lines by a hash, for all threads, without locks: its figures are counts of what
// happens often, and one more or less does not matter. Where two lines have one place, the one that moves stays.
#pragma once
#include <atomic>
#include <cstdint>

namespace einkorn::accesses {

// A line and the first two threads that write to it. All fields are atomic so that threads may read and write them at
// any time; relaxed, as no field tells anything of another: a row that is replaced meanwhile is wrong by a few writes.
struct alignas(64) Writers {
  std::atomic<uint64_t> line{0};  // number + 1; 0: free
  std::atomic<uint32_t> latest{0};
  std::atomic<uint32_t> moves{0};  // writes by another thread than the one before
  struct One {
    std::atomic<uint32_t> thread{0};  // number + 1; 0: none
    std::atomic<uint32_t> words{0};   // that it writes, a bit for each four bytes
    std::atomic<uint64_t> pc{0};      // of its latest write
  } of[2];
};
static_assert(sizeof(Writers) == 64);

constexpr unsigned kWritersBits = 16;
constexpr uint32_t kLeastMoves = 256;  // of a line that is told
extern Writers g_writers[1u << kWritersBits];

void new_writer(Writers&, uint64_t line, uint32_t thread);
void another_writes(Writers&, uint32_t thread);

inline void note_write(uint64_t address, uint32_t size, uint32_t thread, uint64_t pc) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const uint64_t line = (address >> 6) + 1;
  Writers& w = g_writers[line * 0x9e3779b97f4a7c15ull >> (64 - kWritersBits)];
  if (__builtin_expect(w.line.load(relaxed) != line, 0)) {
    // Lines whose writers change often are the ones to keep.
    if (w.moves.load(relaxed) >= kLeastMoves) return;
    new_writer(w, line, thread + 1);
  }
  if (w.latest.load(relaxed) != thread + 1) another_writes(w, thread + 1);
  const unsigned first = (address & 63) >> 2, last = ((address & 63) + size - 1) >> 2;
  const uint32_t words = (2u << (last > 15 ? 15 : last)) - (1u << first);
  for (Writers::One& one : w.of) {
    if (one.thread.load(relaxed) != thread + 1) continue;
    // Written only where it is news: the row's own line shall not be what moves.
    if ((one.words.load(relaxed) & words) != words) one.words.fetch_or(words, relaxed);
    if (one.pc.load(relaxed) != pc) one.pc.store(pc, relaxed);
  }
}

// Passes the lines found so far to the recorder.
void tell_writers();

}  // namespace einkorn::accesses
