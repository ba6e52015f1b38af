// einkorn record [-o app.grain] -- ./app args
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "cli/launch.h"
#include "cli/verbs.h"
#include "profile/profile.h"
#include "record/format.h"
#include "report/text.h"

namespace einkorn::cli {

namespace {

struct Options {
  Launch launch;
  std::string output;
  bool no_report = false;
};

std::string absolute(const std::string& path) {
  if (!path.empty() && path[0] == '/') return path;
  char cwd[PATH_MAX];
  return getcwd(cwd, sizeof cwd) ? std::string(cwd) + "/" + path : path;
}

// The name as the recorder will make it; %p is only known to the program, so such names are not checked beforehand.
std::string expand(const std::string& path, bool& has_pid) {
  std::string out;
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  auto rank = [] {
    for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"})
      if (const char* v = getenv(name); v && *v) return std::string(v);
    return std::string("0");
  };
  has_pid = false;
  for (size_t i = 0; i < path.size(); ++i) {
    char code = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : 0;
    if (code == 'h') out += host, ++i;
    else if (code == 'r') out += rank(), ++i;
    else if (code == 'p') out += "*", has_pid = true, ++i;
    else out += path[i];
  }
  return out;
}

// Can a recording be written there? Removes an older recording; anything else of that name is left and refused.
int clear_output(const std::string& path) {
  struct stat st;
  if (stat(path.c_str(), &st) == 0) {
    if (S_ISDIR(st.st_mode)) return fail(kOurError, fmt::format("{} is a directory. Give the file a name: -o FILE.", path));
    char magic[8] = {};
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, magic, sizeof magic) : -1;
    if (fd >= 0) close(fd);
    bool ours = n == 0 || (n == ssize_t(sizeof magic) && memcmp(magic, record::kFileMagic, sizeof magic) == 0);
    if (!ours) return fail(kOurError, fmt::format("{} exists and is no recording: not overwritten. Choose another name with -o.", path));
    if (unlink(path.c_str()) != 0)
      return fail(kOurError, fmt::format("{} cannot be replaced: {}.", path, strerror(errno)));
  }
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0)
    return fail(kOurError, fmt::format("{} cannot be written: {}. Choose another place with -o FILE.", path, strerror(errno)));
  close(fd);
  unlink(path.c_str());  // the recorder makes it when the program comes to OpenMP
  return 0;
}

std::vector<std::string> files_like(const std::string& pattern) {
  std::vector<std::string> found;
  glob_t g{};
  if (glob(pattern.c_str(), 0, nullptr, &g) == 0)
    for (size_t i = 0; i < g.gl_pathc; ++i) found.emplace_back(g.gl_pathv[i]);
  globfree(&g);
  return found;
}

std::string escaped_for_glob(const std::string& path) {
  std::string out;
  for (char c : path) {
    if (strchr("*?[\\", c)) out += '\\';
    out += c;
  }
  return out;
}

// Recordings of this run: the main file, and NAME.PID.grain of further processes that used OpenMP. Older ones of an earlier
// run are told by their time.
std::vector<std::string> written_files(const std::string& path, bool has_pid, const timespec& started) {
  std::vector<std::string> all;
  if (has_pid) {
    all = files_like(path);
  } else {
    if (access(path.c_str(), F_OK) == 0) all.push_back(path);
    size_t dot = path.rfind(".grain");
    std::string stem = dot != std::string::npos && dot + 6 == path.size() ? path.substr(0, dot) : path;
    for (std::string& other : files_like(escaped_for_glob(stem) + ".[0-9]*" + (stem == path ? "" : ".grain")))
      all.push_back(std::move(other));
  }
  std::erase_if(all, [&](const std::string& file) {
    struct stat st;
    return stat(file.c_str(), &st) != 0 || st.st_mtim.tv_sec < started.tv_sec - 1;
  });
  return all;
}

