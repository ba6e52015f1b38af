// einkorn cc [--compiler C] [--explain] ... FLAGS of a compiler: gcc or clang, with codelets made of OpenMP's regions.
//
// It only adds to what the compiler does. Where there is nothing to translate the compiler takes this process's place;
// and where the compiler refuses what was translated, it gets the source as it is.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <system_error>

#include "cli/cc_options.h"
#include "cli/codelet_compiler.h"
#include "cli/compile_command.h"
#include "cli/dependency_file.h"
#include "cli/response_file.h"
#include "cli/terminal.h"
#include "cli/translated_compile.h"
#include "cli/verbs.h"
#include "report/output_file.h"

namespace einkorn::cli {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

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

// Compilers look at names, if at all: a source under another of its names is written over.
std::string output_in_the_way(const CompileCommand& command) {
  std::vector<std::string> outputs;
  const bool writes_dependencies = command.has("-MF") || command.has_prefix("-MF") || command.has("-MD") ||
                                   command.has("-MMD") || command.has_prefix("-Wp,-MD,") ||
                                   command.has_prefix("-Wp,-MMD,");
  if (!command.output.empty()) outputs.push_back(command.output);
  else if (command.goal == Goal::link) outputs.emplace_back("a.out");
  for (const CompileInput& input : command.inputs) {
    if (!input.is_source || input.path == "-") continue;
    report::keep(input.path);
    if (command.output.empty() && command.goal != Goal::link && command.goal != Goal::other)
      outputs.push_back(object_of(input, command.goal));
    if (writes_dependencies) outputs.push_back(dependency_file_of(command, input));
  }
  for (const std::string& output : outputs)
    if (std::string why = report::why_not(output, report::Content::recording); output != "-" && !why.empty())
      return why;
  return "";
}

// Is it something that can be read twice?
bool is_regular(const std::string& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
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
    found |= input.is_c && input.path.find(';') == std::string::npos && is_regular(input.path);
  }
  return found;
}

class Compile {
 public:
  Compile(const CcOptions& options, const Words& words, CompileCommand command, const ScratchFolder& scratch)
      : options_(options), words_(words), command_(std::move(command)), scratch_(scratch) {}

  // Returns the status; what happened to a program that a signal ended is in `killed`.
  int run(std::optional<ChildEnd>& killed) {
    if (int status = translate_all()) {
      explain();
      return killed_by(killed, status);
    }
    if (translated_.empty()) {
      explain();
      const int status = as_it_is();
      return ended_ ? killed_by(killed, status) : status;
    }
    fs::create_directory(scratch_.path() + "/objects");
    int status = compile(translated_);
    if (ended_) return killed_by(killed, status);
    if (status != 0) status = again_as_it_is();
    if (ended_) return killed_by(killed, status);
    explain();
    say(said_);
    return status;
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
    find_kind();
    int status = 0;
    regions_.resize(command_.inputs.size());
    for (size_t i = 0; i < command_.inputs.size() && !ended_; ++i) {
      const CompileInput& input = command_.inputs[i];
      if (!input.is_c) continue;
      if (is_regular(input.path)) status = std::max(status, translate_one(i));
      else regions_[i] = fmt::format("{}: stays OpenMP's: it is no file that can be read twice\n", input.path);
    }
    return status;
  }

  void explain() const {
    for (const std::string& regions : regions_)
      if (options_.explain) say(regions);
  }

  // Where what is made of an input lies.
  std::string made_of(size_t number) const {
    return fmt::format("{}/{}/{}", scratch_.path(), number, name_of_file(command_.inputs[number].path));
  }

  Translation translate_input(size_t number, const CodeletOptions& options, const std::string& unmarked) const {
    const std::string& source = command_.inputs[number].path;
    Translation made = translate(compiler_, source, {made_of(number), unmarked, ""}, command_.words_of(WordKind::flag),
                                 options, scratch_);
    // __TIMESTAMP__ is that of the file which gcc reads.
    std::error_code error;
    const auto written = fs::last_write_time(source, error);
    if (made.end == TranslationEnd::done && !error) fs::last_write_time(made_of(number), written, error);
    return made;
  }

