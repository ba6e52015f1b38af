#include "runtime/sync/barrier.h"

#include "runtime/observe/events.h"
#include "runtime/sync/help.h"
#include "runtime/task/cancel.h"

namespace einkorn::runtime {

namespace {

bool no_tasks(const Team* team, int n) {
  return no_tasks(team, n, [](int) { return true; });
}

// By the only thread of a team that has slots for more.
struct ForTasks {
  static constexpr bool kAnyTask = true;
  Team* team;
  bool may_take(const Slot*) const { return true; }
  bool done() const { return no_tasks(team, team->n); }
  bool ended() const { return done(); }
  void arm() {}
  void disarm() {}
};

// The groups of a thread in Team::groups, from its neighbours' upwards.
struct Groups {
  Groups(const Team* team, const Slot* slot) : team(team), index(int(slot - team->slots)) {}
  Team::Group* group() const { return &team->groups[first + index / g_arrivals_a_line]; }
  void up() {
    room = groups_of(room);
    first += room;
    index /= g_arrivals_a_line;
  }
  const Team* team;
  int index;                  // among those that gather at this level
  int first = 0;              // of this level's groups
  int room = team->capacity;  // for so many who gather there
};

// A thread may be late to see that its barrier is over: by then the next region may run on the same team, with another
// size. So it works with the size that it arrived with, and completes with one compare-and-swap of generation and
// count.
struct ForBarrier {
  static constexpr bool kAnyTask = true;
  static constexpr int kLevels = 16;  // more than any team has, even of two a line
  Team* team;
  const Slot* slot;
  uint32_t generation;
  int n;
  const Values* values = nullptr;         // of a reduction
  bool recorded = false;                  // a recording's barriers have all tasks before them
  const Team::Group* waits_in = nullptr;  // where it has gathered with its neighbours, and was not the last
  int passed = 0;                         // levels at which it was the last
  bool done() {
    uint64_t now = team->barrier.load(std::memory_order_acquire);
    if (uint32_t(now >> 32) != generation) return true;
    if (uint32_t(now) != uint32_t(n) || !no_tasks(team, n)) return false;
    complete(now);
    return true;
  }
  // The barrier is over, if it still is in that state.
  bool complete(uint64_t now) {
    // Release: what all did before they arrived, for those who see the new generation. seq_cst: the fence below.
    if (!team->barrier.compare_exchange_strong(now, uint64_t(generation + 1) << 32, std::memory_order_seq_cst))
      return false;
    if (passed > 0) pass_on();
    fence_after_update();  // orders the store of barrier before the load of idle; pairs with heavy_fence() in sleep()
    if (parked(team->idle.load(std::memory_order_relaxed))) ring();
    return true;
  }
  // Only the thread that ended it gets here: so no number is rung twice. If it comes late, others may sleep already
  // after this barrier, for whatever: they are taken too, and woken for nothing.
  void ring() { flow::wake_group(*team, n, generation + 1, member_of(team)); }
  // The last one ends it in one step, where there are no tasks: else the line would travel between the two, to who
  // looks at it meanwhile. True: over.
  bool arrive() {
    uint32_t arrived = 1;
    // Where cancellation is enabled some of a group may be inside the region while others are here.
    if ((gathers(n) || values) && !g_config.cancellation && (arrived = gather()) == 0) return false;
    fetch_to_write(&team->barrier);
    uint64_t now = team->barrier.load(std::memory_order_acquire);
    // Who comes with all values comes last: tasks may go on, as a reduction waits for none.
    const bool waits_for_tasks = (!values || recorded) && team->has_tasks.load(std::memory_order_acquire);
    if (uint32_t(now) + arrived == uint32_t(n) && !waits_for_tasks && complete(now)) return true;
    // Release: all that this thread did, its counts of tasks among it, for who completes the barrier.
    team->barrier.fetch_add(arrived, std::memory_order_acq_rel);
    return false;
  }
  // With its neighbours, and as their last one with the neighbours of these. How many threads it stands for in the end;
  // 0: others will. At levels where only those with values gather nobody else keeps `released`: there the team's word
  // tells.
  [[gnu::noinline]] uint32_t gather() {
    const int line = g_arrivals_a_line;
    Groups at(team, slot);
    int block = 1;                                 // threads for each of those who gather at this level
    void* list = values ? values->list : nullptr;  // of the first of those that it stands for
    // Until few are left for the team's word, where the last ones of all groups wait; with values until one is left.
    for (int all = n; values ? all > 1 : gathers(all); at.up(), all = groups_of(all), block *= line) {
      const int begin = at.index - at.index % line, members = all - begin < line ? all - begin : line;
      Team::Group* g = at.group();
      if (values) g->values[at.index - begin] = list;
      // Release: all that this thread did, for the last one, who passes it on: hence acquire.
      if (g->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != uint32_t(members))
        return waits_in = gathers(all) ? g : nullptr, 0;
      passed += gathers(all);
      if (values) {
        list = g->values[0];
        for (int i = 1; i < members; ++i) values->combine(list, g->values[i]);
      }
      g->arrived.store(0, std::memory_order_relaxed);  // before the next barrier can be entered
    }
    const int begin = at.index * block;
    return uint32_t(n - begin < block ? n - begin : block);
  }
  // It is over, and this thread knows: those who wait for it are to know, the ones that stand for many first.
  [[gnu::noinline]] void pass_on() {
    Groups at(team, slot);
    Team::Group* mine[kLevels];
    for (int level = 0; level < passed; ++level, at.up()) mine[level] = at.group();
    // Release: what all did before they arrived; pairs with soon_over().
    for (; passed > 0; --passed) mine[passed - 1]->released.store(generation + 1, std::memory_order_release);
  }
  bool ended() const { return uint32_t(team->barrier.load(std::memory_order_acquire) >> 32) != generation; }
  // A thread that is late to leave a barrier must not start tasks of what comes after it: these were pushed after the
  // generation changed, so whoever sees them sees that too.
  bool may_take(const Slot* own) const {
    return uint32_t(team->barrier.load(std::memory_order_relaxed) >> 32) == own->generation;
  }
  void arm() {}
  void disarm() {}
};

// The barrier inside a region where cancellation is enabled: see Team::inner_barrier for what is always true.
struct ForInnerBarrier {
  static constexpr bool kAnyTask = true;
  Team* team;
  int n;
  uint32_t generation;
  bool may_leave;     // at once when the region is cancelled, else with all the others that are left
  bool left = false;  // without the others
  // Orders of inner_barrier: as of Team::barrier, above.
  // Enters: the generation is what is there now, which is not the next after the last that this thread has passed when
  // it left that one early.
  ForInnerBarrier(Worker* w, bool leave)
      : team(w->team),
        n(team->n),
        generation(uint32_t(team->inner_barrier.fetch_add(1, std::memory_order_acq_rel) >> 32)),
        may_leave(leave) {}
  bool may_take(const Slot*) const {
    return uint32_t(team->inner_barrier.load(std::memory_order_relaxed) >> 32) == generation;
  }
  bool ended() const { return uint32_t(team->inner_barrier.load(std::memory_order_acquire) >> 32) != generation; }
  bool done() {
    if (left) return true;  // asked again: we are off it already
    uint64_t now = team->inner_barrier.load(std::memory_order_acquire);
    for (;;) {
      if (uint32_t(now >> 32) != generation) return true;
      bool cancelled = region_cancelled(team);
      if (cancelled && may_leave) {
        if (!team->inner_barrier.compare_exchange_strong(now, now - 1, std::memory_order_acq_rel)) continue;
        return left = true;
      }
      // Those in the last barrier stay there while we are here, so an old number of them is too small at worst. Its
      // arrivals in a cancelled region wake us.
      uint32_t ended = cancelled ? uint32_t(team->barrier.load(std::memory_order_acquire)) : 0;
      if (uint32_t(now) + ended != uint32_t(n)) return false;
      if (!cancelled && !no_tasks(team, n)) return false;
      if (team->inner_barrier.compare_exchange_strong(now, uint64_t(generation + 1) << 32, std::memory_order_acq_rel))
        break;
    }
    full_fence();  // orders the store of inner_barrier before the load of idle; pairs with heavy_fence() in sleep()
    if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, n);
    return true;
  }
  void arm() {}
  void disarm() {}
};

}  // namespace