volatile sig_atomic_t g_child = 0;
void forward(int signal) {
  if (g_child > 0) kill(pid_t(g_child), signal);
}

// The terminal sends SIGINT and SIGQUIT to the program as well as to us: it decides, we wait. What is sent to us alone goes on
// to it.
void set_signals() {
  struct sigaction ignore{}, pass{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, nullptr);
  sigaction(SIGQUIT, &ignore, nullptr);
  pass.sa_handler = forward;
  pass.sa_flags = SA_RESTART;
  for (int s : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM}) sigaction(s, &pass, nullptr);
}

void show(const std::string& file, const std::vector<std::string>& all) {
  profile::Profile profile;
  profile::LoadError error;
  Progress progress;
  profile::LoadOptions options;
  options.progress = [&](double f, const char* what) { progress(f, what); };
  if (!profile::load(file, options, profile, error)) {
    fmt::print(stderr, "einkorn: {}\n", error.message);
    return;
  }
  report::TextOptions text;
  text.color = isatty(STDERR_FILENO);
  fmt::print(stderr, "{}", report::text_report(profile, text));
  if (all.size() > 1) {
    fmt::print(stderr, "Further processes recorded:");
    for (const std::string& other : all)
      if (other != file) fmt::print(stderr, " {}", other);
    fmt::print(stderr, "\n");
  }
}

int record(Options& o) {
  if (o.output.empty()) {
    const std::string& program = o.launch.command[0];
    o.output = program.substr(program.rfind('/') + 1) + ".grain";
  }
  o.launch.record_path = absolute(o.output);
  std::string path;
  if (int status = prepare(o.launch, path)) return status;
  bool has_pid;
  std::string file = expand(o.launch.record_path, has_pid);
  if (!has_pid)
    if (int status = clear_output(file)) return status;

  timespec started;
  clock_gettime(CLOCK_REALTIME, &started);
  sigset_t all_signals, before;
  sigfillset(&all_signals);
  sigprocmask(SIG_BLOCK, &all_signals, &before);  // none is lost between fork and the handlers
  pid_t child = fork();
  if (child < 0) return fail(kOurError, fmt::format("no process for the program: {}.", strerror(errno)));
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    _exit(execute(o.launch, path));
  }
  g_child = child;
  set_signals();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child = 0;

  std::vector<std::string> files = written_files(file, has_pid, started);
  if (files.empty())
    fmt::print(stderr, "einkorn: nothing was recorded: the program did not use OpenMP (or ended before it did).\n");
  else if (!o.no_report)
    show(files[0], files);
  if (!files.empty()) fmt::print(stderr, "Recorded in {}. `einkorn report {} --html page.html` draws it.\n", files[0], files[0]);

  if (WIFSIGNALED(status)) {
    // Die as the program did, so that a shell sees what it would have seen. Its core is the one of use.
    rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int s = WTERMSIG(status);
    signal(s, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, s);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(s);
    return 128 + s;
  }
  return WEXITSTATUS(status);
}

}  // namespace

void add_record(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("record", "Run a program and record every grain; prints a summary when it ends");
  auto o = std::make_shared<Options>();
  verb->add_option("-o,--output", o->output, "File; %h host, %p process, %r MPI rank. Default: the program's name + .grain")
      ->type_name("FILE");
  verb->add_option("--schedule", o->launch.schedule, "Task scheduler: a preset (see docs/reference.md); default ws")
      ->type_name("S");
  verb->add_flag("--no-report", o->no_report, "No summary at the end");
  verb->add_option("command", o->launch.command, "The program and its arguments, after --")
      ->required()
      ->type_name("PROGRAM ARGS");
  verb->positionals_at_end();
  verb->footer("The summary goes to stderr, the program's output stays its own; so does its exit status.\n"
               "Example: einkorn record -o sort.grain -- ./sort 1000000");
  verb->callback([o, &action] { action = [o] { return record(*o); }; });
}

}  // namespace einkorn::cli
