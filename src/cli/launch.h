// Putting the runtime under a program: environment and exec.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace einkorn::cli {

struct Launch {
  std::vector<std::string> command;  // program and arguments
  std::string machine;               // empty: as the environment says
  std::string schedule;              // empty: as the environment says
  std::string hints;        // a hints file; set by prepare() to what the runtime gets. Empty: as the environment says
  std::string record_path;  // empty: as the environment says; else absolute, % codes not replaced
  std::vector<std::pair<std::string, std::string>> environment;  // further variables of ours
  std::vector<std::string> withheld;     // variables of the user's environment that the program does not get
  bool limited = false;                  // some of the variables limit what is recorded
  bool allocations = false;              // record who allocates large blocks
  bool allocations_if_possible = false;  // as that, set by prepare()
  bool places_allocations = false;       // set by prepare(): some of the hints say where memory goes
  bool accesses = false;                 // count memory accesses: in libtsan's place
  std::string tunables;                  // of glibc, see static_tls.h; set by prepare(). Empty: as the environment says
  std::string runtime;                   // empty: ours; "libomp": LLVM's, recorded through OMPT
};

// Our runtime library in this installation: the file itself, not a link, as programs that examine their mappings see
// its name.
std::string runtime_file();

// Checks installation, schedule, machine and program; makes the paths in the launch absolute. Returns 0; or prints what
// is wrong and returns the status.
int prepare(Launch& launch, std::string& program_path);

// Replaces this process by the program. Returns only on failure, with errno's value, and prints nothing.
int execute(const Launch& launch, const std::string& program_path);

// Says why execute() failed; returns the status.
int explain_failure(const std::string& program_path, int error);

}  // namespace einkorn::cli
