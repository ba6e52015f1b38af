#include "cli/compile_command.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/response_file.h"

namespace einkorn::cli {

namespace {

using std::string_view;

// Options whose argument is the next word, of gcc 12 and clang 19: gcc's manual, "Option Summary", and clang's
// `--help-hidden`.
constexpr std::array kSeparateFlags{"-A",
                                    "-D",
                                    "-F",
                                    "-G",
                                    "-I",
                                    "-U",
                                    "-Xanalyzer",
                                    "-Xassembler",
                                    "-Xclang",
                                    "-Xpreprocessor",
                                    "-Xopenmp-target",
                                    "-arch",
                                    "-aux-info",
                                    "-dumpbase",
                                    "-dumpbase-ext",
                                    "-dumpdir",
                                    "-framework",
                                    "-gcc-toolchain",
                                    "-idirafter",
                                    "-iframework",
                                    "-imacros",
                                    "-imultilib",
                                    "-include",
                                    "-include-pch",
                                    "-iprefix",
                                    "-iquote",
                                    "-isysroot",
                                    "-isystem",
                                    "-ivfsoverlay",
                                    "-iwithprefix",
                                    "-iwithprefixbefore",
                                    "-mllvm",
                                    "-resource-dir",
                                    "-target",
                                    "-working-directory",
                                    "-wrapper",
                                    "-B",
                                    "-specs",
                                    "--assert",
                                    "--define-macro",
                                    "--for-assembler",
                                    "--imacros",
                                    "--include",
                                    "--include-directory",
                                    "--include-directory-after",
                                    "--include-prefix",
                                    "--include-with-prefix",
                                    "--include-with-prefix-after",
                                    "--include-with-prefix-before",
                                    "--param",
                                    "--prefix",
                                    "--specs",
                                    "--sysroot",
                                    "--undefine-macro"};
constexpr std::array kSeparateLinking{"-L",       "-T",      "-Tbss",        "-Tdata",       "-Ttext",
                                      "-Xlinker", "-e",      "-l",           "-rpath",       "-u",
                                      "-z",       "--entry", "--for-linker", "--force-link", "--library-directory"};
constexpr std::array kSeparateDependency{"-MF", "-MT", "-MQ", "-MJ"};

// After which nothing is compiled to code.
constexpr std::array kOtherGoals{"-E",
                                 "-M",
                                 "-MM",
                                 "-fsyntax-only",
                                 "-###",
                                 "--version",
                                 "--help",
                                 "--target-help",
                                 "-dumpversion",
                                 "-dumpmachine",
                                 "-dumpfullversion",
                                 "-dumpspecs",
                                 "--preprocess",
                                 "--dependencies",
                                 "--user-dependencies",
                                 "--analyze",
                                 "-emit-ast"};

constexpr std::array kSourceSuffixes{"c",   "i",   "ii",  "cc",  "cp",  "cxx", "cpp", "CPP", "c++", "C",
                                     "m",   "mi",  "mm",  "M",   "mii", "s",   "S",   "sx",  "f",   "for",
                                     "ftn", "F",   "FOR", "FTN", "fpp", "FPP", "f90", "f95", "f03", "f08",
                                     "F90", "F95", "F03", "F08", "go",  "d",   "adb", "ads"};

template <typename List>
bool any_of_these(const List& list, string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

string_view suffix_of(string_view path) {
  const string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == string_view::npos ? string_view{} : name.substr(dot + 1);
}

bool only_linked(string_view word) {
  for (const string_view prefix :
       {"-l", "-L", "-T", "-Wl,", "-z", "-static", "-shared", "--library-directory=", "--entry="})
    if (word.starts_with(prefix)) return true;
  return any_of_these(
      std::array{"-pie", "-no-pie", "-rdynamic", "-s", "-r", "-nostdlib", "-nodefaultlibs", "-nostartfiles"}, word);
}

class CommandReader {
 public:
  explicit CommandReader(CompileCommand& command) : command_(command) {
    command.kinds.resize(command.words.size(), WordKind::flag);
  }

  void read() {
    bool options = true;
    for (at_ = 0; at_ < command_.words.size(); ++at_) {
      const std::string& word = command_.words[at_];
      if (options && word == "--") options = false;
      else if (!options || word == "-" || word[0] != '-') add_input();
      else option(word);
    }
  }

 private:
  void option(const std::string& word) {
    if (any_of_these(kOtherGoals, word)) command_.goal = Goal::other;
    if (word == "-fopenmp" || word.starts_with("-fopenmp=")) command_.openmp = true;
    if (word == "-fno-openmp") command_.openmp = false;
    if (word == "-o" || word == "--output") command_.output = argument(WordKind::output);
    else if (word.starts_with("--output=")) mark(WordKind::output), command_.output = word.substr(9);
    else if (word[1] == 'o' && !word.starts_with("-object")) mark(WordKind::output), command_.output = word.substr(2);
    else if (word == "-x" || word == "--language") language_ = argument(WordKind::language);
    else if (word.starts_with("--language=")) mark(WordKind::language), language_ = word.substr(11);
    else if (word[1] == 'x') mark(WordKind::language), language_ = word.substr(2);
    else if (word == "-c" || word == "--compile") goal(Goal::object);
    else if (word == "-S" || word == "--assemble") goal(Goal::assembly);
    else if (any_of_these(kSeparateDependency, word)) argument(WordKind::dependency);
    else if (word.starts_with("-M") || word.starts_with("-Wp,-M")) mark(WordKind::dependency);
    else if (any_of_these(kSeparateLinking, word)) argument(WordKind::linking);
    else if (any_of_these(kSeparateFlags, word)) argument(WordKind::flag);
    else if (only_linked(word)) mark(WordKind::linking);
    if (language_ == "none") language_.clear();
  }

  void mark(WordKind kind) { command_.kinds[at_] = kind; }

  std::string argument(WordKind kind) {
    mark(kind);
    if (at_ + 1 >= command_.words.size()) {
      command_.whole = false;
      return "";
    }
    ++at_;
    mark(kind);
    return command_.words[at_];
  }

  // gcc stops at the earliest stage that was asked for, clang at that of the last such option: a user gives one.
  void goal(Goal asked) {
    mark(WordKind::goal);
    if (command_.goal == Goal::link || (command_.goal == Goal::object && asked == Goal::assembly))
      command_.goal = asked;
  }

  void add_input() {
    mark(WordKind::input);
    CompileInput input{at_, command_.words[at_], language_};
    const string_view suffix = suffix_of(input.path);
    input.is_c = input.path != "-" && (language_.empty() ? suffix == "c" : language_ == "c");
    input.is_source = !language_.empty() || any_of_these(kSourceSuffixes, suffix);
    command_.inputs.push_back(std::move(input));
  }

  CompileCommand& command_;
  size_t at_ = 0;
  std::string language_;
};

}  // namespace

size_t CompileCommand::sources() const {
  return size_t(std::count_if(inputs.begin(), inputs.end(), [](const CompileInput& input) { return input.is_source; }));
}

std::vector<std::string> CompileCommand::words_of(WordKind kind) const {
  std::vector<std::string> out;
  for (size_t i = 0; i < words.size(); ++i)
    if (kinds[i] == kind) out.push_back(words[i]);
  return out;
}

bool CompileCommand::has(const std::string& word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool CompileCommand::has_prefix(const std::string& prefix) const {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.starts_with(prefix); });
}

CompileCommand read_compile_command(const std::vector<std::string>& words) {
  CompileCommand command;
  command.words = expand_response_files(words, &command.response_files);
  CommandReader(command).read();
  return command;
}

std::string folder_of_file(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string without_suffix(const std::string& path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos || dot < folder_of_file(path).size() ? path : path.substr(0, dot);
}

std::string dependency_file_of(const CompileCommand& command, const CompileInput& input) {
  for (size_t i = command.words.size(); i-- > 0;) {
    if (command.kinds[i] != WordKind::dependency) continue;
    const std::string& word = command.words[i];
    if (i > 0 && command.words[i - 1] == "-MF") return word;
    if (word.starts_with("-MF") && word.size() > 3) return word.substr(3);
    if (word.starts_with("-Wp,-M") && word.find(',', 4) != std::string::npos) return word.substr(word.find(',', 4) + 1);
  }
  if (!command.output.empty()) return without_suffix(command.output) + ".d";
  return (command.goal == Goal::link ? "a-" : "") + without_suffix(name_of_file(input.path)) + ".d";
}

std::string object_of(const CompileInput& input, Goal goal) {
  return without_suffix(name_of_file(input.path)) + (goal == Goal::assembly ? ".s" : ".o");
}

}  // namespace einkorn::cli
