// load() with results that only tests and tuning need.
#pragma once
#include "profile/profile.h"
#include "profile/state_clock.h"

namespace einkorn::profile {

// Where a construct's code is: its outlined function, or, if it has none, the call that begins it.
struct SourceCode {
  std::string file;      // the object file's path
  std::string build_id;  // hexadecimal; empty: it has none
  uint64_t address = 0;  // in the object file
};

// Results of load() that are not in the Profile.
struct LoadDetails {
  IntervalSink intervals;                     // in: called for every interval of every thread, in the thread's order
  uint64_t unmatched = 0;                     // out: records that fit no open context
  std::vector<std::vector<SourceCode>> code;  // out: by source
};

bool load(const std::string& path, const LoadOptions&, LoadDetails*, Profile& out, LoadError& error);

}  // namespace einkorn::profile
