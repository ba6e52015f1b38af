#include "schedule/loops.h"

namespace einkorn::schedule {

uint64_t trapezoidal_at(const LoopShape& l, uint64_t first) {
  const Trapezoid t(l.iterations, l.threads, l.chunk);
  uint64_t low = 0, high = t.chunks();  // begin(low) <= first
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (t.begin(middle) <= first ? low : high) = middle;
  }
  uint64_t begin, count;
  return t.chunk(low, begin, count) ? begin + count - first : l.iterations - first;
}

}  // namespace einkorn::schedule
