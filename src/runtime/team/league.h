// Initial teams other than the process's: those of a league (teams), and target regions that the host runs (OpenMP 5.1,
// 2.7 and 2.14). In each a thread is an initial thread: number 0 of one, at level 0, in a contention group of its own.
//
// How a league runs: gcc's teams one after another on the thread that encounters them, as in libgomp; clang's at once
// on as many threads as there are CPUs: team n begins on thread n, then each takes the next when it is done with one.
// Teams cannot wait for each other, so that any number of them is served, and none gets fewer than its share of CPUs:
// where teams run at once, regions inside have that many threads fewer.
#pragma once
#include "runtime/team/team.h"

namespace einkorn::runtime {

struct InitialTeam {
  Region region;
  ContentionGroup group;
};

// The calling thread is in an initial team between these. icv: of its initial task. forked_at: see
// tool::initial_team_begin.
void initial_begin(Worker* w, InitialTeam* t, uint32_t icv, int num_teams, int team_num,
                   const Caller* forked_at = nullptr);
void initial_end(Worker* w, InitialTeam* t, const Caller* forked_at = nullptr);

struct League {
  void (*fn)(void*);
  void* data;
  int teams;         // how many; 0: as OMP_NUM_TEAMS says, else `unsaid`
  int unsaid;        // as many as the compiler's own library makes: a program can see the number
  int thread_limit;  // of each; 0: none given, OMP_TEAMS_THREAD_LIMIT counts
  bool at_once;
  const void* function;  // for recording, as parallel() takes them
  Caller caller;
  uint16_t site_flags;
};
void run_league(Worker* w, const League& league);

// How many teams num_teams(least: most) gives, clang's: of those between the two as many as run at once. 0: not given.
int teams_between(int least, int most);

// The thread limit of the teams, or of the target region, that the thread is in; 0: none given.
void limit_threads(Worker* w, int limit);

// gcc's teams in a target region: the program itself calls its code for one team after the other, as often as this says
// so. The region is an initial team's already (target.h). first: before the first one, with the clauses' values (0: not
// given), else false after the last one. One is enough where no lower bound is given, whatever OMP_NUM_TEAMS allows:
// they run one after another.
bool next_target_team(Worker* w, bool first, int least, int thread_limit);

}  // namespace einkorn::runtime
