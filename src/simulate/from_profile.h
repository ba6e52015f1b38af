// A recorded program as the simulator's.
//
// What is taken over: every task with its execution, in the order of its creations and waits; dependences; regions with
// what each member did between barriers; loops with their chunks; where locks were taken and released, if the profile
// has that (LoadOptions::lock_points). What is not: the runtime's own time (the replay has costs of its own) and the
// time that locks were waited for (the replay has its own).
//
// Memory: where a task named what it touches (Footprints), the part of its time that was memory's is what its bytes
// take in a replay of the recorded order, each thread on a core of its own of one node (split_times); its accesses
// stand on its longest stretch. Where a source line got slower with more threads in a second recording, its part
// follows from that (inflation.h). Of the rest nobody knows: Step::memory is kUnknown.
#pragma once
#include "machine/types.h"
#include "profile/touches.h"
#include "profile/types.h"
#include "simulate/types.h"

namespace einkorn::simulate {

// What if the program were another?
struct Change {
  // By source (an index of Profile::sources): the time of its grains is divided by this; empty: 1 for all. A task's
  // line is that of its construct, a chunk's that of its loop, a share's that of its region.
  std::vector<double> speedup;
  // Tasks nested deeper than this are calls in the task that would have created them. Those with dependences stay
  // tasks.
  uint32_t cutoff = kNone;
  // By source: the part of its grains' time that was memory's, where a second recording told (inflation.h); kUnknown
  // elsewhere. Empty: nowhere.
  std::vector<float> memory;
  std::vector<double> longer;  // by source: how many times as long its grains take (inflation.h); empty: 1 for all
  // Whose caches and bandwidths the recorded times are taken apart by. nullptr: footprints are not looked at.
  const machine::Machine* recorded_on = nullptr;
  const std::vector<profile::Touch>* touches = nullptr;  // of profile::LoadOptions, or none
};

// Are its grains' times what such grains take? Their work was off the CPU for 5 % at most, and the clock did not jump.
// As on another machine, or where threads waited for a CPU between grains, what happens at the same time means nothing
// (Profile::times_valid); a replay takes nothing from it but how long each grain ran.
bool grain_times_valid(const profile::Profile& profile);

// Of the work in regions, the part in grains that are perturbed (shorter than ten times what recording one takes), in
// tasks that are nested so deep at least; 0: in all grains. Their times are the recorder's as much as theirs: upper
// bounds.
double perturbed_share(const profile::Profile& profile, uint32_t depth = 0);
// Likewise in grains whose time Change::speedup divides.
double perturbed_share(const profile::Profile& profile, const std::vector<double>& speedup);

// The threads that the recorded times were taken with: the largest team.
uint32_t recorded_threads(const profile::Profile& profile);

// With the recorded team sizes. Needs the profile's graph. Empty `error`: all is well.
Program from_profile(const profile::Profile& profile, const Change& change, std::string& error);

// The same program with so many members in every outermost region of more than one, or that was recorded with one
// thread. Between two barriers
//   * loops are shared by all members, by their schedules; of a static loop of which one chunk a thread is known, the
//     chunks are cut so that the work stays where it was in the loop; a guided one's are cut as so many threads get
//     them;
//   * what members did without making tasks or waiting is taken for a loop that nobody could see (gcc's schedule(static)) and
//     cut likewise, but for one member's part that is nearly all of it: that was a single construct, and stays one;
//   * a member that made tasks goes on doing what it did.
//
// A region whose threads have asked neither for their number nor for how many they are (Region::plain): what members
// did outside of loops all did, and do. `alike`: also where that is not known, as they have asked for their number
// alone. A region for which the program names the number of threads keeps it, if there are as many.
Program with_members(const Program& program, uint32_t members, bool alike = false);

}  // namespace einkorn::simulate
