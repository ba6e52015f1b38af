// gcc's teams. libgomp 12: teams.c for the host's, target.c for those in target regions.
#include "abi/abi.h"
#include "runtime/settings/icv.h"
#include "runtime/team/league.h"

using namespace einkorn::abi;

namespace {

int clause(unsigned value) { return value > 0x7fffffffu ? 0x7fffffff : int(value); }

void limit_threads(Worker* w, unsigned limit) {
  if (limit) change_icv(w, [=](Icv& v) { v.thread_limit = clause(limit); });
}

}  // namespace

EK_EXPORT void GOMP_teams_reg(void (*fn)(void*), void* data, unsigned num_teams, unsigned thread_limit, unsigned) {
  // One after another: gcc's code was made for a library that does it so.
  run_league(self(), {fn, data, clause(num_teams), clause(thread_limit), false, reinterpret_cast<const void*>(fn),
                      EK_CALLER, 0});
}

// teams in a target region: the program itself calls its code as often as this says so. The region is an initial team's
// already (target.h), and its thread takes the teams one after another.
EK_EXPORT bool GOMP_teams4(unsigned least, unsigned most, unsigned thread_limit, bool first) {
  Worker* w = self();
  ContentionGroup* g = w->team->group;
  if (first) {
    limit_threads(w, thread_limit ? thread_limit : unsigned(g_teams_thread_limit.load(std::memory_order_relaxed)));
    // Without a clause both are 0.
    int wanted = least ? clause(least) : most ? 1 : g_num_teams.load(std::memory_order_relaxed);
    g->num_teams = wanted > 0 ? wanted : 1;
    g->team_num = 0;
    return true;
  }
  if (++g->team_num < g->num_teams) return true;
  g->num_teams = 1;
  g->team_num = 0;
  return false;
}

// gcc before 12: one team.
EK_EXPORT void GOMP_teams(unsigned, unsigned thread_limit) { limit_threads(self(), thread_limit); }
