#include "simulate/engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "schedule/loops.h"
#include "simulate/replay.h"

namespace einkorn::simulate {

Outcome Engine::run() {
  begin_task(0, 0, 0);
  go_on(0, 0);
  while (!done_) {
    const double event = events_.empty() ? kEndless : events_.top().at, end = traffic_.next_end();
    if (end < event) {
      stream_ended(end);
    } else if (event < kEndless) {
      const Event e = events_.top();
      events_.pop();
      if (e.version != workers_[e.worker].version) continue;
      now_ = e.at;
      if (e.look) look(e.worker, e.at);
      else go_on(e.worker, e.at);
    } else if (!rescue()) {
      out_.stuck = true;
      break;
    }
  }
  out_.makespan = now_;
  // The other members have left the last barrier too, at this very time.
  if (tracing_)
    for (uint32_t w = 0; w < workers_.size(); ++w)
      for (const Frame& f : workers_[w].stack) {
        out_.stays.push_back({f.task, w, f.begin, now_});
        if (w > 0) tell(w, now_, Mark::implicit_end, f.task);
      }
  return std::move(out_);
}

void Engine::go_on(uint32_t w, double now) {
  Worker& me = workers_[w];
  while (!me.stack.empty()) {
    Frame& f = me.stack.back();
    const Task& t = p_.tasks[f.task];
    if (f.step == t.first_step + t.steps) {
      if (!end_task(w, now)) return;
      continue;
    }
    if (!run_step(w, now)) return;
  }
}

bool Engine::run_step(uint32_t w, double now) {
  Frame& f = workers_[w].stack.back();
  const Step& s = p_.steps[f.step];
  switch (s.kind) {
    case StepKind::compute:
      if (!run_piece(w, now, f, s)) return false;
      next_step(f);
      return true;
    case StepKind::fork: return fork(w, now, f, s);
    case StepKind::wait_children:
    case StepKind::wait_group: return wait(w, now, f);
    case StepKind::barrier: return barrier(w, now, f);
    case StepKind::region: return region(w, now, f, s);
    case StepKind::loop: return loop(w, now, f, s);
    case StepKind::post: return post(w, now, f, s);
    case StepKind::await: return await(w, now, f, s);
    case StepKind::release: return release(w, now, f, s);
  }
  return true;
}

bool Engine::fork(uint32_t w, double now, Frame& f, const Step& s) {
  const Task& t = p_.tasks[s.ref];
  if (f.phase == Frame::fresh) {
    f.phase = Frame::paid;
    const double cost =
        t.undeferred || t.codelet ? 0 : s_.costs.create + s_.costs.create_depend * double(t.predecessors - t.signals);
    for (uint16_t i = 0; i < s.opens; ++i) tell(w, now, Mark::group_begin, f.step);
    tell(w, now, Mark::create, s.ref, cost);
    if (cost > 0) {
      pay(w, now, cost);
      return false;
    }
  }
  next_step(f);
  ++children_[f.task];
  if (t.group != kNone) ++group_[t.group];
  if (team_.n > 0) ++team_.tasks;
  else outside_[s.ref] = true;
  forked_[s.ref] = true;
  if (t.undeferred) {
    begin_task(w, s.ref, now);
  } else if (before_[s.ref] > 0) {
    if (t.signals > 0) unreleased_.push_back(s.ref);
  } else {
    if (t.signals > 0) tell(w, now, Mark::fired, s.ref);
    if (const double cost = ready(w, s.ref, now, t.predecessors == 0 && t.successors > 0); cost > 0) {
      pay(w, now, cost);
      return false;
    }
  }
  return true;
}

bool Engine::release(uint32_t w, double now, Frame& f, const Step& s) {
  tell(w, now, Mark::release, f.step);
  next_step(f);
  if (--before_[s.ref] > 0 || !forked_[s.ref]) return true;
  tell(w, now, Mark::fired, s.ref);
  const double cost = ready(w, s.ref, now, false);
  if (cost > 0) pay(w, now, cost);
  return cost <= 0;
}

double Engine::push(uint32_t w, uint32_t task, double now, bool source) {
  const Task& t = p_.tasks[task];
  schedule::TaskFacts facts;
  facts.domain = t.domain < 0 ? -1 : t.domain % s_.machine->node_count();  // named on a machine that may have had more
  facts.source = source;
  facts.must_queue = t.predecessors > t.signals || t.successors > 0;
  facts.depth = t.depth;
  const schedule::Push rule = s_.schedule.push;
  if (s_.schedule.place_task || (rule != schedule::Push::local && rule != schedule::Push::round_robin))
    tell_bytes(task, facts);
  const int place = schedule::choose_place(asking(w), facts);
  if (place == schedule::kRunNow) {
    begin_task(w, task, now);
    return 0;
  }
  // It is there, and others are told, when the queue has been the worker's turn: who finds it before pays for that in
  // enter_queue().
  if (releases_ && place == layout_.workers[w].own[0] && next_ == kNone && queues_.length(place) == 0) {
    next_ = task;
    return 0;
  }
  if (s_.schedule.is_default && (releases_ || place != layout_.workers[w].own[0])) queues_.send(place, task);
  else queues_.push(place, task);
  notify(place, now);
  return s_.schedule.is_default ? 0 : enter_queue(w, place, now);
}

void Engine::tell_bytes(uint32_t task, schedule::TaskFacts& facts) {
  const auto nodes = size_t(s_.machine->node_count());
  read_.assign(nodes, 0);
  written_.assign(nodes, 0);
  const Task& t = p_.tasks[task];
  bool any = false;
  for (uint32_t i = t.first_step; i < t.first_step + t.steps; ++i)
    for (uint32_t k = 0; k < p_.steps[i].accesses; ++k) {
      const Access& a = p_.accesses[p_.steps[i].first_access + k];
      any |= memory_.bytes_by_node(a, a.write ? written_ : read_);
    }
  if (!any) return;
  facts.read = read_.data(), facts.written = written_.data();
  if (s_.placement.node >= 0 || s_.placement.layout != memory::Layout::coarse) return;
  coarse_.assign(nodes, 0);
  for (size_t n = 0; n < nodes; ++n) coarse_[n] = read_[n] + written_[n];
  facts.coarse = coarse_.data();
}

bool Engine::end_task(uint32_t w, double now) {
  Worker& me = workers_[w];
  const Frame f = me.stack.back();
  const Task& t = p_.tasks[f.task];
  me.stack.pop_back();
  if (tracing_) out_.stays.push_back({f.task, w, f.begin, now});
  if (f.task != 0) tell(w, now, t.explicit_task ? Mark::end : Mark::implicit_end, f.task);
  if (f.task == 0) {
    done_ = true;
    now_ = now;
    return false;
  }
  // Where it waits at the outermost level, what becomes ready runs in that order, and the first of it next, if nothing
  // else is there (queue() in src/runtime/task/depend.cpp).
  releases_ = s_.schedule.is_default && !t.codelet && team_.n > 0 && !me.stack.empty() &&
              !p_.tasks[me.stack.back().task].explicit_task;
  double cost = leave_sets(w, t, now);
  for (uint32_t i = 0; i < t.successors; ++i) {
    const uint32_t next = p_.successors[t.first_successor + i];
    if (--before_[next] == 0 && forked_[next]) cost += ready(w, next, now, false);
  }
  releases_ = false;
  if (!t.explicit_task) return true;
  if (!outside_[f.task]) --team_.tasks;
  if (let_go_[f.task]) {
    if (finish_barrier(now)) return false;
  } else if (!leave_waits(t, now)) {
    return false;
  }
  if (const uint32_t next = std::exchange(next_, kNone); next != kNone) begin_task(w, next, now);
  if (cost == 0) return true;
  pay(w, now, cost);
  return false;
}

// Who waits for the task, which has ended, may go on. False: the team's barrier has ended, too.
bool Engine::leave_waits(const Task& t, double now) {
  if (t.group != kNone && --group_[t.group] == 0)
    look_up(now, [&](const Frame& at) {
      return p_.steps[at.step].kind == StepKind::wait_group && p_.steps[at.step].ref == t.group;
    });
  if (--children_[t.parent] == 0) {
    const uint32_t waits = runner_[t.parent];
    if (waits != kNone && workers_[waits].idle && workers_[waits].stack.back().task == t.parent)
      wake(waits, now, false);
  }
  return !finish_barrier(now);
}

bool Engine::wait(uint32_t w, double now, Frame& f) {
  if (f.phase != Frame::waiting) {
    f.phase = Frame::waiting;
    tell(w, now, Mark::wait_begin, f.step);
  }
  if (over(f)) {
    leave_wait(w, now, f);
    return true;
  }
  look(w, now);
  return false;
}

void Engine::leave_wait(uint32_t w, double now, Frame& f) {
  tell_idle_end(w, now);
  tell(w, now, Mark::wait_end, f.step);
  next_step(f);
}

bool Engine::barrier(uint32_t w, double now, Frame& f) {
  if (f.nested) return wait(w, now, f);
  if (f.phase != Frame::waiting) {
    f.phase = Frame::waiting;
    tell(w, now, Mark::wait_begin, f.step);
    ++team_.arrived;
    if (finish_barrier(now)) return false;
  }
  look(w, now);
  return false;
}

bool Engine::finish_barrier(double now) {
  if (team_.n == 0 || team_.arrived < team_.n || team_.tasks > 0) return false;
  team_.arrived = 0;
  const double cost = s_.costs.barrier * std::max(1.0, std::ceil(std::log2(double(team_.n))));
  for (uint32_t w = 0; w < team_.n; ++w) {
    Worker& member = workers_[w];
    leave_idle(w);
    const double goes_on = now + (team_.n > 1 ? cost : 0);
    leave_wait(w, goes_on, member.stack.back());
    time_of(w).overhead += cost;
    at(goes_on, w);
  }
  return true;
}

bool Engine::region(uint32_t w, double now, Frame& f, const Step& s) {
  const Region& r = p_.regions[s.ref];
  if (f.phase == Frame::paid) {  // it is over
    team_ = Team{};
    tell(w, now, Mark::region_end, s.ref);
    next_step(f);
    return true;
  }
  if (team_.n > 0) {  // inside another: member by member
    if (f.access == r.members) {
      tell(w, now, Mark::region_end, s.ref);
      next_step(f);
      return true;
    }
    if (f.access == 0) tell(w, now, Mark::region_begin, s.ref);
    begin_task(w, r.first_member + f.access++, now, true);
    return true;
  }
  f.phase = Frame::paid;
  tell(w, now, Mark::region_begin, s.ref);
  team_ = Team{r.members, 0, 0};
  queues_.begin_region();
  for (uint32_t i = 0; i < r.members; ++i) {
    begin_task(i, r.first_member + i, now + s_.costs.region);
    if (r.members == 1) return true;
    time_of(i).overhead += s_.costs.region;
    at(now + s_.costs.region, i);
  }
  return false;
}

bool Engine::loop(uint32_t w, double now, Frame& f, const Step& s) {
  const Loop& l = p_.loops[s.ref];
  if (!f.entered) {
    f.entered = true;
    tell(w, now, Mark::loop_begin, s.ref);
  }
  for (;;) {
    if (f.chunk != kNone) {
      const Chunk& c = p_.chunks[l.first_chunk + f.chunk];
      if (f.phase == Frame::fresh) tell(w, now, Mark::chunk_begin, l.first_chunk + f.chunk);
      if (f.phase != Frame::waiting && !run_piece(w, now, f, c)) return false;
      if (l.ordered && !take_turn(w, now, f, s)) return false;
      tell(w, now, Mark::chunk_end, l.first_chunk + f.chunk);
      f.chunk = kNone;
    }
    const uint32_t chunk = next_chunk(w, now, l, loops_[s.ref], f.nested);
    if (chunk == kNone) {
      tell(w, now, Mark::loop_end, s.ref);
      next_step(f);
      return true;
    }
    f.chunk = chunk;
    f.phase = Frame::fresh;
    if (l.schedule != LoopSchedule::fixed && l.schedule != LoopSchedule::rounds && s_.costs.chunk > 0) {
      pay(w, now, s_.costs.chunk);
      return false;
    }
  }
}

// The chunk in hand has come to its ordered section, waits for its turn, or is through.
bool Engine::take_turn(uint32_t w, double now, Frame& f, const Step& s) {
  LoopState& state = loops_[s.ref];
  if (f.phase != Frame::waiting) {
    f.phase = Frame::waiting;
    f.access = 0;
    workers_[w].since = now;
    if (state.turn != f.chunk) {
      tell(w, now, Mark::turn_wait, s.ref);
      state.waiting.emplace_back(f.chunk, w);
      return false;
    }
  }
  if (f.access++ == 0) {
    tell(w, now, Mark::turn_begin, s.ref);
    time_of(w).blocked += now - workers_[w].since;
    const double ns = p_.chunks[p_.loops[s.ref].first_chunk + f.chunk].in_turn;
    time_of(w).work += ns;
    at(now + ns, w);
    return false;
  }
  tell(w, now, Mark::turn_end, s.ref);
  ++state.turn;
  const auto next =
      std::find_if(state.waiting.begin(), state.waiting.end(), [&](auto& one) { return one.first == state.turn; });
  if (next != state.waiting.end()) {
    at(now + s_.costs.wake, next->second);
    state.waiting.erase(next);
  }
  return true;
}

// As the runtime's batches (batch.cpp), but that it knows where the loop is: from the loop, into a range of the
// member's own; then half of another's.
uint32_t Engine::next_of_batch(uint32_t w, double now, const Loop& l, LoopState& state, uint32_t n) {
  if (state.own.empty()) state.own.resize(n), state.batch.resize(n);
  auto& [first, end] = state.own[w];
  if (first < end) return first++;
  if (state.next < l.chunks) {
    const uint32_t from = state.next;
    const uint64_t size = schedule::batch_size(state.batch[w], now, s_.costs.short_batch, l.chunks - from, n);
    state.next = uint32_t(std::min<uint64_t>(l.chunks, from + size));
    first = from + 1, end = state.next;
    return from;
  }
  schedule::RandomSweep sweep(workers_[w].thief.state.random, w, n);
  for (int v; (v = sweep.next()) >= 0;) {
    auto& other = state.own[size_t(v)];
    if (other.first >= other.second) continue;
    ++time_of(w).steals;
    const auto from = uint32_t(schedule::half_from(other.first, other.second));
    first = from + 1, end = other.second;
    other.second = from;
    return from;
  }
  return kNone;
}

// A chunk of a member that has not come is taken as a whole, where the runtime's threads share it.
uint32_t Engine::next_of_guided(uint32_t me, const Loop& l, LoopState& state, uint32_t n) {
  if (state.own.empty()) {
    state.next = std::min(n, l.chunks);
    for (uint32_t i = 0; i < n; ++i) state.own.emplace_back(std::min(i, l.chunks), std::min(i + 1, l.chunks));
    state.round.assign(n, 0);
  }
  if (state.round[me] == kNone) return kNone;  // has run the last one
  uint32_t chunk = state.next;
  auto& mine = state.own[me];
  if (mine.first < mine.second) {
    chunk = mine.first++;
  } else {
    auto late = state.own.end();
    if (chunk + 1 >= l.chunks)
      late = std::find_if(state.own.begin(), state.own.end(), [](const auto& o) { return o.first < o.second; });
    if (late != state.own.end()) chunk = late->first++;
    else if (chunk >= l.chunks) return kNone;
    else ++state.next;
  }
  if (chunk + 1 == l.chunks) state.round[me] = kNone;
  return chunk;
}

uint32_t Engine::next_chunk(uint32_t w, double now, const Loop& l, LoopState& state, bool nested) {
  const uint32_t n = nested ? 1 : std::max(1u, team_.n), me = nested ? 0 : w;
  // EINKORN_LOOP deals a dynamic loop's chunks out, too; others' it leaves as they are.
  const bool dealt = l.schedule == LoopSchedule::fixed || (l.batched && s_.loop_victim != schedule::LoopVictim::none);
  if (l.schedule == LoopSchedule::rounds && n > 1) {
    state.round.resize(n);
    uint64_t first, count;
    return schedule::static_chunk(l.chunks, 1, me, n, state.round[me]++, first, count) ? uint32_t(first) : kNone;
  }
  if (!dealt && l.batched && n > 1 && schedule::batches_pay(l.chunks, n)) return next_of_batch(w, now, l, state, n);
  if (l.own_firsts && n > 1 && n <= schedule::kMostOwnChunks) return next_of_guided(me, l, state, n);
  if (!dealt || n == 1) return state.next < l.chunks ? state.next++ : kNone;
  if (state.own.empty())
    for (uint32_t i = 0; i < n; ++i) {
      uint64_t first, count;
      schedule::static_part(l.chunks, i, n, first, count);
      state.own.emplace_back(uint32_t(first), uint32_t(first + count));
    }
  auto& [first, end] = state.own[me];
  if (first < end) return first++;
  if (s_.loop_victim == schedule::LoopVictim::none) return kNone;
  const machine::Machine& m = *s_.machine;
  const int victim = schedule::choose_loop_victim(
      s_.loop_victim, int(me), int(n), workers_[w].thief.state.random,
      [&](int t) { return uint64_t(state.own[size_t(t)].second - state.own[size_t(t)].first); },
      [&](int t) { return m.distance_between(workers_[w].node, workers_[size_t(t)].node); });
  if (victim < 0) return kNone;
  ++time_of(w).steals;
  return --state.own[size_t(victim)].second;
}

Outcome simulate(const Program& program, const Setup& setup, bool trace) { return Engine(program, setup, trace).run(); }

}  // namespace einkorn::simulate
