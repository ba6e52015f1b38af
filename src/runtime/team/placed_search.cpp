#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "base/tunables.h"
#include "runtime/team/placed_ask.h"
#include "runtime/task/task.h"

namespace einkorn::runtime {

// That worker of the team, if it sleeps in it.
static Worker* sleeper(Team* team, int worker) {
  Worker* v = worker_of(team->slots[worker]);
  return v && flow::sleeps_in(*team, v->park) ? v : nullptr;
}

void wake_for(Worker* w, Team* team, const Placed& p, int place) {
  light_fence();  // orders the store of the queue's length before the load of idle; pairs with heavy_fence() in sleep()
  if (parked(team->idle.load(std::memory_order_relaxed)) == 0) return;
  const schedule::Place& at = p.layout.places[size_t(place)];
  for (bool any_task : {true, false})
    for (int i = at.first; i < at.first + at.workers; ++i) {
      Worker* v = sleeper(team, p.layout.order[size_t(i)]);
      // One in a barrier may run it; those that wait in a task only if it descends from that: so all of them.
      if (!v || v->any_task.load(std::memory_order_relaxed) != any_task) continue;
      wake(v);
      if (any_task) return;
    }
  const schedule::Schedule& s = *p.schedule;
  if (!schedule::is_closed(s)) return wake_another(w);
  // Of the others only who may take it. Its length may pass a guard now that kept them away when they fell asleep.
  const uint32_t length = p.queues[size_t(place)].length();
  const auto workers = int(p.layout.workers.size());
  for (int i = 0; i < workers; ++i) {
    Worker* v = sleeper(team, i);
    if (v && v->any_task.load(std::memory_order_relaxed) && schedule::may_take(s, p.layout, i, place, length))
      return wake(v);
  }
  // Who waits for it, and may fetch it where nobody else can (rescue), may be anywhere; with select = none those that
  // wait in tasks look everywhere.
  for (int i = 0; i < workers; ++i)
    if (Worker* v = sleeper(team, i); v && !v->any_task.load(std::memory_order_relaxed)) wake(v);
}

bool placed_has_queued(const Placed& p) {
  for (size_t i = 0; i < p.layout.places.size(); ++i)
    if (p.queues[i].length() > 0) return true;
  return false;
}

namespace {

// While it lives its worker is the one of its place that looks elsewhere, if it could be.
class OneThief {
 public:
  OneThief(Placed& p, int place, bool must) : here_(p.places[size_t(place)]) {
    if (!schedule::takes_turns(*p.schedule)) return;
    counted_ = true;
    // Who has it keeps it for one round of looking. Acquire, as a lock: `looking` as the one before has left it; pairs
    // with the release in the destructor.
    while (here_.thieves.exchange(1, std::memory_order_acquire) != 0) {
      if (!must) {
        allowed_ = counted_ = false;
        return;
      }
      pause();
    }
    uint32_t now = here_.looking.fetch_add(1, std::memory_order_relaxed) + 1;
    if (now > here_.most_thieves.load(std::memory_order_relaxed))
      here_.most_thieves.store(now, std::memory_order_relaxed);
  }
  ~OneThief() {
    if (!counted_) return;
    here_.looking.fetch_sub(1, std::memory_order_relaxed);
    // Release: the count above, for the next one.
    here_.thieves.store(0, std::memory_order_release);
  }
  OneThief(const OneThief&) = delete;
  bool allowed() const { return allowed_; }

