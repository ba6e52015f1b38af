// What a recording says of memory: the ranges that tasks named, as data that tasks share. Ranges overlap as they like
// (a band of rows, a band and its neighbours' rows, all of the matrix): memory is cut where any of them begins or ends,
// and what lies between two cuts is one datum. Where that would give a task's range very many, cuts are rounded to
// powers of two.
#pragma once
#include <vector>

#include "profile/touches.h"
#include "simulate/types.h"

namespace einkorn::simulate {

struct Footprints {
  std::vector<Data> data;
  std::vector<uint64_t> blocks;  // memory without gaps: as a rule an allocation
  std::vector<Access> accesses;  // by grain
  std::vector<uint32_t> first;   // by grain, and one more: in accesses. Empty: no task said anything
  std::vector<int32_t> domain;   // by grain: the node that the program named, -1: none. Empty: never

  bool knows(uint32_t grain) const { return grain + 1 < first.size() && first[grain] < first[grain + 1]; }
};

// Lengths that compilers did not pass are taken to the next address that any task named, 64 MiB at most, else a page. A
// footprint of nothing but such lengths which is smaller than a page tells nothing: a flag to wait for, perhaps.
Footprints footprints_of(const std::vector<profile::Touch>& touches, size_t grains);

}  // namespace einkorn::simulate
