#pragma once
#include <string>

namespace einkorn::profile {

// Of an object file: hexadecimal, lower case; empty: it has none, or is not to be read.
std::string build_id_of_file(const std::string& path);
std::string as_hex(const std::string& bytes);

}  // namespace einkorn::profile