// Pauses: some microseconds, and more where more have to come. Behind them a thread counts as searching, in words
// that others write, too.
static int soon(int n) { return 100 + 16 * n; }

// What who waits in a barrier sees: it is over; it may not be while there are tasks; or nothing, for so many pauses.
enum class Seen : uint8_t { nothing, over, tasks };

// Acquire: pairs with the release in ForBarrier::complete(), and in pass_on().
static Seen look(const ForBarrier& wait, int pauses) {
  const Team* team = wait.team;
  const uint32_t generation = wait.generation, n = uint32_t(wait.n);
  // The team's word is for the last ones of the groups: a look of all threads at it would delay each that arrives.
  for (int i = 0; wait.waits_in && i < pauses; ++i) {
    for (int look = 0; look < kLooksPerPause; ++look) {
      // Of this barrier, or a later one that the team has been through since.
      if (int32_t(wait.waits_in->released.load(std::memory_order_acquire) - generation) > 0) return Seen::over;
      if (look == 0) pause();
    }
    if (team->has_tasks.load(std::memory_order_relaxed)) return Seen::tasks;
  }
  for (int i = 0; !wait.waits_in && i < pauses; ++i) {
    for (int look = 0; look < kLooksPerPause; ++look) {
      uint64_t now = team->barrier.load(std::memory_order_acquire);
      if (uint32_t(now >> 32) != generation) return Seen::over;
      if (uint32_t(now) == n) return Seen::tasks;  // the last came when there were some
      if (look == 0) pause();
    }
    if (team->has_tasks.load(std::memory_order_relaxed)) return Seen::tasks;
  }
  return Seen::nothing;
}