  int translate_one(size_t number) {
    const std::string& source = command_.inputs[number].path;
    const fs::path folder = fs::path(scratch_.path()) / std::to_string(number);
    fs::create_directories(folder / "unmarked");
    const std::string output = made_of(number);
    const std::string unmarked = (folder / "unmarked" / name_of_file(source)).string();
    const Translation made = translate_input(number, options_.codelets, unmarked);
    if (made.end == TranslationEnd::interrupted) {
      ended_ = made.child;
      return kOurError;
    }
    regions_[number] = made.regions;
    const bool marked = access(unmarked.c_str(), F_OK) == 0;
    if (marked) unmarked_.push_back({number, unmarked});
    switch (made.end) {
      case TranslationEnd::done: {
        say(made.said);
        const std::string text = text_of_file(output);
        if (text == text_of_file(source)) return 0;
        if (made.timestamp && kind_ == CompilerKind::clang) {
          regions_[number] = fmt::format(
              "{}: stays OpenMP's: it names __TIMESTAMP__, which clang takes from the file that it is given\n", source);
          return 0;
        }
        translated_.push_back({number, output});
        made_.push_back(made);
        return options_.keep.empty() ? 0 : keep(source, text);
      }
      case TranslationEnd::left: say(made.said); return 1;
      case TranslationEnd::unreadable:
        regions_[number] += fmt::format("{}: stays OpenMP's: clang cannot read it\n", source);
        if (marked) {
          translated_.push_back({number, unmarked});
          made_.push_back({TranslationEnd::unreadable, {}, "", "", {}});
        }
        if (!options_.codelets.strict) return 0;
        say(made.said);
        return fail(1,
                    fmt::format("{}: clang cannot read it, so that its regions stay OpenMP's, which --strict forbids.",
                                source));
      default: return codelet_compiler_failed(number, made);
    }
  }

  // Never a broken build.
  int codelet_compiler_failed(size_t number, const Translation& made) {
    const std::string& source = command_.inputs[number].path;
    const std::string how = made.child.exec_error            ? strerror(made.child.exec_error)
                            : WIFSIGNALED(made.child.status) ? fmt::format("signal {}", WTERMSIG(made.child.status))
                                                             : fmt::format("status {}", WEXITSTATUS(made.child.status));
    if (is_full()) return compiled_as_it_is_for_want_of_room(number);
    tell(fmt::format("{} could not work on {} ({}): it is compiled as it is. Please report it.", compiler_.program,
                     source, how));
    say(made.said);
    return options_.codelets.strict ? 1 : 0;
  }

  // Is there no room for what passes between the programs?
  bool is_full() const {
    const std::string file = scratch_.path() + "/room";
    std::ofstream out(file, std::ios::binary);
    out << std::string(1 << 16, ' ');
    out.close();
    unlink(file.c_str());
    return !out;
  }
  int compiled_as_it_is_for_want_of_room(size_t input) {
    const std::string folder = fs::path(scratch_.path()).parent_path().string(), &source = command_.inputs[input].path;
    tell(
        fmt::format("{} is full: {} is compiled as it is, without codelets. Make room there, or set TMPDIR to another "
                    "folder.",
                    folder, source));
    regions_[input] = fmt::format("{}: stays OpenMP's: {} is full\n", source, folder);
    return options_.codelets.strict ? 1 : 0;
  }

  int keep(const std::string& source, const std::string& text) const {
    std::string why;
    return write_below(options_.keep, source, text, &why) ? 0 : fail(kOurError, fmt::format("--keep: {}.", why));
  }

