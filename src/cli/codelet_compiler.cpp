#include "cli/codelet_compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "machine/home.h"
#include "report/output_file.h"

namespace einkorn::cli {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write_below(const std::string& folder, const std::string& source, const std::string& text, std::string* why) {
  namespace fs = std::filesystem;
  fs::path below;  // never out of the folder
  for (const fs::path& part : fs::path(source).relative_path().lexically_normal())
    below /= part == ".." ? fs::path("up") : part;
  const fs::path file = fs::path(folder) / below;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) *why = fmt::format("{} cannot be made: {}", file.parent_path().string(), error.message());
  else *why = report::write_file(file.string(), text);
  return why->empty();
}

bool find_codelet_compiler(CodeletCompiler* found, std::string* why) {
  for (const std::string& home : machine::homes()) {
    if (found->program.empty() && access((home + "/bin/einkorn-codelets").c_str(), X_OK) == 0)
      found->program = home + "/bin/einkorn-codelets";
    if (found->headers.empty() && access((home + "/include/einkorn/codelet.h").c_str(), R_OK) == 0)
      found->headers = home + "/include";
  }
  if (found->program.empty())
    *why =
        "this installation has no codelet compiler (bin/einkorn-codelets). Install clang's library (Debian: libclang-19-dev, "
        "llvm-19-dev) and build Einkorn again";
  else if (found->headers.empty())
    *why =
        "include/einkorn/codelet.h is missing: the installation is incomplete. Run ./dev build, or set EINKORN_HOME to the "
        "folder that has include/";
  return why->empty();
}

std::string wrong_target(const std::string& target) {
  if (target == "tp" || target == "complexes") return "";
  return fmt::format("--target is tp or complexes, not '{}'", target);
}

ChildEnd run_words(const std::vector<std::string>& words, const RunFiles& files, const ScratchFolder& scratch) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return run_child([&] {
    scratch.as_before();
    if (!redirect(files.input, O_RDONLY, STDIN_FILENO)) return errno;
    if (!redirect(files.output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO)) return errno;
    if (!redirect(files.error, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO)) return errno;
    execvp(argv[0], argv.data());
    return errno;
  });
}

Translation translate(const CodeletCompiler& compiler, const std::string& source, const TranslationFiles& files,
                      const std::vector<std::string>& flags, const CodeletOptions& options,
                      const ScratchFolder& scratch) {
  const std::string regions = scratch.path() + "/regions", said = scratch.path() + "/said",
                    names = scratch.path() + "/names";
  unlink(regions.c_str());
  unlink(names.c_str());
  std::vector<std::string> words{compiler.program, source, "-o", files.output, "--explain", regions, "--names", names};
  if (!files.unmarked.empty()) words.insert(words.end(), {"--unmarked", files.unmarked});
  if (!files.graph.empty()) words.insert(words.end(), {"--graph", files.graph});
  if (options.strict) words.push_back("--strict");
  if (options.check_plan) words.push_back("--check-plan");
  if (!options.target.empty()) words.insert(words.end(), {"--target", options.target});
  if (!options.compiler.empty()) words.insert(words.end(), {"--compiler", options.compiler});
  if (!options.no_procedures.empty()) words.insert(words.end(), {"--no-procedures", options.no_procedures});
  for (const auto& [name, reason] : options.refused) words.insert(words.end(), {"--leave", name + "=" + reason});
  words.insert(words.end(), {"--", "-isystem", compiler.headers});
  words.insert(words.end(), flags.begin(), flags.end());
  Translation made{TranslationEnd::failed,
                   run_words(words, {"/dev/null", "", said}, scratch),
                   text_of_file(said),
                   text_of_file(regions),
                   {}};
  std::istringstream lines(text_of_file(names));
  for (std::string kind, name; lines >> kind && std::getline(lines >> std::ws, name);)
    if (kind == "region") made.names.push_back(name);
    else if (kind == "procedure") made.procedures = true;
    else made.timestamp |= kind == "timestamp";
  if (made.child.exec_error) return made;
  if (WIFSIGNALED(made.child.status)) {
    if (ScratchFolder::ends(WTERMSIG(made.child.status))) made.end = TranslationEnd::interrupted;
    return made;
  }
  switch (WEXITSTATUS(made.child.status)) {
    case 0: made.end = TranslationEnd::done; break;
    case 1: made.end = TranslationEnd::left; break;
    case 2: made.end = TranslationEnd::unreadable; break;
    default: break;
  }
  return made;
}

}  // namespace einkorn::cli
