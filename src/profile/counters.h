// What threads' counters have seen in grains (docs/grain-file.md, records `counters`), where a recording has it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "record/counter_table.h"

namespace einkorn::profile {

struct Profile;
struct Recording;

using CountValues = std::array<uint64_t, record::kMostCounters>;  // by CountedEvents::counters; kUncounted: not known
inline constexpr CountValues kNoCounts = {record::kUncounted, record::kUncounted, record::kUncounted,
                                          record::kUncounted, record::kUncounted, record::kUncounted,
                                          record::kUncounted, record::kUncounted};

// Of a grain: all of its own code, without its children, waits and what it waits for locks, but with what it takes to
// create its children.
struct Counts {
  CountValues values = kNoCounts;
  uint8_t estimated = 0;  // a bit for each: its counter had to share the processor's with others
};

struct CountedEvents {
  std::vector<record::Counter> counters;
  struct Absent {
    record::Counter counter;
    record::Absence why;
  };
  std::vector<Absent> absent;  // asked for, and not there
  std::vector<Counts> grains;  // by grain; empty: nothing was counted
  Counts elsewhere;            // of threads outside of grains: the runtime, waits, the recorder
  bool any() const { return !grains.empty(); }
  // Its place in `counters` and in CountValues; kMostCounters: not counted.
  size_t place_of(record::Counter) const;
  bool has(record::Counter c) const { return place_of(c) < record::kMostCounters; }
  // kUncounted: not counted, or not known of this grain.
  uint64_t of(uint32_t grain, record::Counter) const;
};

// From the meta block, by keys.
void read_counters(const std::vector<std::string>& counted,
                   const std::vector<std::pair<std::string, std::string>>& absent, CountedEvents& out);
// Called after link(), which gives each step its grain.
void attach_counters(const Recording&, Profile&);

}  // namespace einkorn::profile
