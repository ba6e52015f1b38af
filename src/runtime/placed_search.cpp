#include <atomic>

#include "runtime/placed_ask.h"
#include "runtime/task.h"

namespace einkorn::runtime {

// That worker of the team, if it sleeps in it.
static Worker* sleeper(Team* team, int worker) {
  Worker* v = worker_of(team->slots[worker]);
  return v && v->park.load(std::memory_order_acquire) == park_word(team, ParkState::asleep) ? v : nullptr;
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
    if (v && v->any_task.load(std::memory_order_relaxed) && schedule::may_take(s, p.layout, i, place, length)) return wake(v);
  }
  // Who waits for it, and may fetch it where nobody else can (rescue), may be anywhere; with select = none those that wait in
  // tasks look everywhere.
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
    if (p.schedule->thieves != schedule::Thieves::one_per_place) return;
    counted_ = true;
    // Who has it keeps it for one round of looking.
    while (here_.thieves.exchange(1, std::memory_order_acquire) != 0) {
      if (!must) {
        allowed_ = counted_ = false;
        return;
      }
      pause();
    }
    uint32_t now = here_.looking.fetch_add(1, std::memory_order_relaxed) + 1;
    if (now > here_.most_thieves.load(std::memory_order_relaxed)) here_.most_thieves.store(now, std::memory_order_relaxed);
  }
  ~OneThief() {
    if (!counted_) return;
    here_.looking.fetch_sub(1, std::memory_order_relaxed);
    here_.thieves.store(0, std::memory_order_release);
  }
  OneThief(const OneThief&) = delete;
  bool allowed() const { return allowed_; }

 private:
  Placed::PerPlace& here_;
  bool allowed_ = true, counted_ = false;
};

constexpr uint32_t kMostAtOnce = 256, kWalk = 64, kMostSkipped = 64;
constexpr uint32_t kThorough = 32;  // who waits in a task goes through all of the queues every so many searches

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
  if (s.reach == schedule::Reach::vicinity && at.first / s.vicinity != self.rank / s.vicinity) ++n.across;
}

