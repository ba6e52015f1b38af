#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <vector>

#include "machine/measure.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

double now() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return double(ts.tv_sec) + 1e-9 * double(ts.tv_nsec);
}

// gcc's entry points: what a compiled program calls.
struct Runtime {
  void (*parallel)(void (*)(void*), void*, unsigned threads, unsigned flags);
  void (*barrier)();
  bool (*dynamic_start)(long, long, long, long, long*, long*);
  bool (*dynamic_next)(long*, long*);
  void (*loop_end)();
};

struct Work {
  const Runtime* runtime;
  int threads, repeats;
};

void nothing(void*) {}

void barriers(void* data) {
  auto* w = static_cast<Work*>(data);
  for (int i = 0; i < w->repeats; ++i) w->runtime->barrier();
}

// for schedule(dynamic, 1) of one chunk a thread, with its barrier.
void loops(void* data) {
  auto* w = static_cast<Work*>(data);
  long begin, end;
  for (int i = 0; i < w->repeats; ++i) {
    if (w->runtime->dynamic_start(0, w->threads, 1, 1, &begin, &end))
      while (w->runtime->dynamic_next(&begin, &end)) {}
    w->runtime->loop_end();
  }
}

// Least time of one of `repeats`, over several rounds of some milliseconds.
template <class Round>
double least_ns(double seconds, Round round) {
  int repeats = 1;
  double least = 1e30;
  for (double begin = now(); now() - begin < seconds;) {
    double from = now();
    round(repeats);
    double took = now() - from;
    if (took < 0.002 && repeats < 1'000'000) repeats *= 2;
    else least = std::min(least, took * 1e9 / repeats);
  }
  return least;
}

}  // namespace

bool measure_runtime(const std::string& path, Machine* m, Measuring* how, std::string* why) {
  // It reads the environment when it is loaded: as it is by itself, on this computer.
  for (const char* name :
       {"EINKORN_MACHINE", "EINKORN_RECORD", "OMP_DISPLAY_ENV", "OMP_TOOL_LIBRARIES", "OMP_THREAD_LIMIT", "OMP_DYNAMIC",
        "OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "OMP_WAIT_POLICY", "EINKORN_SCHEDULE"})
    unsetenv(name);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *why = dlerror();
    return false;
  }
  Runtime r{};
  auto get = [library](auto& f, const char* name) {
    f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(library, name));
    return f != nullptr;
  };
  if (!get(r.parallel, "GOMP_parallel") || !get(r.barrier, "GOMP_barrier") ||
      !get(r.dynamic_start, "GOMP_loop_dynamic_start") || !get(r.dynamic_next, "GOMP_loop_dynamic_next") ||
      !get(r.loop_end, "GOMP_loop_end")) {
    *why = text("%s is no OpenMP library", path.c_str());
    return false;
  }
  std::vector<int> teams{2};
  if (m->cores > 2) teams.push_back(m->cores);
  const double seconds = how->seconds * 0.1 / double(3 * teams.size());
  for (size_t k = 0; k < teams.size(); ++k) {
    const int n = teams[k];
    how->step(0.9 + 0.1 * double(k) / double(teams.size()), "regions, barriers, loops");
    Work w{&r, n, 0};
    auto put = [&](const char* what, double ns) { m->measured.push_back({text("%s_ns_%d_threads", what, n), ns}); };
    put("parallel", least_ns(seconds, [&](int repeats) {
          for (int i = 0; i < repeats; ++i) r.parallel(nothing, nullptr, unsigned(n), 0);
        }));
    put("barrier", least_ns(seconds, [&](int repeats) {
          w.repeats = repeats;
          r.parallel(barriers, &w, unsigned(n), 0);
        }));
    put("for_dynamic", least_ns(seconds, [&](int repeats) {
          w.repeats = repeats;
          r.parallel(loops, &w, unsigned(n), 0);
        }));
  }
  return true;
}

}  // namespace einkorn::machine
