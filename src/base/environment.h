// The only way in which the runtime library, and the tool, read the environment.
#pragma once

namespace einkorn::inline base {

// Does this program have more rights than its caller (setuid, setgid, file capabilities: AT_SECURE)?
bool is_privileged();

// The variable's value, or nullptr where it is not set. The caller of a privileged program chooses its environment, and
// must not make it open, write or load a file. In such a program only OpenMP's own settings are read, without those of
// OMPT's tools.
const char* environment(const char* name);

// The same, where it is not blank, as all of ours are read. What OpenMP has per device is the host's, also where
// NAME_ALL says it for all devices (OpenMP 5.2, 21).
const char* set_value(const char* name);
inline bool is_set(const char* name) { return set_value(name) != nullptr; }
bool is_per_device(const char* name);

// All entries, NAME=VALUE, the last one nullptr; none in a privileged program.
const char* const* environment_entries();

}  // namespace einkorn::inline base
