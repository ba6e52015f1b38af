// Variables of the peers' libraries that nothing here reads.
#pragma once
#include <span>

namespace einkorn::runtime {

// Prints a line for each variable of peers.def that is set to something that is not done anyway, and for each one that
// begins as the peers' do and looks like a misspelt one. `known`: the names of config.def.
void name_unserved_variables(std::span<const char* const> known);

}  // namespace einkorn::runtime
