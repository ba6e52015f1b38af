#include "runtime/wait.h"

#include "runtime/cancel.h"
#include "runtime/placed.h"
#include "runtime/urgent.h"
#include "runtime/tool.h"
#include "runtime/worker.h"

namespace einkorn::runtime {

namespace {

// What is waited for: done() is asked often, ended() more often: it looks at one word, and may say no. arm() and disarm()
// stand around a sleep, arm() before the heavy fence.

struct ForChildren {
  static constexpr bool kAnyTask = false;
  Task* task;
  bool done() const { return outstanding(task) == 0; }
  bool ended() const { return done(); }
  void arm() { task->refs.fetch_or(Task::kWaiting, std::memory_order_seq_cst); }
  void disarm() { task->refs.fetch_and(~Task::kWaiting, std::memory_order_relaxed); }
};

struct ForGroup {
  static constexpr bool kAnyTask = false;
  Taskgroup* group;
  int64_t waiter;  // what the calling thread adds to balance while it sleeps
  ForGroup(Worker* w, Taskgroup* g) : group(g), waiter((int64_t(w->id) + 1) << Taskgroup::kWaiterShift) {}
  bool done() const {
    return group->local + Taskgroup::count(group->balance.load(std::memory_order_acquire)) == 0;
  }
  bool ended() const { return done(); }
  void arm() { group->balance.fetch_add(waiter, std::memory_order_seq_cst); }
  void disarm() { group->balance.fetch_sub(waiter, std::memory_order_relaxed); }
};

// A dependence node of this thread: its predecessors have ended.
struct ForPredecessors {
  static constexpr bool kAnyTask = false;
  TaskExtra* node;
  bool done() const { return node->waits_for.load(std::memory_order_acquire) == 0; }
  bool ended() const { return done(); }
  void arm() {}
  void disarm() {}
};

struct ForEvent {
  static constexpr bool kAnyTask = false;
  TaskExtra* extra;
  bool done() const { return extra->event.load(std::memory_order_acquire) & kFulfilled; }
  bool ended() const { return done(); }
  void arm() { extra->event.fetch_or(kEventWaiter, std::memory_order_seq_cst); }
  void disarm() {}
};

// All tasks of the team have ended. True only after all threads have arrived at the barrier: then none makes tasks but
// from within a task. Executed first: a task that is counted there had counted its children as created before, so equal
// sums mean that at the time between the two readings nothing was outstanding (Mattern 1987, four-counter method with
// monotone counters).
bool no_tasks(const Team* team, int n) {
  if (!team->has_tasks.load(std::memory_order_acquire)) return true;
  uint64_t executed = team->executed_elsewhere.load(std::memory_order_acquire), created = 0;
  for (int i = 0; i < n; ++i) executed += team->slots[i].executed.load(std::memory_order_acquire);
  for (int i = 0; i < n; ++i) created += team->slots[i].created.load(std::memory_order_acquire);
  return executed == created;
}

// A thread may be late to see that its barrier is over: by then the next region may run on the same team, with another size.
// So it works with the size that it arrived with, and completes with one compare-and-swap of generation and count.
struct ForBarrier {
  static constexpr bool kAnyTask = true;
  Team* team;
  uint32_t generation;
  int n;
  bool done() {
    uint64_t now = team->barrier.load(std::memory_order_acquire);
    if (uint32_t(now >> 32) != generation) return true;
    if (uint32_t(now) != uint32_t(n) || !no_tasks(team, n)) return false;
    complete(now);
    return true;
  }
  // The barrier is over, if it still is in that state.
  bool complete(uint64_t now) {
    if (!team->barrier.compare_exchange_strong(now, uint64_t(generation + 1) << 32, std::memory_order_seq_cst)) return false;
    fence_after_update();  // orders the store of barrier before the load of idle; pairs with heavy_fence() in sleep()
    if (parked(team->idle.load(std::memory_order_relaxed))) ring();
    return true;
  }
  // Only the thread that ended it gets here: so no number is rung twice, and what a sleeper read before it was taken is
  // another. If it comes late, others may sleep already after this barrier, for whatever: they are taken too, and woken for
  // nothing.
  void ring() {
    if (!g_waits_for_two) return wake_all(team, n);
    bool any = false;
    for (int i = 0; i < n; ++i) any |= take_from_sleep(team, worker_of(team->slots[i]));
    if (!any) return;
    team->bell.store(generation + 1, std::memory_order_release);
    futex_wake(&team->bell, INT_MAX);  // not n: who was woken by its own word counts as long as it has not run
  }
  // The last one ends it in one step, where there are no tasks: else the line would travel between the two, to who looks
  // at it meanwhile. True: over.
  bool arrive() {
    fetch_to_write(&team->barrier);
    uint64_t now = team->barrier.load(std::memory_order_acquire);
    if (uint32_t(now) + 1 == uint32_t(n) && !team->has_tasks.load(std::memory_order_acquire) && complete(now)) return true;
    team->barrier.fetch_add(1, std::memory_order_acq_rel);
    return false;
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
  // Enters: the generation is what is there now, which is not the next after the last that this thread has passed when it
  // left that one early.
  ForInnerBarrier(Worker* w, bool leave)
      : team(w->team), n(team->n), generation(uint32_t(team->inner_barrier.fetch_add(1, std::memory_order_acq_rel) >> 32)),
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
      // Those in the last barrier stay there while we are here, so an old number of them is too small at worst. Its arrivals
      // in a cancelled region wake us.
      uint32_t ended = cancelled ? uint32_t(team->barrier.load(std::memory_order_acquire)) : 0;
      if (uint32_t(now) + ended != uint32_t(n)) return false;
      if (!cancelled && !no_tasks(team, n)) return false;
      if (team->inner_barrier.compare_exchange_strong(now, uint64_t(generation + 1) << 32, std::memory_order_acq_rel)) break;
    }
    full_fence();  // orders the store of inner_barrier before the load of idle; pairs with heavy_fence() in sleep()
    if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, n);
    return true;
  }
  void arm() {}
  void disarm() {}
};

