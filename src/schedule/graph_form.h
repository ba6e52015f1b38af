// Who runs the tasks of a graph that nobody has asked for by name: the thread that meets it, in their order, or all
// threads, by counters. Short tasks are over before another thread has fetched what they need. Which way is the quicker
// one is measured: each run is timed, and now and then the other way is tried.
#pragma once
#include <algorithm>
#include <cstdint>

namespace einkorn::schedule {

enum class GraphForm : uint8_t { alone, together };

struct GraphTimes {
  float took[2] = {0, 0};  // ticks, by GraphForm; 0: not known
  uint32_t until = 8;      // so many runs more before the other way is tried,
  uint32_t gap = 8;        // and how many there were the last time
};

inline GraphForm quicker(const GraphTimes& t) {
  return t.took[0] > 0 && t.took[0] < t.took[1] ? GraphForm::alone : GraphForm::together;
}
inline GraphForm other(GraphForm f) { return f == GraphForm::alone ? GraphForm::together : GraphForm::alone; }

// most: what takes longer together is not tried by one thread, ticks.
inline GraphForm form_of(const GraphTimes& t, float most) {
  if (t.took[1] <= 0) return GraphForm::together;
  if (t.took[0] <= 0) return t.took[1] < most ? GraphForm::alone : GraphForm::together;
  const GraphForm best = quicker(t);
  if (t.until > 0) return best;
  return best == GraphForm::together && t.took[1] >= most ? best : other(best);
}

// A run may have been interrupted: what takes longer than before counts for a quarter, and as four times that at most.
inline void learn(GraphTimes& t, GraphForm form, float took) {
  constexpr uint32_t kFirstGap = 8, kLastGap = 1024;
  const GraphForm best = quicker(t);
  float& known = t.took[size_t(form)];
  took = std::max(took, 1.0f);
  const bool is_first = known <= 0;
  known = is_first || took < known ? took : (3 * known + std::min(took, 4 * known)) / 4;
  if (t.until > 0) {
    --t.until;
  } else {
    t.gap = std::min(2 * t.gap, kLastGap);
    t.until = t.gap;
  }
  if (quicker(t) != best && !is_first) t.until = t.gap = kFirstGap;
}

}  // namespace einkorn::schedule
