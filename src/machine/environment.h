// The gate through which the library under a program reads the environment, and the tool with it.
#pragma once

namespace einkorn::machine {

// Does this program run with more rights than who started it has (setuid, setgid, file capabilities: AT_SECURE)?
bool is_privileged();

// The variable's value, or nullptr where it is not set. A privileged program's environment is its caller's, who must not have it
// open, write or load a file of his choice: there only OpenMP's own settings are read, and of these none of OMPT's tools.
const char* environment(const char* name);

}  // namespace einkorn::machine
