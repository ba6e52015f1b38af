// The cost of OpenMP's constructs in Einkorn's library: EPCC's syncbench, flat and inside an outer region (Schmidl
// 2016, 2.2).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include "machine/measure_tools.h"
#include "machine/near.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

// The compilers' entry points, as a compiled program calls them: gcc's where both have one. gcc inlines loops of
// schedule(static) and reductions, so these are clang's.
struct Runtime {
  void (*parallel)(void (*)(void*), void*, unsigned threads, unsigned flags);
  void (*barrier)();
  bool (*dynamic_start)(long, long, long, long, long*, long*);
  bool (*dynamic_next)(long*, long*);
  void (*loop_end)();
  int32_t (*gtid)(void*);
  void (*static_init)(void*, int32_t, int32_t, int32_t*, int64_t*, int64_t*, int64_t*, int64_t, int64_t);
  void (*static_fini)(void*, int32_t);
  void (*kmpc_barrier)(void*, int32_t);
  int32_t (*reduce)(void*, int32_t, int32_t, size_t, void*, void (*)(void*, void*), int32_t*);
  void (*end_reduce)(void*, int32_t, int32_t*);
  void (*set_levels)(int);

  // false: *missing is not there.
  bool find(void* library, const char** missing) {
    bool good = true;
    auto get = [&](auto& f, const char* name) {
      f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(library, name));
      if (!f && good) good = false, *missing = name;
    };
    get(parallel, "GOMP_parallel");
    get(barrier, "GOMP_barrier");
    get(dynamic_start, "GOMP_loop_dynamic_start");
    get(dynamic_next, "GOMP_loop_dynamic_next");
    get(loop_end, "GOMP_loop_end");
    get(gtid, "__kmpc_global_thread_num");
    get(static_init, "__kmpc_for_static_init_8");
    get(static_fini, "__kmpc_for_static_fini");
    get(kmpc_barrier, "__kmpc_barrier");
    get(reduce, "__kmpc_reduce");
    get(end_reduce, "__kmpc_end_reduce");
    get(set_levels, "omp_set_max_active_levels");
    return good;
  }
};

// ident_t, as clang has it: a source location.
struct Ident {
  int32_t reserved = 0, flags = 2, more[2] = {};
  const char* source = ";unknown;unknown;0;0;;";
} g_ident;

// One round of a construct: `repeats` times, by all threads of a team.
struct Work {
  const Runtime* runtime;
  int threads, repeats;
  void (*body)(Work*);
};

void nothing(void*) {}

void barriers(Work* w) {
  for (int i = 0; i < w->repeats; ++i) w->runtime->barrier();
}

// for schedule(static) of one iteration per thread, with its barrier.
void static_loops(Work* w) {
  const Runtime& r = *w->runtime;
  const int32_t gtid = r.gtid(&g_ident);
  for (int i = 0; i < w->repeats; ++i) {
    int32_t last = 0;
    int64_t lower = 0, upper = w->threads - 1, stride = 1;
    r.static_init(&g_ident, gtid, 34, &last, &lower, &upper, &stride, 1, 1);
    r.static_fini(&g_ident, gtid);
    r.kmpc_barrier(&g_ident, gtid);
  }
}

// for schedule(dynamic, 1) of one chunk per thread, with its barrier.
void dynamic_loops(Work* w) {
  long begin, end;
  for (int i = 0; i < w->repeats; ++i) {
    if (w->runtime->dynamic_start(0, w->threads, 1, 1, &begin, &end))
      while (w->runtime->dynamic_next(&begin, &end)) {}
    w->runtime->loop_end();
  }
}

// The end of a reduction over one double, with its barrier.
void reductions(Work* w) {
  static int32_t lock[8];
  static double sum;
  const Runtime& r = *w->runtime;
  const int32_t gtid = r.gtid(&g_ident);
  double mine = 1;
  void* list[] = {&mine};
  for (int i = 0; i < w->repeats; ++i) {
    auto add = [](void* to, void* from) { **static_cast<double**>(to) += **static_cast<double**>(from); };
    const int32_t how = r.reduce(&g_ident, gtid, 1, sizeof list, list, add, lock);
    if (how == 1) sum += mine;
    else if (how == 2)
      __atomic_fetch_add(reinterpret_cast<int64_t*>(&sum), 1, __ATOMIC_RELAXED);  // costs as much as the sum would
    if (how == 1 || how == 2) r.end_reduce(&g_ident, gtid, lock);
    mine = 1;
  }
}

