// The codelet compiler (build/bin/einkorn-codelets), an optional part of the installation: a program of its own, so
// that the tool does not need clang's libraries.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/child.h"
#include "cli/scratch_folder.h"

namespace einkorn::cli {

struct CodeletOptions {
  bool strict = false;
  bool check_plan = false;
  std::string target;  // empty: as if it were "tp"
  std::string
      compiler;  // that is to compile the output: it is asked which branch of an #if it takes; empty: any may be
  // What the compiler behind has refused: names of regions, why each stays OpenMP's; why there are to be no procedures.
  std::vector<std::pair<std::string, std::string>> refused;
  std::string no_procedures;
};
// Of --target, for its help; and what is wrong with a value of it, "": nothing.
inline constexpr char kAboutTarget[] =
    "What regions become: tp (default), procedures that give way; or complexes, codelets alone";
std::string wrong_target(const std::string& target);

struct CodeletCompiler {
  std::string program;  // its path
  std::string headers;  // the folder that has einkorn/codelet.h
};

// False: it is not installed, with a sentence on what to install.
bool find_codelet_compiler(CodeletCompiler* found, std::string* why);

enum class TranslationEnd {
  done,        // the output has the source with its codelets, or unchanged
  left,        // strict, and a region stays OpenMP's
  unreadable,  // clang cannot parse it
  failed,      // it could not do its work
  interrupted  // by a signal that was to end it, `child` has which
};

struct Translation {
  TranslationEnd end;
  ChildEnd child;
  std::string said;                // on its standard error
  std::string regions;             // a line each, and how many of them were translated
  std::vector<std::string> names;  // of those that were
  bool timestamp = false;          // the source names __TIMESTAMP__
  bool procedures = false;         // some of the program's functions have become such
};

// Where it writes to; what is empty it does not write.
struct TranslationFiles {
  std::string output;
  std::string unmarked;  // the source without the words that only the codelet compiler knows, if it has any
  std::string graph;     // the picture of its codelets
};

// `scratch` is for what passes between the two programs.
Translation translate(const CodeletCompiler& compiler, const std::string& source, const TranslationFiles& files,
                      const std::vector<std::string>& flags, const CodeletOptions& options,
                      const ScratchFolder& scratch);

struct RunFiles {
  std::string input;   // what it reads as its standard input; empty: ours
  std::string output;  // where its standard output goes; empty: where ours does
  std::string error;   // its standard error likewise
};

// Runs words[0], found through PATH, to its end.
ChildEnd run_words(const std::vector<std::string>& words, const RunFiles& files, const ScratchFolder& scratch);

std::string text_of_file(const std::string& path);  // empty: there is none

// Writes what a source became into `folder`, at the source's own path below it. False, with the reason: it cannot be
// written, or would take the place of something that is read here (report::keep()).
bool write_below(const std::string& folder, const std::string& source, const std::string& text, std::string* why);

}  // namespace einkorn::cli
