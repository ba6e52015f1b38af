// Whether a run of a graph of codelets is worth other threads, where its codelets are so short that these may be in
// each other's way: each counter that two threads count in is a cache line that goes to and fro, which takes longer
// than ten codelets that do nothing. Chains beside each other gain all the same. So the runs themselves tell: both ways
// are tried.
#pragma once
#include <algorithm>
#include <cstdint>

namespace einkorn::schedule {

struct RunTimes {
  // About the least of the latest runs, with others and without; ticks, 0: not known.
  uint64_t shared = 0, alone = 0;
  uint32_t threads = 0;  // of those with others
  static constexpr uint32_t kTryFrom = 16, kTryUpTo = 1024;
  uint32_t left = kTryFrom, span = kTryFrom;  // runs until the way that is not taken is tried, and as many at first
};

// A codelet that takes longer, all threads' time together, has time enough for a line's way.
inline constexpr uint64_t kFineCodeletNs = 200;

// For so many ticks of the run that begins nobody is to be asked; then it has become another one, or alone is not the
// better way. 0: others may help at once. us: ticks of a microsecond.
inline uint64_t stays_alone(RunTimes& t, uint64_t codelets, uint64_t us) {
  if (t.shared == 0 || t.shared * t.threads * 1000 > codelets * kFineCodeletNs * us) return 0;
  if (t.alone == 0) return t.shared + t.shared / 4;
  const bool better = t.alone < t.shared;
  const bool tries = --t.left == 0;
  if (tries) t.left = t.span = std::min(2 * t.span, RunTimes::kTryUpTo);
  if (better != tries) return better ? 4 * t.alone : t.shared + t.shared / 4;
  return 0;
}

// A run is over that took so long. alone_for: as it was told; asked: others were, threads in all. (Where others might
// have been asked, and none was there to come, nothing is learnt.)
inline void learn(RunTimes& t, uint64_t took, uint64_t alone_for, bool asked, uint32_t threads) {
  // By an eighth up, and at once down: what else is on the machine makes single runs longer, and never shorter.
  auto least = [took](uint64_t known) {
    return known == 0 || took < known ? took : known + (std::min(took, 2 * known) - known) / 8;
  };
  // Another team, or the graph has become another one.
  if (asked && (threads != t.threads || (alone_for != 0 && t.alone != 0 && t.alone < t.shared)))
    t = {.threads = threads};
  if (alone_for == 0) {
    if (asked) t.shared = least(t.shared);
  } else if (t.shared != 0) {
    t.alone = asked ? 2 * t.shared : least(t.alone);
  }
}

}  // namespace einkorn::schedule