constexpr int kSteals = 32, kInOrder = 8;

// Has the victim created nothing for a while? Then its owner is deep in user code, or has no CPU. To take its tasks by force
// costs both some microseconds.
bool is_stuck(Worker* w, const Slot& victim) {
  constexpr uint64_t kWhile = 5000;  // ticks, roughly two microseconds
  Worker::Seen& seen = w->seen[(&victim - w->team->slots) % Worker::kSeen];
  uint64_t created = victim.created.load(std::memory_order_relaxed);
  if (seen.victim == &victim && seen.created == created) return ticks() - seen.since > kWhile;
  seen = {&victim, created, ticks()};
  return false;
}

// Tasks besides the one that the thief runs now: into its own queue, so that it takes them in the order they were made.
EK_NOINLINE void keep_stolen(Worker* w, Task** tasks, int count) {
  note_tasks(w);
  for (int i = 0; i < count; ++i) {
    __builtin_prefetch(tasks[i]);
    __builtin_prefetch(tasks[i] + 1);
  }
  while (count > 0) w->slot->deque.push(tasks[--count]);
  after_push(w);
}

// From an inbox, several at once, so that its lock is worth it: the others go to the own queue, youngest first.
template <class Allowed>
EK_NOINLINE Task* take_in_order(Worker* w, Inbox<Task>& inbox, int most, Allowed&& allowed, bool last) {
  Task* some[kInOrder];
  int count = inbox.take_some(some, most, allowed, last);
  for (int i = count; --i > 0;) w->slot->deque.push(some[i]);
  if (count > 1) note_tasks(w), after_push(w);
  return count > 0 ? some[0] : nullptr;
}