 private:
  Placed::PerPlace& here_;
  bool allowed_ = true, counted_ = false;
};

void count_run(Asking& a, int place, bool rescued = false) {
  const schedule::Schedule& s = *a.p.schedule;
  const schedule::Place& at = a.p.layout.places[size_t(place)];
  const schedule::Layout::Worker& self = a.context.self();
  PlacedCounts& n = a.me.counts;
  if (rescued) ++n.rescued;
  else a.p.places[size_t(place)].taken.fetch_add(1, std::memory_order_relaxed);
  ++n.ran;
  if (place == self.own[0] || place == self.own[1]) ++n.own_place;
  else if (at.node == self.node) ++n.same_node;
  else ++n.foreign;
  const bool left = schedule::has_clusters(s) && at.cluster != self.cluster;
  if (left || schedule::is_across(s, a.p.layout, self, at)) ++n.across;
}

// How sure must it be that a task is left to itself? Where the program relies on tasks staying, very.
const tunables::Patience& patience_of(const schedule::Schedule& s) {
  return schedule::keeps_tasks(s) ? tunables::kRescueOfStaying : tunables::kRescue;
}

// Does that worker of the team wait where it could not run a task of that place? In a task: it sleeps, or it has looked
// there twice, and in vain, lately. Twice: the first of these may have begun before the task was there. Or where it can
// run nothing, in one and the same wait for a while: in a lock, for its turn in a loop, asleep in a region inside. What
// it waits for may be the one who asks.
bool waits(Team* team, const Placed& p, Placed::PerWorker& me, size_t worker, uint64_t now, bool lately) {
  Worker* v = worker_of(team->slots[worker]);
  if (!v) return false;
  // Acquire: before a thread that has been woken says so, it has counted on.
  const uint32_t park = v->park.load(std::memory_order_acquire), count = v->halts.load(std::memory_order_relaxed);
  Placed::PerWorker::Halt& seen = me.halts[worker];
  if (seen.since == 0 || seen.count != count) seen = {count, now};
  if (park == park_word(*team, ParkState::asleep)) return !v->any_task.load(std::memory_order_relaxed);
  const bool woken = park_state(park) == ParkState::woken || park_state(park) == ParkState::made_watcher;
  if (count % 2 != 0 && !woken && now - seen.since > in_ticks(tunables::kHalted)) return true;
  return lately && p.workers[worker].vain.load(std::memory_order_relaxed) - me.looked[worker] >= 2;
}

// Do all do that who may take from there?
bool all_wait(Team* team, const Placed& p, Placed::PerWorker& me, int place, uint64_t now, bool lately) {
  const uint32_t length = p.queues[size_t(place)].length();
  bool all = true;  // and goes on, so that the time counts for each
  for (size_t i = 0; i < p.layout.workers.size(); ++i)
    if (schedule::may_take(*p.schedule, p.layout, int(i), place, length)) all &= waits(team, p, me, i, now, lately);
  return all;
}

// Or has nobody taken anything there for long? They may wait in the program's own locks. Or they are at work. Once that
// has been found, it takes less to find it again, until somebody comes by: a loop whose every iteration needs it would
// hardly get on.
bool is_stuck(Team* team, const Placed& p, Placed::PerWorker& me, int place, uint64_t now, bool lately) {
  Placed::PerWorker::Seen& seen = me.seen[size_t(place)];
  const uint32_t taken = p.places[size_t(place)].taken.load(std::memory_order_relaxed);
  if (seen.taken != taken) seen = {taken, false, now};
  if (seen.since == 0) seen.since = now;
  if (all_wait(team, p, me, place, now, lately)) return true;
  const tunables::Patience& patience = seen.left ? tunables::kRescue : patience_of(*p.schedule);
  if (now - seen.since <= in_ticks(patience.longest)) return false;
  return seen.left = true;
}

// A schedule that keeps workers from some places can come to a stop: threads of two nodes that wait in tasks, each for
// a child on the other's node, which there none may run but who waits for it. Then that one fetches it. It must look
// from time to time, as the last of the others may come to wait after it: every thorough search does, and sleep() naps.
template <class May>
Task* rescue(Worker* w, Asking& a, May&& may) {
  Placed& p = a.p;
  const uint64_t now = ticks();
  const bool lately = now - a.me.looked_at <= in_ticks(patience_of(*p.schedule).lately);
  for (size_t place = 0; place < p.layout.places.size(); ++place) {
    if (p.queues[place].length() == 0) {
      a.me.seen[place].since = 0;
      continue;
    }
    if (!is_stuck(w->team, p, a.me, int(place), now, lately)) continue;
    if (Task* t = p.queues[place].take_youngest(may, PlaceQueue<Task>::kAll, true)) {
      count_run(a, int(place), true);
      a.me.looked_at = 0;
      return t;
    }
  }
  if (lately) return nullptr;
  for (size_t i = 0; i < p.layout.workers.size(); ++i)
    a.me.looked[i] = p.workers[i].vain.load(std::memory_order_relaxed);
  a.me.looked_at = now;
  return nullptr;
}

// One search: how it gets at the queues, by either rule.
struct Looks {
  using Item = Task*;

  Worker* const w;
  Asking& a;
  const Allowed may_start;
  const void* const context;
  const schedule::Looking& how;

  auto may() const {
    return [*this](const Task* t) { return may_start(context, t); };
  }
  PlaceQueue<Task>& at(int place) const { return a.p.queues[size_t(place)]; }
  int home() const { return a.context.self().own[0]; }
  Task* youngest_allowed(int place) const {
    return at(place).take_youngest(may(), schedule::walk_of(how.thorough), how.thorough);
  }
  // Of a place that is not the worker's.
  void count_visit(uint32_t taken) const {
    ++(taken > 0 ? a.me.counts.steals : a.me.counts.failed);
    a.me.counts.stolen += taken;
    if (taken > a.me.counts.most_stolen) a.me.counts.most_stolen = taken;
  }
  Task* found(int place, Task** some, uint32_t count) const {
    count_run(a, place);
    if (count > 1) {
      const int kept = schedule::kept_at(a.p.layout, w->thread_num, place);
      at(kept).push_all(some + 1, count - 1);
      note_tasks(w);
      wake_for(w, w->team, a.p, kept);
    }
    w->more = w->more || at(place).length() > 0;
    return some[0];
  }

