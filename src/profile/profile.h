// The front door of src/profile.
#pragma once
#include <functional>
#include <string>
#include "profile/timeline.h"
#include "profile/touches.h"
#include "profile/types.h"

namespace einkorn::profile {

struct LoadOptions {
  bool symbolize = true;
  bool graph = true;
  bool state_bins = false;       // the threads' states over time, for a picture
  std::vector<Touch>* touches = nullptr;  // what tasks said that they touch, by grain: filled where given
  Timeline* timeline = nullptr;  // filled where given
  uint64_t memory_bytes = 0;  // refuse what takes more than about this; 0: three quarters of the machine's
  std::function<void(double fraction, const char* what)> progress;  // optional
};

// What is wrong with a file, in words that say what to do.
struct LoadError { std::string message; };

// Reads a .grain file of any completeness. On a file that is no recording at all (or of a later version) returns false
// and fills `error`; a truncated or damaged recording loads up to (and around) the damage, see Totals.
bool load(const std::string& path, const LoadOptions&, Profile& out, LoadError& error);

}  // namespace einkorn::profile
