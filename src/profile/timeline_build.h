// The time line of a decoded and linked recording.
#pragma once
#include "profile/raw.h"
#include "profile/timeline.h"

namespace einkorn::profile {

// A stretch in which a thread did not execute user code: the intervals of the IntervalSink, without work and serial.
struct Pause {
  int64_t begin, end;
  State state;
};

// `pauses`: by thread, in order of time. Call after link(); `p` has its grains.
void build_timeline(const Recording& rec, const std::vector<uint32_t>& site_source,
                    const std::vector<std::vector<Pause>>& pauses, const Profile& p, Timeline& out);

}  // namespace einkorn::profile
