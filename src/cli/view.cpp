// einkorn view app.grain [other.grain] [--port N]
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <thread>

#include "cli/files.h"
#include "cli/pair_page.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "cli/view_server.h"
#include "profile/profile.h"

namespace einkorn::cli {

namespace {

struct ViewArguments {
  std::string file, other;
  int port = 0;
  uint32_t max_grains = 120'000;  // a page of so many grains loads in a second or two
  bool max_grains_given = false;
  report::SourceOptions source;
  profile::SymbolOptions symbols;
};

int serve(ViewServer& server, int port) {
  std::string why;
  // Blocked before there are threads, so that all of them leave these signals to the one that waits for them.
  sigset_t ends;
  sigemptyset(&ends);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, s);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  if (!server.bind(port, why)) return fail(kOurError, why + ".");
  fmt::print("{}\n", server.address());
  fflush(stdout);
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) != 0 || !*host) snprintf(host, sizeof host, "HOST");
  fmt::print(
      stderr,
      "einkorn: open this address in a browser; Ctrl-C ends the server. From another computer, first run there:\n"
      "  ssh -L {0}:127.0.0.1:{0} {1}\n",
      server.port(), host);
  std::thread waits([&] {
    int which;
    sigwait(&ends, &which);
    server.stop();
  });
  server.serve();
  // If the server ended for another reason, the thread is still waiting.
  pthread_kill(waits.native_handle(), SIGTERM);
  waits.join();
  return 0;
}

int view(const ViewArguments& o) {
  profile::Profile profile;
  profile::LoadError error;
  std::set<std::string> refused;
  ViewServer server(profile, o.max_grains, o.source);
  {
    Progress progress;
    profile::LoadOptions load;
    load.state_bins = true;
    load.symbols = o.symbols;
    load.progress = [&](double f, const char* what) { progress(0.8 * f, what); };
    if (!profile::load(o.file, load, profile, error)) return fail(kOurError, error.message);
    progress(0.8, "drawing");
    if (std::string why; !server.prepare(refused, why)) return fail(kOurError, why + ".");
  }
  if (std::string about = report::about_refused(refused); !about.empty()) tell(about + ".");
  return serve(server, o.port);
}

int view_pair(const ViewArguments& o) {
  if (o.max_grains_given)
    return fail(kOurError, "--max-grains is for one recording's page: two side by side are one page of a fixed size.");
  std::string page, error;
  std::set<std::string> refused;
  report::SourceOptions source = o.source;
  source.refused = &refused;
  {
    Progress progress;
    if (!make_pair_page({o.file, o.other, source, o.symbols}, progress, page, error)) return fail(kOurError, error);
  }
  if (std::string about = report::about_refused(refused); !about.empty()) tell(about + ".");
  ViewServer server(std::move(page));
  return serve(server, o.port);
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "view", "Serve the page of a recording of any size locally, with source files; or of two, side by side");
  auto o = std::make_shared<ViewArguments>();
  reads(verb->add_option("RECORDING", o->file, "A .grain file"))->required()->type_name("");
  reads(verb->add_option("OTHER", o->other, "A second one, to be shown beside the first, as with compare --html"))
      ->type_name("");
  verb->add_option("--port", o->port, "Port of 127.0.0.1 (default: any that is free)")
      ->check(CLI::Range(1, 65535))
      ->type_name("N");
  CLI::Option* most =
      verb->add_option("--max-grains", o->max_grains,
                       "Grains in a page; beyond that they are aggregated, and can be opened (default 120000)")
          ->check(CLI::Range(100u, 4'000'000u))
          ->type_name("N");
  choose_sources(*verb, o->source, nullptr);
  choose_symbols(*verb, o->symbols);
  verb->footer("Example: einkorn view sort.grain\n         einkorn view before.grain after.grain");
  verb->callback([o, most, &action] {
    o->max_grains_given = most->count() > 0;
    action = [o] { return o->other.empty() ? view(*o) : view_pair(*o); };
  });
}

}  // namespace einkorn::cli