// Takes a task from the own queue or another's; with force also what its owner keeps to itself. The last search before a
// sleep waits for locks: a queue that another thief holds for a moment is not an empty one.
// Of tasks that stay it leaves word: Worker::refused and Worker::more.
template <class Wait>
Task* search(Worker* w, const Wait& wait, bool force, bool last = false) {
  Team* team = w->team;
  Slot* own = w->slot;
  Task* constraint = w->current;
  auto allowed = [=, &wait]([[maybe_unused]] const Task* t) {
    if constexpr (Wait::kAnyTask) return wait.may_take(own);
    else return descends(t, constraint) || (w->refused = true, false);
  };
  if (EK_UNLIKELY(team->urgent_tasks.load(std::memory_order_acquire) != 0))
    if (Task* t = team->urgent->take(allowed, last)) return t;
  if (Task* t = own->deque.pop(constraint->base)) return t;
  if (!own->inbox.seems_empty())
    if (Task* t = take_in_order(w, own->inbox, kInOrder, allowed, last)) return t;
  if (!team->has_tasks.load(std::memory_order_relaxed)) return nullptr;
  if (EK_UNLIKELY(team->placed.load(std::memory_order_relaxed) != nullptr)) {
    auto may = [](const void* c, const Task* t) { return (*static_cast<decltype(allowed) const*>(c))(t); };
    return search_placed(w, may, &allowed, Wait::kAnyTask, last);
  }
  schedule::RandomSweep sweep(w->random, uint32_t(w->thread_num), uint32_t(team->n));
  for (int v; (v = sweep.next()) >= 0;) {
    if (!(team->slots_with_tasks[v / 64].load(std::memory_order_relaxed) >> (v % 64) & 1)) continue;
    Slot& victim = team->slots[v];
    Task* t;
    if (!victim.deque.seems_empty()) {
      // Where any task may start, and the latest were short, a thief takes several of many: one trip for all of them.
      Task* some[kSteals];
      int count;
      bool by_force = last || (force && is_stuck(w, victim));
      const uint64_t now = ticks();
      const bool several = Wait::kAnyTask && now - w->stole_at <= Deque<Task>::kLong * w->stole;
      if (victim.deque.steal_some(some, several ? kSteals : 1, count, by_force, allowed, last) == Deque<Task>::Steal::taken) {
        w->stole = uint32_t(count);
        w->stole_at = now;
        w->more = count > 1 || !victim.deque.seems_empty();
        if (EK_UNLIKELY(count > 1)) keep_stolen(w, some + 1, count - 1);
        return some[0];
      }
    }
    if (!victim.inbox.seems_empty()) {
      int most = Wait::kAnyTask && victim.inbox.seems_to_have(4 * kInOrder) ? kInOrder : 1;
      if ((t = take_in_order(w, victim.inbox, most, allowed, last))) return t;
    }
  }
  return nullptr;
}

constexpr int64_t kFirstNap = 1'000'000, kLongestNap = 100'000'000;  // ns, of who must look up (sleep.cpp, placed.h)

// Announces that w sleeps, looks a last time, sleeps. Returns a task that the last look found. watches: as the team's
// watcher, at most for nap, which grows.
template <class Wait>
Task* sleep(Worker* w, Wait& wait, bool& watches, int64_t& nap) {
  Team* team = w->team;
  const uint32_t rung = team->bell.load(std::memory_order_acquire);
  w->any_task.store(Wait::kAnyTask, std::memory_order_relaxed);
  w->park.store(park_word(team, ParkState::asleep), std::memory_order_release);
  team->idle.fetch_add(kParked - kSearching, std::memory_order_seq_cst);
  wait.arm();
  // Where nobody has made a task in this region a plain fence will do: who makes its first passes one as well, after it has set
  // has_tasks (mark_slot()).
  full_fence();  // orders these announcements before the looks below; pairs with mark_slot(), with the full_fence() before
                 // each reader of the idle word
  // In a fenced team it will do always.
  if (team->has_tasks.load(std::memory_order_acquire) && !team->fenced.load(std::memory_order_relaxed))
    heavy_fence();  // the same; pairs with light_fence() in after_push()
  if (!watches)
    watches = team->n > team->cpus && !team->watched.load(std::memory_order_relaxed) &&
              !team->watched.exchange(true, std::memory_order_seq_cst);
  const bool naps = watches || (!Wait::kAnyTask && placed_must_nap(team));
  nap = !naps ? -1 : nap < 0 ? kFirstNap : nap * 2 < kLongestNap ? nap * 2 : kLongestNap;
  Task* t = nullptr;
  w->refused = false;
  if (!wait.done() && !(t = search(w, wait, true, true)) && !wait.done()) {
    // Somebody who pushed a task that we must not run may rely on us as the one that looks for work.
    if (w->refused) wake_any_task(team);
    uint64_t before = w->stream ? record::now() : 0;
    const uint32_t asleep = park_word(team, ParkState::asleep);
    Halted halted(w);
    if (g_waits_for_two) futex_wait_either(&w->park, asleep, &team->bell, rung, nap);
    else futex_wait(&w->park, asleep, nap);
    if (w->stream) w->stream->parked(record::now() - before);
  }
  wait.disarm();
  uint32_t word = w->park.exchange(0, std::memory_order_acq_rel);
  watches |= park_state(word) == ParkState::made_watcher;
  team->idle.fetch_add(kSearching - kParked, std::memory_order_seq_cst);
  return t;
}

