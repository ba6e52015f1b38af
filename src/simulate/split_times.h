// Which part of recorded times was memory's, where footprints tell what was touched: the recorded order is gone through
// with the caches and the bandwidth of a machine.
#pragma once
#include <cstdint>
#include <vector>

#include "machine/types.h"
#include "simulate/types.h"

namespace einkorn::simulate {

// A recorded stretch with accesses.
struct Timed {
  int64_t begin = 0;
  uint32_t thread = 0;
  uint32_t first_access = 0, accesses = 0;  // as its step has them
  double ns = 0;
};

// Sets Step::memory of the steps with these accesses: what they take, over what was recorded; 1 at most. Threads are on
// cores of their own, on as few nodes as have room for them, with all data in the own node's memory, which they share
// evenly.
void split_times(Program& program, std::vector<Timed> recorded, const machine::Machine& m, uint32_t threads);

// How many of so many threads share a node then.
double on_one_node(const machine::Machine& m, uint32_t threads);

}  // namespace einkorn::simulate
