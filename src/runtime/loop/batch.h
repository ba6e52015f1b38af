// schedule(nonmonotonic: dynamic), the default: chunks of short loops are handed out in batches.
//
// One counter for all threads costs each chunk a trip of its cache line. So a thread takes several chunks at once when
// the last ones were over in less than a microsecond or so, and has them in a range of its own, from which it takes one
// after the other; long chunks are never batched, and go out in order as with monotonic. A batch is at most a share of
// what the thread believes is left, and whoever finds nothing left takes half of another's range: a long chunk among
// short ones holds up none but itself.
//
// Compilers' code finds out by the last chunk that a thread gets whether it runs the loop's last iteration
// (lastprivate): who holds the loop's last chunk runs it after all else that it can get, and nothing after it.
//
// In large teams the first n chunks are one each of the n threads', as all would ask for the counter at once, one after
// the other. Each claims its own, or somebody who finds nothing else left does, of a thread that is late.
//
// Invariants: a chunk is handed out below `next`, or is there; of those below, each was given to a thread, or lies in
// exactly one range, or is a first one that is not claimed. Only its owner fills a range, and only an empty one; others
// make it shorter (compare-and-swap). A range's word never has the same value twice in a loop while it is not empty, as
// chunks are numbered: so there is no ABA. All are empty between loops.
#pragma once
#include "runtime/loop/range.h"
#include "runtime/types.h"

namespace einkorn::runtime {

// Chunks of a loop by number (range.h).
struct alignas(kCacheLine) ChunkRange {
  std::atomic<uint64_t> word{0};
  std::atomic<uint64_t> first_of{0};  // the loop (WorkShare::loops) of which the first chunk of this thread is claimed
  bool claim_first(uint64_t loop) {
    return first_of.load(std::memory_order_relaxed) != loop &&
           first_of.exchange(loop, std::memory_order_relaxed) != loop;
  }
};

// Is it worth it? Sets up s->ranges. By the thread that sets up the share, after all else of it.
void set_up_batches(WorkShare* s, int threads);
// Static, then steal (EINKORN_LOOP; schedule/loops.h): all chunks are in the ranges from the start, and a thread whose
// range is empty takes the last one of another's. False: too many chunks.
bool deal_chunks(WorkShare* s, int threads);
// The number of the thread's next chunk; false: no more.
EK_NOINLINE bool next_batch(Worker* w, WorkShare* s, uint64_t& chunk);
inline bool next_batched(Worker* w, WorkShare* s, uint64_t& chunk) {
  std::atomic<uint64_t>& own = s->ranges[w->thread_num].word;
  uint64_t word = own.load(std::memory_order_relaxed);
  if (EK_LIKELY(!is_empty(word))) {
    word = own.fetch_add(range(1, 0), std::memory_order_relaxed);
    chunk = begin_of(word);
    if (EK_LIKELY(!is_empty(word))) {  // else somebody has taken the last one meanwhile
      if (EK_LIKELY(chunk + 1 != s->chunks)) return true;
      w->view.last_chunk = WorkShareView::kept;
    }
  }
  return next_batch(w, s, chunk);
}

}  // namespace einkorn::runtime
