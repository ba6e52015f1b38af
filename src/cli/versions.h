// Version nodes of OpenMP libraries' interfaces (GOMP_5.0, OMP_5.1, VERSION): a program that needs one that its library
// does not have is ended by the dynamic linker before it begins, in words that say nothing of Einkorn.
#pragma once
#include <string>
#include <vector>

namespace einkorn::cli {

struct MissingVersion {
  std::string file;  // which asks
  std::string node;  // for this
  std::string of;    // of a library of this name
};

// What the program and its libraries (libraries.h) need of OpenMP libraries and `runtime`, which takes the place of all
// these, does not have. node is empty: nothing. A file that cannot be read needs nothing.
MissingVersion missing_version(const std::string& program, const std::vector<std::string>& libraries,
                               const std::string& runtime);

}  // namespace einkorn::cli
