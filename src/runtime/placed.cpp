#include "runtime/placed.h"

#include <new>

#include "machine/types.h"
#include "runtime/places.h"
#include "runtime/task.h"
#include "runtime/worker.h"
#include "schedule/search.h"

namespace einkorn::runtime {

bool g_places_tasks = false;

namespace {

Mutex g_lock;
Placed* g_all = nullptr;  // under g_lock; entries stay

class TeamView final : public schedule::View {
 public:
  explicit TeamView(Placed& p) : p_(p) {}
  uint32_t length(int place) const override { return p_.queues[size_t(place)].length(); }
  uint64_t queued() const override {
    uint64_t sum = 0;
    for (size_t i = 0; i < p_.layout.places.size(); ++i) sum += p_.queues[i].length();
    return sum;
  }
  uint32_t ticket() override { return p_.tickets.fetch_add(1, std::memory_order_relaxed); }

 private:
  Placed& p_;
};

struct Asking {  // a worker and what it needs to ask the schedule
  Placed& p;
  Placed::PerWorker& me;
  TeamView view;
  schedule::Context context;
  Asking(Placed& placed, int worker)
      : p(placed), me(placed.workers[size_t(worker)]), view(placed),
        context{*placed.schedule, placed.layout, view, me.state, worker} {}
};

Placed* make_placed(const schedule::Schedule* s, std::vector<int> pus) {
  auto* p = new (std::nothrow) Placed;
  if (!p) fatal("out of memory: queues of a team");
  p->schedule = s;
  p->layout = schedule::make_layout(*s, machine::this_machine(), pus);
  p->pus = std::move(pus);
  const size_t places = p->layout.places.size(), workers = p->layout.workers.size();
  p->queues = std::make_unique<PlaceQueue<Task>[]>(places);
  p->places = std::make_unique<Placed::PerPlace[]>(places);
  p->workers = std::make_unique<Placed::PerWorker[]>(workers);
  for (size_t i = 0; i < workers; ++i) p->workers[i].state.random.x += uint32_t(i) * 0x9e3779b9u + 1;
  return p;
}

// Where thread i of a team runs, as an index into the machine's PUs.
int pu_of(const machine::Machine& m, const Slot& slot, int i) {
  if (g_places.count > 0 && slot.place >= 0) {
    int cpu = g_places.sets[slot.place].next(0);
    for (int pu = 0; pu < m.pu_count(); ++pu)
      if (m.pus[size_t(pu)].os == cpu) return pu;
  }
  return i % m.pu_count();
}

schedule::TaskFacts facts_of(const Task* t) {
  schedule::TaskFacts f;
  f.must_queue = t->flags & kTaskExtra;
  f.depth = t->depth;
  return f;
}

// Are there places from which some workers may not take?
bool is_closed(const schedule::Schedule& s) { return s.reach != schedule::Reach::loose; }

// Who may take from a place, without looking at others' nodes or groups: a range of Layout::order.
struct Range {
  int first, last;
};
Range reach_of(const Placed& p, const schedule::Place& at) {
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

// Wakes one that may take from that place: of its own workers, else, where others come by, of any.
void wake_for(Worker* w, Team* team, const Placed& p, int place) {
  light_fence();  // orders the store of the queue's length before the load of idle; pairs with heavy_fence() in sleep()
  if (parked(team->idle.load(std::memory_order_relaxed)) == 0) return;
  const schedule::Place& at = p.layout.places[size_t(place)];
  const Range reach = reach_of(p, at);
  bool asleep = false;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = reach.first; i < reach.last; ++i) {
      Slot& slot = team->slots[p.layout.order[size_t(i)]];
      Worker* v = std::atomic_ref<Worker*>(slot.worker).load(std::memory_order_relaxed);
      if (!v || v->park.load(std::memory_order_acquire) != park_word(team, ParkState::asleep)) continue;
      asleep = true;
      // One in a barrier may run it; those that wait in a task only if it descends from that: so all of them.
      if (pass == 0 && !v->any_task.load(std::memory_order_relaxed)) continue;
      wake(v);
      if (pass == 0) return;
    }
    if (!asleep) break;
  }
  if (is_closed(*p.schedule)) return;
  // With select = none those that wait in tasks look everywhere.
  if (p.schedule->select != schedule::Select::none) wake_another(w);
  else if (!asleep) wake_all(team, team->n.load(std::memory_order_relaxed));
}

void push_to(Worker* w, Placed& p, int place, Task* t) {
  p.queues[size_t(place)].push(t);
  wake_for(w, w->team, p, place);
}

// Where it goes if that was not decided when it was created.
int place_for(Worker* w, Placed& p, Task* t) {
  if (t->base >= 0) return int(t->base);
  Asking a(p, w->thread_num);
  schedule::TaskFacts facts = facts_of(t);
  facts.source = t->base == kSource;
  int place = schedule::choose_place(a.context, facts);
  if (facts.source) p.places[size_t(place)].placed_first.fetch_add(1, std::memory_order_relaxed);
  return place;
}

}  // namespace

