#include "accesses/writers.h"
#include <algorithm>
#include "accesses/library.h"
#include "record/format_samples.h"

namespace einkorn::accesses {

constexpr auto relaxed = std::memory_order_relaxed;

Writers g_writers[1u << kWritersBits];

void new_writer(Writers& w, uint64_t line, uint32_t thread) {
  w.line.store(line, relaxed);
  w.latest.store(thread, relaxed);
  w.moves.store(0, relaxed);
  for (Writers::One& one : w.of) {
    one.thread.store(0, relaxed);
    one.words.store(0, relaxed);
    one.pc.store(0, relaxed);
  }
  w.of[0].thread.store(thread, relaxed);
}

void another_writes(Writers& w, uint32_t thread) {
  w.latest.store(thread, relaxed);
  w.moves.fetch_add(1, relaxed);
  for (Writers::One& one : w.of) {
    uint32_t none = 0;
    if (one.thread.load(relaxed) == thread || one.thread.compare_exchange_strong(none, thread, relaxed)) return;
  }
}

void tell_writers() {
  static record::SharedLineRecord told[record::kMostSharedLines];
  uint32_t count = 0;
  for (const Writers& w : g_writers) {
    const uint32_t moves = w.moves.load(relaxed), second = w.of[1].thread.load(relaxed);
    if (moves < kLeastMoves || second == 0) continue;
    record::SharedLineRecord r{};
    r.address = (w.line.load(relaxed) - 1) << 6;
    r.moves = moves;
    for (int i = 0; i < 2; ++i) {
      r.pc[i] = w.of[i].pc.load(relaxed);
      r.thread[i] = w.of[i].thread.load(relaxed) - 1;
      r.words[i] = uint16_t(w.of[i].words.load(relaxed));
    }
    if (count < record::kMostSharedLines) {
      told[count++] = r;
      continue;
    }
    auto least = std::min_element(told, told + count, [](auto& a, auto& b) { return a.moves < b.moves; });
    if (least->moves < moves) *least = r;
  }
  if (count > 0) write_lines(told, count * sizeof *told);
}

}  // namespace einkorn::accesses
