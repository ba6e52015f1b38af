#include "simulate/replay.h"

namespace einkorn::simulate {

using schedule::Search;

bool Engine::descends(uint32_t task, uint32_t ancestor) const {
  const uint32_t depth = p_.tasks[ancestor].depth;
  while (p_.tasks[task].depth > depth) task = p_.tasks[task].parent;
  return task == ancestor;
}

void Engine::look(uint32_t w, double now) {
  Worker& me = workers_[w];
  if (me.stack.empty()) return;
  const Frame& f = me.stack.back();
  const Task& waits = p_.tasks[f.task];
  const bool any = !waits.explicit_task;
  if (over(f)) return go_on(w, now);
  Context c = asking(w);
  Search search(c, any ? Search::Who::idle : Search::Who::in_task, false);
  auto may = [&](uint32_t t) { return allowed(f, t); };
  for (schedule::Visit v; search.next(&v);) {
    const bool lifo = !any || (v.own && s_.schedule.order == schedule::Order::lifo);
    const uint32_t found = lifo ? queues_.take_youngest(v.place, may) : queues_.take_oldest(v.place, may);
    if (found == kNone) {
      ++time_of(w).failed;
      continue;
    }
    take(w, now, found, v, any);
    return;
  }
  if (!me.told_idle) me.told_idle = true, tell(w, now, Mark::idle_begin, kNone);
  me.idle = true;
  idle_.push_back(w);
}

bool Engine::over(const Frame& f) const {
  const Step& s = p_.steps[f.step];
  if (s.kind == StepKind::wait_children || (s.kind == StepKind::barrier && f.nested)) return children_[f.task] == 0;
  if (s.kind == StepKind::wait_group) return group_[s.ref] == 0;
  return false;
}

void Engine::take(uint32_t w, double now, uint32_t found, const schedule::Visit& v, bool any) {
  Worker& me = workers_[w];
  const schedule::Place& place = layout_.places[size_t(v.place)];
  double cost = s_.costs.fetch;
  if (!v.own) {
    const float distance = place.node >= 0 ? layout_.distance_between(me.node, place.node) : 1;
    cost = s_.costs.steal * double(distance);
    ++time_of(w).steals;
    ++time_of(w).stolen;
    const int home = layout_.workers[w].own[0];
    bool more = false;
    for (uint32_t i = 1; any && i < v.most; ++i) {
      const uint32_t t = queues_.take_oldest(v.place, [&](uint32_t q) { return allowed(me.stack.back(), q); });
      if (t == kNone) break;
      queues_.push(home, t);
      ++time_of(w).stolen;
      more = true;
    }
    if (more) notify(home, now);
  }
  if (queues_.length(v.place) > 0) notify(v.place, now);
  tell_idle_end(w, now);
  begin_task(w, found, now + cost);
  pay(w, now, cost);
}

void Engine::notify(int at_place, double now) {
  if (idle_.empty()) return;
  const schedule::Place& place = layout_.places[size_t(at_place)];
  uint32_t best = kNone;
  int best_rank = 3;
  for (const uint32_t w : idle_) {
    const bool any = !p_.tasks[workers_[w].stack.back().task].explicit_task;
    if (!any || !schedule::may_take(s_.schedule, layout_, int(w), at_place, queues_.length(at_place))) continue;
    const Layout::Worker& l = layout_.workers[w];
    const bool own = l.own[0] == at_place || l.own[1] == at_place;
    const int rank = own ? 0 : l.node == place.node ? 1 : 2;
    if (rank < best_rank) best_rank = rank, best = w;
    if (rank == 0) break;
  }
  if (best != kNone) return wake(best, now, true);
  look_up(now, [](const Frame&) { return true; });
}

bool Engine::rescue() {
  for (const uint32_t w : std::vector<uint32_t>(idle_)) {
    const Frame f = workers_[w].stack.back();
    for (size_t place = 0; place < layout_.places.size(); ++place) {
      const uint32_t t = queues_.take_youngest(int(place), [&](uint32_t q) { return allowed(f, q); });
      if (t == kNone) continue;
      leave_idle(w);
      tell_idle_end(w, now_);
      begin_task(w, t, now_);
      at(now_, w);
      return true;
    }
  }
  return false;
}

}  // namespace einkorn::simulate
