// Environment variables by their names: which of those that begin with EINKORN_ nobody reads.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace einkorn::machine {

// A sentence for each variable of the environment that begins with EINKORN_ and is neither in `known` (the names of the
// runtime's settings) nor in variables.def. entries: NAME=VALUE each, and a nullptr behind the last one.
// With kNamedAlready in the environment there are none: the tool has printed these sentences.
std::vector<std::string> unknown_variables(const char* const* entries, std::span<const char* const> known);

// The tool sets this variable for a program that it starts when it has named unknown variables.
inline constexpr const char* kNamedAlready = "EINKORN_NAMED_ALREADY";

}  // namespace einkorn::machine
