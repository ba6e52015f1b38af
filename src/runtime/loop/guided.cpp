#include "runtime/loop/guided.h"

#include <algorithm>

namespace einkorn::runtime {

namespace {

constexpr uint64_t kLatePieces = 8;  // of an n-th of the loop

schedule::GuidedChunks first_chunks(const WorkShare* s, int threads, int number) {
  return schedule::guided_chunks(uint32_t(s->iterations), uint32_t(threads), s->chunk, s->whole_chunks,
                                 uint32_t(number));
}

// That of thread `num`; count 0: it has none, and first is the loop's end.
void own_chunk(const WorkShare* s, int threads, int num, uint64_t& first, uint64_t& count) {
  first = first_chunks(s, threads, num).end;
  count = first < s->iterations ? guided_chunk_of(s, threads, s->iterations - first) : 0;
}

}  // namespace

bool give_firsts_of_guided(WorkShare* s, int num, int threads) {
  const auto [chunks, end] = first_chunks(s, threads, threads);
  if (chunks <= 2 && end == s->iterations) return false;
  s->firsts = FirstChunks::of_each;
  s->next.store(end, std::memory_order_relaxed);
  s->own_chunks.open(num, int(chunks));
  return true;
}

bool take_own_of_guided(Worker* w, WorkShare* s) {
  WorkShareView& v = w->view;
  own_chunk(s, w->team->n, w->thread_num, v.first, v.count);
  if (v.count == 0) return false;
  if (std::exchange(v.has_first, false) || s->own_chunks.claim(w->thread_num)) return true;
  v.first += std::exchange(v.count, 0);
  return false;
}

bool take_late_of_guided(WorkShare* s, WorkShareView& v, const GuidedSizes& sizes) {
  // By the rule alone it would be pieces down to a single iteration, of each chunk. None is smaller than the chunk that
  // was asked for: OpenMP allows that of the loop's last one only.
  auto size_of = [&](uint64_t left) {
    uint64_t least = std::max(s->chunk, s->iterations / (kLatePieces * uint64_t(sizes.threads)));
    if (s->whole_chunks) least -= least % s->chunk;
    const uint64_t count = std::max(sizes.of(left), least);
    return count >= left || left - count < s->chunk ? left : count;
  };
  auto chunk_of = [&](int num, uint64_t& f, uint64_t& c) { own_chunk(s, sizes.threads, num, f, c); };
  uint64_t first, count;
  if (!s->own_chunks.take_late(first, count, chunk_of, size_of)) return false;
  return v.first = first, v.count = count, true;
}

}  // namespace einkorn::runtime