// How sure must it be that a task is left to itself? Where the program relies on tasks staying, very.
struct Patience {
  uint64_t lately, longest;  // ticks, nanoseconds or so
};
constexpr Patience kLoose{40'000'000, 50'000'000}, kStays{2'000'000, 10'000'000'000};
Patience patience_of(const schedule::Schedule& s) {
  return s.reach != schedule::Reach::loose || s.guard > 0 ? kStays : kLoose;
}
constexpr uint64_t kHalted = 2'000'000;  // ticks: a lock that is held for so long is no short one

// Does that worker of the team wait where it could not run a task of that place? In a task: it sleeps, or it has looked there twice,
// and in vain, lately. Twice: the first of these may have begun before the task was there. Or where it can run nothing, in one and
// the same wait for a while: in a lock, for its turn in a loop, asleep in a region inside. What it waits for may be the one who asks.
bool waits(Team* team, const Placed& p, Placed::PerWorker& me, size_t worker, uint64_t now, bool lately) {
  Worker* v = worker_of(team->slots[worker]);
  if (!v) return false;
  // Acquire: before a thread that has been woken says so, it has counted on.
  const uint32_t park = v->park.load(std::memory_order_acquire), count = v->halts.load(std::memory_order_relaxed);
  Placed::PerWorker::Halt& seen = me.halts[worker];
  if (seen.since == 0 || seen.count != count) seen = {count, now};
  if (park == park_word(team, ParkState::asleep)) return !v->any_task.load(std::memory_order_relaxed);
  const bool woken = park_state(park) == ParkState::woken || park_state(park) == ParkState::made_watcher;
  if (count % 2 != 0 && !woken && now - seen.since > kHalted) return true;
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

// Or has nobody taken anything there for long? They may wait in the program's own locks. Or they are at work. Once that has been
// found, it takes less to find it again, until somebody comes by: a loop whose every iteration needs it would hardly get on.
bool is_stuck(Team* team, const Placed& p, Placed::PerWorker& me, int place, uint64_t now, bool lately) {
  Placed::PerWorker::Seen& seen = me.seen[size_t(place)];
  const uint32_t taken = p.places[size_t(place)].taken.load(std::memory_order_relaxed);
  if (seen.taken != taken) seen = {taken, false, now};
  if (seen.since == 0) seen.since = now;
  if (all_wait(team, p, me, place, now, lately)) return true;
  if (now - seen.since <= (seen.left ? kLoose : patience_of(*p.schedule)).longest) return false;
  return seen.left = true;
}

// A schedule that keeps workers from some places can come to a stop: threads of two nodes that wait in tasks, each for a child
// on the other's node, which there none may run but who waits for it. Then that one fetches it. It must look from time to
// time, as the last of the others may come to wait after it: every thorough search does, and sleep() naps.
template <class May>
Task* rescue(Worker* w, Asking& a, May&& may) {
  Placed& p = a.p;
  const uint64_t now = ticks();
  const bool lately = now - a.me.looked_at <= patience_of(*p.schedule).lately;
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
  for (size_t i = 0; i < p.layout.workers.size(); ++i) a.me.looked[i] = p.workers[i].vain.load(std::memory_order_relaxed);
  a.me.looked_at = now;
  return nullptr;
}

}  // namespace

bool placed_must_nap(const Team* team) {
  const Placed* p = team->placed.load(std::memory_order_relaxed);
  return EK_UNLIKELY(p != nullptr) && schedule::is_closed(*p->schedule);
}

Task* search_placed(Worker* w, Allowed allowed, const void* context, bool any_task, bool last) {
  // A thread that is late to leave the region before may find the places of the next one, which may have fewer threads. It
  // may take nothing (ForBarrier).
  Placed* now = w->team->placed.load(std::memory_order_acquire);
  if (EK_UNLIKELY(!now || size_t(w->thread_num) >= now->layout.workers.size())) return nullptr;
  Asking a(*now, w->thread_num);
  Placed& p = a.p;
  Placed::PerWorker& me = a.me;
  const schedule::Schedule& s = *p.schedule;
  const int home = a.context.self().own[0];
  auto may = [=](const Task* t) { return allowed(context, t); };
  // Who waits actively hardly comes to a last look.
  const bool thorough = last || (!any_task && ++me.looks % kThorough == 0);
  const bool stay = !thorough && me.skip > 0;
  if (stay) --me.skip;
  OneThief one(p, home, last);
  using Who = schedule::Search::Who;
  const Who who = stay || !one.allowed() ? Who::own_only : any_task || w->current->depth == 0 ? Who::idle : Who::in_task;
  schedule::Search search(a.context, who, last);
  Task* found = nullptr;
  for (schedule::Visit v; !found && search.next(&v);) {
    PlaceQueue<Task>& q = p.queues[size_t(v.place)];
    Task* some[kMostAtOnce];
    uint32_t count = 0;
    if (!any_task) {
      // What descends from the task that waits is young, mostly.
      found = q.take_youngest(may, thorough ? q.kAll : kWalk, thorough);
      count = found != nullptr;
    } else if (v.own && s.order == schedule::Order::lifo) {
      found = q.take_youngest(may, 1, last);
      count = found != nullptr;
    } else {
      count = q.take_oldest(some, v.most < kMostAtOnce ? v.most : kMostAtOnce, may, last);
      if (count > 0) found = some[0];
    }
    if (!v.own) {
      ++(count > 0 ? me.counts.steals : me.counts.failed);
      me.counts.stolen += count;
      if (count > me.counts.most_stolen) me.counts.most_stolen = count;
    }
    if (!found) continue;
    count_run(a, v.place);
    if (count > 1) {
      p.queues[size_t(home)].push_all(some + 1, count - 1);
      note_tasks(w);
      wake_for(w, w->team, p, home);
    }
    w->more = w->more || q.length() > 0;
  }
  if (!found && thorough && !any_task && one.allowed() && schedule::is_closed(s)) {
    me.vain.store(me.vain.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    found = rescue(w, a, may);
  }
  if (s.backoff == schedule::Backoff::exponential && !stay && one.allowed()) {
    if (found) me.skip = me.step = 0;
    else me.skip = me.step = me.step == 0 ? 1 : me.step * 2 < kMostSkipped ? me.step * 2 : kMostSkipped;
  }
  return found;
}

}  // namespace einkorn::runtime
