// The verbs of `einkorn`: each adds its subcommand and what to run when it is given.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace einkorn::cli {

// Exit statuses of our own (before a program starts), as env(1) and nohup(1) use them.
inline constexpr int kOurError = 125;   // bad option, unwritable output, broken installation
inline constexpr int kCannotRun = 126;  // found, but cannot be run (or not under us)
inline constexpr int kNotFound = 127;   // no such program

using Action = std::function<int()>;

// The words after `--`: the program and its arguments, which the option parser never sees.
using Command = std::vector<std::string>;

void add_run(CLI::App& app, const Command& command, Action& action);
void add_record(CLI::App& app, const Command& command, Action& action);
void add_tune(CLI::App& app, const Command& command, Action& action);
void add_report(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_machine(CLI::App& app, Action& action);
void add_codelets(CLI::App& app, const Command& command, Action& action);
void add_cc(CLI::App& app, Action& action);
// What `einkorn cc` does with the words behind it, none of which the option parser sees.
int compile_with_codelets(const std::vector<std::string>& words);

// Prints "einkorn: <message>" on stderr, made safe for a terminal: names in it come from files and command lines.
void tell(const std::string& message);
// The same; returns `status`.
int fail(int status, const std::string& message);

// Prints the one result of a verb on standard output. Text goes through report::terminal_text(), data as it is. Returns
// the status.
int print_text(const std::string& text);
int print_data(const std::string& data);

}  // namespace einkorn::cli
