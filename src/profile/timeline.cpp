#include <algorithm>
#include <unordered_map>
#include <utility>
#include "profile/timeline_build.h"

namespace einkorn::profile {

namespace {

// A span that has begun and not ended.
struct Open {
  int64_t end;
  uint32_t step;  // whose action follows when it ends; kNone: nothing does
  SpanKind kind;
  bool shown;
};

// Steps are in the order in which they were opened, which is the order of the thread's own events. The spans that have
// not ended when a step begins enclose it.
class Lane {
 public:
  Lane(const std::vector<Pause>* pauses, std::vector<Span>& out) : pauses_(pauses), out_(out) {}

  // Ends the spans that end at `time` or before. `follow(step, end)` is called for each step that ends, and may begin()
  // more.
  template <class F>
  void end_until(int64_t time, F&& follow) {
    while (!stack_.empty() && stack_.back().end <= time) {
      const Open o = stack_.back();
      pause_until(o.end);
      stack_.pop_back();
      depth_ -= o.shown;
      at_ = std::max(at_, o.end);
      if (o.step != kNone) follow(o.step, o.end);
    }
    pause_until(time);
  }

  // Damaged recordings have times that contradict each other: a span never exceeds the one around it, and none begins
  // before the last one reported.
  void begin(Span s, bool shown, uint32_t step) {
    s.begin = std::max(s.begin, at_);
    s.end = std::max(s.end, s.begin);
    if (!stack_.empty()) {
      s.begin = std::min(s.begin, stack_.back().end);
      s.end = std::min(s.end, stack_.back().end);
    }
    pause_until(s.begin);
    at_ = std::max(at_, s.begin);
    if (shown) push(s);
    stack_.push_back({s.end, step, s.kind, shown});
    depth_ += shown;
  }

 private:
  void push(Span s) {
    s.depth = uint16_t(std::min<size_t>(depth_, kDeepest));
    out_.push_back(s);
  }

  // Pauses that begin before `time` are inside the spans open now.
  void pause_until(int64_t time) {
    for (; next_ < pauses_->size() && (*pauses_)[next_].begin < time; ++next_) {
      const Pause& p = (*pauses_)[next_];
      if (stack_.empty() || !stack_.back().shown) continue;
      SpanKind kind = kind_of(p.state);
      SpanKind in = stack_.back().kind;
      bool user = in == SpanKind::fragment || in == SpanKind::chunk;
      if (kind == SpanKind::runtime && !user) continue;  // waits and creations are the runtime's
      Span s;
      s.begin = std::max(p.begin, at_);
      s.end = std::min(p.end, stack_.back().end);
      if (s.end <= s.begin) continue;
      s.kind = kind;
      at_ = s.end;
      push(s);
    }
  }

  static SpanKind kind_of(State s) {
    switch (s) {
      case State::blocked: return SpanKind::blocked;
      case State::idle: return SpanKind::idle;
      case State::recorder: return SpanKind::recorder;
      case State::unattributed: return SpanKind::unknown;
      default: return SpanKind::runtime;
    }
  }

  const std::vector<Pause>* pauses_;
  std::vector<Span>& out_;
  std::vector<Open> stack_;
  size_t next_ = 0;
  size_t depth_ = 0;
  int64_t at_ = INT64_MIN;
};

class Builder {
 public:
  Builder(const Recording& rec, const std::vector<uint32_t>& sources, const Profile& p)
      : rec_(rec), sources_(sources), p_(p) {}
  void run(const std::vector<std::vector<Pause>>& pauses, Timeline& out);

 private:
  void mark_ends();
  void open(Lane& lane, uint32_t index, int64_t begin);
  void follow(Lane& lane, uint32_t index, int64_t end);
  uint32_t source_of(uint32_t site) const { return site < sources_.size() ? sources_[site] : kNone; }
  uint32_t grain_source(uint32_t grain) const { return grain < p_.grains.size() ? p_.grains[grain].source : kNone; }

