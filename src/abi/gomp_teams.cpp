// gcc's teams. libgomp 12: teams.c for the host's, target.c for those in target regions.
#include "abi/abi.h"
#include "runtime/team/league.h"

using namespace einkorn::abi;

namespace {

int clause(unsigned value) { return value > 0x7fffffffu ? 0x7fffffff : int(value); }

}  // namespace

EK_EXPORT void GOMP_teams_reg(void (*fn)(void*), void* data, unsigned num_teams, unsigned thread_limit, unsigned) {
  // One after another: gcc's code was made for a library that does it so.
  run_league(self(), {fn, data, clause(num_teams), 3, clause(thread_limit), false, reinterpret_cast<const void*>(fn),
                      EK_CALLER, 0});
}

EK_EXPORT bool GOMP_teams4(unsigned least, unsigned, unsigned thread_limit, bool first) {
  return next_target_team(self(), first, clause(least), clause(thread_limit));
}

// gcc before 12: one team.
EK_EXPORT void GOMP_teams(unsigned, unsigned thread_limit) { limit_threads(self(), clause(thread_limit)); }
