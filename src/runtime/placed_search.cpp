#include <atomic>

#include "runtime/placed_ask.h"
#include "runtime/task.h"

namespace einkorn::runtime {

WorkerRange reach_of(const Placed& p, const schedule::Place& at) {
  const auto all = int(p.layout.order.size());
  switch (p.schedule->reach) {
    case schedule::Reach::vicinity: {
      int size = p.schedule->vicinity, first = at.first / size * size;
      return {first, first + size < all ? first + size : all};
    }
    case schedule::Reach::strict: {
      const schedule::Layout::Node& node = p.layout.nodes[size_t(at.node)];
      return {node.first_rank, node.first_rank + node.workers};
    }
    case schedule::Reach::loose: break;
  }
  return {at.first, at.first + at.workers};
}

// The worker at that position of Layout::order, if it sleeps in this team.
static Worker* sleeper_at(Team* team, const Placed& p, int position) {
  Worker* v = worker_of(team->slots[p.layout.order[size_t(position)]]);
  return v && v->park.load(std::memory_order_acquire) == park_word(team, ParkState::asleep) ? v : nullptr;
}

void wake_for(Worker* w, Team* team, const Placed& p, int place) {
  light_fence();  // orders the store of the queue's length before the load of idle; pairs with heavy_fence() in sleep()
  if (parked(team->idle.load(std::memory_order_relaxed)) == 0) return;
  const schedule::Place& at = p.layout.places[size_t(place)];
  const WorkerRange reach = reach_of(p, at);
  bool asleep = false;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = reach.first; i < reach.last; ++i) {
      Worker* v = sleeper_at(team, p, i);
      if (!v) continue;
      asleep = true;
      // One in a barrier may run it; those that wait in a task only if it descends from that: so all of them.
      if (pass == 0 && !v->any_task.load(std::memory_order_relaxed)) continue;
      wake(v);
      if (pass == 0) return;
    }
    if (!asleep) break;
  }
  // Who waits for it, and may fetch it where nobody else can (rescue), may be anywhere.
  if (p.schedule->reach != schedule::Reach::loose) return wake_all(team, team->n.load(std::memory_order_relaxed));
  // With select = none those that wait in tasks look everywhere.
  if (p.schedule->select != schedule::Select::none) wake_another(w);
  else if (!asleep) wake_all(team, team->n.load(std::memory_order_relaxed));
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

void count_run(Asking& a, int place) {
  const schedule::Schedule& s = *a.p.schedule;
  const schedule::Place& at = a.p.layout.places[size_t(place)];
  const schedule::Layout::Worker& self = a.context.self();
  PlacedCounts& n = a.me.counts;
  a.p.places[size_t(place)].taken.fetch_add(1, std::memory_order_relaxed);
  ++n.ran;
  if (place == self.own[0] || place == self.own[1]) ++n.own_place;
  else if (at.node == self.node) ++n.same_node;
  else ++n.foreign;
  if (s.reach == schedule::Reach::vicinity && at.first / s.vicinity != self.rank / s.vicinity) ++n.across;
}

// Do all who may take from that place wait in tasks, asleep?
bool all_sleep(Team* team, const Placed& p, int place) {
  const schedule::Place& at = p.layout.places[size_t(place)];
  const WorkerRange reach = reach_of(p, at);
  for (int i = reach.first; i < reach.last; ++i) {
    Worker* v = sleeper_at(team, p, i);
    if (!v || v->any_task.load(std::memory_order_relaxed)) return false;
  }
  return true;
}

// Or has nobody taken anything there for long? They may wait in the program's own locks, or in regions inside. Or they are at
// work: so where the program relies on tasks staying, long is very long.
bool is_stuck(Team* team, const Placed& p, Placed::PerWorker& me, int place) {
  const uint64_t kLong = p.schedule->reach == schedule::Reach::loose ? 50'000'000 : 10'000'000'000;  // ticks, nanoseconds or so
  Placed::PerWorker::Seen& seen = me.seen[size_t(place)];
  const uint32_t taken = p.places[size_t(place)].taken.load(std::memory_order_relaxed);
  if (seen.since == 0 || seen.taken != taken) seen = {taken, ticks()};
  return all_sleep(team, p, place) || ticks() - seen.since > kLong;
}

// A schedule that keeps workers from some places can come to a stop: threads of two nodes that wait in tasks, each for a child
// on the other's node, which there none may run but who waits for it. Then that one fetches it. It must look from time to
// time, as the last of the others may fall asleep after it: sleep() naps.
template <class May>
Task* rescue(Worker* w, Asking& a, May&& may) {
  Placed& p = a.p;
  for (size_t place = 0; place < p.layout.places.size(); ++place) {
    if (p.queues[place].length() == 0) {
      a.me.seen[place].since = 0;
      continue;
    }
    if (!is_stuck(w->team, p, a.me, int(place))) continue;
    if (Task* t = p.queues[place].take_youngest(may, PlaceQueue<Task>::kAll, true)) {
      count_run(a, int(place));
      ++a.me.counts.rescued;
      return t;
    }
  }
  return nullptr;
}

}  // namespace

bool placed_must_nap(const Team* team) {
  const Placed* p = team->placed.load(std::memory_order_relaxed);
  return EK_UNLIKELY(p != nullptr) && is_closed(*p->schedule);
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
  const bool stay = !last && me.skip > 0;
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
      found = q.take_youngest(may, last ? q.kAll : kWalk, last);
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
  if (!found && last && !any_task && is_closed(s)) found = rescue(w, a, may);
  if (s.backoff == schedule::Backoff::exponential && !stay && one.allowed()) {
    if (found) me.skip = me.step = 0;
    else me.skip = me.step = me.step == 0 ? 1 : me.step * 2 < kMostSkipped ? me.step * 2 : kMostSkipped;
  }
  return found;
}

}  // namespace einkorn::runtime
