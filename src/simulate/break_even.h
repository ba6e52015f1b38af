// When a page that is moved to the node of who uses it has paid for the move: Schmidl's T = O + x A (2016, 3.3.3), by
// what a machine's model says.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "machine/types.h"

namespace einkorn::simulate {

// How often until O is less than what each time saves: O / (A_before - A_after), rounded up. Nothing saved: kNever.
inline constexpr double kNever = -1;
double uses_to_pay(double cost_ns, double before_ns, double after_ns);

// ns of a page from end to end, before the move and after it; negative: not known.
struct PageUse {
  double before = -1, after = -1;
  bool known() const { return before >= 0; }
};

struct PairBreakEven {
  int thread = 0, memory = 0;  // nodes: who uses the page, where it is
  PageUse one;                 // read by one core
  PageUse all;                 // by all cores of the node together
  PageUse load;                // one load that no cache has
};

struct BreakEven {
  uint64_t page_bytes = 0;
  double migrate_ns = 0, next_touch_ns = 0;                    // O
  bool migrate_measured = false, next_touch_measured = false;  // else those of Schmidl 2016, of a two-socket Westmere
  std::vector<PairBreakEven> pairs;                            // all of different nodes
  // All nodes read what lies on one, and what each moves to itself: that node's memory serves all, then all memories
  // do.
  PageUse spread;
};

// False: *why says what the machine lacks.
bool break_even(const machine::Machine& m, BreakEven* out, std::string* why);

}  // namespace einkorn::simulate
