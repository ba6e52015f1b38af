#include <limits>

#include "simulate/replay.h"

namespace einkorn::simulate {

namespace {

// For so long a thread stays awake in the runtime where no wait policy is set (spin_rounds()).
constexpr int kRounds = schedule::rounds_awake(schedule::kPausesAwake);
constexpr double kNsPerUs = 1000, kNever = std::numeric_limits<double>::infinity();

}  // namespace

double Engine::looks_elsewhere(Worker& me, double now) const {
  if (s_.schedule.backoff == schedule::Backoff::none || s_.costs.pause <= 0) return now;
  for (;;) {
    double next = me.searched;
    int round = me.round;
    for (uint32_t i = 0; i <= me.thief.backoff.skip; ++i)
      next += s_.costs.pause * schedule::pauses_after(round++, kRounds);
    if (next >= now) return next;
    while (schedule::stays_home(me.thief.backoff, false)) {}
    schedule::after_search(s_.schedule, me.thief.backoff, false);
    me.searched = next;
    me.round = std::min(round, kRounds + 1);
  }
}

// Where levels have caps: when it looks into others' places of that level next. It goes on in vain, ever more seldom,
// while it is awake; asleep it is woken.
double Engine::looks_into_level(Worker& me, schedule::Level level, double now) const {
  auto& its = me.thief.backoff.levels[level];
  if (its.pause == 0 || now - me.searched > schedule::kPausesAwake * s_.costs.pause) return now;
  while (double(its.until) * kNsPerUs < now) {
    its.pause = schedule::next_pause(s_.schedule, level, its.pause);
    its.until += its.pause;
  }
  return double(its.until) * kNsPerUs;
}

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
  // Into its own places alone, where it is too early for others' or somebody of its place is there.
  const bool by_level = schedule::has_level_caps(s_.schedule);
  const bool early = !me.idle || (!by_level && looks_elsewhere(me, now) > now);
  const schedule::LeftOut left = schedule::leaves_out(s_.schedule, me.thief.backoff, !early, uint64_t(now / kNsPerUs));
  const bool stays = left.others;
  if ((stays || by_level) && !me.idle) me.searched = now;
  const int home = layout_.workers[w].own[0];
  const bool has_turn = !schedule::takes_turns(s_.schedule) || now >= turn_[size_t(home)];
  leave_idle(w);
  const Context c = asking(w);
  auto may = [&](uint32_t t) { return allowed(f, t); };
  // Who waits in a task looks once for all the times that the runtime's thread looks until something changes: of these
  // some are thorough.
  const schedule::Looking how{any, !any, false, !any, left, has_turn};
  Looks looks(c, queues_, me.thief, now, s_.costs.short_task, how, may);
  const Found found = looks.search();
  time_of(w).failed += looks.failed();
  if (found) {
    me.round = 0;
    return take(w, now, found);
  }
  if (!stays && !by_level && has_turn) me.searched = now, ++me.round;
  if (!me.told_idle) me.told_idle = true, tell(w, now, Mark::idle_begin, kNone);
  me.idle = true;
  idle_.push_back(w);
  double next = kNever;
  for (const schedule::Level l : {schedule::kBeyond, schedule::kWithin})
    if (left.level[l]) next = std::min(next, looks_into_level(me, l, now));
  if (stays) look_again(w, looks_elsewhere(me, now));
  else if (next < kNever) look_again(w, next);
  else if (!has_turn) look_again(w, turn_[size_t(home)]);
}

bool Engine::over(const Frame& f) const {
  const Step& s = p_.steps[f.step];
  if (s.kind == StepKind::wait_children || (s.kind == StepKind::barrier && f.nested)) return children_[f.task] == 0;
  if (s.kind == StepKind::wait_group) return group_[s.ref] == 0;
  return false;
}

