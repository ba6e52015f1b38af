// omp_*: queries and settings of OpenMP 5.1 chapter 3, in C and (name_) for Fortran, which passes by reference and has
// variants for 8-byte integers (name_8_).
#include <ctime>

#include "abi/abi.h"
#include "runtime/settings/icv.h"
#include "runtime/task/target.h"
#include "runtime/places/places.h"
#include "runtime/team/team.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;

namespace {

int max_threads(Worker* w) {
  const Icv& v = icv(w);
  return v.num_threads > 0 ? v.num_threads : g_procs;
}

int max_active_levels(Worker* w) { return icv(w).max_active_levels; }

constexpr int kSupportedLevels = 0x7fffffff;

// kmp_sched_t: beyond OpenMP's kinds.
constexpr unsigned kLlvmTrapezoidal = 101, kLlvmStaticSteal = 102;

void set_schedule(unsigned kind, int chunk) {
  unsigned plain = kind & ~kMonotonic;
  if (plain == kLlvmTrapezoidal) plain = unsigned(LoopKind::trapezoidal);
  else if (plain == kLlvmStaticSteal) plain = unsigned(LoopKind::dynamic);
  else if (plain < 1 || plain > 4) return;
  change_icv(self(), [&](Icv& v) {
    v.run_schedule.kind = LoopKind(plain);
    v.run_schedule.monotonic = kind & kMonotonic;
    // A chunk below 1 means the default of the kind.
    v.run_schedule.chunk = chunk >= 1                                                                       ? chunk
                           : plain == unsigned(LoopKind::static_) || plain == unsigned(LoopKind::automatic) ? 0
                                                                                                            : 1;
  });
}

void get_schedule(unsigned* kind, int* chunk) {
  const LoopSchedule& r = icv(self()).run_schedule;
  *kind = (r.kind == LoopKind::trapezoidal ? kLlvmTrapezoidal : unsigned(r.kind)) | (r.monotonic ? kMonotonic : 0);
  *chunk = r.chunk;
}

// Once threads are bound, the calling thread's mask says where it is, no longer what the process may use.
int num_procs() { return g_places.count > 0 || g_model ? g_procs : einkorn::base::allowed_cpus(); }

double wtime() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return double(ts.tv_sec) + 1e-9 * double(ts.tv_nsec);
}

double wtick() {
  timespec ts;
  clock_getres(CLOCK_MONOTONIC, &ts);
  return double(ts.tv_sec) + 1e-9 * double(ts.tv_nsec);
}

}  // namespace

// A query: C name, Fortran name, and its value with `w` at hand.
#define EK_QUERY(type, name, value)      \
  EK_EXPORT type name() {                \
    [[maybe_unused]] Worker* w = self(); \
    return value;                        \
  }                                      \
  EK_EXPORT type name##_() { return name(); }

EK_EXPORT int omp_get_thread_num() {
  t_here.asked |= einkorn::record::kAskedNumber;
  return t_here.thread_num;
}
EK_EXPORT int omp_get_thread_num_() { return omp_get_thread_num(); }
EK_EXPORT int omp_get_num_threads() {
  t_here.asked |= einkorn::record::kAskedThreads;
  return t_here.threads;
}
EK_EXPORT int omp_get_num_threads_() { return omp_get_num_threads(); }
EK_QUERY(int, omp_get_max_threads, max_threads(w))
EK_QUERY(int, omp_get_num_procs, num_procs())
EK_QUERY(int, omp_in_parallel, w->team->active_level > 0)
EK_QUERY(int, omp_get_dynamic, icv(w).dynamic)
EK_QUERY(int, omp_get_nested, max_active_levels(w) > 1)
EK_QUERY(int, omp_get_thread_limit, icv(w).thread_limit)
EK_QUERY(int, omp_get_max_active_levels, max_active_levels(w))
EK_QUERY(int, omp_get_supported_active_levels, kSupportedLevels)
EK_QUERY(int, omp_get_level, w->team->level)
EK_QUERY(int, omp_get_active_level, w->team->active_level)
EK_QUERY(int, omp_in_final, (w->current->flags & kTaskFinal) != 0)
EK_QUERY(int, omp_in_explicit_task, !(w->current->flags & kTaskImplicit))
EK_QUERY(int, omp_get_max_task_priority, g_config.max_task_priority)
EK_QUERY(int, omp_get_cancellation, g_config.cancellation)
EK_QUERY(int, omp_get_num_teams, w->team->group->num_teams)
EK_QUERY(int, omp_get_team_num, w->team->group->team_num)
EK_QUERY(int, omp_get_max_teams, g_num_teams.load(std::memory_order_relaxed))
EK_QUERY(int, omp_get_teams_thread_limit, g_teams_thread_limit.load(std::memory_order_relaxed))
EK_QUERY(double, omp_get_wtime, wtime())
EK_QUERY(double, omp_get_wtick, wtick())

namespace {
// Fortran programs with 8-byte integers: what does not fit must not become another number.
int narrow(int64_t n) { return n > INT_MAX ? INT_MAX : n < INT_MIN ? INT_MIN : int(n); }
}  // namespace

// Queries with an argument.
EK_EXPORT int omp_get_ancestor_thread_num(int level) { return ancestor_thread_num(self(), level); }
EK_EXPORT int omp_get_ancestor_thread_num_(const int* level) { return omp_get_ancestor_thread_num(*level); }
EK_EXPORT int omp_get_ancestor_thread_num_8_(const int64_t* level) {
  return omp_get_ancestor_thread_num(narrow(*level));
}
EK_EXPORT int omp_get_team_size(int level) { return ancestor_team_size(self(), level); }
EK_EXPORT int omp_get_team_size_(const int* level) { return omp_get_team_size(*level); }
EK_EXPORT int omp_get_team_size_8_(const int64_t* level) { return omp_get_team_size(narrow(*level)); }

