// Internal control variables of a data environment (OpenMP 5.1, 2.4): immutable blocks shared by all tasks that have the
// same values; a task holds an index. Setting one finds or makes the block with the new value.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

struct Icv {
  int num_threads = 0;        // of the next region; 0: as many as CPUs
  int max_active_levels = 1;
  int thread_limit = 0x7fffffff;
  int default_device = 0;
  LoopSchedule run_schedule;
  bool dynamic = false;
};

inline constexpr uint32_t kMaxIcvs = 1 << 20;
extern Icv* g_icvs[kMaxIcvs >> 10];   // blocks of 1,024: entries never move

inline const Icv& icv(uint32_t index) { return g_icvs[index >> 10][index & 1023]; }
inline const Icv& icv(const Worker* w) { return icv(w->current->icv); }

uint32_t intern_icv(const Icv&);
uint32_t initial_icv();       // from the environment

template <class Change>
void change_icv(Worker* w, Change&& change) {
  Icv next = icv(w);
  change(next);
  w->current->icv = intern_icv(next);
}

}  // namespace einkorn::runtime