void placed_init() {
  g_places_tasks = !g_config.schedule->is_default || (getenv("EINKORN_MACHINE") && !machine::this_machine().real);
}

void placed_after_fork() { new (&g_lock) Mutex; }

void choose_placed(Team* team, int n) {
  Placed *before = team->placed.load(std::memory_order_relaxed), *found = nullptr;
  std::vector<int> pus;
  if (n > 1) {
    const machine::Machine& m = machine::this_machine();
    pus.resize(size_t(n));
    for (int i = 0; i < n; ++i) pus[size_t(i)] = pu_of(m, team->slots[i], i);
  }
  if (before ? before->pus == pus : n == 1) return;
  g_lock.lock();
  if (before) before->used = false;
  for (Placed* p = g_all; n > 1 && p && !found; p = p->next)
    if (!p->used && p->pus == pus) found = p;
  if (n > 1 && !found) {
    found = make_placed(g_config.schedule, std::move(pus));
    found->next = g_all;
    g_all = found;
  }
  if (found) found->used = true;
  g_lock.unlock();
  team->placed.store(found, std::memory_order_relaxed);
}

void submit_placed(Worker* w, Task* t) {
  Placed& p = *w->team->placed.load(std::memory_order_relaxed);
  count_task(w, t);
  if (t->flags & kTaskPriority) {
    push_urgent(w->team, t);
    return after_push(w);
  }
  Asking a(p, w->thread_num);
  int place = schedule::choose_place(a.context, facts_of(t));
  bool full = place >= 0 && place == a.context.self().own[0] && p.queues[size_t(place)].length() >= uint64_t(kMostQueued);
  if (place == schedule::kRunNow || (full && !(t->flags & kTaskExtra))) {
    ++a.me.counts.run_now;
    return run_task(w, t);
  }
  push_to(w, p, place, t);
}

void push_placed(Worker* w, Task* t) {
  note_tasks(w);
  if (t->flags & kTaskPriority) {
    push_urgent(w->team, t);
    return after_push(w);
  }
  Placed& p = *w->team->placed.load(std::memory_order_relaxed);
  push_to(w, p, place_for(w, p, t), t);
}

void push_placed_elsewhere(Team* team, Task* t) {
  Placed& p = *team->placed.load(std::memory_order_relaxed);
  p.queues[size_t(t->base >= 0 ? int(t->base) : p.layout.workers[0].own[0])].push(t);
}

void requeue_placed(Worker* w, Task* t) {
  Placed& p = *w->team->placed.load(std::memory_order_relaxed);
  note_tasks(w);
  push_to(w, p, p.layout.workers[size_t(w->thread_num)].own[0], t);
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
    here_.most_thieves.store(1, std::memory_order_relaxed);
  }
  ~OneThief() {
    if (counted_) here_.thieves.store(0, std::memory_order_release);
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
  ++n.ran;
  if (place == self.own[0] || place == self.own[1]) ++n.own_place;
  else if (at.node == self.node) ++n.same_node;
  else ++n.foreign;
  if (s.reach == schedule::Reach::vicinity && at.first / s.vicinity != self.rank / s.vicinity) ++n.across;
}

// Do all who may take from that place wait in tasks, asleep?
bool is_stuck(Team* team, const Placed& p, int place) {
  const schedule::Place& at = p.layout.places[size_t(place)];
  const Range reach = reach_of(p, at);
  for (int i = reach.first; i < reach.last; ++i) {
    Slot& slot = team->slots[p.layout.order[size_t(i)]];
    Worker* v = std::atomic_ref<Worker*>(slot.worker).load(std::memory_order_relaxed);
    if (!v || v->park.load(std::memory_order_acquire) != park_word(team, ParkState::asleep) ||
        v->any_task.load(std::memory_order_relaxed))
      return false;
  }
  return true;
}

// A schedule that keeps workers from some places can come to a stop: threads of two nodes that wait in tasks, each for a child
// on the other's node, which there none may run but who waits for it. Then that one fetches it. It must look from time to
// time, as the last of the others may fall asleep after it: sleep() naps.
template <class May>
Task* rescue(Worker* w, Asking& a, May&& may) {
  Placed& p = a.p;
  for (size_t place = 0; place < p.layout.places.size(); ++place) {
    if (p.queues[place].length() == 0 || !is_stuck(w->team, p, int(place))) continue;
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
  Asking a(*w->team->placed.load(std::memory_order_relaxed), w->thread_num);
  Placed& p = a.p;
  Placed::PerWorker& me = a.me;
  const schedule::Schedule& s = *p.schedule;
  const int home = a.context.self().own[0];
  auto may = [=](const Task* t) { return allowed(context, t); };
  const bool stay = !last && me.skip > 0;
  if (stay) --me.skip;
  OneThief one(p, home, last);
  using Who = schedule::Search::Who;
  schedule::Search search(a.context, stay || !one.allowed() ? Who::own_only : any_task ? Who::idle : Who::in_task, last);
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
