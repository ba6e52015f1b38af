// Where data lies in a replay, and whether it moves: the policies of src/memory, by the same names.
//
//   first-touch      on the node of whoever touches it first
//   fine             pages to all nodes in turn; interleaved: to those that the team runs on
//   coarse           an allocation on one node, the allocations in turn
//   blocked          of an allocation one part a node, of equal size; cyclic:BYTES: parts of that size, in turn
//   nearest          on the node of the first worker
//   node:N           all on one node
// and behind it, separated by a comma
//   next-touch       a datum moves once, to the node of whoever touches it second
//   migrate:N        a datum moves to a node from which it was touched N times, and meanwhile from no other
// A move takes what the machine's pages take (Costs), once: T = O + x A (Schmidl 2016, 3.3).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "machine/types.h"
#include "memory/distribution.h"

namespace einkorn::simulate {

enum class Move : uint8_t { never, next_touch, follow };

struct Placement {
  memory::Layout layout = memory::Layout::system;  // system: where it is touched first
  int node = -1;                                   // all there; the layout does not count then
  uint64_t block_bytes = 0;                        // of Layout::blocked: parts of that size in turn, 0: one part a node
  Move move = Move::never;
  uint32_t after = 1;  // Move::follow: touches in a row
};

// False: `why` says what is wrong.
bool parse_placement(const std::string& text, Placement* out, std::string* why);

// The nodes that data is laid over: those with CPUs, or those of the workers.
std::vector<int> nodes_for(const Placement&, const machine::Machine& m, const std::vector<int>& pus);

}  // namespace einkorn::simulate
