// einkorn cc [--compiler C] [--explain] ... FLAGS of a compiler: gcc or clang, with codelets made of OpenMP's regions.
//
// It only adds to what the compiler does. Where there is nothing to translate the compiler takes this process's place;
// and where the compiler refuses what was translated, it gets the source as it is.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/codelet_compiler.h"
#include "cli/compile_command.h"
#include "cli/dependency_file.h"
#include "cli/response_file.h"
#include "cli/translated_compile.h"
#include "cli/verbs.h"

namespace einkorn::cli {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct CcOptions {
  std::string compiler = "gcc";
  std::string keep;
  bool explain = false;
  CodeletOptions codelets;
};

// --target=TRIPLE is clang's. Ours have no digits and no dashes.
bool is_compilers_target(const std::string& name, const std::string& value) {
  return name == "--target" && value.find_first_of("-0123456789") != std::string::npos;
}

// Ours stand before the compiler's. Returns how many words they are; or a message.
struct OwnOptions {
  size_t count = 0;
  std::string wrong;
};

OwnOptions read_own(const Words& words, CcOptions& options) {
  OwnOptions own;
  for (size_t& at = own.count; at < words.size(); ++at) {
    const std::string& word = words[at];
    const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    std::string* value = name == "--compiler" ? &options.compiler
                         : name == "--keep"   ? &options.keep
                         : name == "--target" ? &options.codelets.target
                                              : nullptr;
    if (equals != std::string::npos && is_compilers_target(name, word.substr(equals + 1))) break;
    if (word == "--explain") options.explain = true;
    else if (word == "--strict") options.codelets.strict = true;
    else if (word == "--check-plan") options.codelets.check_plan = true;
    else if (!value) break;
    else if (equals != std::string::npos) *value = word.substr(equals + 1);
    else *value = at + 1 < words.size() ? words[++at] : "";
    if (value && (value->empty() || (*value)[0] == '-')) {
      own.wrong = fmt::format("cc {}: what comes behind it is missing", name);
      return own;
    }
    if (const std::string why = wrong_target(options.codelets.target);
        !options.codelets.target.empty() && !why.empty()) {
      own.wrong = fmt::format("cc {} (a target of the compiler's own stands behind another of its words)", why);
      return own;
    }
  }
  options.codelets.compiler = options.compiler;
  return own;
}

Words with_compiler(const CcOptions& options, const Words& words) {
  Words all{options.compiler};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

int compiler_missing(const CcOptions& options, int error) {
  return fail(error == ENOENT ? kNotFound : kCannotRun,
              fmt::format("the compiler {} cannot be started: {}. Name another with --compiler.", options.compiler,
                          strerror(error)));
}

// The compiler as it would be without us.
int become_compiler(const CcOptions& options, const Words& words) {
  const Words all = with_compiler(options, words);
  std::vector<char*> argv;
  for (const std::string& word : all) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return compiler_missing(options, errno);
}

// What is left for us of a command: OpenMP sources in C that become code.
bool something_to_translate(const CompileCommand& command) {
  if (!command.openmp || !command.whole || command.goal == Goal::other) return false;
  if (command.goal != Goal::link && !command.output.empty() && command.sources() > 1)
    return false;  // the compiler refuses it
  bool found = false;
  for (const CompileInput& input : command.inputs) {
    if (!input.is_source) continue;
    if (access(input.path.c_str(), R_OK) != 0 && input.path != "-") return false;  // the compiler says so
    // clang's list of remapped files has semicolons.
    found |= input.is_c && input.path.find(';') == std::string::npos;
  }
  return found;
}

class Compile {
 public:
  Compile(const CcOptions& options, const Words& words, CompileCommand command)
      : options_(options), words_(words), command_(std::move(command)) {}

  // Returns the status; what happened to a program that a signal ended is in `killed`.
  int run(std::optional<ChildEnd>& killed) {
    if (int status = translate_all()) return killed_by(killed, status);
    if (translated_.empty()) return as_it_is();
    fs::create_directory(scratch_.path() + "/objects");
    find_kind();
    const int status = compile(translated_);
    if (ended_) return killed_by(killed, status);
    if (status != 0) return again_as_it_is(killed);
    say(said_);
    return 0;
  }

 private:
  int compile(const std::vector<TranslatedInput>& inputs) {
    for (const CompileStep& step :
         translated_steps(command_, inputs, kind_, compiler_.headers, scratch_.path() + "/objects")) {
      const int status = do_step(step);
      if (ended_ || status != 0) return status;
      for (const DependencyFix& fix : step.fixes) put_dependencies(fix);
    }
    return 0;
  }

  int killed_by(std::optional<ChildEnd>& killed, int status) {
    if (ended_) killed = ended_;
    say(said_);
    return status;
  }

  int translate_all() {
    std::string why;
    if (!find_codelet_compiler(&compiler_, &why)) return fail(kOurError, why + ".");
    const Words flags = command_.words_of(WordKind::flag);
    int status = 0;
    for (size_t i = 0; i < command_.inputs.size() && !ended_; ++i)
      if (command_.inputs[i].is_c) status = std::max(status, translate_one(i, flags));
    if (options_.explain) say(regions_);
    return status;
  }

  int translate_one(size_t number, const Words& flags) {
    const std::string& source = command_.inputs[number].path;
    const fs::path folder = fs::path(scratch_.path()) / std::to_string(number);
    fs::create_directories(folder / "unmarked");
    const std::string output = (folder / name_of_file(source)).string();
    const std::string unmarked = (folder / "unmarked" / name_of_file(source)).string();
    const Translation made = translate(compiler_, source, {output, unmarked, ""}, flags, options_.codelets, scratch_);
    if (made.end == TranslationEnd::interrupted) {
      ended_ = made.child;
      return kOurError;
    }
    regions_ += made.regions;
    const bool marked = access(unmarked.c_str(), F_OK) == 0;
    if (marked) unmarked_.push_back({number, unmarked});
    switch (made.end) {
      case TranslationEnd::done: {
        say(made.said);
        const std::string text = text_of_file(output);
        if (text == text_of_file(source)) return 0;
        translated_.push_back({number, output});
        return options_.keep.empty() ? 0 : keep(source, text);
      }
      case TranslationEnd::left: say(made.said); return 1;
      case TranslationEnd::unreadable:
        regions_ += fmt::format("{}: stays OpenMP's: clang cannot read it\n", source);
        if (marked) translated_.push_back({number, unmarked});
        if (!options_.codelets.strict) return 0;
        say(made.said);
        return fail(1,
                    fmt::format("{}: clang cannot read it, so that its regions stay OpenMP's, which --strict forbids.",
                                source));
      default: return codelet_compiler_failed(source, made);
    }
  }

  // Never a broken build.
  int codelet_compiler_failed(const std::string& source, const Translation& made) {
    const std::string how = made.child.exec_error            ? strerror(made.child.exec_error)
                            : WIFSIGNALED(made.child.status) ? fmt::format("signal {}", WTERMSIG(made.child.status))
                                                             : fmt::format("status {}", WEXITSTATUS(made.child.status));
    tell(fmt::format("{} could not work on {} ({}): it is compiled as it is. Please report it.", compiler_.program,
                     source, how));
    say(made.said);
    return options_.codelets.strict ? 1 : 0;
  }

  int keep(const std::string& source, const std::string& text) const {
    std::string why;
    return write_below(options_.keep, source, text, &why) ? 0 : fail(kOurError, fmt::format("--keep: {}.", why));
  }

  // At once, so that the lines of several compiles at a time stay together.
  static void say(const std::string& text) { fwrite(text.data(), 1, text.size(), stderr); }

  void find_kind() {
    const std::string name = name_of_file(options_.compiler);
    if (name.find("clang") != std::string::npos) kind_ = CompilerKind::clang;
    else if (name.find("gcc") == std::string::npos) {
      const std::string version = scratch_.path() + "/version";
      run_words({options_.compiler, "--version"}, {"/dev/null", version, "/dev/null"}, scratch_);
      if (text_of_file(version).find("clang") != std::string::npos) kind_ = CompilerKind::clang;
    }
  }

  // What the compiler says is kept until it is known that it accepts what it was given.
  int do_step(const CompileStep& step) {
    Words words = step.words;
    if (isatty(STDERR_FILENO) && !command_.has_prefix("-fdiagnostics-color") &&
        !command_.has_prefix("-fno-diagnostics-color"))
      words.insert(words.begin(), "-fdiagnostics-color=always");
    if (command_.response_files) {
      const std::string file = scratch_.path() + "/words";
      std::ofstream(file) << response_text(words);
      words = {"@" + file};
    }
    const std::string error = scratch_.path() + "/diagnostics";
    const ChildEnd end = run_words(with_compiler(options_, words), {step.standard_input, "", error}, scratch_);
    said_ += text_of_file(error);
    return status_of(end);
  }

  int status_of(const ChildEnd& end) {
    if (end.exec_error) {
      ended_.emplace();
      return compiler_missing(options_, end.exec_error);
    }
    if (!WIFSIGNALED(end.status) && !ScratchFolder::interrupted()) return WEXITSTATUS(end.status);
    ended_ = end;
    return kOurError;
  }

  int as_it_is() { return status_of(run_words(with_compiler(options_, words_), {}, scratch_)); }

  // The compiler's own diagnostics are then those of the user's source.
  int again_as_it_is(std::optional<ChildEnd>& killed) {
    const std::string refused = said_;
    said_.clear();
    const int status = unmarked_.empty() ? as_it_is() : compile(unmarked_);
    if (ended_) return killed_by(killed, status);
    say(said_);
    if (status != 0) return status;
    std::string first = refused;
    for (size_t at = 0; at < refused.size(); at = refused.find('\n', at) + 1) {
      first = refused.substr(at, refused.find('\n', at) - at);
      if (first.find("error:") != std::string::npos || refused.find('\n', at) == std::string::npos) break;
    }
    tell(fmt::format(
        "{} refuses what was made of {}, which was compiled as it is, without codelets. Please report it: {}",
        options_.compiler, command_.inputs[translated_[0].input].path, first));
    return options_.codelets.strict ? 1 : 0;
  }

  static void put_dependencies(const DependencyFix& fix) {
    const std::string written = text_of_file(fix.written);
    const std::string text =
        fix.piped ? add_source(written, fix.source, fix.phony) : name_source(written, fix.read_from, fix.source);
    if (fix.wanted == "-") {
      fwrite(text.data(), 1, text.size(), stdout);
      return;
    }
    std::ofstream out(fix.wanted, std::ios::binary);
    out << text;
    out.close();
    if (!out) tell(fmt::format("{} cannot be written: {}.", fix.wanted, strerror(errno)));
  }

  const CcOptions& options_;
  const Words& words_;
  const CompileCommand command_;
  CodeletCompiler compiler_;
  CompilerKind kind_ = CompilerKind::gcc;
  const ScratchFolder scratch_;
  std::vector<TranslatedInput> translated_, unmarked_;
  std::string regions_, said_;
  std::optional<ChildEnd> ended_;  // not by its own decision
};

}  // namespace

int compile_with_codelets(const Words& given) {
  CcOptions options;
  const OwnOptions own = read_own(given, options);
  if (!own.wrong.empty()) return fail(kOurError, own.wrong + ". See `einkorn cc --help`.");
  const Words words(given.begin() + long(own.count), given.end());
  CompileCommand command = read_compile_command(words);
  if (!something_to_translate(command)) return become_compiler(options, words);
  std::optional<ChildEnd> killed;
  const int status = Compile(options, words, std::move(command)).run(killed);
  if (killed && killed->pid) end_like(*killed);
  return status;
}

void add_cc(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("cc", "Compile C with gcc or clang, OpenMP's regions as codelets: for CC=");
  // For --help alone: the words behind `cc` are a compiler's, and go to compile_with_codelets() unread.
  auto options = std::make_shared<CcOptions>();
  verb->add_option("--compiler", options->compiler, "gcc (default), clang-19, or the path of one of them")
      ->type_name("C");
  verb->add_option("--keep", options->keep, "Keep the sources that were made, in this folder")->type_name("DIR");
  verb->add_flag("--explain", options->explain, "Say of each region what became of it, and why");
  verb->add_flag("--strict", options->codelets.strict, "A region that stays OpenMP's is an error");
  verb->add_flag("--check-plan", options->codelets.check_plan,
                 "Overwrite at each sync point what the compiler holds for dead: a wrong result is a fault of ours");
  verb->add_option("--target", options->codelets.target, kAboutTarget)->type_name("tp|complexes");
  verb->footer(
      "These come first. All else is the compiler's, which does what it always does; its status is returned.\n"
      "Example: make CC=\"einkorn cc\"");
  verb->callback(
      [&action] { action = [] { return fail(kOurError, "no words for the compiler. See `einkorn cc --help`."); }; });
}

}  // namespace einkorn::cli
