// A command line of gcc or clang, understood as far as `einkorn cc` has to: what it makes, of which files, with OpenMP
// or not.
#pragma once
#include <string>
#include <vector>

namespace einkorn::cli {

enum class Goal {
  link,      // neither -c nor -S
  object,    // -c
  assembly,  // -S
  other      // -E, -M, -fsyntax-only, --version and the like: nothing is compiled to code
};

enum class WordKind {
  flag,        // of a compile, and its argument
  input,       //
  output,      // -o and its argument
  goal,        // -c, -S
  dependency,  // -MD, -MF FILE and the like
  language,    // -x and its argument
  linking      // what only a linker reads: -l, -L, -Wl, ...
};

struct CompileInput {
  size_t at;  // which word
  std::string path;
  std::string language;  // what -x says here; empty: its suffix tells
  bool is_c = false;     // C as it was written: neither preprocessed nor from standard input
  bool is_source = false;
};

struct CompileCommand {
  std::vector<std::string> words;  // with response files' words in their places
  std::vector<WordKind> kinds;     // of each word
  std::vector<CompileInput> inputs;
  Goal goal = Goal::link;
  std::string output;           // of -o; empty: not given
  bool openmp = false;          // -fopenmp
  bool whole = true;            // false: the last option lacks its argument
  bool response_files = false;  // there were some

  size_t sources() const;
  // The words of one kind.
  std::vector<std::string> words_of(WordKind kind) const;
  bool has(const std::string& word) const;
  // Is there a word that begins so?
  bool has_prefix(const std::string& prefix) const;
};

CompileCommand read_compile_command(const std::vector<std::string>& words);

// What depends on the files' names alone.
std::string folder_of_file(const std::string& path);  // with its slash; empty: none
std::string name_of_file(const std::string& path);
std::string without_suffix(const std::string& path);  // the path, up to the last dot of the name
std::string dependency_file_of(const CompileCommand& command, const CompileInput& input);  // which gcc writes with -MD
std::string object_of(const CompileInput& input, Goal goal);  // which -c or -S writes where -o is not given

}  // namespace einkorn::cli
