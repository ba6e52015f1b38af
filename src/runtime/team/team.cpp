#include "runtime/team/team.h"

#include <algorithm>
#include <sched.h>

#include "runtime/task/cancel.h"
#include "runtime/task/depend.h"
#include "runtime/task/footprint.h"
#include "runtime/team/implicit.h"
#include "runtime/task/inline.h"
#include "runtime/team/placed.h"
#include "runtime/places/places.h"
#include "runtime/sync/apart.h"
#include "runtime/sync/reduction.h"
#include "runtime/loop/share.h"
#include "runtime/observe/observers.h"
#include "runtime/observe/regions.h"
#include "runtime/team/valid.h"
#include "runtime/sync/barrier.h"
#include "runtime/team/worker.h"
#include "runtime/tuned/tuned.h"

namespace einkorn::runtime {

void start_implicit_task(Worker* w, Team* team) {
  Slot* slot = w->slot;
  Task* t = &slot->implicit;
  t->parent = nullptr;
  t->record_id = 0;
  t->depth = 0;
  t->owner.store(w->id, std::memory_order_relaxed);
  const bool fences = !kWatched && team->fenced.load(std::memory_order_relaxed);  // more than fast_fence()
  bool slow_path =
      team->n == 1 || g_config.cancellation || fences || g_prioritizes || team->placed.load(std::memory_order_relaxed);
  bool recorded = w->stream && !w->tool && !slow_path && !g_footprints;
  const int flags = kTaskImplicit | (recorded ? kTaskRecorded : 0) | (slow_path || w->stream ? kTaskSlowPath : 0);
  reset_slot(slot, team->icv, uint16_t(flags));
  if (EK_UNLIKELY(w->hints != nullptr)) forget_hints(w, t);
  w->view = WorkShareView{};
  w->current = t;
  EK_ASSERT(slot_is_valid(*slot));
}

void enter_team(Worker* w, Team* team, int num) {
  stand_in(w, team, num, &team->slots[num]);
  w->slot->deque.init(team->fenced.load(std::memory_order_relaxed));
  set_limit(w);
  EK_ASSERT(team->generation == uint32_t(team->barrier.load(std::memory_order_relaxed) >> 32));
  w->slot->generation = team->generation;
  start_implicit_task(w, team);
  if (EK_UNLIKELY(g_affinity_asked)) take_place(w);
  if (w->stream) observe::implicit_begins(w, team);
  if (team->first_share_open) open_first_share(w);
}

void end_implicit_task(Worker* w) {
  if (EK_UNLIKELY(w->slot->implicit.group != nullptr)) drop_open_groups(w);
  if (EK_UNLIKELY(w->slot->implicit.flags & kTaskExtra)) release_implicit_extra(w, w->slot);
  EK_ASSERT(slot_is_done(*w->slot));
}

void finish_implicit_task(Worker* w, Team* team) {
  const observe::LastBarrier observed(w, team);
  EK_ASSERT(slot_is_valid(*w->slot));
  last_barrier(w);
  end_implicit_task(w);
}

void run_implicit_task(Worker* w, Team* team) {
  observe::calls_program(w, __builtin_frame_address(0), nullptr);
  team->fn(team->data);
  finish_implicit_task(w, team);
}

void leave_team(Team* team) {
  // Release orders all this thread's accesses to the team before its reuse (acquire in reusable()).
  team->departed.fetch_add(1, std::memory_order_release);
}

namespace {

int threads_wanted(const Worker* w) { return icv(w).num_threads > 0 ? icv(w).num_threads : g_procs; }

}  // namespace

int threads_of_region(const Worker* w, int asked) {
  const Icv& v = icv(w);
  if (asked == 1) return 1;
  if (w->team->active_level >= v.max_active_levels) return 1;
  int n = asked > 0 ? asked : threads_wanted(w);
  if (v.dynamic && n > g_procs) n = g_procs;
  return n > kMaxWorkers - 1 ? kMaxWorkers - 1 : n;
}

namespace {

// What a region asks for where there are hints. OpenMP 5.1, 2.6.1: without a num_threads clause the number is that of
// nthreads-var. Where the program has not set that itself it is the user's, or ours; fewer than
// omp_get_max_threads() says is within what that promises. With a clause, dyn-var has to be true for fewer.
int advised_threads(const Worker* w, const hints::Hint* h, int asked) {
  if (asked == 1 || h->threads == 0) return asked;
  const Config& c = g_config;
  const Icv& v = icv(w);
  const int level = c.num_threads_levels > 1 ? std::min(w->team->level, c.num_threads_levels - 1) : 0;
  if (!h->bold && !v.dynamic && (asked > 0 || v.num_threads != c.num_threads[level])) {
    hint_is_refused(h, "the program itself says how many threads the region has; bold in its line overrules that");
    return asked;
  }
  return std::min(threads_of_region(w, asked), int(h->threads));
}

// 2.6.2: without a proc_bind clause the policy comes from bind-var, which is the user's, or ours. Where threads are not
// bound at all a clause counts for nothing, and so does a hint.
ProcBind advised_bind(const Worker* w, const hints::Hint* h) {
  if (h->bind == hints::Bind::unchanged) return w->pushed_bind;
  if (w->pushed_bind != ProcBind::off && !h->bold) {
    hint_is_refused(h, "the region has a proc_bind clause; bold in its line overrules that");
    return w->pushed_bind;
  }
  if (!g_affinity_asked || icv(w).proc_bind == ProcBind::off)
    hint_is_refused(h, "threads are not bound. \"set OMP_PROC_BIND=spread\", a line by itself, binds them");
  switch (h->bind) {
    case hints::Bind::unchanged: break;
    case hints::Bind::primary: return ProcBind::primary;
    case hints::Bind::close: return ProcBind::close;
    case hints::Bind::spread: return ProcBind::spread;
  }
  return w->pushed_bind;
}

// Both; how many threads the region asks for.
EK_NOINLINE int take_advice(Worker* w, const void* function, int asked) {
  const hints::Hint* h = hint_for(hints::Construct::region, function);
  if (h == nullptr) return asked;
  w->pushed_bind = advised_bind(w, h);
  return advised_threads(w, h, asked);
}

// Counts up to `wanted` more threads where `counter` is compared with `most`, in one step: regions may begin at the
// same time. Returns how many.
int count_up_to(std::atomic<int>& counter, int most, int wanted) {
  int alive = counter.load(std::memory_order_relaxed), got;
  do {
    const int more = most - alive;
    got = wanted < more ? wanted : more > 0 ? more : 0;
  } while (!counter.compare_exchange_weak(alive, alive + got, std::memory_order_relaxed));
  return got;
}

// Threads that a region gets if it is encountered now. All but the calling one are counted as busy from here on, and
// where there is a limit in the contention group too: *counted of them.
int reserve_threads(Worker* w, int asked, int* counted) {
  *counted = 0;
  const Icv& v = icv(w);
  Team* outer = w->team;
  int n = threads_of_region(w, asked);
  if (n == 1) return 1;
  if (EK_UNLIKELY(v.thread_limit != 0x7fffffff)) {
    *counted = count_up_to(outer->group->threads, v.thread_limit, n - 1);
    n = *counted + 1;
  }
  // KMP_DEVICE_THREAD_LIMIT is of the process: the program's own threads and those of all its teams, leagues' too.
  if (EK_UNLIKELY(g_config.device_thread_limit != 0x7fffffff)) {
    const int got = count_up_to(g_busy_threads, g_config.device_thread_limit - root_threads(), n - 1);
    if (*counted > got) outer->group->threads.fetch_sub(*counted - got, std::memory_order_relaxed);
    *counted = std::min(*counted, got);
    return got + 1;
  }
  if (n > 1) g_busy_threads.fetch_add(n - 1, std::memory_order_relaxed);
  return n;
}

// Acquire: the last accesses of who has left; pairs with leave_team().
bool reusable(const Team* t) { return t->crew || t->departed.load(std::memory_order_acquire) == t->n - 1; }

Team* acquire_team(Worker* w, int n, bool crew) {
  for (Team** at = &w->free_teams; *at; at = &(*at)->next_free) {
    Team* t = *at;
    // A team of one takes any; others must match, so that slots keep their threads.
    if (t->capacity >= n && t->crew == crew && reusable(t)) {
      *at = t->next_free;
      return t;
    }
  }
  Team* t = new_team(n);
  t->crew = crew;
  return t;
}

// Atomic: a thread that is late to leave the team may be looking for sleepers (barrier.cpp). Release: what the
// structure was made with; pairs with worker_of().
void set_worker(Slot& slot, Worker* w) { std::atomic_ref<Worker*>(slot.worker).store(w, std::memory_order_release); }

bool is_new(const Worker* taken) { return taken->team == nullptr; }

// Fills slots 1 .. n-1 with threads; returns the size that could be had. new_ones: how many of them run their first
// region; of a team without a crew only where it has more threads than CPUs, as else nobody needs it.
int staff(Worker* w, Team* team, int n, int& new_ones) {
  if (team->crew) {
    if (w->crew_size < n - 1) {
      tell_cpu(w);  // to those that begin
      if (w->crew_room < n - 1) {
        auto** more = static_cast<Worker**>(realloc(w->crew, sizeof(Worker*) * size_t(n - 1)));
        if (!more) fatal("out of memory: list of %d threads", n - 1);
        w->crew = more;
        w->crew_room = n - 1;
      }
      w->crew_size += take_threads(w->crew + w->crew_size, n - 1 - w->crew_size);
    }
    if (n - 1 > w->crew_size) n = w->crew_size + 1;
    if (team->staffed_by != w->crews) team->staffed_by = w->crews, team->staffed = 1;
    for (int& i = team->staffed; i < n; ++i) {  // the others are not written: a thread late to leave may read them
      new_ones += is_new(w->crew[i - 1]);
      set_worker(team->slots[i], w->crew[i - 1]);
    }
    return n;
  }
  const bool counts = n > team->cpus;  // to look is a line's travel for each
  for (int have = 1; have < n;) {
    Worker* some[32];
    int wanted = n - have < 32 ? n - have : 32, got = take_threads(some, wanted);
    for (int i = 0; i < got; ++i) {
      new_ones += counts && is_new(some[i]);
      set_worker(team->slots[have++], some[i]);
    }
    if (got < wanted) return have;
  }
  return n;
}

// num_threads with a list counts for the regions inside, too.
void take_list(Worker* w, Team* team, Icv& inner) {
  const Team* outer = team->outer;
  team->nested = w->nested_count ? w->nested : outer->nested + 1;
  team->nested_count = w->nested_count ? w->nested_count : outer->nested_count - 1;
  w->nested_count = 0;
  if (team->nested_count > 0) inner.num_threads = team->nested[0];
}

uint32_t implicit_icv(Worker* w, Team* team, ProcBind policy) {
  const Config& c = g_config;
  int level = team->level;
  bool list = w->nested_count + team->outer->nested_count > 0;
  team->nested_count = 0;
  const bool sent = icv(w).child_domain >= 0;  // that is for the task's own children
  if (EK_LIKELY(!list && c.num_threads_levels <= 1 && !g_affinity_asked && !sent)) return w->current->icv;
  Icv inner = icv(w);
  inner.child_domain = -1;
  if (list) take_list(w, team, inner);
  else if (c.num_threads_levels > 1)
    inner.num_threads = c.num_threads[level < c.num_threads_levels ? level : c.num_threads_levels - 1];
  inner.proc_bind = inner_policy(policy, level);
  return intern_icv(inner);
}

// With another size other threads gather for its barriers. What those groups were told last may be so long ago that the
// generation has come round: they are told of the latest.
void set_size(Team* team, int n) {
  team->n = n;
  if (EK_LIKELY(team->groups == nullptr || team->gathered == n)) return;
  team->gathered = n;
  // Release: a thread that is late in the last barrier may leave it by this; the caller has left it.
  for (int i = 0; i < team->group_count; ++i)
    team->groups[i].released.store(team->generation, std::memory_order_release);
}

// A team of n for a region that w encounters, with all that does not depend on what kind of region it is.
Team* prepare(Worker* w, Region* r, int n, bool crew) {
  Team* outer = w->team;
  Team* team = acquire_team(w, n, crew);
  choose_fences(team);
  r->team = team;
  r->outer_team = outer;
  r->outer_slot = w->slot;
  r->outer_task = own_task(w);  // calls below it are none of the region's (Worker::calls)
  r->outer_num = w->thread_num;
  r->outer_view = w->view;
  team->outer = outer;
  team->outer_thread_num = w->thread_num;
  team->outer_task = w->current;
  team->counted = 0;
  team->for_crew = team->league = team->first_share_open = false;
  EK_ASSERT(team->free == nullptr);
  team->generation = uint32_t(team->barrier.load(std::memory_order_relaxed) >> 32);
  team->reductions = nullptr;
  team->departed.store(0, std::memory_order_relaxed);
  reset_team(team);
  if (team->slots[0].worker != w) set_worker(team->slots[0], w);
  if (EK_UNLIKELY(g_config.cancellation)) reset_cancellation(team);
  return team;
}

}  // namespace

void release_team(Worker* w, Team* t) {
  t->next_free = w->free_teams;
  w->free_teams = t;
}

void reset_team(Team* team) {
  team->executed_elsewhere.store(0, std::memory_order_relaxed);
  if (team->has_tasks.load(std::memory_order_relaxed)) {
    team->has_tasks.store(false, std::memory_order_relaxed);
    for (int i = 0; i <= (team->capacity - 1) / 64; ++i) team->slots_with_tasks[i].store(0, std::memory_order_relaxed);
  }
  team->single.store(0, std::memory_order_relaxed);
  reset_shares(team);
}

Team* enter_region(Worker* w, Region* r, int n) {
  Team* team = prepare(w, r, n, false);
  set_size(team, n);
  for (int i = 1; i < n; ++i)
    if (team->slots[i].worker != w) set_worker(team->slots[i], w);
  if (EK_UNLIKELY(g_places_tasks)) choose_placed(team, n);
  return team;
}

void leave_region(Worker* w, Region* r, bool keeps) {
  stand_in(w, r->outer_team, r->outer_num, r->outer_slot);
  w->current = r->outer_task;
  w->view = r->outer_view;
  if (!keeps) release_team(w, r->team);
}

void region_begin(Worker* w, Region* r, void (*fn)(void*), void* data, int num_threads, const void* function, Caller ra,
                  uint16_t site_flags, const FirstLoop* loop, uintptr_t* reductions, bool league,
                  const FreeInstances* free) {
  record::Stream* s = w->stream;
  uint64_t t0 = s ? ticks() : 0;
  Team* outer = w->team;
  int counted;
  const int asks = EK_UNLIKELY(g_tuned) && !league ? take_advice(w, function, num_threads) : num_threads;
  int n = reserve_threads(w, asks, &counted);
  Team* team = prepare(w, r, n, n > 1 && outer->for_crew && !league);
  int new_ones = 0;
  if (n > 1) {
    int reserved = n;
    n = staff(w, team, n, new_ones);
    if (EK_UNLIKELY(n < reserved)) {
      g_busy_threads.fetch_sub(reserved - n, std::memory_order_relaxed);
      if (counted) outer->group->threads.fetch_sub(reserved - n, std::memory_order_relaxed), counted -= reserved - n;
    }
  }
  team->fn = fn;
  team->function = function;
  team->clang = site_flags & record::kSiteClang;
  team->data = data;
  if (EK_UNLIKELY(free != nullptr) && free->n == n) team->free = free;
  set_size(team, n);
  team->level = outer->level + 1;
  team->active_level = outer->active_level + (n > 1);
  team->depth = outer->depth + 1;
  team->league = league;
  ProcBind policy = ProcBind::off;
  if (EK_UNLIKELY(g_affinity_asked)) {
    // Each initial team gets a part of the places for itself.
    policy = league ? g_config.teams_bind : region_policy(w, w->pushed_bind);
    place_team(w, r->outer_slot, team, n, policy);
  }
  w->pushed_bind = ProcBind::off;
  if (EK_UNLIKELY(g_places_tasks)) choose_placed(team, n);
  team->icv = implicit_icv(w, team, policy);
  team->group = outer->group;
  team->counted = counted;
  if (EK_UNLIKELY(reductions != nullptr)) team->reductions = new_team_reductions(reductions, n);
  team->first_share_open = loop != nullptr;
  if (s) {
    const int asked = num_threads > 0 ? num_threads : threads_wanted(w);
    observe::region_begins(w, team, t0, asked, num_threads > 0, function, ra, site_flags);
  }
  if (loop) {
    const record::Construct kind = loop->sections ? record::Construct::sections : record::Construct::loop;
    set_up_first_share(team, *loop, s ? s->site(kind, site_flags, function, ra) : 0, ra);
  }
  EK_ASSERT(team_is_fresh(team));
  if (EK_UNLIKELY(n > team->cpus)) team->unseen.store(new_ones, std::memory_order_relaxed);
  if (n > 1) assign(team, n);
  // The system often has a new thread begin on this CPU, once it is free: then it goes to another one (move_apart()).
  if (EK_UNLIKELY(new_ones) && team->crew && n <= team->cpus) sched_yield();
  enter_team(w, team, 0);
}

void region_end(Worker* w, Region* r) {
  Team* team = r->team;
  finish_implicit_task(w, team);
  EK_ASSERT(team_is_valid(team));
  int n = team->n;
  if (n > 1) {
    g_busy_threads.fetch_sub(n - 1, std::memory_order_relaxed);
    if (EK_UNLIKELY(team->counted > 0)) team->group->threads.fetch_sub(team->counted, std::memory_order_relaxed);
    if (!team->crew)
      for (int i = 1; i < n; ++i) give_back_threads(&team->slots[i].worker, 1);
  }
  if (EK_UNLIKELY(team->free != nullptr)) team->free = nullptr;
  leave_region(w, r);
  if (w->stream) observe::region_ends(w, team);
}

Region* push_region(Worker* w) {
  auto* r = static_cast<Region*>(malloc(sizeof(Region)));
  if (!r) fatal("out of memory: parallel region");
  r->outer = w->open_regions;
  w->open_regions = r;
  return r;
}

void pop_region(Worker* w) {
  Region* r = w->open_regions;
  w->open_regions = r->outer;
  free(r);
}

int parallel(Worker* w, void (*fn)(void*), void* data, int num_threads, const void* function, Caller ra,
             uint16_t site_flags, const FirstLoop* loop, uintptr_t* reductions, const FreeInstances* free) {
  Region r;
  region_begin(w, &r, fn, data, num_threads, function, ra, site_flags, loop, reductions, false, free);
  int n = r.team->n;
  observe::calls_program(w, __builtin_frame_address(0), nullptr);
  fn(data);
  region_end(w, &r);
  return n;
}

namespace {
// The team at nesting `level` around w, and w's ancestor's number in it; nullptr if there is none.
const Team* team_at(const Worker* w, int level, int* num) {
  const Team* t = w->team;
  if (level < 0 || level > t->level) return nullptr;
  *num = w->thread_num;
  while (t->level > level) {
    *num = t->outer_thread_num;
    t = t->outer;
  }
  return t;
}
}  // namespace

int ancestor_thread_num(const Worker* w, int level) {
  int num;
  return team_at(w, level, &num) ? num : -1;
}

int ancestor_team_size(const Worker* w, int level) {
  int num;
  const Team* t = team_at(w, level, &num);
  return t ? t->n : -1;
}

EK_NOINLINE void fewer_than_strict(int asked, int got, bool is_fatal, const char* message) {
  if (!message) message = "num_threads(strict) asks for more threads than there are";
  if (is_fatal) fatal("%s (%d asked for, %d given)", message, asked, got);
  warn("%s (%d asked for, %d given)", message, asked, got);
}

}  // namespace einkorn::runtime