  // search_places()
  Task* take(const schedule::Visit& v, schedule::End end) const {
    Task* some[schedule::kMostAtOnce];
    uint32_t count;
    if (end == schedule::End::oldest) {
      count = at(v.place).take_oldest(some, v.most, may(), how.last);
    } else {
      some[0] =
          end == schedule::End::youngest ? at(v.place).take_youngest(may(), 1, how.last) : youngest_allowed(v.place);
      count = some[0] != nullptr;
    }
    if (!v.own) count_visit(count);
    return count > 0 ? found(v.place, some, count) : nullptr;
  }
  Task* rescue() const {
    a.me.vain.store(a.me.vain.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return runtime::rescue(w, a, may());
  }

  // search_queues(): the default on a machine that is not the real one. A queue is a place's, and has no inbox: what
  // others have sent there lies in it.
  const bool force = false, last = how.last;
  bool any_task() const { return how.any_task; }
  schedule::RandomState& random() const { return a.me.state.random; }
  uint32_t self() const { return uint32_t(w->thread_num); }
  uint32_t workers() const { return uint32_t(a.p.layout.workers.size()); }
  schedule::Loot<uint64_t>& loot() const { return w->loot; }
  uint64_t now() const { return ticks(); }
  static uint64_t long_task() { return in_ticks(tunables::kLongTask); }
  Task* own() const { return take({home(), 1, true}, schedule::end_of(*a.p.schedule, true, how.any_task)); }
  static Task* own_inbox(uint32_t) { return nullptr; }
  static bool beyond(Task**) { return true; }
  static constexpr int most_looks() { return schedule::kMostLooks; }
  const int* victim(int v) const { return &a.p.layout.workers[size_t(v)].own[0]; }
  bool has(const int* victim) const { return at(*victim).length() > 0; }
  static bool is_stuck(const int*) { return false; }  // no queue is private
  template <class Amount>
  Task* steal(const int* victim, Amount&& amount, bool, bool, uint32_t* taken) const {
    Task* some[schedule::kMostStolen];
    *taken = at(*victim).take_oldest(some, amount(at(*victim).length()), may(), how.last);
    count_visit(*taken);
    if (*taken == 0) return nullptr;
    std::reverse(some + 1, some + *taken);  // the youngest of the own queue is taken first
    return found(*victim, some, *taken);
  }
  // Who waits in a task may have to look deeper: others may have sent there what it waits for.
  bool inbox_has(const int* victim, uint32_t) const { return !how.any_task && has(victim); }
  Task* take_sent(const int* victim, uint32_t) const {
    Task* t = youngest_allowed(*victim);
    count_visit(t != nullptr);
    return t ? found(*victim, &t, 1) : nullptr;
  }
};

}  // namespace

bool placed_must_nap(const Team* team, bool any_task) {
  const Placed* p = team->placed.load(std::memory_order_relaxed);
  return EK_UNLIKELY(p != nullptr) && schedule::is_closed(*p->schedule) && schedule::may_rescue(*p->schedule, any_task);
}

Task* search_placed(Worker* w, Allowed allowed, const void* context, bool any_task, bool last) {
  // A thread that is late to leave the region before may find the places of the next one, which may have fewer threads.
  // It may take nothing (ForBarrier).
  // Acquire: the Placed as it was made; pairs with choose_placed().
  Placed* now = w->team->placed.load(std::memory_order_acquire);
  if (EK_UNLIKELY(!now || size_t(w->thread_num) >= now->layout.workers.size())) return nullptr;
  Asking a(*now, w->thread_num);
  Placed::PerWorker& me = a.me;
  const schedule::Schedule& s = *a.p.schedule;
  // Who waits actively hardly comes to a last look.
  const bool rescues = schedule::may_rescue(s, any_task);
  if (rescues) ++me.looks;
  const bool thorough = schedule::is_thorough(last, rescues, me.looks);
  const uint64_t us = schedule::has_level_caps(s) ? ticks() / in_ticks(1000) : 0;
  const schedule::LeftOut left = schedule::leaves_out(s, me.backoff, thorough, us);
  OneThief one(a.p, a.context.self().own[0], last);
  const bool in_task = !any_task && w->current->depth > 0;
  const schedule::Looking how{any_task, in_task, last, thorough, left, one.allowed()};
  Looks looks{w, a, allowed, context, how};
  Task* t = s.is_default ? schedule::search_queues(looks) : schedule::search_places(a.context, me.backoff, how, looks);
  if (EK_UNLIKELY(w->kept != nullptr) && t == nullptr) give_back_kept(w, true);
  return t;
}

}  // namespace einkorn::runtime
