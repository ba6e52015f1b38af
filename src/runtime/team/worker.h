// Threads: how they come to OpenMP, what they wait for between regions, and what they do. How they are made, kept and
// ended, whatever they do, stands in flow/workers.h.
#pragma once
#include "base/cpus.h"
#include "flow/workers.h"
#include "runtime/types.h"

namespace einkorn::runtime {

// Once, when the library is loaded: environment, fences, clock, recorder, and the loading thread as the initial one.
void runtime_init();

// The threads that are made for regions, and all that flow/workers.h knows of them.
struct OmpThreads {
  using Worker = runtime::Worker;
  static flow::Workers<OmpThreads>& workers();
  static Worker* worker(int i) { return g_workers[i]; }
  static Worker* make(int id, bool ours);
  static void begins(Worker* w);
  static flow::Sleepers wait(Worker* w);
  static void wake(const Team* team, flow::Sleepers those);
  static void run(Worker* w, Team* team, int num);
  static void leaves(Worker* w);
  static void halts(Worker* w);  // a tool ends, which hears of it
  static void stack_refused(size_t bytes);
};
extern flow::Workers<OmpThreads> g_threads;
inline flow::Workers<OmpThreads>& OmpThreads::workers() { return g_threads; }

// `count` threads between regions, into out[]; makes new ones where there are too few. Returns how many it got.
int take_threads(Worker** out, int count);
void give_back_threads(Worker** threads, int count);

// Ends the threads that wait for work of the calling one's top-level regions, and those between regions of others, with
// the destructors of their thread-local and threadprivate objects. false: the calling thread is in a region.
// (omp_pause_resource)
bool end_idle_threads(Worker* w);
// The same when the process ends, in programs of clang's: as libomp does it. libgomp leaves its threads alone.
void end_threads_at_exit();
// A tool ends: threads of ours between regions say so to it and end. Others go on unseen.
void end_told_threads();

// Sets what each of `threads` does next and wakes those that sleep. The team is set up completely before.
void assign(Team* team, int n);

// The calling thread, which the runtime has made to run target tasks (helpers.h), becomes a worker in a team of its
// own, and ends.
Worker* attach_helper();
void leave_helper(Worker* w);

Team* new_team(int capacity);
// For the region that begins next on it. Atomic: a thread that is late to leave the one before may still read it.
inline void choose_fences(Team* team) {
  if (EK_UNLIKELY(!is_asymmetric())) team->fenced.store(true, std::memory_order_relaxed);
}
void enter_serial_team(Worker* w);

// CPUs that the process could use when the library was loaded: what decides how long to spin.
extern int g_cpus;
// CPUs that the program sees: the same, or those of EINKORN_MACHINE. What decides how many threads there are.
extern int g_procs;
extern base::CpuSet g_initial_cpus;
// Threads of all teams, ours and foreign: bounded by thread-limit-var.
extern std::atomic<int> g_busy_threads;
// Threads of the program's own that have come to OpenMP, and live: the initial one, and others that it made.
int root_threads();

}  // namespace einkorn::runtime