// Settings. Out-of-range values are ignored, as the specification allows for some and both peers do for all.
EK_EXPORT void omp_set_num_threads(int n) {
  if (n > 0) change_icv(self(), [&](Icv& v) { v.num_threads = n; });
}
EK_EXPORT void omp_set_num_threads_(const int* n) { omp_set_num_threads(*n); }
EK_EXPORT void omp_set_num_threads_8_(const int64_t* n) { omp_set_num_threads(narrow(*n)); }

EK_EXPORT void omp_set_dynamic(int on) {
  change_icv(self(), [&](Icv& v) { v.dynamic = on != 0; });
}
EK_EXPORT void omp_set_dynamic_(const int* on) { omp_set_dynamic(*on); }
EK_EXPORT void omp_set_dynamic_8_(const int64_t* on) { omp_set_dynamic(*on != 0); }

EK_EXPORT void omp_set_max_active_levels(int levels) {
  if (levels >= 0) change_icv(self(), [&](Icv& v) { v.max_active_levels = levels; });
}
EK_EXPORT void omp_set_max_active_levels_(const int* levels) { omp_set_max_active_levels(*levels); }
EK_EXPORT void omp_set_max_active_levels_8_(const int64_t* levels) { omp_set_max_active_levels(narrow(*levels)); }

EK_EXPORT void omp_set_nested(int on) {
  // OpenMP 5.1, 3.2.9: true gives at least two levels, false one.
  change_icv(self(), [&](Icv& v) {
    if (!on) v.max_active_levels = 1;
    else if (v.max_active_levels <= 1) v.max_active_levels = kSupportedLevels;
  });
}
EK_EXPORT void omp_set_nested_(const int* on) { omp_set_nested(*on); }
EK_EXPORT void omp_set_nested_8_(const int64_t* on) { omp_set_nested(*on != 0); }

EK_EXPORT void omp_set_schedule(unsigned kind, int chunk) { set_schedule(kind, chunk); }
EK_EXPORT void omp_set_schedule_(const unsigned* kind, const int* chunk) { set_schedule(*kind, *chunk); }
EK_EXPORT void omp_set_schedule_8_(const unsigned* kind, const int64_t* chunk) { set_schedule(*kind, narrow(*chunk)); }
EK_EXPORT void omp_get_schedule(unsigned* kind, int* chunk) { get_schedule(kind, chunk); }
EK_EXPORT void omp_get_schedule_(unsigned* kind, int* chunk) { get_schedule(kind, chunk); }
EK_EXPORT void omp_get_schedule_8_(unsigned* kind, int64_t* chunk) {
  int narrow;
  get_schedule(kind, &narrow);
  *chunk = narrow;
}

EK_EXPORT void omp_set_num_teams(int n) {
  if (n >= 0) g_num_teams.store(n, std::memory_order_relaxed);
}
EK_EXPORT void omp_set_num_teams_(const int* n) { omp_set_num_teams(*n); }
EK_EXPORT void omp_set_num_teams_8_(const int64_t* n) { omp_set_num_teams(narrow(*n)); }

EK_EXPORT void omp_set_teams_thread_limit(int n) {
  if (n >= 0) g_teams_thread_limit.store(n, std::memory_order_relaxed);
}
EK_EXPORT void omp_set_teams_thread_limit_(const int* n) { omp_set_teams_thread_limit(*n); }
EK_EXPORT void omp_set_teams_thread_limit_8_(const int64_t* n) { omp_set_teams_thread_limit(narrow(*n)); }

// kind: omp_pause_resource_t, 1 soft, 2 hard. Both end the threads that wait, with their threadprivate variables.
EK_EXPORT int omp_pause_resource_all(int kind) {
  Worker* w = self();
  return (kind == 1 || kind == 2) && end_idle_threads(w) ? 0 : -1;
}
EK_EXPORT int omp_pause_resource_all_(const int* kind) { return omp_pause_resource_all(*kind); }
EK_EXPORT int omp_get_num_devices();
EK_EXPORT int omp_pause_resource(int kind, int device) {
  int devices = omp_get_num_devices();
  if (device == kDeviceDefault) device = icv(self()).default_device;
  if (device == devices || device == -1) return omp_pause_resource_all(kind);  // -1: omp_initial_device
  return device >= 0 && device < devices && kind >= 1 && kind <= 2 ? 0 : -1;
}
EK_EXPORT int omp_pause_resource_(const int* kind, const int* device) { return omp_pause_resource(*kind, *device); }
EK_EXPORT int __kmpc_pause_resource(int kind) { return omp_pause_resource_all(kind); }

EK_EXPORT void omp_display_env(int verbose) { config_display(verbose != 0); }
EK_EXPORT void omp_display_env_(const int* verbose) { omp_display_env(*verbose); }
EK_EXPORT void omp_display_env_8_(const int64_t* verbose) { omp_display_env(*verbose != 0); }

// The same under the names that LLVM gives C functions which Fortran overloads.
EK_EXPORT void ompc_set_num_threads(int n) { omp_set_num_threads(n); }
EK_EXPORT void ompc_set_dynamic(int on) { omp_set_dynamic(on); }
EK_EXPORT void ompc_set_nested(int on) { omp_set_nested(on); }
EK_EXPORT void ompc_set_max_active_levels(int levels) { omp_set_max_active_levels(levels); }
EK_EXPORT void ompc_set_schedule(unsigned kind, int chunk) { set_schedule(kind, chunk); }
EK_EXPORT int ompc_get_ancestor_thread_num(int level) { return ancestor_thread_num(self(), level); }
EK_EXPORT int ompc_get_team_size(int level) { return ancestor_team_size(self(), level); }
