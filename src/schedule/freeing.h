// When the memory of tasks that have ended is given back: at once, or by a worker that has no work (DARTS' delayed
// deletion of contexts).
#pragma once
#include "schedule/types.h"

namespace einkorn::schedule {

// So many wait at most, where no worker is ever without work.
inline constexpr uint32_t kMostKept = 4096;

// A worker keeps `kept` blocks: are these given back now? idle: it has looked for work in vain.
constexpr bool gives_back(const Schedule& s, uint32_t kept, bool idle) {
  if (s.free == Free::now || kept >= kMostKept) return true;
  return idle && kept >= uint32_t(s.free_number);
}

}  // namespace einkorn::schedule
