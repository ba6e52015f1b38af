// The commands that compile translated sources as if they were the user's: same names in diagnostics, debug
// information, dependency files and of what is made.
#pragma once
#include <string>
#include <vector>

#include "cli/compile_command.h"

namespace einkorn::cli {

enum class CompilerKind { gcc, clang };

struct TranslatedInput {
  size_t input;      // which of the command's inputs
  std::string file;  // what it became, in our scratch folder
};

// A dependency file that gcc writes into the scratch folder.
struct DependencyFix {
  std::string written, wanted;    // files
  std::string read_from, source;  // see name_source()
  bool piped, phony;              // see add_source()
};

struct CompileStep {
  std::vector<std::string> words;  // without the compiler
  std::string standard_input;      // a file; empty: ours
  std::vector<DependencyFix> fixes;
};

// Steps to be done in this order; none after one that failed. `headers`: the folder of einkorn/codelet.h; `scratch`:
// where objects of a call that compiles and links may lie meanwhile.
std::vector<CompileStep> translated_steps(const CompileCommand& command, const std::vector<TranslatedInput>& translated,
                                          CompilerKind kind, const std::string& headers, const std::string& scratch);

}  // namespace einkorn::cli
