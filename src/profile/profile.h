// The entry point of src/profile.
#pragma once
#include <functional>
#include <string>
#include "profile/symbol_options.h"
#include "profile/timeline.h"
#include "profile/touches.h"
#include "profile/types.h"

namespace einkorn::profile {

struct SourceLines;

struct LoadOptions {
  bool symbolize = true;
  SymbolOptions symbols;
  bool graph = true;
  bool state_bins = false;                // fill the threads' states over time, for a picture
  bool lock_points = false;               // where in the graph's nodes locks were held
  std::vector<Touch>* touches = nullptr;  // what tasks said that they touch, by grain: filled where given
  Timeline* timeline = nullptr;           // filled where given
  SourceLines* lines = nullptr;           // the Source of each site and access, to be kept: filled where given
  uint64_t memory_bytes =
      0;  // refuse a file that takes more bytes than about this; 0: three quarters of the machine's memory
  std::function<void(double fraction, const char* what)> progress;  // optional
};

// What is wrong with a file, in words that say what to do about it.
struct LoadError {
  std::string message;
};

// Reads a .grain file of any completeness. If the file is not a recording at all (or is of a later version), returns
// false and fills `error`. A truncated or damaged recording loads up to (and around) the damage, see Totals.
bool load(const std::string& path, const LoadOptions&, Profile& out, LoadError& error);

}  // namespace einkorn::profile
