// Where the names of a stripped file would be found, for a sentence that says what is missing.
#pragma once
#include <string>

namespace einkorn::profile {

struct WantedSymbols {
  bool here = false;       // the file is on this computer
  std::string debug_file;  // ".build-id/ab/cdef.debug", below a folder of debug information; empty: it has no build-id
  std::string package;     // of Debian's packages the one that the file came with, as dpkg-query says; empty: none
};
WantedSymbols wanted_symbols(const std::string& path);

}  // namespace einkorn::profile
