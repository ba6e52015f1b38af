// Reading what may crash its reader.
#pragma once
#include "machine/types.h"

namespace einkorn::machine {

using Loader = bool (*)(const std::string& from, Machine* out, std::string* why);

// load(from, out, why) in a child process, so that a reader that crashes, hangs or asks for all memory ends that
// process and not this one. The machine comes back as JSON, so what JSON does not hold is lost.
bool load_in_child(Loader load, const std::string& from, Machine* out, std::string* why);

}  // namespace einkorn::machine
