// What the runtime and the yardsticks take on the timed platform.
#pragma once
#include <string>
#include <vector>

#include "large/costs.h"

namespace large {

struct Figure {
  double ours = 0;      // ns, or of a row with a part: what is reached of the ideal, 0 to 1
  double best = -1;     // of the yardsticks; -1: there is none
  const char* by = "";  // which
  double bound = -1;    // below which nobody gets; -1: none is known
  double updates = -1;  // atomic ones of one line, the most that any line has each time; -1: not counted
  bool stuck = false;
};

struct Row {
  const char* name;
  const char* what;
  bool is_part;  // of the ideal: more is better
  Figure (*measure)(const Distances&, const Own&);
  bool takes_minutes = false;  // only where it is asked for by its name
};
const std::vector<Row>& rows();

}  // namespace large
