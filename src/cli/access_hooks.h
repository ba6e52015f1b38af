// Can a program's memory accesses be counted (record --accesses)?
#pragma once
#include <string>

namespace einkorn::cli {

// Empty: it has the hooks of -fsanitize=thread and finds them in a library; or it is a script, whose programs may have
// them. Otherwise what is wrong, and how to build it. `libraries`: our folder.
std::string no_access_hooks(const std::string& program, const std::string& libraries);

}  // namespace einkorn::cli
