#include "cli/launch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "cli/access_hooks.h"
#include "cli/hints_file.h"
#include "cli/libraries.h"
#include "cli/static_tls.h"
#include "cli/target.h"
#include "cli/versions.h"
#include "cli/verbs.h"
#include "machine/home.h"
#include "machine/load.h"
#include "schedule/text.h"

namespace einkorn::cli {

namespace {

// The folder of our libraries. Absolute: the program may start its children from another folder.
std::string library_folder() {
  const std::vector<std::string> homes = machine::homes();
  return homes.empty() ? "" : homes[0] + "/lib";
}

std::string audit_file() { return library_folder() + "/libeinkorn-audit.so"; }

std::string allocations_file() { return library_folder() + "/libeinkorn-allocations.so"; }

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string accesses_file() { return library_folder() + "/libeinkorn-accesses.so"; }

int check_installation() {
  if (machine::homes().empty())
    return fail(kOurError,
                "the system does not tell where Einkorn is installed (is /proc mounted?). Set EINKORN_HOME to the "
                "folder that has lib/.");
  for (const std::string& file : {runtime_file(), audit_file()}) {
    if (access(file.c_str(), R_OK) != 0)
      return fail(kOurError, fmt::format("{} is missing ({}): the installation is incomplete. Run ./dev build, or set "
                                         "EINKORN_HOME to the folder that has lib/.",
                                         file, strerror(errno)));
    // LD_AUDIT is a list with colons between its paths, in which $ begins a token; neither can be quoted.
    if (file.find_first_of(":$") != std::string::npos)
      return fail(kOurError,
                  fmt::format("{}: the dynamic linker cannot take a library from a folder with ':' or '$' in its "
                              "name. Move Einkorn to another one.",
                              file));
  }
  return 0;
}

// LLVM's library: as Debian installs it, or as the linker finds it.
std::string libomp_file() {
  for (const char* path : {"/usr/lib/llvm-19/lib/libomp.so.5", "/usr/lib/x86_64-linux-gnu/libomp.so.5",
                           "/usr/lib/aarch64-linux-gnu/libomp.so.5", "/usr/lib/libomp.so"})
    if (access(path, R_OK) == 0) return path;
  return "";
}

int check_libomp(const Launch& launch, const std::string& program_path, const std::vector<std::string>& libraries) {
  if (launch.runtime != "libomp")
    return fail(kOurError, fmt::format("there is no runtime '{}': give libomp.", launch.runtime));
  if (!launch.machine.empty())
    return fail(kOurError, "--machine is for Einkorn's runtime: it cannot be combined with --runtime.");
  if (!launch.hints.empty())
    return fail(kOurError, "--hints is for Einkorn's runtime: it cannot be combined with --runtime.");
  if (!launch.schedule.empty())
    return fail(kOurError, "--schedule is for Einkorn's runtime: it cannot be combined with --runtime.");
  if (launch.limited)
    return fail(
        kOurError,
        "--depth, --filter, --last, --max-size and --roi are for Einkorn's runtime: they cannot be combined with "
        "--runtime.");
  if (libomp_file().empty())
    return fail(kOurError, "LLVM's libomp.so.5 is not on this machine. Install it (Debian: libomp5-19).");
  if (std::string tool = library_folder() + "/libeinkorn-ompt.so"; access(tool.c_str(), R_OK) != 0)
    return fail(kOurError, fmt::format("{} is missing: the installation is incomplete.", tool));
  if (const MissingVersion missing = missing_version(program_path, libraries, libomp_file()); !missing.node.empty())
    return fail(kCannotRun,
                fmt::format("{} needs the version {} of {}, which LLVM's library does not have. Record it on Einkorn's "
                            "runtime, without --runtime.",
                            missing.file, missing.node, missing.of));
  return 0;
}

// Of our own library: what a compiler emits that is newer than this Einkorn.
int check_versions(const std::string& program_path, const std::vector<std::string>& libraries) {
  const MissingVersion missing = missing_version(program_path, libraries, runtime_file());
  if (missing.node.empty()) return 0;
  return fail(kCannotRun,
              fmt::format("{} needs the version {} of {}, which this Einkorn does not have: it was built by a newer "
                          "compiler than gcc 16 or clang 23. Build it with one of these, run it without einkorn, or "
                          "install a newer Einkorn.",
                          missing.file, missing.node, missing.of));
}

int check_accesses(const Launch& launch, const std::string& program_path) {
  if (launch.limited)
    return fail(
        kOurError,
        "--accesses counts for every grain: it cannot be combined with --depth, --filter, --last, --max-size or "
        "--roi.");
  if (!launch.runtime.empty())
    return fail(kOurError, "--accesses is for Einkorn's runtime: it cannot be combined with --runtime.");
#if defined(__x86_64__)
  constexpr bool kHasHooks = true;
#else
  constexpr bool kHasHooks = false;  // src/accesses/CMakeLists.txt
#endif
  if (!kHasHooks) return fail(kOurError, "--accesses counts the accesses of x86-64 programs only. Record without it.");
  if (access(accesses_file().c_str(), R_OK) != 0)
    return fail(kOurError, fmt::format("{} is missing: the installation is incomplete.", accesses_file()));
  const std::string wrong = no_access_hooks(program_path, library_folder());
  return wrong.empty() ? 0 : fail(kCannotRun, wrong);
}

// Why nothing can stand before the program's malloc(); empty: it can. ThreadSanitizer, AddressSanitizer and their like
// have one of their own, before which there may be no other.
std::string no_allocations(const Launch& launch, const std::vector<std::string>& libraries) {
  const std::string file = allocations_file(),
                    what = launch.allocations ? "--allocations" : "a hint about an allocation";
  if (!launch.runtime.empty()) return what + " is for Einkorn's runtime: it cannot be combined with --runtime.";
  if (access(file.c_str(), R_OK) != 0) return file + " is missing: the installation is incomplete.";
  for (const std::string& path : libraries)
    for (const char* own : {"/libasan.so", "/libtsan.so", "/liblsan.so", "/libhwasan.so"})
      if (path.find(own) != std::string::npos)
        return fmt::format(
            "{} cannot be combined with a sanitizer, whose library ({}) answers malloc() itself. Build the "
            "program without -fsanitize.",
            what, path);
  return "";
}

int check_allocations(Launch& launch, const std::vector<std::string>& libraries) {
  const std::string wrong = launch.allocations || launch.places_allocations ? no_allocations(launch, libraries) : "";
  if (launch.allocations && !wrong.empty()) return fail(kOurError, wrong);
  if (!wrong.empty()) tell(wrong), launch.places_allocations = false;
  if (launch.allocations_if_possible) launch.allocations = no_allocations(launch, libraries).empty();
  return 0;
}

int check_schedule(const std::string& name) {
  schedule::Schedule schedule;
  std::string why;
  if (name.empty() || schedule::parse_schedule(name.c_str(), &schedule, &why)) return 0;
  return fail(kOurError, fmt::format("--schedule {}: {}.", name, why));
}

// Checked here, where a message can be given before the program starts. A file gets an absolute path: the program may
// look for it from another folder.
int check_machine(std::string& asked) {
  if (asked.empty()) return 0;
  machine::Machine m;
  std::string why;
  if (!machine::load(asked, &m, &why)) return fail(kOurError, fmt::format("--machine: {}.", why));
  char absolute[PATH_MAX];
  if (machine::is_path(asked) && realpath(asked.c_str(), absolute)) asked = absolute;
  return 0;
}

// Puts `ours` before the libraries of the user's own list: each library of LD_AUDIT is asked with the answer of the one
// before it, and the first one of LD_PRELOAD that has a function is called. Not twice, if einkorn runs under einkorn.
std::string before_others(const char* variable, const char* separators, const std::string& ours) {
  const char* value = getenv(variable);
  std::string list = value ? value : "", result = ours;
  for (size_t at = 0; at < list.size();) {
    size_t end = std::min(list.find_first_of(separators, at), list.size());
    std::string library = list.substr(at, end - at);
    if (!library.empty() && library != ours) result += ":" + library;
    at = end + 1;
  }
  return result;
}

// At the program's end valgrind has the C library free all it holds. With LD_AUDIT two of these blocks are the dynamic
// linker's own, made before there was a malloc() that valgrind knows, and would be reported as invalid frees. What the
// user says in the variable comes later and counts.
void calm_valgrind() {
  constexpr const char kOption[] = "--run-libc-freeres=no";
  const char* value = getenv("VALGRIND_OPTS");
  if (value && strstr(value, "--run-libc-freeres=")) return;
  setenv("VALGRIND_OPTS", value ? fmt::format("{} {}", kOption, value).c_str() : kOption, 1);
}

// In LD_PRELOAD's list of paths a space separates. One with a space is there by the file's name alone, for which the
// audit library finds the file.
void preload_allocations() {
  const std::string file = allocations_file();
  const bool is_word = file.find(' ') == std::string::npos;
  setenv("EINKORN_ALLOCATIONS", file.c_str(), 1);
  setenv("LD_PRELOAD", before_others("LD_PRELOAD", ": ", is_word ? file : base_name(file)).c_str(), 1);
}

}  // namespace

// The file itself, not a name of it. In a wheel, which holds no links, that is all there is.
std::string runtime_file() {
  const std::string link = library_folder() + "/libeinkorn.so";
  char file[PATH_MAX];
  for (const std::string& name : {link, library_folder() + "/libgomp-einkorn.so"})
    if (realpath(name.c_str(), file)) return file;
  return link;
}

int prepare(Launch& launch, std::string& program_path) {
  if (launch.command.empty())
    return fail(kOurError, "no program given. It comes after `--`: einkorn run -- ./app args");
  if (int status = check_installation()) return status;
  if (int status = check_schedule(launch.schedule)) return status;
  if (int status = check_machine(launch.machine)) return status;
  Target target = find_target(launch.command[0]);
  if (target.status) return fail(target.status, target.message);
  program_path = target.path;
  // Of a script: its interpreter's.
  const std::vector<std::string> libraries = libraries_of(target);
  if (!launch.hints.empty()) {
    std::vector<std::string> objects = {target.loaded};
    objects.insert(objects.end(), libraries.begin(), libraries.end());
    std::string wrong;
    launch.hints = hints_for(launch.hints, objects, launch.places_allocations, wrong);
    if (!wrong.empty()) return fail(kOurError, wrong);
  }
  if (int status = check_allocations(launch, libraries)) return status;
  launch.tunables = tunables_for(libraries, launch.accesses ? "libtsan.so" : "");
  if (launch.accesses)
    if (int status = check_accesses(launch, program_path)) return status;
  if (!launch.runtime.empty()) return check_libomp(launch, target.loaded, libraries);
  return check_versions(target.loaded, libraries);
}

int execute(const Launch& launch, const std::string& program_path) {
  for (const std::string& name : launch.withheld) unsetenv(name.c_str());
  if (!launch.tunables.empty()) setenv("GLIBC_TUNABLES", launch.tunables.c_str(), 1);
  setenv("LD_AUDIT", before_others("LD_AUDIT", ":", audit_file()).c_str(), 1);
  if (launch.allocations || launch.places_allocations) preload_allocations();
  if (launch.allocations) setenv("EINKORN_RECORD_ALLOCATIONS", "true", 1);
  calm_valgrind();
  setenv("EINKORN_RUNTIME", runtime_file().c_str(), 1);
  if (!launch.runtime.empty()) {
    // The same redirection to another file, and the recorder as a tool in it.
    setenv("EINKORN_RUNTIME", libomp_file().c_str(), 1);
    setenv("OMP_TOOL_LIBRARIES", (library_folder() + "/libeinkorn-ompt.so").c_str(), 1);
    setenv("EINKORN_TOOL_RECORD", launch.record_path.c_str(), 1);
  }
  if (launch.accesses) {
    setenv("EINKORN_ACCESSES", accesses_file().c_str(), 1);
    setenv("EINKORN_RECORD_ACCESSES", "true", 1);
  }
  if (!launch.machine.empty()) setenv("EINKORN_MACHINE", launch.machine.c_str(), 1);
  if (!launch.hints.empty()) setenv("EINKORN_HINTS", launch.hints.c_str(), 1);
  if (!launch.schedule.empty()) setenv("EINKORN_SCHEDULE", launch.schedule.c_str(), 1);
  if (!launch.record_path.empty() && launch.runtime.empty()) setenv("EINKORN_RECORD", launch.record_path.c_str(), 1);
  for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : launch.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(program_path.c_str(), argv.data());
  return errno;
}

int explain_failure(const std::string& program_path, int error) {
  return fail(error == ENOENT ? kNotFound : kCannotRun,
              fmt::format("{} cannot be started: {}.", program_path, strerror(error)));
}

}  // namespace einkorn::cli
