// A C file's OpenMP, as a file with codelets.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/procedures.h"
#include "compiler/read.h"

namespace einkorn::compiler {

struct Translation {
  Reading reading;          // of the file, or of the file with macros replaced by what they stand for
  std::vector<Plan> plans;  // procedures first, then its regions; they point into `reading`
  std::vector<Remark> remarks;
  std::vector<std::string> runs;  // names of runs of tasks that are replayed
  std::string output;
};

struct Input {
  std::string file, text;
  bool on_disk = true;  // the text is the file's
  std::vector<std::string> flags;
  std::string headers;  // the folder that has einkorn/codelet.h
  bool is_c89 = false;
  bool overwrites_dead = false;  // Unit's
  bool complexes = false;        // the back-end: else procedures
  // What the compiler behind has refused: regions by their plans' names, and why each stays OpenMP's; why there are to
  // be no procedures.
  std::vector<std::pair<std::string, std::string>> refused;
  std::string no_procedures;
};

// As it is where nothing is translated. Not parsed: clang's messages are in `reading`.
Translation translate(const Input& input);

}  // namespace einkorn::compiler
