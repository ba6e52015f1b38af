// Regions of a procedure's instances (ek_run()).
//
// Pinned: a parallel region, instance i on thread i; giving way is a barrier, or a taskwait. Free ones are run by all
// threads of a team (moving.h) while they are worth waking these for. One that is not is run by its caller alone: the
// caller takes the slots of a team one after the other, as if it were their thread, and goes from one EK_SYNC to the
// next with all of them.
#pragma once
#include "codelet/procedure.h"

namespace einkorn::codelet {

// Of a region of threads, which runs on the calling one; for messages.
inline constinit thread_local const Instance* t_region_instance = nullptr;

// As ek_run(). Fewer instances if OpenMP gives fewer threads.
void run(const Procedure* p, const void* frame, int instances, Caller caller);

// Instances of the procedure on `asked` threads, each on its own. Returns how long all of them were at work, ticks, if
// that is measured.
uint64_t run_on_team(Worker* w, const Procedure* p, const void* frame, int n, int asked, bool measures, Caller caller);

// As ek_post().
void post(const Instance& self);

// As ek_static(). False: the instance has none of them.
bool static_part_of(const Instance& self, int64_t begin, int64_t end, int64_t* from, int64_t* to);

}  // namespace einkorn::codelet
