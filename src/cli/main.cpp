// `einkorn`: one file per verb; this one only chooses.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "base/environment.h"
#include "cli/describe.h"
#include "cli/files.h"
#include "cli/verbs.h"
#include "machine/text.h"
#include "machine/variables.h"
#include "report/wording.h"

namespace einkorn::cli {

void tell(const std::string& message) { fmt::print(stderr, "einkorn: {}\n", report::printable(message)); }

int fail(int status, const std::string& message) {
  tell(message);
  return status;
}

int print_data(const std::string& data) {
  const bool written = fwrite(data.data(), 1, data.size(), stdout) == data.size() && fflush(stdout) == 0;
  return written ? 0 : fail(kOurError, fmt::format("standard output cannot be written: {}.", strerror(errno)));
}

int print_text(const std::string& text) { return print_data(report::terminal_text(text)); }

namespace {

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Status 0 where `word` is a verb.
int check_verb(const CLI::App& app, const std::string& word) {
  std::string known;
  machine::Nearest nearest(word);
  for (const CLI::App* verb : verbs_of(app)) {
    if (verb->get_name() == word) return 0;
    known += (known.empty() ? "" : ", ") + verb->get_name();
    nearest.offer(verb->get_name());
  }
  std::string hint = nearest.name().empty() ? "" : fmt::format(" Did you mean '{}'?", nearest.name());
  return fail(kOurError,
              fmt::format("no verb '{}'.{} There are: {}. `einkorn --help` explains them.", word, hint, known));
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  std::string name = "einkorn", words;
  bool misplaced_program = false;
  for (const CLI::App* verb : app.get_subcommands()) {
    name = "einkorn " + verb->get_name();
    std::vector<std::string> rest = verb->remaining();
    misplaced_program = (verb->get_name() == "run" || verb->get_name() == "record" || verb->get_name() == "tune") &&
                        !rest.empty() && rest[0][0] != '-';
    for (const std::string& word : rest) words += " " + word;
  }
  if (misplaced_program) return fail(kOurError, fmt::format("put `--` before the program: {} --{}", name, words));
  // CLI11 ends some of its messages with a full stop of its own, and lists unknown options without quotes.
  std::string what = error.what();
  while (!what.empty() && (what.back() == '.' || what.back() == ' ')) what.pop_back();
  return fail(kOurError, fmt::format("{}. See `{} --help`.", what, name));
}

// Environment variables that nothing reads. A program that is started has no need to say it again.
void name_unknown_variables() {
  static const char* const names[] = {
#define EK_VARIABLE(name, field, parser, fallback, what) name,
#include "runtime/settings/config.def"
#undef EK_VARIABLE
  };
  const std::vector<std::string> unknown = machine::unknown_variables(base::environment_entries(), names);
  for (const std::string& sentence : unknown) tell(sentence);
  if (!unknown.empty()) setenv(machine::kNamedAlready, "1", 1);
}

int run_tool(int argc, char** argv) {
  name_unknown_variables();
  if (argc > 2 && strcmp(argv[1], "cc") == 0 && !(argc == 3 && strcmp(argv[2], "--help") == 0))
    return compile_with_codelets(std::vector<std::string>(argv + 2, argv + argc));
  // The program's own arguments never reach the option parser, which would take some of them ("--", "{}") for its
  // syntax.
  char** dashes = std::find_if(argv + 1, argv + argc, [](const char* word) { return strcmp(word, "--") == 0; });
  Command command(std::min(dashes + 1, argv + argc), argv + argc);

  CLI::App app{"Einkorn runs OpenMP programs where their data is, and shows every grain.", "einkorn"};
  app.set_version_flag("--version", "einkorn " EINKORN_VERSION);
  app.footer("Example: einkorn record -- ./app args\n`einkorn VERB --help` explains a verb.");
  app.require_subcommand(0, 1);
  Action action;
  add_run(app, command, action);
  add_record(app, command, action);
  add_tune(app, command, action);
  add_report(app, action);
  add_view(app, action);
  add_compare(app, action);
  add_export(app, action);
  add_simulate(app, action);
  add_machine(app, action);
  add_cc(app, action);
  add_codelets(app, command, action);

  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return kOurError;
  }
  if (argc == 2 && strcmp(argv[1], "--describe") == 0) return print_data(describe(app));  // packaging/manual.py asks
  if (argv[1][0] != '-')
    if (int status = check_verb(app, argv[1])) return status;
  try {
    app.parse(int(dashes - argv), argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  if (std::string why = wrong_output(); !why.empty()) return fail(kOurError, why + ".");
  return action ? action() : fail(kOurError, "no verb given. See `einkorn --help`.");
}

}  // namespace

}  // namespace einkorn::cli

int main(int argc, char** argv) {
  using namespace einkorn::cli;
  try {
    return run_tool(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(kOurError, "out of memory.");
  } catch (const std::exception& error) {
    return fail(kOurError, fmt::format("internal error: {}. Please report it.", error.what()));
  }
}
