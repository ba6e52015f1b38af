// What a program is linked with, told without running any of its code.
#pragma once
#include <string>
#include <vector>

#include "cli/target.h"

namespace einkorn::cli {

// The files that the dynamic linker would load for it: its libraries, and theirs, those of LD_PRELOAD included. Empty
// if it cannot be asked.
std::vector<std::string> libraries_of(const Target& target);

}  // namespace einkorn::cli
