// What threads share by writing to it, one after the other: the program's locks, and the queues of places.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/tunables.h"
#include "simulate/replay.h"

namespace einkorn::simulate {

// ---- locks: the runtime's mutex (src/flow/mutex.h) --------------------------------------------------------------
//
// A lock is its releaser's own again if that comes first. Who waits looks now and then (schedule/lock_looks.h), for as
// long as threads stay awake (tunables::kLinger), and sleeps in the end; so after a release the one that looks first
// has it, or who comes before. Who is woken and finds it held looks on. Hand-over: the lock's line goes to who looks,
// is taken for its write, and what the lock protects follows: a line at least. Others that look at the same time stand
// in turn for the line.

double Engine::line_from(int pu, uint32_t w) const {
  const int mine = s_.pus[w];
  if (pu < 0 || s_.machine->pus[size_t(pu)].core == s_.machine->pus[size_t(mine)].core) return 0;
  return s_.costs.line * double(layout_.distance_between(s_.machine->pus[size_t(pu)].node, workers_[w].node));
}

// How many looks of one that leaves so many pauses between two come while a line is on its way.
double Engine::looks_meanwhile(int gap) const {
  return std::min(1.0, s_.costs.line / std::max(1.0, double(gap) * s_.costs.pause));
}

int Engine::who_look(const Lock& l) {
  return int(std::count_if(l.waiting.begin(), l.waiting.end(),
                           [](const Lock::Waiter& v) { return !v.asleep && v.looks.stays(); }));
}

// How many others' looks come between two of the lock's hands.
double Engine::crowd(const Lock& l, uint32_t except) const {
  double sum = 0;
  const int all = who_look(l);
  for (const Lock::Waiter& v : l.waiting)
    if (v.worker != except && !v.asleep) sum += looks_meanwhile(v.looks.gap() * (v.looks.stays() ? all : 1));
  return sum;
}

bool Engine::take_lock(uint32_t w, double now, uint32_t lock, double section, double& cost) {
  Lock& l = locks_[lock];
  const auto mine =
      std::find_if(l.waiting.begin(), l.waiting.end(), [&](const Lock::Waiter& v) { return v.worker == w; });
  const bool waited = mine != l.waiting.end();
  if (l.depth > 0 && l.holder != w) {
    if (!waited) {
      const bool asleep = double(wakes_) < s_.slept * double(++waits_);
      l.waiting.push_back({w, now, now, now, schedule::LockLooks(), asleep, false});
      tell(w, now, Mark::lock_wait, lock);
    } else if (mine->woken) {
      *mine = {w, mine->since, now, now, schedule::LockLooks(), false, false};
    }
    return false;
  }
  if (l.depth++ > 0) return true;
  // Found free at once: its line, and one of what it protects, which comes while the section does what needs no memory.
  // By a look: the line comes for the look, and again for the write, and what it protects is still being written.
  const double line = line_from(l.last, w);
  cost = waited ? line * (2 + 1 + crowd(l, w)) : line + std::max(0.0, line - section);
  if (waited) {
    time_of(w).blocked += now - mine->since;
    l.waiting.erase(mine);
  }
  l.holder = w;
  l.last = s_.pus[w];
  tell(w, now + cost, Mark::lock_taken, lock);
  return true;
}

double Engine::release_lock(uint32_t w, double now, uint32_t lock) {
  Lock& l = locks_[lock];
  if (l.depth == 0 || l.holder != w || --l.depth > 0) return 0;
  l.holder = kNone;
  Lock::Waiter* first = nullptr;
  Lock::Waiter* sleeper = nullptr;
  bool woken = false;
  double cost = 0, looks_at = 0;
  const int all = who_look(l);
  const double last = schedule::LockLooks::later_gap(true, all) * s_.costs.pause;  // between two looks of who lingers
  for (Lock::Waiter& v : l.waiting) {
    if (s_.costs.pause <= 0) v.at = now;
    while (!v.asleep && v.at < now) {
      const int gap = v.looks.next(v.looks.stays() ? all : 1);
      if (gap > 0) v.at += double(gap) * s_.costs.pause;
      else if (s_.slept >= 0 || now - v.awake < double(tunables::kLinger))
        v.at += std::ceil((now - v.at) / last) * last;
      else v.asleep = true;
    }
    if (v.asleep) {
      woken |= v.woken;
      if (!sleeper) sleeper = &v;
      continue;
    }
    cost = std::max(cost, line_from(s_.pus[v.worker], w));  // its look has taken the line
    if (!first || v.at < looks_at) first = &v, looks_at = v.at;
  }
  if (first) at(std::max(now + cost, looks_at), first->worker);
  if (sleeper && !woken) {  // the last one that was woken has not tried yet: nobody else is
    sleeper->woken = true;
    ++wakes_;
    // No two wakes take as long. Were they all the same, threads of equal pieces could miss each other for ever.
    at(now + s_.costs.sleeper * (0.5 + random_of(sleeper->worker)), sleeper->worker);
    cost += s_.costs.sleeper_call;
  }
  tell(w, now, Mark::lock_released, lock);
  return cost;
}

// ---- queues of places (src/flow/place_queue.h) ------------------------------------------------------------------
//
// A mutex as above, on the same line as what it protects: each that stands in turn and looks takes that line from
// who is at work, until it sleeps. So many threads make a queue as slow as those few do that are awake, and not slower.
// Who is at work has as many behind it as stood before it when it came, and they have stood as long. They come in turn
// here: a sleeper's waking, and who overtakes it meanwhile, change who has the queue, not how fast it goes.

double Engine::enter_queue(uint32_t w, int place, double now) {
  QueueLine& q = lines_[size_t(place)];
  while (!q.begins.empty() && q.begins.front() <= now) q.begins.pop_front();
  const double begin = std::max(now, q.free), line = line_from(q.last, w);
  double looks = 0;
  auto pauses_of = [&](double other) { return size_t(s_.costs.pause > 0 ? (other - now) / s_.costs.pause : 0); };
  int all = 1;  // who are awake, this one among them
  for (const double other : q.begins) all += pauses_of(other) < gap_after_.size();
  for (int i = 0; i + 1 < all; ++i) looks += looks_meanwhile(gap_after_[pauses_of(q.begins[size_t(i)])] * all);
  q.free = begin + s_.costs.queue + line * (2 + looks);  // the queue's line, and that of the slot
  q.last = s_.pus[w];
  if (begin > now) q.begins.push_back(begin);
  return q.free - now;
}

// ---- steps that others wait for (src/flow/steps.h) --------------------------------------------------------------
//
// Each of those who wait looks at the poster's line, which goes to them by the post.

bool Engine::post(uint32_t w, double now, Frame& f, const Step& s) {
  SignalState& signal = signals_[s.ref];
  signal.pu = s_.pus[w];
  tell(w, now, Mark::post, f.step);
  for (const uint32_t other : signal.waiting) at(now + line_from(signal.pu, other), other);
  signal.waiting.clear();
  next_step(f);
  return true;
}

bool Engine::step_of_chunk(uint32_t w, double now, const Frame& f, const LockPoint& p, double& cost) {
  SignalState& signal = signals_[p.lock];
  if (!p.taken) {
    signal.pu = s_.pus[w];
    tell(w, now, Mark::chunk_post, p.lock);
    for (const uint32_t other : signal.waiting) at(now + line_from(signal.pu, other), other);
    signal.waiting.clear();
    return true;
  }
  if (signal.pu < 0 && !f.nested && team_.n > 1) {
    workers_[w].since = now;
    workers_[w].stands = true;
    signal.waiting.push_back(w);
    return false;
  }
  if (std::exchange(workers_[w].stands, false)) time_of(w).blocked += now - workers_[w].since;
  else if (signal.pu >= 0) cost = line_from(signal.pu, w);
  tell(w, now, Mark::chunk_await, p.lock);
  return true;
}

bool Engine::force_signal() {
  for (SignalState& signal : signals_) {
    if (signal.waiting.empty()) continue;
    for (const uint32_t w : signal.waiting) at(now_, w);
    signal.pu = s_.pus[signal.waiting[0]];
    signal.waiting.clear();
    return true;
  }
  return false;
}

bool Engine::await(uint32_t w, double now, Frame& f, const Step& s) {
  SignalState& signal = signals_[s.ref];
  // Members that one worker runs after each other cannot wait for each other.
  if (!f.nested) {
    if (f.phase == Frame::fresh) {
      tell(w, now, Mark::await_begin, f.step);
      workers_[w].since = now;
      f.phase = Frame::waiting;
      if (signal.pu < 0) return signal.waiting.push_back(w), false;
      if (const double line = line_from(signal.pu, w); line > 0) return at(now + line, w), false;
    }
    time_of(w).blocked += now - workers_[w].since;
    tell(w, now, Mark::await_end, f.step);
  }
  next_step(f);
  return true;
}

}  // namespace einkorn::simulate
