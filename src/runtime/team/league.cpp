#include "runtime/team/league.h"

#include "runtime/team/implicit.h"
#include "runtime/places/places.h"
#include "runtime/observe/tool.h"
#include "runtime/settings/icv.h"
#include "runtime/sync/barrier.h"
#include "runtime/team/worker.h"

namespace einkorn::runtime {

namespace {

struct Run {
  const League* league;
  uint32_t icv;
  std::atomic<int> next;
};

void run_team(Worker* w, const Run& run, int num) {
  InitialTeam t;
  const Caller* forked_at = run.league->site_flags & record::kSiteClang ? &run.league->caller : nullptr;
  initial_begin(w, &t, run.icv, run.league->teams, num, forked_at);
  run.league->fn(run.league->data);
  initial_end(w, &t, forked_at);
}

// What each thread does where teams run at once.
void take_teams(void* data) {
  Run& run = *static_cast<Run*>(data);
  Worker* w = self();
  // With places a team's is known before: consecutive teams to neighbouring places.
  if (g_places.count > 0) {
    int64_t teams = run.league->teams, n = w->team->n, t = w->thread_num;
    for (int64_t i = t * teams / n; i < (t + 1) * teams / n; ++i) run_team(w, run, int(i));
    return;
  }
  // The first by number, so that each thread has one, whoever comes first.
  const int n = w->team->n;
  run_team(w, run, w->thread_num);
  for (int i; (i = n + run.next.fetch_add(1, std::memory_order_relaxed)) < run.league->teams;) run_team(w, run, i);
}

}  // namespace

void initial_begin(Worker* w, InitialTeam* t, uint32_t icv, int num_teams, int team_num, const Caller* forked_at) {
  t->group.num_teams = num_teams;
  t->group.team_num = team_num;
  Team* outer = w->team;
  Team* team = enter_region(w, &t->region);
  team->level = team->active_level = 0;
  team->depth = outer->depth;
  team->nested_count = 0;
  team->icv = icv;
  team->group = &t->group;
  // A foreign or the initial thread that has nothing above it but initial teams is where its crew waits. In a league at
  // once it has them too: the league's threads come from the pool.
  team->for_crew = outer->for_crew || (outer->league && !w->ours && outer->outer->for_crew);
  team->region_id = outer->region_id;
  team->function = outer->function;
  stand_in(w, team, 0, &team->slots[0]);
  w->slot->place = w->place;
  w->slot->first_place = t->region.outer_slot->first_place;
  w->slot->places = t->region.outer_slot->places;
  w->slot->deque.init(team->fenced.load(std::memory_order_relaxed));
  w->slot->generation = team->generation;
  start_implicit_task(w, team);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::initial_team_begin(w, team, num_teams, team_num, forked_at);
}

void initial_end(Worker* w, InitialTeam* t, const Caller* forked_at) {
  last_barrier(w);  // detached tasks may be left
  end_implicit_task(w);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::initial_team_end(w, w->team, t->group.team_num, forked_at);
  leave_region(w, &t->region);
}

void run_league(Worker* w, const League& asked) {
  League league = asked;
  if (league.teams <= 0) league.teams = g_num_teams.load(std::memory_order_relaxed);
  if (league.teams <= 0) league.teams = league.unsaid;
  if (league.thread_limit <= 0) league.thread_limit = g_teams_thread_limit.load(std::memory_order_relaxed);
  Run run{&league, w->current->icv, {0}};
  Icv inner = icv(w);
  if (league.thread_limit > 0) inner.thread_limit = league.thread_limit;
  int threads = !league.at_once || w->team->level > 0 ? 1 : league.teams < g_procs ? league.teams : g_procs;
  if (threads > 1) {
    int each = (inner.num_threads > 0 ? inner.num_threads : g_procs) / threads;
    inner.num_threads = each > 0 ? each : 1;
  }
  run.icv = intern_icv(inner);
  if (threads == 1) {
    // A region to a tool, though there is none for us.
    uint64_t told = 0;
    if (EK_UNLIKELY(w->tool != nullptr))
      tool::league_begin(w, &told, league.teams, league.site_flags & record::kSiteClang, league.caller);
    for (int i = 0; i < league.teams; ++i) run_team(w, run, i);
    if (EK_UNLIKELY(w->tool != nullptr)) tool::league_end(w, league.site_flags & record::kSiteClang, league.caller);
    return;
  }
  Region r;
  region_begin(w, &r, take_teams, &run, threads, league.function, league.caller, league.site_flags, nullptr, nullptr,
               true);
  take_teams(&run);
  region_end(w, &r);
}

int teams_between(int least, int most) {
  if (least == 0) least = most;
  if (most < least) return least;
  return g_procs < least ? least : g_procs > most ? most : g_procs;
}

void limit_threads(Worker* w, int limit) {
  if (limit > 0) change_icv(w, [=](Icv& v) { v.thread_limit = limit; });
}

bool next_target_team(Worker* w, bool first, int least, int thread_limit) {
  ContentionGroup* g = w->team->group;
  if (!first && ++g->team_num < g->num_teams) return true;
  g->num_teams = 1;
  g->team_num = 0;
  if (!first) return false;
  limit_threads(w, thread_limit ? thread_limit : g_teams_thread_limit.load(std::memory_order_relaxed));
  if (least > 0) g->num_teams = least;
  return true;
}

}  // namespace einkorn::runtime
