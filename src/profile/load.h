// load() with results that only tests need.
#pragma once
#include "profile/profile.h"
#include "profile/state_clock.h"

namespace einkorn::profile {

// Results of load() that are not in the Profile.
struct LoadDetails {
  IntervalSink intervals;  // in: called for every interval of every thread, in the thread's order
  uint64_t unmatched = 0;  // out: records that fit no open context
};

bool load(const std::string& path, const LoadOptions&, LoadDetails*, Profile& out, LoadError& error);

}  // namespace einkorn::profile
