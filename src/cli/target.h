// What stands behind a program's name: found, readable as ELF, and fit to run under us.
#pragma once
#include <string>

namespace einkorn::cli {

struct Target {
  std::string path;     // as execve gets it
  int status = 0;       // 0: fine; else kCannotRun or kNotFound, and
  std::string message;  // why, and what to do
  std::string loaded;   // what the kernel loads then: the program, or a script's interpreter. Empty: cannot be read
  std::string linker;   // and that one's dynamic linker
};

// Looks a program up like the shell (PATH unless it has a slash) and checks it. A script is followed to its
// interpreter.
Target find_target(const std::string& program);

}  // namespace einkorn::cli
