// Numbers with their units, and places in the source, as a person would write them.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>
#include "base/printable.h"
#include "profile/types.h"

namespace einkorn::report {

// "0.31 us", "21.4 ms", "1,230 s": `digits` significant ones, in the unit that leaves at most one zero before them.
std::string duration(int64_t ns, int digits = 3);

// "3.1 of 8.2 s": both in the unit of the larger, with as many decimals as the part needs for two digits.
std::string part_of(int64_t part_ns, int64_t whole_ns);

std::string count(uint64_t n);                          // "20,496"
std::string percent(double part, double whole);         // "92.4 %", "0.04 %"; "-" of nothing
std::string significant(double value, int digits = 3);  // "15.2"
std::string plural(uint64_t n, const char* one);        // "1 task", "20,496 tasks"

// What was recorded: structure and time, and memory accesses.
const char* level(const profile::Profile&);

// Names come from recordings and command lines and may hold anything: base/printable.h.
using einkorn::printable;
using einkorn::terminal_text;
std::string utf8(std::string_view text);  // bytes that are no UTF-8 become U+FFFD

// A name that is longer than `width` (at least 8) in fewer letters, as cxx_names.h has it, and if need be without its
// middle.
std::string shortened(const std::string& name, size_t width);

// One unit for a column of durations, so that its numbers can be compared at a glance.
struct Scale {
  double unit_ns;
  const char* unit;
  int decimals;
  explicit Scale(int64_t largest_ns);
  std::string operator()(int64_t ns) const;  // without the unit
};

// Where a Source is, in few words, for text, page, JSON and exports: "sort.c:142". The file has as many of its folders
// as it takes to tell it from the other files of the profile. Without a line: its function, "merge_sort", with its
// address where others are named alike (long names, which lose their middle, always), "merge_sort@0x11d0"; without a
// name "sort+0x11d0", without anything "unknown place".
class Places {
 public:
  explicit Places(const profile::Profile&);
  std::string operator()(uint32_t source) const;

 private:
  const profile::Profile& profile_;
  std::vector<std::string> files_;  // by source
  // Addresses of sources without a line, by module, function and construct.
  std::map<std::tuple<std::string, std::string, std::string>, std::set<uint64_t>> alike_;
};

}  // namespace einkorn::report
