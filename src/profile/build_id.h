// The GNU build-id of an object file.
#pragma once
#include <libelf.h>
#include <string>

namespace einkorn::profile {

// Its bytes; empty: it has none.
std::string build_id_of(Elf* elf);
// Hexadecimal, lower case; empty: it has none, or is not to be read.
std::string build_id_of_file(const std::string& path);
std::string as_hex(const std::string& bytes);

}  // namespace einkorn::profile
