// The environment, as people might type it: every variable of config.def, places, CPU lists, schedules, formats of
// affinity. No crash, no hang; a refused value is named in one message; the values shown afterwards are printable. All
// of it is the runtime's own code: build-asan/bin/fuzz_environment is the one to run for long.
//
//   fuzz_environment [--iterations N] [--seconds S] [--seed N]     the same inputs for the same seed
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_text.h"
#include "base/cpus.h"
#include "runtime/settings/config.h"
#include "runtime/places/places.h"
#include "runtime/team/worker.h"
#include "schedule/text.h"

namespace {

using namespace einkorn;
using fuzz::Random;

int g_stderr = -1, g_said = -1;  // the real one; a file in memory that takes its place

[[noreturn]] void wrong(const char* what, const std::string& input, const std::string& more = "") {
  dprintf(g_stderr, "fuzz_environment: %s: %s\ninput:\n%s\n", what, more.c_str(), input.c_str());
  abort();
}

// What was written to stderr since the last call.
std::string said() {
  std::string text(size_t(lseek(g_said, 0, SEEK_END)), 0);
  if (pread(g_said, text.data(), text.size(), 0) != ssize_t(text.size()) || ftruncate(g_said, 0) != 0) abort();
  lseek(g_said, 0, SEEK_SET);
  return text;
}

const char* const kNames[] = {
#define EK_VARIABLE(name, field, parser, fallback, what) name,
#include "runtime/settings/config.def"
#undef EK_VARIABLE
};

// Valid ones of many variables: each is tried with every variable's parser.
const char* const kValues[] = {"4,3,2",
                               "monotonic:dynamic,4",
                               "nonmonotonic:guided",
                               "static_steal",
                               "true",
                               "verbose",
                               "512K",
                               "8 M",
                               "active",
                               "spread,close,primary",
                               "threads(4)",
                               "{0:4},{4:4}:2:-1",
                               "{0}:8:2,!{3}",
                               "0 3 1-2 4-15:2",
                               "omp_high_bw_mem_alloc",
                               "omp_large_cap_mem_space:alignment=16,pinned=true,fallback=abort_fb,pool_size=1024",
                               "infinite",
                               "300us",
                               "20k",
                               "throughput",
                               "mandatory",
                               "disabled",
                               "granularity=fine,compact,1,0",
                               "xkaapi:cyclic-node+writer-node+random",
                               "mts,take=4,thieves=any",
                               "places=node,order=lifo,reach=vicinity:2,name=mine",
                               "deal,guard=2",
                               "vicinity:8",
                               "codelets,amm=2x1,spread,tp-push=round-robin,tp-reach=node",
                               "darts-steal,cap=512,amm=1x2,0-1",
                               "2x1",
                               "1x2,0-1",
                               "4x5,spread",
                               "fine",
                               "most-loaded",
                               "sort.c:142,b.c:7",
                               "5 s",
                               "shared",
                               "%h.%p.grain",
                               "pid %0.8P tid %{thread_id} %30L%%{%A}",
                               "numa_domains",
                               "ll_caches(2)"};
const char* const kPieces[] = {"{",
                               "}",
                               "(",
                               ")",
                               ":",
                               ",",
                               "!",
                               "-",
                               "-1",
                               "0",
                               "1",
                               "7",
                               "64",
                               "8193",
                               "4294967296",
                               "9223372036854775807",
                               "99999999999999999999",
                               "1e9",
                               " ",
                               "\t",
                               "=",
                               "+",
                               "%",
                               "%%",
                               "%{",
                               "%0.",
                               ".",
                               "k",
                               "G",
                               "T",
                               "ms",
                               "_",
                               "\xff",
                               "\n",
                               "true",
                               "none",
                               "static",
                               "take",
                               "reach=strict",
                               "places=",
                               "order=",
                               "omp_",
                               "_alloc",
                               "partition=",
                               "{0:1000000}",
                               ":1000000:1",
                               "name=",
                               "\"",
                               "\\"};

void try_variable(size_t which, const std::string& value) {
  static std::string kept[std::size(kNames)];  // settings that are text point into it
  const char* name = kNames[which];
  std::string& stays = kept[which];
  runtime::g_config = runtime::Config{};
  runtime::g_config.schedule = schedule::find_preset("ws");
  stays = value;
  if (!runtime::config_set(name, stays.c_str())) wrong("unknown", name);
  std::string message = said();
  if (message.empty()) return;
  if (message.size() > 1100 || message.back() != '\n') wrong("a message without end", value, message);
  if (message.find(name) == std::string::npos) wrong("a message that does not say of what", value, message);
}

void try_places(const std::string& value, bool list, const base::CpuSet& allowed) {
  runtime::Places places;
  const char* why = nullptr;
  bool dropped = false;
  bool good = (list ? runtime::parse_cpu_list : runtime::parse_places)(value.c_str(), allowed, &places, &why, &dropped);
  if (!good && (!why || !*why)) wrong("places refused without a reason", value);
  if (good && places.count <= 0) wrong("no places, and that is well?", value);
  if (good) free(places.sets);
  said();
}

void try_schedule(const std::string& value) {
  schedule::Schedule s;
  std::string why;
  if (!schedule::parse_schedule(value.c_str(), &s, &why)) {
    if (why.empty() || why.size() > 2000) wrong("a schedule refused without a reason, or with a book", value, why);
    return;
  }
  schedule::Schedule again;
  std::string axes = schedule::axes_text(s);
  if (!schedule::parse_schedule(axes.c_str(), &again, &why))
    wrong("its own axes are refused", value, axes + ": " + why);
  if (schedule::axes_text(again) != axes) wrong("its axes do not come back", value, axes);
}

void try_format(const std::string& value) {
  char out[64];
  size_t length = runtime::affinity_text(runtime::self(), value.c_str(), out, sizeof out);
  if (strnlen(out, sizeof out) == sizeof out || (length < sizeof out && strlen(out) != length))
    wrong("not ended", value, out);
  said();
}

}  // namespace

int main(int argc, char** argv) {
  g_stderr = dup(2);
  g_said = memfd_create("said", 0);
  if (g_stderr < 0 || g_said < 0 || dup2(g_said, 2) < 0) return perror("fuzz_environment"), 1;
  const int status = fuzz::run(argc, argv, "fuzz_environment", [](uint64_t i, Random& random) {
    const char* text = kValues[random() % std::size(kValues)];
    const std::string value = fuzz::mutated(text, random() % 5, kPieces, true, random);
    try_variable(random() % std::size(kNames), value);
    try_places(value, i % 2, runtime::g_initial_cpus);
    try_schedule(value);
    try_format(value);
    if (i % 64 == 0) runtime::config_display(true), said();
  });
  const std::string last = said();  // of a wrong command line
  dprintf(g_stderr, "%s", last.c_str());
  return status;
}