  // At once, so that the lines of several compiles at a time stay together.
  static void say(const std::string& text) { fmt::print(stderr, "{}", diagnostic_text(text)); }

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
    if (!WIFSIGNALED(end.status) && !end.interrupted) return WEXITSTATUS(end.status);
    ended_ = end;
    if (!WIFSIGNALED(end.status)) ended_->status = end.interrupted;
    return kOurError;
  }

  int as_it_is() { return status_of(run_words(with_compiler(options_, words_), {}, scratch_)); }

  // The compiler's own diagnostics are then those of the user's source. Where it accepts that, it is what was made of
  // it that was refused, of which as little as can be is taken out again.
  int again_as_it_is() {
    const std::string refused = said_;
    int status = compile_unmarked();
    if (ended_ || status != 0) return status;
    if (is_full()) {
      for (const TranslatedInput& one : translated_) status = compiled_as_it_is_for_want_of_room(one.input);
      return status;
    }
    const std::string said_as_it_is = said_;
    for (size_t i = 0; i < translated_.size() && !ended_;) {
      const size_t input = translated_[i].input;
      if (is_accepted(input) || (!ended_ && leave_what_is_refused(i))) ++i;
      else if (!ended_) translated_.erase(translated_.begin() + long(i)), made_.erase(made_.begin() + long(i));
    }
    if (ended_) return kOurError;
    if (!translated_.empty() && is_accepted(translated_)) return options_.codelets.strict ? 1 : 0;
    if (ended_) return kOurError;
    for (const TranslatedInput& one : translated_) leave_all(one.input, refused);
    translated_.clear();
    status = compile_unmarked();  // in the place of what was tried
    if (!ended_ && status == 0) said_ = said_as_it_is;
    return status == 0 && options_.codelets.strict ? 1 : status;
  }

  int compile_unmarked() {
    said_.clear();
    return unmarked_.empty() ? as_it_is() : compile(unmarked_);
  }

  bool is_accepted(std::vector<TranslatedInput> inputs) {
    for (const TranslatedInput& bare : unmarked_)
      if (std::none_of(inputs.begin(), inputs.end(), [&](const auto& it) { return it.input == bare.input; }))
        inputs.push_back(bare);
    std::sort(inputs.begin(), inputs.end(), [](const auto& a, const auto& b) { return a.input < b.input; });
    said_.clear();
    return compile(inputs) == 0;
  }
  // With this one's codelets alone.
  bool is_accepted(size_t input) { return is_accepted({{input, made_of(input)}}); }

  // What the compiler behind said of what was made, in a sentence.
  std::string why_refused(const std::string& said) const {
    std::string first;
    for (size_t at = 0; at < said.size(); at = said.find('\n', at) + 1) {
      first = said.substr(at, said.find('\n', at) - at);
      if (first.find("error:") != std::string::npos || said.find('\n', at) == std::string::npos) break;
    }
    return first;
  }
  std::string reason(const std::string& said) const {
    return fmt::format("{} refuses its codelets ({}); please report it", options_.compiler, why_refused(said));
  }

  // True: the rest of the file's regions are accepted. False: the file is to be compiled as it is.
  bool leave_what_is_refused(size_t i) {
    const size_t input = translated_[i].input;
    const Translation whole = made_[i];
    const std::string refused = said_;
    CodeletOptions options = options_.codelets;
    options.strict = false;
    const auto made_so = [&](const CodeletOptions& how) {
      const Translation made = translate_input(input, how, "");
      if (made.end == TranslationEnd::interrupted) ended_ = made.child;
      if (made.end != TranslationEnd::done || ended_) return false;
      regions_[input] = made.regions;
      return true;
    };
    if (whole.names.empty()) return leave_all(input, refused), false;
    if (whole.procedures) {
      options.no_procedures = reason(refused);
      if (made_so(options) && is_accepted(input)) {
        tell(fmt::format("{} refuses procedures of {}, which was compiled without them. Please report it: {}",
                         options_.compiler, command_.inputs[input].path, why_refused(refused)));
        return true;
      }
    }
    std::vector<std::pair<std::string, std::string>> bad;
    find_refused(input, whole.names, options, made_so, bad);
    if (ended_) return false;
    options.refused = bad;
    if (bad.size() < whole.names.size() && made_so(options) && is_accepted(input)) {
      for (const auto& [name, why] : bad)
        tell(fmt::format("{} refuses the codelets {} of {}, whose region was left to OpenMP. Please report it: {}",
                         options_.compiler, name, command_.inputs[input].path, why_refused(said_of_[name])));
      return true;
    }
    if (!ended_) leave_all(input, refused);
    return false;
  }

  // Those of `names` that are refused: halves of what is refused as a whole.
  void find_refused(size_t input, const std::vector<std::string>& names, const CodeletOptions& options,
                    const std::function<bool(const CodeletOptions&)>& made_so,
                    std::vector<std::pair<std::string, std::string>>& bad) {
    CodeletOptions these = options;
    for (const std::string& name : all_names(input))
      if (std::find(names.begin(), names.end(), name) == names.end()) these.refused.emplace_back(name, "not tried");
    if (ended_ || !made_so(these) || is_accepted(input) || ended_) return;
    if (names.size() == 1) {
      said_of_[names[0]] = said_;
      bad.emplace_back(names[0], reason(said_));
      return;
    }
    const auto middle = names.begin() + long(names.size() / 2);
    find_refused(input, {names.begin(), middle}, options, made_so, bad);
    find_refused(input, {middle, names.end()}, options, made_so, bad);
  }
  const std::vector<std::string>& all_names(size_t input) const {
    size_t i = 0;
    while (translated_[i].input != input) ++i;
    return made_[i].names;
  }

  // For --explain, and in a line.
  void leave_all(size_t input, const std::string& said) {
    const std::string& source = command_.inputs[input].path;
    CodeletOptions options = options_.codelets;
    options.strict = false;
    for (const std::string& name : all_names(input)) options.refused.emplace_back(name, reason(said));
    const Translation made = translate_input(input, options, "");
    if (made.end == TranslationEnd::done) regions_[input] = made.regions;
    tell(fmt::format(
        "{} refuses what was made of {}, which was compiled as it is, without codelets. Please report it: {}",
        options_.compiler, source, why_refused(said)));
  }

  static void put_dependencies(const DependencyFix& fix) {
    const std::string written = text_of_file(fix.written);
    const std::string text =
        fix.piped ? add_source(written, fix.source, fix.phony) : name_source(written, fix.read_from, fix.source);
    if (fix.wanted == "-") {
      fwrite(text.data(), 1, text.size(), stdout);
      return;
    }
    if (const std::string wrong = report::write_file(fix.wanted, text); !wrong.empty()) tell(wrong + ".");
  }

  const CcOptions& options_;
  const Words& words_;
  const CompileCommand command_;
  CodeletCompiler compiler_;
  CompilerKind kind_ = CompilerKind::gcc;
  const ScratchFolder& scratch_;
  std::vector<TranslatedInput> translated_, unmarked_;
  std::vector<Translation> made_;               // of translated_
  std::vector<std::string> regions_;            // of each input, what became of them
  std::map<std::string, std::string> said_of_;  // by regions that are refused
  std::string said_;
  std::optional<ChildEnd> ended_;  // not by its own decision
};

}  // namespace

int compile_with_codelets(const Words& given) {
  CcOptions options;
  const OwnOptions own = read_own(given, options);
  if (!own.wrong.empty()) return fail(kOurError, own.wrong + ". See `einkorn cc --help`.");
  const Words words(given.begin() + long(own.count), given.end());
  CompileCommand command = read_compile_command(words);
  if (const std::string why = output_in_the_way(command); !why.empty()) return fail(1, why + ".");
  if (!something_to_translate(command)) return become_compiler(options, words);
  try {
    in_scratch_folder([&](const ScratchFolder& scratch) {
      std::optional<ChildEnd> killed;
      const int status = Compile(options, words, std::move(command), scratch).run(killed);
      if (killed && killed->pid) end_like(*killed);
      return status;
    });
  } catch (const std::system_error& error) {  // of files that pass between the programs
    tell(fmt::format("{}: compiled as it is, without codelets. Set TMPDIR to a folder that can be written, with room.",
                     error.what()));
    return options.codelets.strict ? 1 : become_compiler(options, words);
  }
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
