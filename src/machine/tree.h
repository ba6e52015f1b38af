// Regular machines in one line, without hwloc: `socket:2 numa:2 l3:1 core:8 pu:2 distance:16,22`, or `4x8` for short.
#pragma once
#include <string>

#include "machine/types.h"

namespace einkorn::machine {

enum class TreeRead { good, wrong, not_ours };  // not_ours: the text uses syntax that only hwloc knows

// Sets pus, nodes and, if the text has it, distance. *why as in load.h; with `not_ours`: what was not understood.
TreeRead read_tree(const std::string& line, Machine* out, std::string* why);

// Takes `distance:...` out of the line; false: it is wrong. {} if there is none; otherwise the distance to nodes of the
// same socket and that to others.
bool take_distance(std::string* line, std::vector<float>* distances, std::string* why);
void set_distance(Machine* m, const std::vector<float>& distances);

}  // namespace einkorn::machine
