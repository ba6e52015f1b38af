#include "profile/decode_thread.h"
#include <algorithm>

namespace einkorn::profile {

using record::Kind;

namespace {

constexpr int64_t kLeastStop = 1'000'000;  // ns: shorter ones are in every run

}  // namespace

void ThreadDecoder::begin(const record::ThreadRecord& r) {
  RawThread& thread = out_.threads[thread_];
  if (thread.described || begun_) return;  // recorded twice, or too late: the first counts
  thread.described = true;
  thread.info.os_tid = r.os_tid;
  // There is one initial thread; only a damaged file claims a second.
  initial_ = r.is_initial && out_.initial == kNone;
  thread.info.initial = initial_;
  tick_ = r.begin_tick;
  now_ = ticks_.ns(tick_);
  thread.info.begin = now_;
  begun_ = true;
  push(FrameKind::base);
  if (initial_) {
    thread.base = out_.initial = top().context = new_context(ContextKind::initial, 0);
    open_step();
  }
}

bool ThreadDecoder::events(const uint64_t* words, size_t n, uint64_t sequence, uint64_t first_tick,
                           uint64_t first_serial) {
  if (!begun_) {  // its thread block is lost
    record::ThreadRecord unknown{};
    unknown.begin_tick = first_tick;
    begin(unknown);
    out_.threads[thread_].described = false;
  }
  if (over_ || sequence < next_sequence_) {
    ++out_.unmatched;
    return true;
  }
  if (sequence > next_sequence_ || broken_) gap(first_tick);
  broken_ = false;
  next_sequence_ = sequence + 1;
  tick_ = std::max(tick_, first_tick);
  serial_ = std::max(serial_, first_serial);

  for (size_t i = 0; i < n && !over_;) {
    uint64_t w = words[i];
    Kind kind = record::kind_of(w);
    int extra = record::extra_words(kind, record::payload_of(w));
    if (extra < 0 || size_t(extra) >= n - i) {
      broken_ = true;
      return false;
    }
    uint64_t delta = record::delta_of(w);
    tick_ = tick_ + delta < tick_ ? ~0ull : tick_ + delta;
    if (kind == Kind::time) tick_ = std::max(tick_, words[i + 1]);  // never backwards, whatever the file says
    else record(kind, record::payload_of(w), words + i + 1);
    i += 1 + size_t(extra);
  }
  return true;
}

void ThreadDecoder::record(Kind kind, uint32_t payload, const uint64_t* extra) {
  // These describe the record before them, at its time: they do not cut short a creation that lasts beyond it.
  switch (kind) {
    case Kind::pad: return;
    case Kind::cpu:
      cpu_ = uint16_t(std::min<uint32_t>(payload & 0xfffff, 0xffff));
      if (!placed_) node_ = uint16_t(payload >> 20);
      return;
    case Kind::task_range: return task_range(extra[0], extra[1]);
    case Kind::depend: return depend(payload, extra);
    case Kind::place: return place(payload & 0xffff);
    case Kind::footprint: return footprint(extra[0], extra[1], payload & 1);
    case Kind::footprint_node: return footprint_node(payload, extra[0], extra[1]);
    case Kind::affinity: return touch(payload, extra[0], extra[1]);
    case Kind::control: return;  // reserved
    case Kind::loss: return loss(record::LossReason(std::min<uint32_t>(payload, 255)), extra);
    case Kind::subtree: return subtree(payload, extra);
    case Kind::edge:
      if (payload >= record::kEdgeNamed)
        return out_.names_by_hand.push_back(
            {extra[0], extra[1], payload == record::kEdgeUnnamed ? kNone : payload - record::kEdgeNamed});
      if (payload >= record::kEdgeFiredTask) return fired(payload, extra);
      break;
    case Kind::counters:
      counts_.told = true;
      counts_.payload = payload;
      std::copy_n(extra, record::extra_words(kind, payload), counts_.words.begin());
      return;
    default: break;
  }
  // A record that shares the stamp of the previous one has a difference of 0.
  const bool shares = kind == Kind::task_next || kind == Kind::wait_done;
  if (!shares || ticks_.ns(tick_) > last_stamp_) ++out_.stamps;
  last_stamp_ = ticks_.ns(tick_);
  // Dependences follow the record of their task or wait; only records of the recorder's own work may come between.
  if (kind != Kind::recorder && kind != Kind::cpu_time) dependent(Dependent::nobody, kNone);
  int64_t t = ticks_.ns(tick_);
  if (kind == Kind::cpu_time) return cpu_time(t, payload, extra);
  const bool within = in_one_call(kind, payload);
  if (counts_.told) take_counts(kind, within);
  take_reading(within);
  if (kind == Kind::recorder) {
    int64_t from = ticks_.ns(tick_ - std::min<uint64_t>(payload, tick_));
    advance(from);
    charge(State::recorder, t);
    return;
  }
  if (kind == Kind::aggregate) return aggregate(extra);
  if (kind == Kind::task_create_brief) return task_create_brief(payload, t);
  if (kind == Kind::task_run) return task_run(own_task(payload), t);
  const int64_t before = now_;
  if (within) charge(State::overhead, t);
  advance(t);
  const bool own_stamp = now_ > before, after_end = after_end_, after_chunk = after_chunk_;
  after_end_ = kind == Kind::task_end, after_chunk_ = kind == Kind::chunk_end;
  switch (kind) {
    case Kind::thread_end:
      while (stack_.size() > 1) close_top(true, true);
      finish(now_, true);
      break;
    case Kind::region_begin: region_begin(payload, extra[0], uint32_t(extra[1]), uint32_t(extra[1] >> 32)); break;
    case Kind::region_end: region_end(true); break;
    case Kind::implicit_begin: implicit_begin(payload, extra[0]); break;
    case Kind::implicit_end: implicit_end(payload); break;
    case Kind::task_create: {
      int64_t end = ticks_.ns(tick_ + (payload >> 16));
      if (!runs_at_once(payload & 0xffff)) creation_.note(end - now_);
      task_create(payload & 0xffff, end);
      break;
    }
    case Kind::task_create_long:
      task_create(payload, ticks_.ns(tick_ + extra[0] < tick_ ? ~0ull : tick_ + extra[0]));
      break;
    case Kind::task_start:
      count_task_in_wait();
      task_start(own_task(payload));
      break;
    case Kind::task_next: {
      Typical& typical = after_end ? next_start_ : first_start_;
      if (own_stamp) typical.note(now_ - before);
      else guess_overhead(typical);
      count_task_in_wait();
      task_start(own_task(payload));
      break;
    }
    case Kind::wait_done:
      if (own_stamp) wait_done_.note(now_ - before);
      else guess_overhead(wait_done_);
      wait_end(true);
      break;
    case Kind::task_start_other:
      count_task_in_wait();
      task_start(extra[0]);
      break;
    case Kind::task_end: task_end(false); break;
    case Kind::task_suspend:
      if (payload != 0) give_way(payload);
      else task_end(true);
      break;
    case Kind::stretch: stretch(payload); break;
    case Kind::edge: edge(payload, extra); break;
    case Kind::iteration: iteration(payload != 0, extra[0]); break;
    case Kind::fulfill: fulfill(extra[0]); break;
    case Kind::wait_begin:
      wait_begin(payload);
      if (payload < out_.sites.size() && !(out_.sites[payload].flags & record::kSiteNowait)) ++wait_at(payload).waits;
      break;
    case Kind::graph_run: graph_run(payload, extra[0], extra[1]); break;
    case Kind::codelet_begin:
      count_task_in_wait();
      codelet_begin(payload, extra[0]);
      break;
    case Kind::codelet_end: task_end(false); break;
    case Kind::wait_end: wait_end(true); break;
    case Kind::idle_begin: top().idle = true; break;
    case Kind::idle_end: top().idle = false; break;
    case Kind::loop_begin: loop_begin(payload, extra); break;
    case Kind::chunk_begin:
      if (after_chunk && own_stamp) next_chunk_.note(now_ - before);
      chunk_begin(payload, 0, true);
      break;
    case Kind::chunk_begin_long: chunk_begin(extra[0], extra[1], false); break;
    case Kind::chunk_end: chunk_end(); break;
    case Kind::chunk_next:
      chunk_end();
      advance(now_ + next_chunk_.ns);
      chunk_begin(payload, 0, true);
      break;
    case Kind::loop_end:
      if (!drop_down_to(FrameKind::loop)) break;
      close_step(Action::loop_end, kNone);
      pop();
      open_step();
      owner().after_loop = true;
      break;
    case Kind::mutex_wait:
      drop_mutexes();  // no thread waits for two locks at once
      push(FrameKind::mutex);
      top().since = now_;
      top().ref = lock_of(extra[0], payload);
      break;
    case Kind::mutex_acquired: mutex_acquired(payload, extra[0]); break;
    case Kind::mutex_released: mutex_released(extra[0], ticks_.ns(tick_ + payload)); break;
    case Kind::taskgroup_begin:
      open_step();
      if (uint16_t& groups = out_.steps[owner().step].groups; groups < 0xffff) ++groups;
      call_ = return_address(payload);
      break;
    case Kind::yield: push(FrameKind::yield); break;
    case Kind::yield_end:
      if (drop_down_to(FrameKind::yield)) pop();
      break;
    case Kind::taskloop_begin:
      ++(top().kind == FrameKind::chunk ? top() : owner()).taskloops;
      push(FrameKind::taskloop);
      top().call = return_address(payload);
      break;
    case Kind::taskloop_end:
      if (drop_down_to(FrameKind::taskloop)) leave_taskloop();
      break;
    default: ++out_.unmatched; break;
  }
}

// ---- time ----------------------------------------------------------------------------------------------------------

void ThreadDecoder::cpu_time(int64_t t, uint32_t switches, const uint64_t* extra) {
  take_reading(false);
  reading_ = {t, int64_t(std::min<uint64_t>(extra[0], INT64_MAX)), int64_t(std::min<uint64_t>(extra[1], INT64_MAX))};
  out_.threads[thread_].info.cpu_ns = reading_.cpu;
  out_.threads[thread_].info.involuntary_switches = switches;
  if (!call_ && !owner().after_loop) take_reading(false);
}

void ThreadDecoder::take_reading(bool within_call) {
  if (reading_.at < 0) return;
  if (within_call) charge(State::overhead, reading_.at);
  advance(reading_.at);
  // What was missing of the window's work, and is more than all of its steps but one: in that one the thread was
  // stopped for the rest, at least.
  const auto [off, work] = clock_.reading(now_, reading_.cpu, reading_.parked);
  const int64_t stopped = off - (work - at_work_.longest);
  if (stopped >= kLeastStop && at_work_.longest_step != kNone) out_.stops.push_back({at_work_.longest_step, stopped});
  at_work_ = {};
  reading_.at = -1;
}

State ThreadDecoder::state_of(const Frame& f) const {
  State s = State::overhead;
  switch (f.kind) {
    case FrameKind::base: return initial_ ? State::serial : State::unattributed;
    case FrameKind::lost: return State::unattributed;
    case FrameKind::mutex: return State::blocked;
    case FrameKind::task:
    case FrameKind::chunk: return State::work;
    case FrameKind::implicit:
      if (!f.over) return State::work;
      break;
    case FrameKind::wait:
      if (f.construct == record::Construct::ordered) s = State::blocked;
      break;
    case FrameKind::region:
    case FrameKind::yield:
    case FrameKind::loop:
    case FrameKind::taskloop: break;
  }
  return f.idle && s == State::overhead ? State::idle : s;
}

void ThreadDecoder::charge(State s, int64_t until) { charge(s, until, waiter()); }

void ThreadDecoder::charge(State s, int64_t until, const Waiter& w) {
  if (until <= now_) return;
  if (counts()) {
    clock_.add(s, now_, until);
    if (s == State::idle) out_.idle.add(now_, until);
    charge_wait(w, s, until - now_);
    if (sink_) (*sink_)(thread_, s, now_, until);
  } else {
    clock_.outside(now_, until);
  }
  now_ = until;
}

ThreadDecoder::Waiter ThreadDecoder::waiter() {
  Waiter w;
  if (top().kind != FrameKind::wait || stack_.size() < 2) return w;
  w.site = top().ref;
  const Frame& below = stack_[stack_.size() - 2];
  if (below.kind == FrameKind::chunk) w.chunk = below.ref;
  else w.context = owner().context;
  return w;
}

void ThreadDecoder::charge_wait(const Waiter& w, State s, int64_t duration) {
  if (w.site >= out_.waits.size()) return;  // no site; or a damaged file waits at a site that it does not describe
  WaitUse& use = out_.waits[w.site];
  if (s == State::blocked) use.blocked += duration;
  if (s != State::overhead && s != State::idle) return;
  (s == State::idle ? use.idle : use.overhead) += duration;
  auto charge_grain = [&](auto& raw) { (s == State::idle ? raw.wait_idle : raw.wait_overhead) += duration; };
  if (w.chunk != kNone) charge_grain(out_.chunks[w.chunk]);
  else if (w.context != kNone) charge_grain(out_.contexts[w.context]);
}

WaitUse& ThreadDecoder::wait_at(uint32_t site) {
  if (site >= out_.waits.size()) out_.waits.resize(out_.sites.size());
  return out_.waits[site];
}

void ThreadDecoder::count_task_in_wait() {
  if (top().kind == FrameKind::wait && top().ref < out_.waits.size()) ++out_.waits[top().ref].tasks;
}

void ThreadDecoder::guess_overhead(const Typical& typical) {
  overhead_until_ = now_ + typical.ns;
  overhead_waiter_ = waiter();
  pending_task_ = kNone;
  guessed_ = true;
}

void ThreadDecoder::advance(int64_t t) {
  if (t <= now_) return;
  if (overhead_until_ > now_) {
    if (pending_task_ != kNone) {
      RawTask& task = out_.tasks[pending_task_];
      task.create_cost = std::min(t, overhead_until_) - task.create_begin;
    }
    // To whom it was due, and not to a wait that the thread has come to without time passing, too.
    charge(State::overhead, std::min(t, overhead_until_), overhead_waiter_);
  }
  overhead_waiter_ = {};
  if (guessed_) overhead_until_ = now_;
  guessed_ = false;
  pending_task_ = kNone;
  if (t == now_) return;
  State s = state_of(top());
  bool weighs = top().kind == FrameKind::loop ? s == State::overhead : s == State::work || s == State::serial;
  if (uint32_t step = owner().step; weighs && step != kNone) {
    out_.steps[step].weight += t - now_;
    if (s == State::work) at_work_.add(step, t - now_);
  }
  charge(s, t);
}

// ---- what is missing -----------------------------------------------------------------------------------------------

// Whole blocks are missing: nothing is known of the contexts that were open before. If the thread was in a region, it
// is assumed to be in it still, until it ends one.
void ThreadDecoder::gap(uint64_t first_tick) {
  dependent(Dependent::nobody, kNone);
  uint32_t implicits = 0, context = kNone;
  for (const Frame& f : stack_) {
    if (f.kind == FrameKind::lost) implicits += f.levels;
    if (f.kind == FrameKind::implicit) ++implicits;
    if ((f.kind == FrameKind::implicit || f.kind == FrameKind::lost) && f.context != kNone) context = f.context;
  }
  while (stack_.size() > 1) close_top(true, true);
  held_.clear();
  overhead_until_ = 0;
  counts_torn_ = true;
  counts_.told = false;
  if (implicits || initial_) {
    push(FrameKind::lost);
    Frame& f = top();
    f.levels = implicits;
    f.unaligned = true;
    if (implicits && context != kNone && out_.contexts[context].kind == ContextKind::implicit) {
      uint64_t key = out_.contexts[context].key;
      uint32_t member = out_.contexts[context].member;
      f.context = new_context(ContextKind::implicit, key);
      f.host = f.context;
      out_.contexts[f.context].member = member;
      out_.contexts[f.context].estimated = true;
    } else {
      f.owner = 0;
      if (stack_[0].context != kNone) out_.contexts[stack_[0].context].estimated = true;
    }
    ++implicits_open_;
    if (implicits && !counted_++) joined_ = now_;
  }
  tick_ = std::max(tick_, first_tick);
  advance(ticks_.ns(tick_));
  clock_.forget_reading();
  reading_.at = -1;
}

void ThreadDecoder::loss(record::LossReason reason, const uint64_t* extra) {
  const bool wanted = reason != record::LossReason::paused && reason != record::LossReason::dropped;
  dependent(Dependent::nobody, kNone);
  int64_t t = ticks_.ns(tick_);
  advance(ticks_.ns(tick_ - std::min(extra[0], tick_)));
  if (wanted) charge(State::unattributed, t);
  else outside(t);
  overhead_until_ = 0;
  clock_.forget_reading();
  reading_.at = -1;
  counts_torn_ = true;
  serial_ += extra[1];
  (wanted ? out_.lost_tasks : out_.outside_tasks) += extra[2];
  (wanted ? out_.lost_chunks : out_.outside_chunks) += extra[3];
  drop_mutexes();
  held_.clear();
  for (uint64_t closed = extra[4]; closed && stack_.size() > 1 && top().kind != FrameKind::lost; --closed) {
    close_top(true, true);
    drop_mutexes();
  }
  top().idle = false;
  Frame& f = owner();
  f.unaligned = true;
  if (f.context != kNone) out_.contexts[f.context].estimated = true;
  if (step_kind() != StepKind::none) open_step();
}

void ThreadDecoder::finish(int64_t end, bool complete) {
  if (over_) return;
  over_ = true;
  if (!begun_) return;
  take_reading(false);
  overhead_until_ = std::min(overhead_until_, end);
  if (complete) {
    advance(end);
  } else {
    charge(State::unattributed, end);
  }
  while (stack_.size() > 1) close_top(complete, false);
  Thread& info = out_.threads[thread_].info;
  if (top().context != kNone) {
    if (top().step != kNone) close_step(Action::end, kNone);
    Context& c = out_.contexts[top().context];
    c.end = now_;
    c.ended = complete;
  }
  info.end = now_;
  info.times = clock_.times();
  info.off_cpu = clock_.off_cpu();
  if (initial_) info.in_team = info.end - info.begin - outside_, out_.outside = outside_;
}

}  // namespace einkorn::profile
