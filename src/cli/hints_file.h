// --hints: a hints file, made to fit the program that is started.
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace einkorn::cli {

void add_hints_option(CLI::App& verb, std::string& file);

// What the runtime gets as EINKORN_HINTS: the file's absolute path; or, where some of its lines are found again in
// another build of what they are about, the whole text. Says which are not found: these are not applied. `objects`: the
// files of the program, itself and its libraries. Empty: the file cannot be read, which `wrong` says.
// places_allocations: are some of them about allocations?
std::string hints_for(const std::string& file, const std::vector<std::string>& objects, bool& places_allocations,
                      std::string& wrong);

}  // namespace einkorn::cli
