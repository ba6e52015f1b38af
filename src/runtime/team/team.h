// Parallel regions: teams, the threads that serve them, and the way in and out.
#pragma once
#include "runtime/settings/icv.h"
#include "runtime/types.h"

namespace einkorn::runtime {

// A combined construct's loop, set up before the threads start (GOMP_parallel_loop_*).
struct FirstLoop {
  LoopKind kind;
  bool monotonic;
  int64_t lower, upper, increment;
  uint64_t iterations, chunk;
  bool sections = false;
  bool is_free = false;  // its schedule is left to us
};

// Runs fn(data) on a team; returns when the region's final barrier is complete. num_threads 0: as the control variables
// say, 1: the calling thread alone. reductions: gcc's descriptor of reduction(task, ...). Returns the team's size.
// free: its instances are what fn runs, if it has as many threads; Team::free says so.
int parallel(Worker* w, void (*fn)(void*), void* data, int num_threads, const void* function, Caller caller,
             uint16_t site_flags, const FirstLoop* loop = nullptr, uintptr_t* reductions = nullptr,
             const FreeInstances* free = nullptr);

// The pieces of parallel(), for entry points that return between begin and end (GOMP_parallel_start,
// __kmpc_serialized_parallel). The calling thread is inside the region between them.
struct Region {
  Team* team;
  Team* outer_team;
  Slot* outer_slot;
  Task* outer_task;
  int outer_num;
  WorkShareView outer_view;
  Region* outer;
};
void region_begin(Worker* w, Region* r, void (*fn)(void*), void* data, int num_threads, const void* function,
                  Caller caller, uint16_t site_flags, const FirstLoop* loop = nullptr, uintptr_t* reductions = nullptr,
                  bool league = false, const FreeInstances* free = nullptr);
void region_end(Worker* w, Region* r);

// num_threads(strict: asked): a region got fewer threads. Says so, by the clause's message (nullptr: ours), and ends
// the program where the clause says that it is fatal.
void fewer_than_strict(int asked, int got, bool is_fatal, const char* message);

// A team of the calling thread alone, for a region of another kind: the caller sets levels, control variables and
// group. n: its size, as the program sees it; the thread is on all of its slots in turn.
Team* enter_region(Worker* w, Region* r, int n = 1);
// keeps: the team is the caller's until it is released.
void leave_region(Worker* w, Region* r, bool keeps = false);
void release_team(Worker* w, Team* team);
// What constructs and tasks of the region before have left in the team.
void reset_team(Team* team);

// Room for a Region on the worker's list of open ones; pop_region() drops the innermost, after region_end().
Region* push_region(Worker* w);
void pop_region(Worker* w);

// As many threads as a region gets that is encountered now, but for limits of how many there may be. asked 0: as the
// control variables say.
int threads_of_region(const Worker* w, int asked);

// omp_* queries.
int ancestor_thread_num(const Worker* w, int level);
int ancestor_team_size(const Worker* w, int level);

}  // namespace einkorn::runtime
