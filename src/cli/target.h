// Looks up a program's name: the file must exist, be readable as ELF, and be able to run under us.
#pragma once
#include <string>

namespace einkorn::cli {

struct Target {
  std::string path;     // as execve gets it
  int status = 0;       // 0: fine; else kCannotRun or kNotFound, and
  std::string message;  // why, and what to do
  std::string
      loaded;  // the file that the kernel then loads: the program, or a script's interpreter. Empty: cannot be read
  std::string linker;  // and the dynamic linker of that file
};

// Looks a program up like the shell (PATH unless it has a slash) and checks it. A script is followed to its
// interpreter.
Target find_target(const std::string& program);

}  // namespace einkorn::cli
