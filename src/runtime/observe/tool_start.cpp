// Finding a tool, starting it, and ending it (OpenMP 5.1, 4.2).
#include <fcntl.h>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>

#include "runtime/observe/tool.h"
#include "runtime/task/helpers.h"
#include "base/foreign_file.h"
#include "runtime/observe/race_checker.h"
#include "runtime/team/worker.h"

// A tool's, in the program or in a library that is loaded before us. The reference makes linkers export the program's.
extern "C" __attribute__((weak, visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(unsigned,
                                                                                                  const char*);

namespace einkorn::runtime::tool {

namespace {

constexpr unsigned kOpenMp = 202011;  // 5.1
constexpr const char* kRuntime = "Einkorn " EINKORN_VERSION;

enum class State : int { none, starting, active, finished };
std::atomic<State> g_state{State::none};
ompt_start_tool_result_t* g_tool = nullptr;
std::atomic<ompt_start_tool_result_t*> g_library{nullptr};  // libomptarget, once it is connected
ompt_function_lookup_t g_lookup = nullptr;

// OMP_TOOL_VERBOSE_INIT. The lines are those that LLVM's runtime writes, which people's scripts know.
FILE* g_log = nullptr;
#define EK_LOG(...) (g_log ? void(fprintf(g_log, __VA_ARGS__)) : void(0))

void open_log() {
  const char* to = g_config.tool_verbose_init;
  if (!to || !strcasecmp(to, "disabled")) return;
  if (!strcasecmp(to, "stdout")) g_log = stdout;
  else if (!strcasecmp(to, "stderr")) g_log = stderr;
  else if (const int fd = base::open_own(to, O_WRONLY | O_CREAT | O_TRUNC); fd >= 0) g_log = fdopen(fd, "w");
  else warn("OMP_TOOL_VERBOSE_INIT: cannot write '%s': %s", to, strerror(errno));
}

void close_log() {
  if (g_log && g_log != stdout && g_log != stderr) fclose(g_log);
  else if (g_log) fflush(g_log);
  g_log = nullptr;
}

using StartTool = ompt_start_tool_result_t* (*)(unsigned, const char*);

// Asks one candidate. True: it wants to be the tool, and its initialize said so too.
bool try_tool(StartTool start_tool) {
  ompt_start_tool_result_t* result = start_tool(kOpenMp, kRuntime);
  if (!result) return false;
  EK_LOG("Success.\n");
  g_tool = result;
  return true;
}

bool search_libraries() {
  EK_LOG("Searching tool libraries...\n");
  EK_LOG("OMP_TOOL_LIBRARIES = %s\n", g_config.tool_libraries);
  char path[4096];
  for (const char* at = g_config.tool_libraries; *at;) {
    size_t n = strcspn(at, ":");
    if (n >= sizeof path) n = sizeof path - 1;
    memcpy(path, at, n);
    path[n] = 0;
    at += n;
    at += *at == ':';
    if (!n) continue;
    EK_LOG("Opening %s... ", path);
    void* library = dlopen(path, RTLD_LAZY);
    if (!library) {
      EK_LOG("Failed: %s\n", dlerror());
      continue;
    }
    EK_LOG("Success.\n");
    EK_LOG("Searching for ompt_start_tool in %s... ", path);
    dlerror();
    auto start_tool = reinterpret_cast<StartTool>(dlsym(library, "ompt_start_tool"));
    if (!start_tool) EK_LOG("Failed: %s\n", dlerror());
    else if (try_tool(start_tool)) return true;
    else EK_LOG("Found but not using the OMPT interface.\nContinuing search...\n");
    dlclose(library);
  }
  return false;
}

bool search_archer() {
  if (!has_thread_sanitizer()) return false;
  EK_LOG("...searching tool libraries failed. Using archer tool.\nOpening %s... ", kArcher);
  void* library = open_archer();
  if (!library) {
    EK_LOG("Failed: it is in none of the folders where the program's libraries are looked for.\n");
    return false;
  }
  EK_LOG("Success.\nSearching for ompt_start_tool in %s... ", kArcher);
  auto start_tool = reinterpret_cast<StartTool>(dlsym(library, "ompt_start_tool"));
  if (start_tool && try_tool(start_tool)) return true;
  EK_LOG("Found but not using the OMPT interface.\n");  // ARCHER_OPTIONS=enable=0
  dlclose(library);
  return false;
}

// Does the tool follow tasks from thread to thread? One that takes our extension for what it costs to create a task
// measures instead, and gets the schedule that the program runs with.
bool asks_for_tasks() {
  const auto is_set = [](int event) { return callback<ompt_callback_t>(event) != nullptr; };
  return is_set(ompt_callback_task_schedule) && !is_set(kEvents + ompx_callback_task_create_end);
}

bool search() {
  EK_LOG("----- START LOGGING OF TOOL REGISTRATION -----\n");
  EK_LOG("Search for OMP tool in current address space... ");
  // Weak references are bound in the order of the link; a library that was loaded later is found by name.
  StartTool start_tool = ompt_start_tool;
  if (!start_tool) start_tool = reinterpret_cast<StartTool>(dlsym(RTLD_DEFAULT, "ompt_start_tool"));
  if (start_tool && try_tool(start_tool)) return true;
  EK_LOG("Failed.\n");
  if (!g_config.tool_libraries) EK_LOG("No OMP_TOOL_LIBRARIES defined.\n");
  else if (search_libraries()) return true;
  if (search_archer()) return true;
  EK_LOG("...searching tool libraries failed.\n");
  return false;
}

}  // namespace

// Acquire: what the tool's initialize() set up; pairs with the release in start().
bool active() { return g_state.load(std::memory_order_acquire) == State::active; }

// Release: what libomptarget set up before it connected; pairs with the acquire in finish().
void connect(ompt_start_tool_result_t* library) { g_library.store(library, std::memory_order_release); }

void start(ompt_function_lookup_t lookup) {
  if (!g_config.tool) return;
  g_lookup = lookup;
  open_log();
  bool found = search();
  EK_LOG(found ? "Tool was started and is using the OMPT interface.\n" : "No OMP tool loaded.\n");
  EK_LOG("----- END LOGGING OF TOOL REGISTRATION -----\n");
  close_log();
  if (found) {
    g_state.store(State::starting, std::memory_order_relaxed);
    found = g_tool->initialize && g_tool->initialize(g_lookup, 0, &g_tool->tool_data) != 0;
    g_state.store(found ? State::active : State::none, std::memory_order_release);
    if (!found)
      for (auto& f : g_callbacks) __atomic_store_n(&f, nullptr, __ATOMIC_RELAXED);
  }
  if (!found) return;
  if (asks_for_tasks()) hand_out_tasks();
  // Before the program's own exit handlers are registered, so after them; and before any library is unloaded.
  atexit(finish);
}

void finish() {
  State state = State::active;
  // Acquire: what start() has set up. Once: of two that end the process at once one tells the tool.
  if (!g_state.compare_exchange_strong(state, State::finished, std::memory_order_acq_rel)) return;
  end_helpers();
  end_threads_at_exit();
  end_told_threads();
  if (Worker* w = t_worker; w && w->tool && !w->ours) {
    if (w->team == w->serial_team) initial_task_end(w);
    detach(w);
  }
  for (auto& f : g_callbacks) __atomic_store_n(&f, nullptr, __ATOMIC_RELEASE);
  if (g_tool->finalize) g_tool->finalize(&g_tool->tool_data);
  // Acquire: what libomptarget set up; pairs with connect().
  auto* library = g_library.load(std::memory_order_acquire);
  if (library && library->finalize) library->finalize(nullptr);
}

}  // namespace einkorn::runtime::tool
