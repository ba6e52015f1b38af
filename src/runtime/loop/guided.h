// schedule(guided): a chunk is an n-th of what is left.
//
// Where threads may get chunks in any order (nonmonotonic, the default), the first n chunks of a team of n belong to
// its threads by number. They are 63 to 75 % of the loop (1 - (1 - 1/n)^n), and the same ones in each loop that is as
// long: a loop that comes again finds its data in the caches and on the nodes where it was, and predictors of branches
// that have learnt it (md of programs/, two threads: a step takes 227 us if each thread has the part that it had in the
// step before, and 262 if not). This is affinity scheduling (Markatos and LeBlanc 1994) for the part of a guided loop
// that needs no balance.
//
// Nobody waits for a thread that comes late. When all else is given out but the last chunk, those who ask share what
// belongs to threads that have not come (own_chunks.h), by the rule of guided, in pieces that are not too small.
//
// Invariants: an iteration below `next` was taken, or is in WorkShare::own_chunks. Who has run the loop's last
// iteration gets nothing more (compilers' code for lastprivate finds out by the last chunk): so that chunk is taken
// when nothing late is left, but where it is somebody's own.
#pragma once
#include <utility>

#include "base/clock.h"
#include "runtime/team/team.h"
#include "schedule/loops.h"

namespace einkorn::runtime {

inline uint64_t guided_chunk_of(const WorkShare* s, int threads, uint64_t left) {
  return schedule::guided_chunk(left, uint64_t(threads), s->chunk, s->whole_chunks);
}

// What a chunk has of so many iterations that are left. A rest that is over sooner than two caches exchange a line is
// not divided.
struct GuidedSizes {
  const WorkShare* s;
  int threads;
  uint64_t before, took;  // the thread's chunk before, and how long it took; 0: none, or nobody asks the clock
  bool is_brief(uint64_t left) const {
    return before != 0 && schedule::is_brief_rest(left, before, took, in_ticks(schedule::kBriefRest));
  }
  uint64_t of(uint64_t left) const { return is_brief(left) ? left : guided_chunk_of(s, threads, left); }
};

// By thread `num` of 2 to OwnChunks::kMost, for a loop of 1 to 2^32 - 1 iterations. False: it is all in two chunks, and
// then who is there first had better be free to take both.
bool give_firsts_of_guided(WorkShare* s, int num, int threads);
// The thread's own first chunk. False: it has none, or others have it; v.first is what is next then, as a guess.
__attribute__((noinline)) bool take_own_of_guided(Worker* w, WorkShare* s);
// Part of what belongs to threads that have not come.
__attribute__((noinline)) bool take_late_of_guided(WorkShare* s, WorkShareView& v, const GuidedSizes& sizes);

// By the thread that sets the loop up, after all else of it. in_any_order: a thread's chunks need not come in order.
// Else the first chunk alone belongs to this thread, which saves an update of a line for which all ask at that moment;
// in a region that is one loop it is always the primary one, which so begins with what it had before. So it is, too,
// where the loop was a brief one when it was in this place before.
inline void give_first_of_guided(WorkShare* s, int num, int threads, bool in_any_order) {
  if (s->iterations == 0) return;
  if (in_any_order && threads <= OwnChunks::kMost && s->iterations <= UINT32_MAX &&
      give_firsts_of_guided(s, num, threads))
    return;
  s->firsts = FirstChunks::of_who_sets_up;
  s->next.store(guided_chunk_of(s, threads, s->iterations), std::memory_order_relaxed);
}

// Was the loop over in a microsecond or so? By who takes its last chunk, of so many iterations.
inline void remember_brief(WorkShare* s, const GuidedSizes& sizes, uint64_t count) {
  const bool brief = count >= s->iterations / (8 * uint64_t(sizes.threads)) && sizes.is_brief(count);
  if (s->was_brief.load(std::memory_order_relaxed) != brief) s->was_brief.store(brief, std::memory_order_relaxed);
}

// The thread's next chunk into w->view.first, count; false: no more. told: it is recorded.
// In: the thread's chunk before, whose end is the guess of what comes next. Where others have taken something since,
// the compare-and-swap that fails brings the line as its own, so that the next one succeeds; to load first would bring
// it twice.
inline bool next_guided(Worker* w, WorkShare* s, bool told) {
  WorkShareView& v = w->view;
  const int threads = w->team->n;
  const bool each = s->firsts == FirstChunks::of_each, timed = !told && !s->whole_chunks && !s->monotonic_only;
  const uint64_t now = timed ? ticks() : 0, before = v.count;
  const GuidedSizes sizes{s, threads, timed ? before : 0, now - v.batch.began};
  v.batch.began = now;
  if (before != 0 || v.first != 0) {
    v.first += before;
    if (before != 0 && v.first >= s->iterations) return false;  // has run the last iteration, or asks once more
  } else if (each) {
    if (take_own_of_guided(w, s)) return true;
  } else if (s->firsts == FirstChunks::of_who_sets_up) {
    v.count = guided_chunk_of(s, threads, s->iterations);
    if (std::exchange(v.has_first, false)) return true;
    v.first = v.count;
  }
  do {
    if (v.first >= s->iterations) return each && take_late_of_guided(s, v, sizes);
    const uint64_t left = s->iterations - v.first;
    v.count = sizes.of(left);
    if (v.count == left && each && take_late_of_guided(s, v, sizes)) return true;
  } while (!s->next.compare_exchange_weak(v.first, v.first + v.count, std::memory_order_relaxed));
  if (v.first + v.count == s->iterations) remember_brief(s, sizes, v.count);
  return true;
}

}  // namespace einkorn::runtime
