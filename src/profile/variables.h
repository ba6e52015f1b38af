// From a name to where a global variable is in a file.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::profile {

struct NamedVariables {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;  // [begin, end): addresses in the file
  std::vector<std::string> near;                      // none was found: names that have this one in them, a few
};
// Of a file, an executable or a shared object: those whose symbol is the name, or reads so: "ns::grid", of a Fortran
// module "fields::grid"; with "@0x1234" behind it the one at that address, as reports have it where several have one
// name. Else the only one that has it with what compilers put around it: "grid_" of a common block, "grid.1" of a
// function's, the module's. Such numbers are others in each build: bytes, if not 0, is how large the one of the other
// build was.
NamedVariables variables_named(const std::string& path, const std::string& name, uint64_t bytes = 0);

}  // namespace einkorn::profile
