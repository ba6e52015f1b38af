// Putting the runtime under a program: environment and exec.
#pragma once
#include <string>
#include <vector>

namespace einkorn::cli {

struct Launch {
  std::vector<std::string> command;  // program and arguments
  std::string schedule;              // empty: as the environment says
  std::string record_path;           // empty: no recording; else absolute, % codes not replaced
};

// Checks installation, schedule and program. Returns 0, or the status after having said what is wrong.
int prepare(const Launch&, std::string& program_path);

// Replaces this process. Returns only on failure, with the status after having said why.
int execute(const Launch&, const std::string& program_path);

}  // namespace einkorn::cli