void Engine::take(uint32_t w, double now, const Found& found) {
  const schedule::Place& place = layout_.places[size_t(found.place)];
  const int home = layout_.workers[w].own[0];
  double cost = s_.costs.fetch;
  if (!s_.schedule.is_default) cost += enter_queue(w, found.place, now);
  if (!found.own) {
    const float distance = place.node >= 0 ? layout_.distance_between(workers_[w].node, place.node) : 1;
    if (s_.schedule.is_default) cost = s_.costs.steal * double(distance);
    ++time_of(w).steals;
    time_of(w).stolen += found.count;
  }
  if (found.count > 1) notify(schedule::kept_at(layout_, int(w), found.place), now);
  if (!found.own && schedule::takes_turns(s_.schedule)) turn_[size_t(home)] = now + cost;
  if (queues_.length(found.place) > 0) notify(found.place, now);
  tell_idle_end(w, now);
  begin_task(w, found.task, now + cost);
  pay(w, now, cost);
}

void Engine::notify(int at_place, double now) {
  if (idle_.empty()) return;
  const schedule::Place& place = layout_.places[size_t(at_place)];
  uint32_t best = kNone;
  int best_rank = 3;
  double best_at = 0;
  bool told = false;  // that somebody comes by
  for (const uint32_t w : idle_) {
    const bool any = !p_.tasks[workers_[w].stack.back().task].explicit_task;
    if (!any || !schedule::may_take(s_.schedule, layout_, int(w), at_place, queues_.length(at_place))) continue;
    const Layout::Worker& l = layout_.workers[w];
    const bool own = l.own[0] == at_place || l.own[1] == at_place;
    const int rank = own ? 0 : l.node == place.node ? 1 : 2;
    double when = now + s_.costs.wake;
    const bool shared = place.kind == schedule::PlaceKind::cluster;
    if (schedule::has_level_caps(s_.schedule) && (!own || shared)) {
      const bool within = place.cluster == l.cluster;
      when = std::max(when, looks_into_level(workers_[w], within ? schedule::kWithin : schedule::kBeyond, now));
      if (workers_[w].look_at >= 0 && workers_[w].look_at <= when) {
        told = true;
        continue;
      }
    } else if (!own) {
      if (workers_[w].look_at >= 0) {
        told = true;
        continue;
      }
      when = std::max(when, looks_elsewhere(workers_[w], now));
    }
    if (rank < best_rank || (rank == best_rank && when < best_at)) best_rank = rank, best = w, best_at = when;
    if (rank == 0 && when <= now + s_.costs.wake) break;
  }
  if (best != kNone && best_at > now + s_.costs.wake) return look_again(best, best_at);
  if (best != kNone) return wake(best, now, true);
  if (told) return;
  look_up(now, [](const Frame&) { return true; });
}

bool Engine::rescue() {
  for (const uint32_t w : std::vector<uint32_t>(idle_)) {
    const Frame f = workers_[w].stack.back();
    for (size_t place = 0; place < layout_.places.size(); ++place) {
      const uint32_t t = queues_.take_any(int(place), [&](uint32_t q) { return allowed(f, q); });
      if (t == kNone) continue;
      leave_idle(w);
      tell_idle_end(w, now_);
      begin_task(w, t, now_);
      at(now_, w);
      return true;
    }
  }
  return let_go() || force_signal();
}

// Who waits for a codelet by hand's firing, and keeps from its signal who is to give one on the same thread, would not
// have made that firing here, but who comes to its signal last: it is not waited for.
bool Engine::let_go() {
  std::erase_if(unreleased_, [&](uint32_t t) { return before_[t] == 0 || let_go_[t]; });
  for (const uint32_t w : std::vector<uint32_t>(idle_)) {
    const Frame& f = workers_[w].stack.back();
    const Step& s = p_.steps[f.step];
    const bool in_group = s.kind == StepKind::wait_group;
    if (!in_group && s.kind != StepKind::wait_children && !(s.kind == StepKind::barrier && f.nested)) continue;
    for (const uint32_t t : unreleased_) {
      if (in_group ? p_.tasks[t].group != s.ref : p_.tasks[t].parent != f.task) continue;
      let_go_[t] = true;
      --children_[p_.tasks[t].parent];
      if (p_.tasks[t].group != kNone) --group_[p_.tasks[t].group];
    }
    if (!over(f)) continue;
    leave_idle(w);
    at(now_, w);
    return true;
  }
  return false;
}

}  // namespace einkorn::simulate
