// einkorn codelets a.c b.c -o DIR [--explain] [--graph F.svg] [--strict] -- FLAGS: the codelets of OpenMP's
// regions, for who wants to read them.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "cli/codelet_compiler.h"
#include "cli/compile_command.h"
#include "cli/files.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

namespace einkorn::cli {

namespace {

struct CodeletsCommand {
  std::vector<std::string> sources;
  std::string folder;
  bool explain = false;
  std::string graph;
  CodeletOptions options;
  std::vector<std::string> flags;
};

// Below each other, those that are there. Each begins with <svg xmlns=... width="W" height="H"
std::string one_picture(const std::vector<std::string>& pictures) {
  if (pictures.size() == 1) return pictures[0];
  double width = 0, height = 0;
  std::string all;
  for (const std::string& picture : pictures) {
    double w = 0, h = 0;
    const size_t at = picture.find(" width=\"");
    if (at == std::string::npos || sscanf(picture.c_str() + at, " width=\"%lf\" height=\"%lf\"", &w, &h) != 2) continue;
    all += picture.substr(0, at) + fmt::format(" y=\"{}\"", height) + picture.substr(at);
    width = std::max(width, w);
    height += h;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n", width,
             height) +
         all + "</svg>\n";
}

// Status 0: its codelets are written.
int write_codelets(const CodeletCompiler& compiler, const CodeletsCommand& command, const std::string& source,
                   const ScratchFolder& scratch, std::vector<std::string>& pictures, std::optional<ChildEnd>& killed) {
  const std::string output = scratch.path() + "/codelets.c",
                    graph = command.graph.empty() ? "" : scratch.path() + "/graph.svg";
  unlink(graph.c_str());
  const Translation made = translate(compiler, source, {output, "", graph}, command.flags, command.options, scratch);
  if (const std::string picture = text_of_file(graph); !picture.empty()) pictures.push_back(picture);
  if (command.explain) fmt::print("{}", diagnostic_text(made.regions));
  fmt::print(stderr, "{}", diagnostic_text(made.said));
  std::string why;
  switch (made.end) {
    case TranslationEnd::done:
      return write_below(command.folder, source, text_of_file(output), &why) ? 0 : fail(kOurError, why + ".");
    case TranslationEnd::left: return 1;
    case TranslationEnd::unreadable:
      return fail(1, fmt::format("{}: clang cannot read it. Give the flags of its compile after `--`.", source));
    case TranslationEnd::interrupted: killed = made.child; break;
    case TranslationEnd::failed: break;
  }
  return fail(kOurError,
              fmt::format("{} could not work on {}{}.", compiler.program, source,
                          made.child.exec_error ? fmt::format(": {}", strerror(made.child.exec_error)) : ""));
}

int run_codelets(CodeletsCommand& command, const Command& words) {
  CodeletCompiler compiler;
  std::string why;
  if (!find_codelet_compiler(&compiler, &why)) return fail(kOurError, why + ".");
  // The words of a whole compile will do.
  const CompileCommand flags = read_compile_command(words);
  command.flags = flags.words_of(WordKind::flag);
  if (!flags.openmp) command.flags.insert(command.flags.begin(), "-fopenmp");
  in_scratch_folder([&](const ScratchFolder& scratch) {
    int status = 0;
    std::vector<std::string> pictures;
    std::optional<ChildEnd> killed;
    for (const std::string& source : command.sources) {
      status = std::max(status, write_codelets(compiler, command, source, scratch, pictures, killed));
      if (killed) end_like(*killed);
    }
    if (!command.graph.empty() && !pictures.empty())
      if (const std::string wrong = report::write_file(command.graph, one_picture(pictures)); !wrong.empty())
        status = std::max(status, fail(kOurError, "--graph: " + wrong + "."));
    return status;
  });
}

}  // namespace

void add_codelets(CLI::App& app, const Command& words, Action& action) {
  CLI::App* verb = app.add_subcommand("codelets", "Write C sources with codelets of their OpenMP regions, to be read");
  auto command = std::make_shared<CodeletsCommand>();
  reads(verb->add_option("sources", command->sources, "C sources")->required()->check(CLI::ExistingFile))
      ->type_name("SOURCE");
  verb->add_option("-o", command->folder, "The folder for what is made of them, each at its own path below it")
      ->required()
      ->check([](const std::string& folder) { return folder == "-" ? "names a folder, for a file each: not -" : ""; })
      ->type_name("DIR");
  command->options.compiler = "gcc";
  verb->add_option(
          "--compiler", command->options.compiler,
          "Which is to compile them, and is asked which branch of an #if it takes: gcc (default), clang-19, ...")
      ->type_name("C");
  verb->add_flag("--explain", command->explain, "Say of each region what became of it, and why");
  writes(verb->add_option("--graph", command->graph, "Draw the codelets of each region and what they wait for"))
      ->type_name("F.svg");
  verb->add_flag("--strict", command->options.strict, "A region that stays OpenMP's is an error");
  verb->add_flag("--check-plan", command->options.check_plan,
                 "Overwrite at each sync point what the compiler holds for dead: a wrong result is a fault of ours");
  verb->add_option("--target", command->options.target, kAboutTarget)
      ->check(CLI::Validator(wrong_target, ""))
      ->type_name("tp|complexes");
  verb->footer(
      "The flags of the compile follow after --.\n"
      "Example: einkorn codelets solver.c -o read --explain -- -O2 -Iinclude");
  verb->callback([command, &words, &action] { action = [command, &words] { return run_codelets(*command, words); }; });
}

}  // namespace einkorn::cli
