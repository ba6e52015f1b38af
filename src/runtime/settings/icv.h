// Internal control variables of a data environment (OpenMP 5.1, 2.4): immutable blocks shared by all tasks that have
// the same values; a task holds an index. Setting one finds or makes the block with the new value.
#pragma once
#include "runtime/task/merged.h"
#include "runtime/types.h"

namespace einkorn::runtime {

struct Icv {
  int num_threads = 0;  // of the next region; 0: as many as CPUs
  int max_active_levels = 1;
  int thread_limit = 0x7fffffff;
  int default_device = 0;
  LoopSchedule run_schedule;
  bool dynamic = false;
  ProcBind proc_bind = ProcBind::off;  // of the next region
  // ompx_child_task_affinity: the domain where the task's children start, -1: none said. Theirs is always -1: a task
  // with one has without_domain, the index of the same values with -1, for them (take_hints()).
  int16_t child_domain = -1;
  uint32_t without_domain = 0;
  uintptr_t allocator = 1;  // def-allocator-var: belongs to the implicit task, see default_allocator()
};

inline constexpr uint32_t kMaxIcvs = 1 << 20;
extern Icv* g_icvs[kMaxIcvs >> 10];  // blocks of 1,024: entries never move

inline const Icv& icv(uint32_t index) { return g_icvs[index >> 10][index & 1023]; }
inline const Icv& icv(const Worker* w) { return icv(w->current->icv); }

// nteams-var and teams-thread-limit-var: one of each for the process; 0: not set.
extern std::atomic<int> g_num_teams, g_teams_thread_limit;

uint32_t intern_icv(const Icv&);
uint32_t initial_icv();  // from the environment

template <class Change>
void change_icv(Task* task, Change&& change) {
  Icv next = icv(task->icv);
  change(next);
  task->icv = intern_icv(next);
}
template <class Change>
void change_icv(Worker* w, Change&& change) {
  change_icv(own_task(w), change);
}

// The default allocator is the implicit task's, whatever explicit task asks (OpenMP 5.1, 3.13.4).
inline uintptr_t default_allocator(const Worker* w) { return icv(w->slot->implicit.icv).allocator; }
inline void set_default_allocator(Worker* w, uintptr_t handle) {
  const auto change = [=](Icv& v) { v.allocator = handle; };
  change_icv(&w->slot->implicit, change);
  // An instance that moves has an implicit task of its own (src/codelet/moving.h), whose regions inherit that one's.
  Task* t = w->current;
  while (t->parent) t = t->parent;
  if (t != &w->slot->implicit && t->owner.load(std::memory_order_relaxed) == w->id) change_icv(t, change);
}

void icv_after_fork();  // in the child: who held a lock is not there any more

}  // namespace einkorn::runtime
