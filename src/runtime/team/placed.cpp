#include "runtime/team/placed.h"

#include <new>

#include "machine/near.h"
#include "runtime/task/footprint.h"
#include "runtime/task/helpers.h"
#include "runtime/team/placed_ask.h"
#include "runtime/places/places.h"
#include "runtime/task/task.h"
#include "runtime/team/worker.h"

namespace einkorn::runtime {

bool g_places_tasks = false;

namespace {

Mutex g_lock;
Placed* g_all = nullptr;  // under g_lock; entries stay

// What the schedule may want to know of a task. Not to be copied: facts points into bytes.
struct Facts {
  NodeBytes bytes;
  schedule::TaskFacts facts;
  Facts(const schedule::Schedule& s, const Task* t, int domain) {
    facts.domain = domain;
    facts.must_queue = t->flags & kTaskExtra;
    facts.depth = t->depth;
    facts.source = t->notes & kIsSource;
    facts.codelet = t->notes & kIsCodelet;
    if (EK_UNLIKELY(t->notes & kClusterNamed)) facts.cluster = t->place();
    using schedule::Push;
    const bool by_data =
        s.push == Push::writer_node || s.push == Push::writer_node_or_local || s.push == Push::least_cost;
    if (domain >= 0 || !(by_data || s.place_task) || !bytes_of(t, &bytes)) return;
    facts.read = bytes.read.data();
    facts.written = bytes.written.data();
    facts.coarse = bytes.coarse.data();
    facts.intense = bytes.intense;
  }
  Facts(const Facts&) = delete;
};

void push_to(Worker* w, Placed& p, int place, Task* t) {
  p.queues[size_t(place)].push(t);
  wake_for(w, w->team, p, place);
}

// A task of a team without places, for that node: to a thread there, if there is any.
bool send_to_node(Worker* w, Task* t, int node) {
  const machine::Machine& m = machine::this_machine();
  Team* team = w->team;
  const int n = team->n;
  if (node < 0 || m.node_count() == 1) return false;
  if (m.pus[size_t(pu_of(m, *w->slot, w->thread_num))].node == node) return false;  // here
  const int start = int(schedule::next_random(w->random) % uint32_t(n));
  for (int i = 0; i < n; ++i) {
    int to = (start + i) % n;
    Slot& slot = team->slots[to];
    if (m.pus[size_t(pu_of(m, slot, to))].node != node) continue;
    // seq_cst, both: as in mark_slot(), for a slot of somebody else.
    team->slots_with_tasks[to / 64].fetch_or(uint64_t(1) << (to % 64));
    team->has_tasks.store(true);
    slot.inbox.push(t);
    full_fence();  // orders the push before the loads of park and idle; pairs with heavy_fence() in sleep()
    Worker* v = worker_of(slot);
    if (v && v->any_task.load(std::memory_order_relaxed)) wake(v);
    wake_another(w);
    return true;
  }
  return false;
}

bool takes_urgent(Worker* w, Task* t) {
  if (EK_LIKELY(!(t->flags & kTaskPriority))) return false;
  push_urgent(w->team, t);
  after_push(w);
  return true;
}

}  // namespace

void placed_init() { g_places_tasks = !g_config.schedule->is_default || g_model; }

int pu_of(const machine::Machine& m, const Slot& slot, int thread_num) {
  if (g_places.count > 0 && slot.place >= 0) {
    if (int pu = machine::pu_of(m, g_places.sets[slot.place].next(0)); pu >= 0) return pu;
  }
  return thread_num % m.pu_count();
}

void record_place(Worker* w) {
  const machine::Machine& m = machine::this_machine();
  if (m.real && (g_places.count == 0 || w->slot->place < 0)) return;  // not bound: the CPU's own records tell
  int pu = pu_of(m, *w->slot, w->thread_num);
  w->stream->place(uint32_t(m.pus[size_t(pu)].node), uint32_t(pu));
}

const Placed* all_placed() { return g_all; }

void placed_after_fork() { new (&g_lock) Mutex; }

Placed* make_placed(const schedule::Schedule* s, const machine::Machine& m, std::vector<int> pus) {
  auto* p = new (std::nothrow) Placed;
  if (!p) fatal("out of memory: queues of a team");
  p->schedule = s;
  p->layout = schedule::make_layout(*s, m, pus);
  p->pus = std::move(pus);
  const size_t places = p->layout.places.size(), workers = p->layout.workers.size();
  p->queues = std::make_unique<PlaceQueue<Task>[]>(places);
  p->places = std::make_unique<Placed::PerPlace[]>(places);
  p->workers = std::make_unique<Placed::PerWorker[]>(workers);
  for (size_t i = 0; i < workers; ++i) {
    p->workers[i].state.random.x += uint32_t(i) * 0x9e3779b9u + 1;
    p->workers[i].seen.resize(places);
    p->workers[i].looked.resize(workers);
    p->workers[i].halts.resize(workers);
  }
  return p;
}

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
  for (Placed* p = g_all; n > 1 && p && !found; p = p->next)
    if (p->team == team && p->pus == pus) found = p;
  if (n > 1 && !found) {
    found = make_placed(g_config.schedule, machine::this_machine(), std::move(pus));
    found->team = team;
    found->next = g_all;
    g_all = found;
  }
  g_lock.unlock();
  // Release: the Placed as it was made, for a thread that is late to leave the region before; pairs with
  // search_placed().
  team->placed.store(found, std::memory_order_release);
}

