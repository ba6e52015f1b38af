// Threads of a team that got onto one CPU. On a machine that others use, too, two of them that wait for each other all
// the time can stay on one CPU until the program ends: each sleeps while the other runs, and so to the system neither
// CPU looks busier than the other. They then run in turn. Who is about to wait moves to another CPU itself, once; where
// it runs afterwards is for the system to say, as before.
#pragma once
#include "base/cpus.h"
#include "runtime/types.h"

namespace einkorn::runtime {

// The CPU nearest behind `here`, in a circle, that is in `allowed` and not in `taken`; -1: there is none.
int next_free_cpu(const base::CpuSet& allowed, const base::CpuSet& taken, int here);

// Worker::cpu, for the others of its team: where it runs now. After each sleep, and before it.
void tell_cpu(Worker* w);

// The calling thread is about to sleep, and others have had its CPU of late; or it is new. If another thread of its
// team is awake and was last seen on its CPU, and there are CPUs for all of the team, it goes to one where none of
// these was seen. Some 20 us, and no more often than tunables::kMoveAgain. The thread's mask is the same afterwards.
void move_apart(Worker* w);

}  // namespace einkorn::runtime
