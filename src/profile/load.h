// load() with what only tests need to see.
#pragma once
#include "profile/profile.h"
#include "profile/state_clock.h"

namespace einkorn::profile {

// What load() leaves out of the Profile.
struct LoadDetails {
  IntervalSink intervals;       // in: called for every interval of every thread, in the thread's order
  uint64_t unmatched = 0;       // out: records that fit no open context
};

bool load(const std::string& path, const LoadOptions&, LoadDetails*, Profile& out, LoadError& error);

}  // namespace einkorn::profile
