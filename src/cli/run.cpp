// einkorn run [--schedule S] [--machine M] [--hints FILE] -- ./app args
#include <CLI/CLI.hpp>

#include "cli/hints_file.h"
#include "cli/launch.h"
#include "cli/verbs.h"

namespace einkorn::cli {

void add_run(CLI::App& app, const Command& command, Action& action) {
  CLI::App* verb = app.add_subcommand("run", "Run a program on Einkorn's runtime");
  auto launch = std::make_shared<Launch>();
  verb->add_option("--schedule", launch->schedule, "Task scheduler: a preset (see docs/schedules.md); default ws")
      ->type_name("S");
  verb->add_option("--machine", launch->machine,
                   "Run as on another machine: a model, a file or numa:4 core:8 (see docs/machines.md)")
      ->type_name("M");
  add_hints_option(*verb, launch->hints);
  verb->footer(
      "The program follows after --. Its own exit status is returned; 125, 126 or 127 when it was not started.\n"
      "Example: OMP_NUM_THREADS=4 einkorn run -- ./app --size 100");
  verb->callback([launch, &command, &action] {
    action = [launch, &command] {
      launch->command = command;
      std::string path;
      if (int status = prepare(*launch, path)) return status;
      // exec, not fork: signals, job control and the status are the program's own.
      return explain_failure(path, execute(*launch, path));
    };
  });
}

}  // namespace einkorn::cli