// Most barriers are over soon, and without tasks: one word tells, which nobody writes but those who arrive. True: over.
// False also where tasks are to be run.
static bool soon_over(const ForBarrier& wait) {
  const Team* team = wait.team;
  const int first = looks_at_once(team);
  if (const Seen seen = look(wait, first); seen != Seen::nothing) return seen == Seen::over;
  if (EK_LIKELY(!may_yield(team))) return spin_rounds(team) > 0 && look(wait, soon(wait.n) - first) == Seen::over;
  bool over = false;
  yield_until([&] {
    uint64_t now = team->barrier.load(std::memory_order_acquire);
    over = uint32_t(now >> 32) != wait.generation;
    return over || uint32_t(now) == uint32_t(wait.n) || team->has_tasks.load(std::memory_order_relaxed);
  });
  return over;
}

// values: of a reduction, or nullptr.
__attribute__((always_inline)) static inline void arrive_and_wait(Worker* w, const Values* values) {
  Team* team = w->team;
  Slot* slot = w->slot;
  check_barrier(w);
  ForBarrier wait{team, slot, slot->generation, team->n, values, w->stream != nullptr};
  bool over = wait.arrive();
  if (EK_UNLIKELY(g_config.cancellation) && !over && region_cancelled(team)) {
    full_fence();  // orders the arrival before the load of idle; pairs with heavy_fence() in sleep()
    if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, wait.n);
  }
  // A recorder is told of every wait.
  if (!over && (w->stream || !soon_over(wait))) help_until(w, wait);
  if (wait.passed > 0) wait.pass_on();
  slot->generation = wait.generation + 1;
}

void last_barrier(Worker* w) {
  Team* team = w->team;
  if (team->n == 1 && no_tasks(team, 1)) return;
  arrive_and_wait(w, nullptr);
}

namespace {
// false: left early, as the region is cancelled.
bool inner_barrier(Worker* w, bool may_leave) {
  Team* team = w->team;
  if (may_leave && region_cancelled(team)) return false;
  if (team->n == 1 && no_tasks(team, 1)) return true;
  ForInnerBarrier wait(w, may_leave);
  help_until(w, wait);
  return !wait.left;
}
}  // namespace

void barrier(Worker* w) {
  if (EK_LIKELY(!g_config.cancellation)) return last_barrier(w);
  inner_barrier(w, false);
}

void barrier(Worker* w, record::Construct construct, Caller ra, uint16_t site_flags) {
  if (EK_LIKELY(w->stream == nullptr)) return barrier(w);
  observe::Wait wait(w, construct, site_flags, ra);
  barrier(w);
}

void reducing_barrier(Worker* w, const Values& values, record::Construct construct, Caller ra, uint16_t site_flags) {
  EK_ASSERT(w->team->groups != nullptr && !g_config.cancellation);
  observe::Wait wait(w, construct, site_flags, ra);
  arrive_and_wait(w, &values);
}

bool cancellable_barrier(Worker* w, record::Construct construct, Caller ra, uint16_t site_flags) {
  if (!g_config.cancellation) {
    barrier(w, construct, ra, site_flags);
    return false;
  }
  bool all;
  {
    observe::Wait wait(w, construct, site_flags, ra);
    all = inner_barrier(w, true);
  }
  return !all || region_cancelled(w->team);
}

void wait_for_tasks(Worker* w) {
  ForTasks wait{w->team};
  if (!wait.done()) help_until(w, wait);
}

}  // namespace einkorn::runtime
