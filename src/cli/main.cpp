// `einkorn`: one file a verb; this one only chooses.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <unistd.h>

#include "cli/verbs.h"

namespace einkorn::cli {

int fail(int status, const std::string& message) {
  fmt::print(stderr, "einkorn: {}\n", message);
  return status;
}

namespace {

long long now_ms() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

// Number of single-letter changes from a to b (Levenshtein).
size_t edits(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

bool is_verb(const CLI::App& app, const std::string& word) {
  auto named = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; });
  return !named.empty();
}

int unknown_verb(const CLI::App& app, const std::string& word) {
  std::string known, nearest;
  size_t distance = 3;  // farther is no suggestion
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    known += (known.empty() ? "" : ", ") + verb->get_name();
    if (size_t d = edits(word, verb->get_name()); d < distance) distance = d, nearest = verb->get_name();
  }
  std::string hint = nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest);
  return fail(kOurError, fmt::format("no verb '{}'.{} There are: {}. `einkorn --help` explains them.", word, hint, known));
}

}  // namespace

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r{:60}\r", "");
}

void Progress::operator()(double fraction, const char* what) {
  if (started_ms_ < 0) started_ms_ = now_ms();
  int percent = int(std::clamp(fraction, 0.0, 1.0) * 100);
  if (percent == shown_percent_ || now_ms() - started_ms_ < 2000 || !isatty(STDERR_FILENO)) return;
  shown_percent_ = percent;
  drawn_ = true;
  fmt::print(stderr, "\r{:<24} [{:<30}] {:3}%", what, std::string(size_t(percent) * 30 / 100, '='), percent);
  std::fflush(stderr);
}

}  // namespace einkorn::cli

int main(int argc, char** argv) {
  using namespace einkorn::cli;
  CLI::App app{"Einkorn runs OpenMP programs where their data is, and shows every grain.", "einkorn"};
  app.set_version_flag("--version", "einkorn " EINKORN_VERSION);
  app.footer("Example: einkorn record -- ./app args\n`einkorn VERB --help` explains a verb.");
  app.require_subcommand(0, 1);
  Action action;
  add_run(app, action);
  add_record(app, action);
  add_report(app, action);

  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return kOurError;
  }
  if (argv[1][0] != '-' && !is_verb(app, argv[1])) return unknown_verb(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    const CLI::App* at = &app;
    for (const CLI::App* verb : app.get_subcommands()) at = verb;
    return fail(kOurError, fmt::format("{}. See `{} --help`.", e.what(), at == &app ? "einkorn" : "einkorn " + at->get_name()));
  }
  return action ? action() : fail(kOurError, "no verb given. See `einkorn --help`.");
}