constexpr int kEagerRounds = 32, kLooksPerRound = 8, kLooksLingering = 32;

template <class Wait>
void help_until(Worker* w, Wait& wait) {
  Team* team = w->team;
  record::Stream* s = w->stream;
  auto rounds_now = [team](uint64_t idle) {
    int spin = spin_rounds(team, team->n - (team->has_tasks.load(std::memory_order_relaxed) ? int(parked(idle)) : 0));
    return spin == 0 ? 0 : kEagerRounds + spin / kLooksPerRound;
  };
  int rounds = rounds_now(team->idle.load(std::memory_order_relaxed));
  bool idle = false, watches = false;
  int round = 0;
  int64_t nap = -1;
  Lingering lingering;
  Task* next = nullptr;  // released by the task that ended last, and in no queue
  w->slot->deque.publish_long();
  while (!wait.done()) {
    if (EK_UNLIKELY(next != nullptr)) {
      // A sibling of the one that ended: what that was allowed to do it is. But for more urgent ones.
      if (EK_LIKELY(team->urgent_tasks.load(std::memory_order_relaxed) == 0)) {
        next = run_task_of_batch(w, next);
        continue;
      }
      push_task(w, next);
      next = nullptr;
    }
    // After a few fruitless rounds the private tasks of an owner that does nothing about them are taken by force.
    Task* t = search(w, wait, round > 8 || round >= rounds);
    if (!t && idle && ++round > rounds && !(rounds > 0 && !watches && lingers(w, lingering))) {
      t = sleep(w, wait, watches, nap);
      round = watches ? rounds : 0;
      lingering = {};
    }
    if (t) {
      if (idle) {
        uint64_t before = team->idle.fetch_sub(kSearching, std::memory_order_relaxed);
        if (s) s->idle_end(record::now());
        idle = false;
        // Whoever pushed several has woken one of us, and who else pushed meanwhile relied on us: wake the next.
        bool more = w->more || (searching(before) == 1 && parked(before) != 0 && seems_to_have_queued(team));
        w->more = false;
        if (more) wake_another(w);
        if (EK_UNLIKELY(watches)) watches = false, pass_watch(team);
      }
      next = run_task_of_batch(w, t);
      round = 0;
      nap = -1;
      lingering = {};
      continue;
    }
    if (w->ended != 0) count_ended(w);
    if (!idle) {
      // Hungry from here on: whoever pushes now lets others have it.
      rounds = rounds_now(team->idle.fetch_add(kSearching, std::memory_order_seq_cst));
      if (s) s->idle_begin(record::now());
      idle = true;
    } else {
      // Every search takes others' lines from them.
      int looks = round < kEagerRounds ? 1 : round <= rounds ? kLooksPerRound : kLooksLingering;
      for (; looks > 0 && !wait.ended(); --looks) pause();
    }
  }
  if (EK_UNLIKELY(next != nullptr)) push_task(w, next);
  if (w->ended != 0) count_ended(w);
  if (idle) {
    team->idle.fetch_sub(kSearching, std::memory_order_relaxed);
    if (s) s->idle_end(record::now());
    if (EK_UNLIKELY(watches)) pass_watch(team);
  }
}

}  // namespace

void wait_for_children(Worker* w) {
  ForChildren wait{w->current};
  help_until(w, wait);
}

