#include "simulate/engine.h"
#include "simulate/rates.h"

#include <cmath>
#include <limits>

#include "schedule/loops.h"
#include "simulate/replay.h"

namespace einkorn::simulate {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}

Outcome Engine::run() {
  begin_task(0, 0, 0);
  go_on(0, 0);
  while (!done_) {
    const double event = events_.empty() ? kNever : events_.top().at, end = traffic_.next_end();
    if (end < event) {
      stream_ended(end);
    } else if (event < kNever) {
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
    case StepKind::wait_children: case StepKind::wait_group: return wait(w, now, f);
    case StepKind::barrier: return barrier(w, now, f);
    case StepKind::region: return region(w, now, f, s);
    case StepKind::loop: return loop(w, now, f, s);
  }
  return true;
}

template <class Piece>
bool Engine::run_piece(uint32_t w, double now, Frame& f, const Piece& piece) {
  auto& fetches = workers_[w].fetches;
  if (f.phase == Frame::fresh) {
    f.phase = Frame::accessing;
    f.access = 0;
    fetches.clear();
    const bool timed = s_.memory && (piece.accesses == 0 || traffic_.known());  // else all of it is taken for compute
    double hits = 0;
    if (piece.accesses > 0) hits = memory_.touch(w, &p_.accesses[piece.first_access], piece.accesses, fetches, out_);
    if (!timed) hits = 0, fetches.clear();
    const double part = !timed ? 0 : piece.memory >= 0 ? double(piece.memory) : double(s_.unknown_memory);
    const double ns = piece.ns * (1 - part);
    if (part > 0 && piece.accesses == 0) {
      const int node = workers_[w].node;
      const double alone = rate_of_one(*s_.machine, node);
      const double rate = s_.recorded_rate > 0 && team_.n > 0 ? s_.recorded_rate : alone;
      fetches.push_back({node, piece.ns * part * rate});
    }
    if (ns + hits > 0) {
      time_of(w).work += ns;
      time_of(w).memory += hits;
      at(now + ns + hits, w);
      return false;
    }
  }
  while (f.access < fetches.size()) {
    const Memory::Fetch& next = fetches[f.access++];
    if (next.bytes <= 0) continue;
    workers_[w].since = now;
    traffic_.begin(now, workers_[w].node, next.node, next.bytes, w);
    return false;
  }
  return true;
}

void Engine::stream_ended(double now) {
  const uint32_t w = traffic_.end(now);
  now_ = now;
  time_of(w).memory += now - workers_[w].since;
  go_on(w, now);
}

bool Engine::fork(uint32_t w, double now, Frame& f, const Step& s) {
  const Task& t = p_.tasks[s.ref];
  if (f.phase == Frame::fresh) {
    f.phase = Frame::paid;
    const double cost = t.undeferred ? 0 : s_.costs.create + s_.costs.create_depend * double(t.predecessors);
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
  } else if (before_[s.ref] == 0) {
    if (const double cost = push(w, s.ref, now, t.predecessors == 0 && t.successors > 0); cost > 0) {
      pay(w, now, cost);
      return false;
    }
  }
  return true;
}

double Engine::push(uint32_t w, uint32_t task, double now, bool source) {
  const Task& t = p_.tasks[task];
  schedule::TaskFacts facts;
  facts.domain = t.domain < 0 ? -1 : t.domain % s_.machine->node_count();  // named on a machine that may have had more
  facts.source = source;
  facts.must_queue = t.predecessors > 0 || t.successors > 0;
  facts.depth = t.depth;
  const schedule::Push rule = s_.schedule.push;
  if (s_.schedule.place_task || (rule != schedule::Push::local && rule != schedule::Push::round_robin)) tell_bytes(task, facts);
  const int place = schedule::choose_place(asking(w), facts);
  if (place == schedule::kRunNow) {
    begin_task(w, task, now);
    return 0;
  }
  queues_.push(place, task);
  notify(place, now);
  const Layout::Worker& me = layout_.workers[w];
  if (place == me.own[0] || place == me.own[1]) return 0;
  const int node = layout_.places[size_t(place)].node;
  return s_.costs.push_away * (node >= 0 ? double(layout_.distance_between(me.node, node)) : 1.0);
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
  double cost = 0;
  for (uint32_t i = 0; i < t.successors; ++i) {
    const uint32_t next = p_.successors[t.first_successor + i];
    if (--before_[next] == 0 && forked_[next]) cost += push(w, next, now, false);
  }
  if (!t.explicit_task) return true;
  if (!outside_[f.task]) --team_.tasks;
  if (t.group != kNone && --group_[t.group] == 0) look_up(now, [&](const Frame& at) {
    return p_.steps[at.step].kind == StepKind::wait_group && p_.steps[at.step].ref == t.group;
  });
  if (--children_[t.parent] == 0) {
    const uint32_t waits = runner_[t.parent];
    if (waits != kNone && workers_[waits].idle && workers_[waits].stack.back().task == t.parent) wake(waits, now, false);
  }
  if (finish_barrier(now)) return false;
  if (cost == 0) return true;
  pay(w, now, cost);
  return false;
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
      if (!run_piece(w, now, f, c)) return false;
      tell(w, now, Mark::chunk_end, l.first_chunk + f.chunk);
      f.chunk = kNone;
    }
    const uint32_t chunk = next_chunk(w, l, loops_[s.ref], f.nested);
    if (chunk == kNone) {
      tell(w, now, Mark::loop_end, s.ref);
      next_step(f);
      return true;
    }
    f.chunk = chunk;
    f.phase = Frame::fresh;
    if (l.schedule == LoopSchedule::on_demand && s_.costs.chunk > 0) {
      pay(w, now, s_.costs.chunk);
      return false;
    }
  }
}

uint32_t Engine::next_chunk(uint32_t w, const Loop& l, LoopState& state, bool nested) {
  const uint32_t n = nested ? 1 : std::max(1u, team_.n), me = nested ? 0 : w;
  if (l.schedule == LoopSchedule::on_demand || n == 1) return state.next < l.chunks ? state.next++ : kNone;
  if (state.own.empty())
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t each = l.chunks / n, longer = l.chunks % n;  // the first ones get one more
      const uint32_t first = i * each + std::min(i, longer);
      state.own.emplace_back(first, first + each + (i < longer));
    }
  auto& [first, end] = state.own[me];
  if (first < end) return first++;
  if (s_.loop_victim == schedule::LoopVictim::none) return kNone;
  const machine::Machine& m = *s_.machine;
  const int victim = schedule::choose_loop_victim(
      s_.loop_victim, int(me), int(n), workers_[w].decides.random,
      [&](int t) { return uint64_t(state.own[size_t(t)].second - state.own[size_t(t)].first); },
      [&](int t) { return m.distance_between(workers_[w].node, workers_[size_t(t)].node); });
  if (victim < 0) return kNone;
  ++time_of(w).steals;
  return --state.own[size_t(victim)].second;
}
Outcome simulate(const Program& program, const Setup& setup, bool trace) { return Engine(program, setup, trace).run(); }

}  // namespace einkorn::simulate