  const Recording& rec_;
  const std::vector<uint32_t>& sources_;
  const Profile& p_;
  std::unordered_map<uint32_t, int64_t>
      stay_ends_;               // last step of a stay that ends in a wait or region -> the stay's end
  std::vector<uint8_t> marks_;  // per step: 1 first of its grain, 2 last, 4 last of the stay
};

// Marks a grain's first and last steps. Chunks have their steps inside the stay of their implicit task.
void Builder::mark_ends() {
  marks_.assign(rec_.steps.size(), 0);
  std::vector<uint32_t> last(p_.grains.size(), kNone);
  for (uint32_t c = 0; c < rec_.contexts.size(); ++c) {
    const Context& context = rec_.contexts[c];
    if (context.last_step != kNone && rec_.steps[context.last_step].action != Action::end)
      stay_ends_[context.last_step] = context.end;
  }
  auto walk = [&](uint32_t stay) {
    for (; stay != kNone; stay = rec_.contexts[stay].next_stay) {
      if (uint32_t s = rec_.contexts[stay].last_step; s != kNone) marks_[s] |= 4;
      for (uint32_t s = rec_.contexts[stay].first_step; s != kNone; s = rec_.steps[s].next) {
        const Step& step = rec_.steps[s];
        if ((step.kind != StepKind::fragment && step.kind != StepKind::chunk) || step.grain >= last.size()) continue;
        if (last[step.grain] == kNone) marks_[s] |= 1;
        last[step.grain] = s;
      }
    }
  };
  for (uint32_t t = 0; t < rec_.tasks.size(); ++t) walk(rec_.tasks[t].first_stay);
  for (uint32_t c : rec_.members) walk(c);
  if (rec_.initial != kNone) walk(rec_.initial);
  for (uint32_t g = 0; g < last.size(); ++g)
    if (last[g] != kNone && !(p_.grains[g].flags & kIncomplete)) marks_[last[g]] |= 2;
}

void Builder::open(Lane& lane, uint32_t index, int64_t begin) {
  lane.end_until(begin, [&](uint32_t step, int64_t end) { follow(lane, step, end); });
  const Step& s = rec_.steps[index];
  Span span;
  span.begin = begin;
  span.end = s.end;
  span.grain = s.grain;
  span.source = grain_source(s.grain);
  span.first = marks_[index] & 1;
  span.last = marks_[index] & 2;
  span.leaves = marks_[index] & 4;
  bool shown = true;
  switch (s.kind) {
    case StepKind::fragment:
      span.kind = SpanKind::fragment;
      // What a thread that the program made itself does outside regions is not recorded.
      if (s.grain == 0 && s.thread < rec_.threads.size() && !rec_.threads[s.thread].info.initial) shown = false;
      break;
    case StepKind::chunk: span.kind = SpanKind::chunk; break;
    case StepKind::bookkeeping: span.kind = SpanKind::bookkeeping; break;
    case StepKind::none:
      span.kind = SpanKind::runtime;
      span.grain = span.source = kNone;
      shown = s.end > s.begin;
      break;
  }
  lane.begin(span, shown, index);
}

// The action that ended a step.
void Builder::follow(Lane& lane, uint32_t index, int64_t end) {
  // A graph's codelets are not created at its run: its wait follows.
  while (rec_.steps[index].action == Action::fork && rec_.steps[index].next != kNone &&
         rec_.steps[index].next >= rec_.recorded_steps)
    index = rec_.steps[index].next;
  const Step& s = rec_.steps[index];
  Span span;
  span.begin = end;
  span.grain = s.grain;
  switch (s.action) {
    case Action::fork: {
      if (s.ref == kNone) return;
      const RawTask& task = rec_.tasks[s.ref];
      span.kind = SpanKind::create;
      span.grain = task.grain;
      span.source = source_of(task.site);
      span.end = end + std::max<int64_t>(0, task.create_cost);
      lane.begin(span, true, kNone);
      return;
    }
    case Action::region:
      span.kind = SpanKind::region;
      span.source = s.ref == kNone ? kNone : source_of(rec_.regions[s.ref].site);
      break;
    case Action::wait_task:
    case Action::wait_group:
    case Action::wait_depend:
    case Action::wait_team:
    case Action::wait_end:
    case Action::wait_own:
      span.kind = SpanKind::wait;
      span.source = source_of(s.ref);
      break;
    default: return;
  }
  auto it = stay_ends_.find(index);
  span.end = s.next != kNone ? rec_.steps[s.next].begin : it != stay_ends_.end() ? it->second : end;
  if (span.end > span.begin) lane.begin(span, true, kNone);
}

void Builder::run(const std::vector<std::vector<Pause>>& pauses, Timeline& out) {
  mark_ends();
  out.threads.assign(rec_.threads.size(), {});
  std::vector<Lane> lanes;
  lanes.reserve(out.threads.size());
  static const std::vector<Pause> kNoPauses;
  for (size_t t = 0; t < out.threads.size(); ++t)
    lanes.emplace_back(t < pauses.size() ? &pauses[t] : &kNoPauses, out.threads[t]);
  // A step in which an undeferred task ran at once has its begin after that task; but it was opened before, and
  // encloses it.
  std::vector<uint32_t> latest(lanes.size(), kNone);
  for (uint32_t i = 0; i < rec_.recorded_steps; ++i) {
    const Step& s = rec_.steps[i];
    if (s.thread >= lanes.size()) continue;
    const uint32_t before = std::exchange(latest[s.thread], i);
    if (before != kNone) open(lanes[s.thread], before, std::min(rec_.steps[before].begin, s.begin));
  }
  for (size_t t = 0; t < lanes.size(); ++t) {
    if (latest[t] != kNone) open(lanes[t], latest[t], rec_.steps[latest[t]].begin);
    lanes[t].end_until(INT64_MAX, [&](uint32_t step, int64_t end) { follow(lanes[t], step, end); });
  }
}

}  // namespace

void build_timeline(const Recording& rec, const std::vector<uint32_t>& site_source,
                    const std::vector<std::vector<Pause>>& pauses, const Profile& p, Timeline& out) {
  Builder(rec, site_source, p).run(pauses, out);
}

}  // namespace einkorn::profile
