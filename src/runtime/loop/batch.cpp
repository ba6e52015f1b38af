#include "runtime/loop/batch.h"

#include <utility>

#include "base/clock.h"
#include "base/tunables.h"
#include "machine/types.h"
#include "runtime/team/placed.h"
#include "runtime/loop/range.h"
#include "runtime/loop/share.h"
#include "schedule/loops.h"

namespace einkorn::runtime {

namespace {

// Where the loop is a thread knows about: when it took its latest batch the loop was there, and the others have taken
// as much as itself since. To look is a trip of the counter's line, for which many wait, and to take the batch is
// another one. Of many threads each reckons that all have taken as much as itself so far, wherever in this round of
// theirs it comes: so the last round's batches are of one length, and next to nothing is left for a further one. Who is
// wrong asks once too often (kTooMany).
bool take_shared(Worker* w, WorkShare* s, ChunkRange& own, uint64_t& chunk) {
  WorkShareView& v = w->view;
  const auto threads = uint64_t(w->team->n);
  const bool each = s->firsts == FirstChunks::of_each;
  if (EK_UNLIKELY(v.taken == 0) && (each ? own.claim_first(s->loops) : std::exchange(v.has_first, false))) {
    v.batch = {1, ticks()};
    v.taken = 1;
    return chunk = each ? uint64_t(w->thread_num) : 0, true;
  }
  if (v.took_at >= s->chunks) return false;  // has asked once too often
  uint64_t next = threads > schedule::g_few_for_counter ? v.taken * threads : v.took_at + v.batch.size * threads;
  if (next >= s->chunks) next = s->next.load(std::memory_order_relaxed);
  if (next >= s->chunks) return false;
  uint64_t size = schedule::batch_size(v.batch, ticks(), in_ticks(tunables::kBriefBatch), s->chunks - next, threads);
  v.took_at = chunk = s->next.fetch_add(size, std::memory_order_relaxed);
  v.taken += size;
  if (chunk >= s->chunks) return false;
  uint64_t end = chunk + size < s->chunks ? chunk + size : s->chunks;
  if (end - chunk > 1) own.word.store(range(chunk + 1, end), std::memory_order_relaxed);
  return true;
}

// The later half of another thread's range, or its first chunk.
bool take_others(Worker* w, WorkShare* s, ChunkRange& own, uint64_t& chunk) {
  int n = w->team->n;
  schedule::RandomSweep sweep(w->random, uint32_t(w->thread_num), uint32_t(n));
  for (int victim; (victim = sweep.next()) >= 0;) {
    std::atomic<uint64_t>& word = s->ranges[victim].word;
    // Not by who has the loop's last one: that would wait for a chunk that nobody has begun yet.
    if (s->firsts == FirstChunks::of_each && w->view.last_chunk == WorkShareView::not_seen &&
        s->ranges[victim].claim_first(s->loops))
      return chunk = uint64_t(victim), true;
    uint64_t seen = word.load(std::memory_order_relaxed);
    while (!is_empty(seen)) {
      uint64_t end = end_of(seen), from = schedule::half_from(begin_of(seen), end);
      if (!word.compare_exchange_weak(seen, range(begin_of(seen), from), std::memory_order_relaxed)) continue;
      chunk = from;
      if (end - from > 1) own.word.store(range(from + 1, end), std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

// The last chunk of the range that the rule names.
bool take_last(Worker* w, WorkShare* s, uint64_t& chunk) {
  const machine::Machine* m =
      g_config.loop_victim == schedule::LoopVictim::nearest ? &machine::this_machine() : nullptr;
  Team* team = w->team;
  auto node = [=](int t) { return m->pus[size_t(pu_of(*m, team->slots[t], t))].node; };
  auto left = [=](int t) {
    uint64_t word = s->ranges[t].word.load(std::memory_order_relaxed);
    return begin_of(word) < end_of(word) ? end_of(word) - begin_of(word) : 0;
  };
  auto distance = [=](int t) { return m->distance_between(node(w->thread_num), node(t)); };
  schedule::RandomState& random = w->random;
  for (;;) {
    int victim = schedule::choose_loop_victim(g_config.loop_victim, w->thread_num, team->n, random, left, distance);
    if (victim < 0) return false;
    std::atomic<uint64_t>& word = s->ranges[victim].word;
    uint64_t seen = word.load(std::memory_order_relaxed);
    while (!is_empty(seen)) {
      chunk = end_of(seen) - 1;
      if (word.compare_exchange_weak(seen, range(begin_of(seen), chunk), std::memory_order_relaxed)) return true;
    }
  }
}

}  // namespace

static void make_ranges(WorkShare* s, int threads) {
  if (s->ranges_room >= threads) return;
  if (s->ranges) release(s->ranges, sizeof(ChunkRange) * size_t(s->ranges_room));
  s->ranges = static_cast<ChunkRange*>(allocate(sizeof(ChunkRange) * size_t(threads)));
  s->ranges_room = threads;
}

constexpr uint64_t kTooMany = uint64_t(1) << 31;  // room above, for all threads that ask once too often

void set_up_batches(WorkShare* s, int threads) {
  s->chunks = schedule::count_chunks(s->iterations, s->chunk);
  if (!schedule::batches_pay(s->chunks, uint64_t(threads)) || s->chunks >= kTooMany) return;
  make_ranges(s, threads);
  s->batched = true;
}

bool deal_chunks(WorkShare* s, int threads) {
  s->chunks = schedule::count_chunks(s->iterations, s->chunk);
  if (s->chunks >= kTooMany) return false;
  make_ranges(s, threads);
  for (int t = 0; t < threads; ++t) {
    uint64_t first, count;
    static_part(s->chunks, uint32_t(t), uint32_t(threads), first, count);
    s->ranges[t].word.store(range(first, first + count), std::memory_order_relaxed);
  }
  s->next.store(s->chunks, std::memory_order_relaxed);
  return s->batched = s->dealt = true;
}

bool next_batch(Worker* w, WorkShare* s, uint64_t& chunk) {
  WorkShareView& v = w->view;
  if (EK_UNLIKELY(v.last_chunk == WorkShareView::ran)) return false;
  ChunkRange& own = s->ranges[w->thread_num];
  for (;;) {
    if (s->dealt ? !take_last(w, s, chunk) : !take_shared(w, s, own, chunk) && !take_others(w, s, own, chunk)) {
      if (v.last_chunk == WorkShareView::not_seen) return false;
      v.last_chunk = WorkShareView::ran;
      chunk = s->chunks - 1;
      return true;
    }
    if (EK_LIKELY(chunk + 1 != s->chunks)) return true;
    v.last_chunk = WorkShareView::kept;
  }
}

}  // namespace einkorn::runtime