void wait_for_group(Worker* w, Taskgroup* g) {
  ForGroup wait(w, g);
  if (!wait.done()) help_until(w, wait);
}

void wait_for_predecessors(Worker* w, TaskExtra* node) {
  ForPredecessors wait{node};
  help_until(w, wait);
}

void wait_for_event(Worker* w, Task* t) {
  TaskExtra* x = extra_of(t);
  x->waiter = w->id;
  ForEvent wait{x};
  help_until(w, wait);
}

void run_one(Worker* w) {
  if (Task* t = search(w, ForChildren{w->current}, false)) run_task(w, t);
}

constexpr int kSoon = 100;  // pauses: some microseconds

// Most barriers are over soon, and without tasks: one word tells, which nobody writes but those who arrive. True: over. False
// also where tasks are to be run.
static bool soon_over(const Team* team, uint32_t generation, uint32_t n) {
  if (spin_rounds(team) == 0) {
    bool over = false;
    yield_until(team, [&] {
      uint64_t now = team->barrier.load(std::memory_order_acquire);
      over = uint32_t(now >> 32) != generation;
      return over || uint32_t(now) == n || team->has_tasks.load(std::memory_order_relaxed);
    });
    return over;
  }
  for (int i = 0; i < kSoon; ++i) {
    for (int look = 0; look < kLooksPerPause; ++look) {
      uint64_t now = team->barrier.load(std::memory_order_acquire);
      if (uint32_t(now >> 32) != generation) return true;
      if (uint32_t(now) == n) return false;  // the last came when there were tasks
      if (look == 0) pause();
    }
    if (team->has_tasks.load(std::memory_order_relaxed)) return false;
  }
  return false;
}

void last_barrier(Worker* w) {
  Team* team = w->team;
  Slot* slot = w->slot;
  if (team->n == 1 && no_tasks(team, 1)) return;
  ForBarrier wait{team, slot->generation, team->n};
  bool over = wait.arrive();
  if (EK_UNLIKELY(g_config.cancellation) && !over && region_cancelled(team)) {
    full_fence();  // orders the arrival before the load of idle; pairs with heavy_fence() in sleep()
    if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, wait.n);
  }
  // A recorder is told of every wait.
  if (!over && (w->stream || !soon_over(team, wait.generation, uint32_t(wait.n)))) help_until(w, wait);
  slot->generation = wait.generation + 1;
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
  record::Stream* s = w->stream;
  if (EK_LIKELY(s == nullptr)) return barrier(w);
  s->wait_begin(record::now(), s->site(construct, site_flags, current_function(w), ra));
  {
    tool::Sync sync(w, construct, site_flags, ra);
    barrier(w);
  }
  s->wait_end(record::now());
}

bool cancellable_barrier(Worker* w, record::Construct construct, Caller ra, uint16_t site_flags) {
  if (!g_config.cancellation) {
    barrier(w, construct, ra, site_flags);
    return false;
  }
  record::Stream* s = w->stream;
  if (s) s->wait_begin(record::now(), s->site(construct, site_flags, current_function(w), ra));
  bool all;
  {
    tool::Sync sync(w, construct, site_flags, ra);
    all = inner_barrier(w, true);
  }
  if (s) s->wait_end(record::now());
  return !all || region_cancelled(w->team);
}

void push_urgent(Team* team, Task* t) { UrgentQueue::of(team)->push(team, t, extra_of(t)->priority); }

void push_elsewhere(Team* team, Task* t) {
  if (t->flags & kTaskPriority) push_urgent(team, t);
  else if (team->placed.load(std::memory_order_relaxed)) push_placed_elsewhere(team, t);
  else {
    team->slots_with_tasks[0].fetch_or(1);  // as mark_slot(), for a slot of somebody else
    team->has_tasks.store(true);
    team->slots[0].inbox.push(t);
  }
  // All: who is woken may be one that must not run it (tied tasks).
  full_fence();  // orders the push before the load of idle; pairs with heavy_fence() in sleep()
  if (parked(team->idle.load(std::memory_order_relaxed))) wake_all(team, team->n.load(std::memory_order_relaxed));
}

}  // namespace einkorn::runtime