void submit_placed(Worker* w, Task* t) {
  const int domain = take_hints(w, t, nullptr, 0);
  Placed* p = w->team->placed.load(std::memory_order_relaxed);
  count_task(w, t);
  if (takes_urgent(w, t)) return;
  if (!p) {
    if (send_to_node(w, t, domain)) return;
    if (!w->slot->deque.try_push(t, kMostQueued)) return run_task(w, t);
    return after_push(w);
  }
  Asking a(*p, w->thread_num);
  const Facts asked(*p->schedule, t, domain);
  const int place = schedule::choose_place(a.context, asked.facts);
  const bool full = place >= 0 && p->queues[size_t(place)].length() >= uint64_t(kMostQueued) &&
                    schedule::may_run_instead(*p->schedule, p->layout, w->thread_num, place, asked.facts);
  if (place == schedule::kRunNow || (full && !(t->flags & kTaskExtra))) {
    ++a.me.counts.run_now;
    return run_task(w, t);
  }
  push_to(w, *p, place, t);
}

void place_dependent(Worker* w, Task* t, const Dependence* list, int count) {
  const int domain = take_hints(w, t, list, count);
  Placed* p = w->team->placed.load(std::memory_order_relaxed);
  if (domain < 0 && !(p && p->schedule->when == schedule::When::created)) return;
  t->set_place(domain);
  if (p) {
    Asking a(*p, w->thread_num);
    t->set_place(schedule::choose_place(a.context, Facts(*p->schedule, t, domain).facts));
  }
  t->notes |= kPlaceDecided;
}

void push_placed(Worker* w, Task* t) {
  if (is_target_task(t)) return give_to_helpers(t);
  note_tasks(w);
  if (takes_urgent(w, t)) return;
  Placed* p = w->team->placed.load(std::memory_order_relaxed);
  const bool decided = t->notes & kPlaceDecided;
  if (!p) {
    if (decided && send_to_node(w, t, t->place())) return;
    w->slot->deque.push(t);
    return after_push(w);
  }
  if (decided) return push_to(w, *p, t->place(), t);
  Asking a(*p, w->thread_num);
  Facts asked(*p->schedule, t, -1);
  int place = schedule::choose_place(a.context, asked.facts);
  if (asked.facts.source) p->places[size_t(place)].placed_first.fetch_add(1, std::memory_order_relaxed);
  push_to(w, *p, place, t);
}

void push_placed_elsewhere(Team* team, Task* t) {
  Placed& p = *team->placed.load(std::memory_order_relaxed);
  p.queues[size_t(t->notes & kPlaceDecided ? t->place() : p.layout.workers[0].own[0])].push(t);
}

void requeue_placed(Worker* w, Task* t) {
  Placed& p = *w->team->placed.load(std::memory_order_relaxed);
  const int place = p.layout.workers[size_t(w->thread_num)].own[0];
  note_tasks(w);
  // Behind what waits: it may wait for that.
  if (p.schedule->order == schedule::Order::fifo) p.queues[size_t(place)].push(t);
  else p.queues[size_t(place)].push_oldest(t);
  wake_for(w, w->team, p, place);
}

void name_cluster(const Worker* w, Task* t, int cluster) {
  const Placed* p = w->team->placed.load(std::memory_order_relaxed);
  if (!p || p->layout.clusters.empty() || cluster < 0) return;
  t->set_place(cluster);
  t->notes |= kClusterNamed;
}

int clusters(const Worker* w, int* own) {
  const Placed* p = w->team->placed.load(std::memory_order_relaxed);
  const bool any = p && !p->layout.clusters.empty();
  *own = any ? p->layout.workers[size_t(w->thread_num)].cluster : 0;
  return any ? int(p->layout.clusters.size()) : 1;
}

int place_to_resume(const Worker* w) {
  const Placed* p = w->team->placed.load(std::memory_order_relaxed);
  return p ? p->layout.workers[size_t(w->thread_num)].own[0] : -1;
}

void resume_placed(Worker* w, Task* t) {
  Placed& p = *w->team->placed.load(std::memory_order_relaxed);
  const schedule::Layout& l = p.layout;
  const int own = l.workers[size_t(w->thread_num)].own[0], there = t->place();
  t->notes &= kOwnApart;
  note_tasks(w);
  // The place where it was left, if that is in another cluster; else here, where what it waited for is in the cache.
  const bool stays = l.places[size_t(there)].cluster != l.places[size_t(own)].cluster;
  const int place = stays ? there : own;
  if (p.schedule->order == schedule::Order::fifo || stays) p.queues[size_t(place)].push(t);
  else p.queues[size_t(place)].push_oldest(t);
  wake_for(w, w->team, p, place);
}

}  // namespace einkorn::runtime
