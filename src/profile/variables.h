// From a name to where a global variable is in a file.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::profile {

// [begin, end): addresses in the file (an executable or a shared object) of the variables that have this name, as their
// symbol has it or demangled. Those inside functions have numbers that the compiler chose ("grid.1"): where no variable
// has the name, the only one that has it with another number.
std::vector<std::pair<uint64_t, uint64_t>> variables_named(const std::string& path, const std::string& name);

}  // namespace einkorn::profile
