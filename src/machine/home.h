// Where Einkorn is installed: the folder that has bin/, lib/ and share/.
#pragma once
#include <string>
#include <vector>

namespace einkorn::machine {

// EINKORN_HOME if it is set, otherwise found from the file that this code is in: bin/einkorn, or the library under a
// program. Absolute, without links. Empty: neither is known.
std::vector<std::string> homes();

}  // namespace einkorn::machine
