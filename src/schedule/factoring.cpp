// The example of docs/schedules.md: a loop schedule with a rule of its own.
//
// factoring: chunks come in rounds of one a thread, all of one size; a round has half of what was left before it
// (Hummel, Schonberg and Flynn 1992). Where iterations differ much its first chunks leave more for the end than
// guided's.
#include "schedule/loops.h"

namespace einkorn::schedule {

uint64_t factoring_at(const LoopShape& l, uint64_t first) {
  for (uint64_t begin = 0;;) {
    const uint64_t left = l.iterations - begin;
    const uint64_t half = left / 2 + left % 2;
    uint64_t each = half / l.threads + (half % l.threads != 0);
    if (each < l.chunk) each = l.chunk;
    // The round is all that is left, or `first` is in it.
    if (each > left / l.threads || first - begin < each * l.threads) return dynamic_chunk(l.iterations - first, each);
    begin += each * l.threads;
  }
}

}  // namespace einkorn::schedule
