// Threads of a team that got onto one CPU. On a machine that others use, too, two of them that wait for each other all
// the time can stay on one CPU until the program ends: each sleeps while the other runs, and so to the system neither
// CPU looks busier than the other. They then run in turn. And a new thread often begins on its maker's CPU, until the
// system moves one of the two at its next ticks. Such a thread moves to another CPU itself, once; where it runs
// afterwards is for the system to say, as before.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// Worker::whereabouts, for the others of its team: where it runs now. Around each sleep in a team, after one
// between teams, and before threads are made.
void tell_cpu(Worker* w);
// The CPU that the calling thread runs on; -1: unknown.
int this_cpu();
// Was it on another CPU than this one when it last said? True where one of the two is unknown.
bool was_elsewhere(const Worker& w, int cpu);

// The calling thread is new, or is about to sleep where others have had its CPU of late. If another thread of its team
// is awake and was on its CPU just now, and there are CPUs for all of the team and for all that the program has
// at work, it goes to one where none of these was; which, of several, is the system's choice. Some 50 us, and no more
// often than tunables::kMoveAgain. Not where a filter of system calls may forbid it, as some end the process. Its mask
// is the same afterwards, but for what others make of it meanwhile.
void move_apart(Worker* w);
// The calling thread is new, in a team with more threads than CPUs, at most kMostByCpu by CPU: likewise it goes to a
// CPU that has fewer of these than its own. What the system makes of four on two CPUs is three and one more often than
// not, for tens of milliseconds. Some KB of stack, as a thread has that begins.
void spread_out(Worker* w);

}  // namespace einkorn::runtime
