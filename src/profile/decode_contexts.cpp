// The part of the state machine that opens and closes contexts and cuts them into steps.
#include <algorithm>
#include <utility>
#include "profile/decode_thread.h"

namespace einkorn::profile {

using record::Construct;

void ThreadDecoder::push(FrameKind kind, uint32_t context) {
  Frame f{};
  f.kind = kind;
  uint32_t index = uint32_t(stack_.size());
  bool own =
      kind == FrameKind::base || kind == FrameKind::implicit || kind == FrameKind::task || kind == FrameKind::lost;
  f.owner = own ? index : stack_.back().owner;
  f.context = context;
  f.host = kind == FrameKind::implicit ? context : index ? stack_.back().host : kNone;
  stack_.push_back(f);
}

void ThreadDecoder::pop() { stack_.pop_back(); }

uint32_t ThreadDecoder::new_context(ContextKind kind, uint64_t key) {
  Context c;
  c.kind = kind;
  c.key = key;
  c.thread = thread_;
  c.host = stack_.empty() ? kNone : top().host;
  return out_.contexts.push(c);
}

StepKind ThreadDecoder::step_kind() const {
  const Frame& f = stack_.back();
  switch (f.kind) {
    case FrameKind::loop: return StepKind::bookkeeping;
    case FrameKind::chunk: return StepKind::chunk;
    case FrameKind::base:
    case FrameKind::task: return StepKind::fragment;
    case FrameKind::implicit: return f.over ? StepKind::none : StepKind::fragment;
    default: return StepKind::none;
  }
}

void ThreadDecoder::open_step() {
  Frame& f = owner();
  if (f.step != kNone) return;
  if (f.context == kNone) {
    // A thread that the program made itself encounters an OpenMP construct for the first time.
    f.context = new_context(ContextKind::foreign, 0);
    if (f.kind == FrameKind::base) out_.threads[thread_].base = f.context;
  }
  Step s{};
  s.begin = std::max(now_, overhead_until_);
  s.end = s.begin;
  s.next = s.ref = s.grain = kNone;
  s.thread = thread_;
  s.kind = step_kind();
  s.action = Action::end;
  s.cpu = cpu_;
  s.node = node_;
  f.step = out_.steps.push(s);
  f.after_loop = false;
  Context& c = out_.contexts[f.context];
  if (c.last_step == kNone) c.first_step = f.step;
  else out_.steps[c.last_step].next = f.step;
  c.last_step = f.step;
}

void ThreadDecoder::close_step(Action action, uint32_t ref) {
  open_step();
  Frame& f = owner();
  Step& s = out_.steps[f.step];
  s.end = now_;
  s.begin = std::min(s.begin, s.end);
  s.action = action;
  s.ref = ref;
  // There is no share between the end of a loop and its barrier, nor between the end of a taskloop and that of its
  // group, if the runtime passes from one to the other without returning to the program. With gcc one call does both;
  // elsewhere a shared stamp tells it.
  bool waits = action == Action::wait_team || action == Action::wait_own || action == Action::wait_end;
  bool passes = waits ? from_loop_end(ref) || s.begin == s.end : action == Action::wait_group && s.weight == 0;
  if (passes && f.after_loop && s.kind == StepKind::fragment && s.groups == 0) s.kind = StepKind::none;
  f.step = kNone;
}

uint64_t ThreadDecoder::return_address(uint32_t site) const {
  return site < out_.sites.size() ? out_.sites[site].return_address : 0;
}

// Is a wait that begins here and now that of the loop which has just ended?
bool ThreadDecoder::from_loop_end(uint32_t site) {
  if (!owner().after_loop || site >= out_.sites.size()) return false;
  const Site& s = out_.sites[site];
  return s.construct == Construct::barrier_workshare && !(s.flags & record::kSiteClang);
}

// gcc's programs make one call for the end of a loop and its barrier, and one for a taskloop with its group: the time
// between the records is the runtime's.
bool ThreadDecoder::in_one_call(record::Kind kind, uint32_t site) {
  if (kind == record::Kind::recorder) return false;
  const uint64_t call = std::exchange(call_, 0);
  if (kind != record::Kind::wait_begin && kind != record::Kind::taskloop_begin) return false;
  return (call && return_address(site) == call) || (kind == record::Kind::wait_begin && from_loop_end(site));
}

// Ends the context on top.
void ThreadDecoder::end_context(bool ended, bool estimated) {
  Frame& f = top();
  if (f.owner == stack_.size() - 1 && f.step != kNone) close_step(Action::end, kNone);
  if (f.context != kNone) {
    Context& c = out_.contexts[f.context];
    c.end = now_;
    c.ended = ended;
    c.estimated |= estimated;
  }
  bool counts = f.kind == FrameKind::implicit || (f.kind == FrameKind::lost && f.levels);
  if (counts && --counted_ == 0 && !initial_) out_.threads[thread_].info.in_team += now_ - joined_;
  if (f.kind != FrameKind::task) --implicits_open_;
  const bool task = f.kind == FrameKind::task;
  pop();
  // An undeferred task ran before the fragment that follows its creation.
  if (uint32_t step = owner().step; task && step != kNone && out_.steps[step].weight == 0)
    out_.steps[step].begin = now_;
}

void ThreadDecoder::close_top(bool ended, bool estimated) {
  switch (top().kind) {
    case FrameKind::base: break;
    case FrameKind::task:
    case FrameKind::implicit:
    case FrameKind::lost: end_context(ended, estimated); break;
    case FrameKind::wait: wait_end(false); break;
    case FrameKind::region: region_end(false); break;
    case FrameKind::chunk:
    case FrameKind::loop:
      if (owner().step != kNone)
        close_step(!ended ? Action::end : top().kind == FrameKind::loop ? Action::loop_end : Action::chunk_end, kNone);
      pop();
      break;
    case FrameKind::yield:
    case FrameKind::taskloop:
    case FrameKind::mutex: pop(); break;
  }
}

void ThreadDecoder::drop_mutexes() {
  while (top().kind == FrameKind::mutex) pop();
}

bool ThreadDecoder::drop_down_to(FrameKind kind) {
  // Cancellation leaves loops and chunks without an end; nothing leaves a wait, a task or a region that way.
  size_t i = stack_.size(), stop = i > 64 ? i - 64 : 1;  // no program nests deeper; keeps damaged streams linear
  bool found = false;
  while (!found && i-- > stop) {
    FrameKind k = stack_[i].kind;
    found = k == kind;
    if (!found && k != FrameKind::mutex && k != FrameKind::chunk && k != FrameKind::loop && k != FrameKind::taskloop)
      break;
  }
  if (!found) {
    ++out_.unmatched;
    return false;
  }
  while (stack_.size() - 1 > i) close_top(true, false);
  return true;
}

uint32_t ThreadDecoder::innermost(FrameKind a, FrameKind b) const {
  for (size_t i = stack_.size(); i-- > 1;)
    if (stack_[i].kind == a || stack_[i].kind == b) return uint32_t(i);
  return 0;
}

// ---- regions -------------------------------------------------------------------------------------------------------

void ThreadDecoder::region_begin(uint32_t site, uint64_t id, uint32_t team, uint32_t level) {
  // An outermost region begins: the thread has left the one in which its records were lost.
  if (level <= 1)
    while (stack_.size() > 1 && top().kind == FrameKind::lost) end_context(true, true);
  RawRegion r;
  r.id = id;
  r.site = site;
  r.team = team;
  r.level = level;
  r.begin = now_;
  r.begun = true;
  uint32_t region = out_.regions.push(r);
  close_step(Action::region, region);
  push(FrameKind::region);
  ++regions_open_;
  top().ref = region;
}

void ThreadDecoder::region_end(bool goes_on) {
  uint32_t i = regions_open_ ? innermost(FrameKind::region, FrameKind::region) : 0;
  if (!i) {
    ++out_.unmatched;
    return;
  }
  while (stack_.size() - 1 > i) close_top(true, true);
  out_.regions[top().ref].end = now_;
  --regions_open_;
  pop();
  if (goes_on) open_step();
}

void ThreadDecoder::implicit_begin(uint32_t member, uint64_t region) {
  if (top().kind == FrameKind::region) {
    RawRegion& r = out_.regions[top().ref];
    if (r.id == region) r.create_cost = now_ - r.begin;
  } else {
    // A thread joins a team from outside only.
    while (stack_.size() > 1 && top().kind == FrameKind::lost) end_context(true, true);
  }
  if (!counted_++) joined_ = now_;
  uint32_t c = new_context(ContextKind::implicit, region);
  out_.contexts[c].member = member;
  push(FrameKind::implicit, c);
  ++implicits_open_;
  open_step();
}

void ThreadDecoder::implicit_end(uint32_t not_asked) {
  uint32_t i = implicits_open_ ? innermost(FrameKind::implicit, FrameKind::lost) : 0;
  if (!i) {
    ++out_.unmatched;
    return;
  }
  while (stack_.size() - 1 > i) close_top(true, true);
  if (top().kind == FrameKind::lost && top().levels > 1) {
    --top().levels;
    return;
  }
  bool was_lost = top().kind == FrameKind::lost;
  if (top().context != kNone) out_.contexts[top().context].asked = uint8_t(~not_asked & record::kAskedBoth);
  end_context(true, was_lost);
  if (was_lost && initial_) open_step();
}

// ---- waits ---------------------------------------------------------------------------------------------------------

void ThreadDecoder::wait_begin(uint32_t site) {
  wait_begin(site, site < out_.sites.size() ? out_.sites[site].construct : Construct::unknown);
}

void ThreadDecoder::wait_begin(uint32_t site, Construct what) {
  bool depends = site < out_.sites.size() && out_.sites[site].flags & record::kSiteHasDepend;
  const Frame& f = owner();
  Action action = Action::wait_own;
  switch (what) {
    case Construct::taskwait: action = depends ? Action::wait_depend : Action::wait_task; break;
    case Construct::task:
      action = depends ? Action::wait_depend : Action::wait_own;
      break;  // of an undeferred task, before it
    case Construct::taskgroup:
    case Construct::codelet_graph: action = Action::wait_group; break;
    case Construct::barrier_parallel: action = Action::wait_end; break;
    case Construct::barrier:
    case Construct::barrier_workshare:
    case Construct::loop:
    case Construct::sections:
    case Construct::single:
    case Construct::scope:
    case Construct::reduction:
      if (f.kind == FrameKind::implicit && !f.unaligned && top().kind != FrameKind::chunk) action = Action::wait_team;
      break;
    default: break;
  }
  close_step(action, site);
  if (action == Action::wait_depend) dependent(Dependent::wait, out_.contexts[owner().context].last_step);
  push(FrameKind::wait);
  top().construct = what;
  top().since = now_;
  top().ref = site;
}

void ThreadDecoder::wait_end(bool goes_on) {
  drop_mutexes();
  if (top().kind != FrameKind::wait) {
    ++out_.unmatched;
    return;
  }
  int64_t took = now_ - top().since;
  bool region_over = top().construct == Construct::barrier_parallel;
  // clang has one call for taskwait depend and for the wait of an if(false) task.
  bool clang = top().ref < out_.sites.size() && out_.sites[top().ref].flags & record::kSiteClang;
  uint32_t of_task = top().construct == Construct::task || clang ? top().depends : kNone;
  pop();
  Frame& f = owner();
  f.depends = of_task;
  if (f.step != kNone && out_.steps[f.step].kind == StepKind::none && step_kind() != StepKind::none) {
    // After a region that the wait began, for a graph's run: from here on it is the program's time again.
    out_.steps[f.step].kind = step_kind();
    out_.steps[f.step].begin = now_;
  }
  if (f.context != kNone) out_.contexts[f.context].wait += took;
  if (top().kind == FrameKind::chunk) out_.chunks[top().ref].wait += took;
  if (region_over && top().kind == FrameKind::implicit) top().over = true;
  if (goes_on) open_step();
}

// ---- loops ---------------------------------------------------------------------------------------------------------

void ThreadDecoder::loop_begin(uint32_t site, const uint64_t* extra) {
  // Work-sharing constructs of one context do not nest: one that is open was cancelled, or its end was lost.
  while (top().kind == FrameKind::chunk || top().kind == FrameKind::loop || top().kind == FrameKind::taskloop ||
         top().kind == FrameKind::mutex)
    close_top(true, false);
  RawLoop loop;
  Frame& f = owner();
  loop.site = site;
  loop.ordinal = f.loops++;
  loop.aligned = !f.unaligned;
  loop.lower = int64_t(extra[0]);
  loop.iterations = extra[1];
  loop.increment = int64_t(extra[2]);
  loop.chunk = uint32_t(extra[3]);
  loop.schedule = uint8_t(extra[3] >> 32);
  uint32_t index = out_.loops.push(loop);
  close_step(Action::loop_begin, index);
  push(FrameKind::loop);
  top().ref = index;
  open_step();
}

void ThreadDecoder::chunk_end() {
  if (!drop_down_to(FrameKind::chunk)) return;
  close_step(Action::chunk_end, kNone);
  pop();
  open_step();
}

void ThreadDecoder::chunk_begin(uint64_t first, uint64_t count, bool regular) {
  drop_mutexes();
  if (top().kind != FrameKind::loop) {  // its loop began in a lost stretch
    ++out_.unmatched;
    ++out_.lost_chunks;
    return;
  }
  const RawLoop& loop = out_.loops[top().ref];
  RawChunk chunk;
  chunk.loop = top().ref;
  chunk.first = first;
  chunk.count = count;
  if (regular) {
    chunk.count = loop.chunk;
    if (loop.iterations > first) chunk.count = std::min<uint64_t>(chunk.count, loop.iterations - first);
  }
  uint32_t index = out_.chunks.push(chunk);
  close_step(Action::chunk_begin, index);
  push(FrameKind::chunk);
  top().ref = index;
  open_step();
}

// ---- locks ---------------------------------------------------------------------------------------------------------

uint32_t ThreadDecoder::lock_of(uint64_t address, uint32_t site) {
  auto [it, added] = out_.lock_at.try_emplace(address, uint32_t(out_.locks.size()));
  if (added) {
    out_.locks.emplace_back();
    out_.locks.back().address = address;
    out_.locks.back().source = site;
    out_.locks.back().turn = site < out_.sites.size() && out_.sites[site].construct == Construct::ordered;
  }
  return it->second;
}

void ThreadDecoder::mutex_acquired(uint32_t site, uint64_t address) {
  uint32_t index = lock_of(address, site);
  LockUse& lock = out_.locks[index];
  ++lock.acquired;
  if (top().kind == FrameKind::mutex) {
    if (top().ref == index) {
      ++lock.contended;
      lock.waited += now_ - top().since;
    }
    // A turn is waited for at a place in the program, as a barrier is: of locks there is a table.
    if (lock.turn && site < out_.sites.size()) {
      WaitUse& use = wait_at(site);
      ++use.waits;
      use.blocked += now_ - top().since;
    }
    pop();
  }
  held_.push_back({now_, index});
  // What has its turn in an ordered loop holds no lock: the graph has the turn itself.
  if (!lock.turn) return lock_point(index, true);
  if (top().kind != FrameKind::chunk) return;
  close_step(Action::turn, top().ref);
  open_step();
}

void ThreadDecoder::lock_point(uint32_t lock, bool taken) {
  if (const uint32_t step = owner().step; out_.wants_lock_points && step != kNone)
    out_.lock_points.push_back({step, lock, out_.steps[step].weight, taken});
}

void ThreadDecoder::mutex_released(uint64_t address, int64_t woken) {
  auto it = out_.lock_at.find(address);
  if (it == out_.lock_at.end()) return;
  if (!out_.locks[it->second].turn) lock_point(it->second, false);
  if (woken > now_) {
    overhead_until_ = woken;
    out_.locks[it->second].waking += woken - now_;
  }
  // Locks are released in about the reverse order. The bound keeps a damaged stream of acquisitions linear.
  size_t stop = held_.size() > 64 ? held_.size() - 64 : 0;
  for (size_t i = held_.size(); i-- > stop;) {
    if (held_[i].lock != it->second) continue;
    // A damaged file may hold one lock many times over at once.
    if (__builtin_add_overflow(out_.locks[it->second].held, now_ - held_[i].since, &out_.locks[it->second].held))
      out_.locks[it->second].held = INT64_MAX;
    held_.erase(held_.begin() + long(i));
    return;
  }
}

}  // namespace einkorn::profile