void regions(Work* w) {
  for (int i = 0; i < w->repeats; ++i) w->runtime->parallel(nothing, nullptr, unsigned(w->threads), 0);
}

void in_team(void* data) {
  auto* w = static_cast<Work*>(data);
  w->body(w);
}

struct Construct {
  const char* name;
  void (*body)(Work*);  // by a team of their own
};
constexpr Construct kConstructs[] = {
    {"barrier", barriers}, {"for_static", static_loops}, {"for_dynamic", dynamic_loops}, {"reduction", reductions}};

// One team of n, and nested: `outer` threads, each with a team of `inner`.
void measure_flat(const Runtime& r, int n, double seconds, Machine* m) {
  Work w{&r, n, 0, nullptr};
  put(m, text("parallel_ns_%d_threads", n), least_ns(seconds, [&](int repeats) {
        w.repeats = repeats;
        regions(&w);
      }));
  for (const Construct& c : kConstructs)
    put(m, text("%s_ns_%d_threads", c.name, n), least_ns(seconds, [&](int repeats) {
          w.repeats = repeats;
          w.body = c.body;
          r.parallel(in_team, &w, unsigned(n), 0);
        }));
}

void inner_team(Work* w) { w->runtime->parallel(in_team, static_cast<void*>(w + 1), unsigned(w->threads), 0); }

void measure_nested(const Runtime& r, int outer, int inner, double seconds, Machine* m) {
  // An outer thread's work, then its inner team's.
  Work w[2] = {{&r, inner, 0, inner_team}, {&r, inner, 0, nullptr}};
  auto put_nested = [&](const char* what, Work* of) {
    put(m, text("nested_%s_ns_%dx%d_threads", what, outer, inner), least_ns(seconds, [&](int repeats) {
          w[0].repeats = w[1].repeats = repeats;
          r.parallel(in_team, of, unsigned(outer), 0);
        }));
  };
  r.set_levels(2);
  w[1].body = regions;
  put_nested("parallel", w + 1);
  for (const Construct& c : kConstructs) {
    w[1].body = c.body;
    put_nested(c.name, w);
  }
  r.set_levels(1);
}

}  // namespace

bool measure_runtime(const std::string& path, Machine* m, Measuring* how, std::string* why) {
  // The library reads the environment when it is loaded. It is to be measured with its defaults, on this computer.
  for (const char* name :
       {"EINKORN_MACHINE", "EINKORN_RECORD", "OMP_DISPLAY_ENV", "OMP_TOOL_LIBRARIES", "OMP_THREAD_LIMIT", "OMP_DYNAMIC",
        "OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "OMP_WAIT_POLICY", "EINKORN_SCHEDULE", "EINKORN_LOOP",
        "OMP_MAX_ACTIVE_LEVELS", "OMP_CANCELLATION"})
    unsetenv(name);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *why = dlerror();
    return false;
  }
  Runtime r{};
  const char* missing = "";
  if (!r.find(library, &missing)) {
    *why = text("%s is not an OpenMP library: it has no %s", path.c_str(), missing);
    return false;
  }
  std::vector<int> teams{2};
  if (m->cores > 2) teams.push_back(m->cores);
  const double share = how->seconds * 0.1 / double(teams.size() + 1) / double(1 + std::size(kConstructs));
  for (size_t k = 0; k < teams.size(); ++k) {
    how->step(0.88 + 0.06 * double(k) / double(teams.size()), "regions, barriers, loops, reductions");
    measure_flat(r, teams[k], share, m);
  }
  // One outer thread per node, each with a team of that node's size; on a single node two, which share the cores.
  const int nodes = int(nodes_with_cpus(*m).size()), outer = nodes > 1 ? nodes : 2;
  how->step(0.94, "nested regions");
  measure_nested(r, outer, std::max(2, m->cores / outer), share, m);
  measure_moves(library, m, how);
  return true;
}

}  // namespace einkorn::machine
