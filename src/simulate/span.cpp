// The longest path of a program: its time on as many workers as it can use, if nothing cost anything; and the burdened
// one.
#include "simulate/span.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace einkorn::simulate {

namespace {

// Every task goes on as soon as it can, in a time of its own: it stands at a step, and what it waits for there has not
// been walked yet, or it is in ready_. The latest that became ready is walked first, so a task's children are mostly
// over before it goes on.
class Walk {
 public:
  Walk(const Program& p, const Costs& costs)
      : p_(p), c_(costs), at_(p.tasks.size()), group_(p.groups), signal_(p.signals) {
    for (uint32_t t = 0; t < p.tasks.size(); ++t) {
      at_[t].step = p.tasks[t].first_step;
      at_[t].missing = p.tasks[t].predecessors;
    }
  }

  double run() {
    ready_.push_back(0);
    for (;;) {
      while (!ready_.empty()) {
        const uint32_t t = ready_.back();
        ready_.pop_back();
        go_on(t);
      }
      if (at_[0].over || !force()) return at_[0].now;
    }
  }

 private:
  struct At {
    double now = 0;                            // before it has begun: not before this
    double children = 0;                       // the latest end of one
    uint32_t step = 0, open = 0, missing = 0;  // open: children that have not ended; missing: of its predecessors
    uint32_t team = kNone;
    bool created = false, begun = false, over = false, waits = false;
  };
  struct Group {
    double end = 0;
    uint32_t open = 0, waits = kNone;
  };
  struct Signal {
    double at = 0;
    bool posted = false;
    std::vector<uint32_t> waiting;
  };
  struct Team {
    uint32_t region, holder, open = 0, arrived = 0;  // open: tasks; arrived: members, with those that have ended
    double barrier = 0;                              // latest arrival, and end of a task
  };

  void begin_if_ready(uint32_t t) {
    At& at = at_[t];
    if (!at.created || at.begun || at.missing > 0) return;
    at.begun = true;
    if (!p_.tasks[t].undeferred) at.now += c_.fetch;
    ready_.push_back(t);
  }
  void came(uint32_t t, double when) {  // one of those that it waits for
    At& at = at_[t];
    at.now = std::max(at.now, when);
    if (at.missing > 0) --at.missing;
    begin_if_ready(t);
  }

  // Until it has to wait, has ended, or has made a task that can be walked first.
  void go_on(uint32_t t) {
    const Task& task = p_.tasks[t];
    At& at = at_[t];
    at.waits = false;
    for (; at.step < task.first_step + task.steps; ++at.step) {
      const Step& s = p_.steps[at.step];
      switch (s.kind) {
        case StepKind::compute: at.now += s.ns; break;
        case StepKind::fork: ++at.step; return fork(t, s.ref);
        case StepKind::wait_children:
          if (at.open > 0) return void(at.waits = true);
          at.now = std::max(at.now, at.children);
          break;
        case StepKind::wait_group:
          if (group_[s.ref].open > 0) return group_[s.ref].waits = t, void(at.waits = true);
          at.now = std::max(at.now, group_[s.ref].end);
          break;
        case StepKind::release: came(s.ref, at.now); break;
        case StepKind::post: post(s.ref, at.now); break;
        case StepKind::await:
          if (!signal_[s.ref].posted) return await(t, s.ref);
          at.now = std::max(at.now, signal_[s.ref].at);
          break;
        case StepKind::loop: loop(p_.loops[s.ref], at); break;
        case StepKind::region: return region(t, s.ref);
        case StepKind::barrier: {
          Team& team = teams_[at.team];
          ++team.arrived;
          team.barrier = std::max(team.barrier, at.now);
          return leave_barrier(at.team);
        }
      }
    }
    end(t);
  }
  void await(uint32_t t, uint32_t signal) {
    at_[t].waits = true;
    signal_[signal].waiting.push_back(t);
    waiting_.push_back(t);
  }
  bool awaits(uint32_t t) const { return at_[t].waits && p_.steps[at_[t].step].kind == StepKind::await; }

  void fork(uint32_t t, uint32_t child) {
    const Task& its = p_.tasks[child];
    At &at = at_[t], &to = at_[child];
    if (!its.undeferred && !its.codelet)
      at.now += c_.create + c_.create_depend * double(its.predecessors - its.signals);
    to.created = true;
    to.team = at.team;
    to.now = std::max(to.now, at.now);
    ++at.open;
    if (its.group != kNone) ++group_[its.group].open;
    if (to.team != kNone) ++teams_[to.team].open;
    if (its.undeferred) to.missing = 0;  // its creator has waited for whom it follows
    else ready_.push_back(t);
    if (to.missing > 0) waiting_.push_back(child);
    begin_if_ready(child);
  }

  void end(uint32_t t) {
    const Task& task = p_.tasks[t];
    At& at = at_[t];
    at.over = true;
    if (!task.explicit_task) return;
    At& parent = at_[task.parent];
    parent.children = std::max(parent.children, at.now);
    if (--parent.open == 0 && parent.waits && p_.steps[parent.step].kind == StepKind::wait_children)
      ready_.push_back(task.parent);
    if (task.group != kNone) {
      Group& group = group_[task.group];
      group.end = std::max(group.end, at.now);
      if (--group.open == 0 && group.waits != kNone) ready_.push_back(std::exchange(group.waits, kNone));
    }
    for (uint32_t i = 0; i < task.successors; ++i) came(p_.successors[task.first_successor + i], at.now);
    if (task.undeferred) parent.now = std::max(parent.now, at.now), ready_.push_back(task.parent);
    if (at.team == kNone) return;
    Team& team = teams_[at.team];
    team.barrier = std::max(team.barrier, at.now);
    --team.open;
    leave_barrier(at.team);
  }

  void post(uint32_t index, double now) {
    Signal& signal = signal_[index];
    signal.at = now;
    signal.posted = true;
    for (const uint32_t t : std::exchange(signal.waiting, {}))
      if (awaits(t) && p_.steps[at_[t].step].ref == index) ready_.push_back(t);  // else force() has let it go on
  }

  void loop(const Loop& l, const At& at) {
    const double each = l.schedule != LoopSchedule::fixed ? c_.chunk : 0;
    double turn = at.now;
    for (uint32_t i = 0; i < l.chunks; ++i) {
      const Chunk& c = p_.chunks[l.first_chunk + i];
      // What it waits for is in chunks before it, through all of which who takes part walks here.
      double late = 0;
      for (uint32_t k = l.stepped ? c.locks : kNone; k != kNone; k = p_.lock_points[k].last ? kNone : k + 1) {
        const LockPoint& p = p_.lock_points[k];
        if (!p.step) continue;
        const double here = at.now + each + p.at + late;
        if (!p.taken) signal_[p.lock].at = here;
        else late += std::max(0.0, signal_[p.lock].at - here);
      }
      double ends = at.now + each + c.ns + late;
      if (l.ordered) ends = turn = std::max(ends, turn) + c.in_turn;
      if (at.team != kNone) teams_[at.team].barrier = std::max(teams_[at.team].barrier, ends);
    }
  }

  void region(uint32_t t, uint32_t region) {
    const Region& r = p_.regions[region];
    const double begin = at_[t].now + (r.members > 1 ? c_.region : 0);
    const auto team = uint32_t(teams_.size());
    teams_.push_back({region, t, 0, 0, begin});
    for (uint32_t m = r.members; m-- > 0;) {
      At& at = at_[r.first_member + m];
      at.now = begin;
      at.team = team;
      at.begun = true;
      ready_.push_back(r.first_member + m);
    }
  }

  // All members go on if all have come and no task of the team is left.
  void leave_barrier(uint32_t index) {
    Team& team = teams_[index];
    const Region& r = p_.regions[team.region];
    if (team.arrived < r.members || team.open > 0) return;
    team.arrived = 0;
    if (r.members > 1) team.barrier += c_.barrier * std::ceil(std::log2(double(r.members)));
    for (uint32_t m = r.first_member + r.members; m-- > r.first_member;) {
      if (at_[m].over) {
        ++team.arrived;
        continue;
      }
      at_[m].now = team.barrier;
      at_[m].over = ++at_[m].step == p_.tasks[m].first_step + p_.tasks[m].steps;
      if (at_[m].over) ++team.arrived;
      else ready_.push_back(m);
    }
    if (team.arrived < r.members) return;
    At& holder = at_[team.holder];
    holder.now = team.barrier;
    ++holder.step;
    if (holder.team != kNone) teams_[holder.team].barrier = std::max(teams_[holder.team].barrier, holder.now);
    ready_.push_back(team.holder);
  }

  // In a damaged recording they wait for what never comes: one goes on all the same. False: nobody waits.
  bool force() {
    while (!waiting_.empty()) {
      const uint32_t t = waiting_.back();
      waiting_.pop_back();
      At& at = at_[t];
      if (at.created && !at.begun) {
        at.missing = 0;
        begin_if_ready(t);
        return true;
      }
      if (!awaits(t) || signal_[p_.steps[at.step].ref].posted) continue;
      at.waits = false;
      ++at.step;
      ready_.push_back(t);
      return true;
    }
    return false;
  }

  const Program& p_;
  const Costs& c_;
  std::vector<At> at_;  // by task
  std::vector<Group> group_;
  std::vector<Signal> signal_;
  std::vector<Team> teams_;
  std::vector<uint32_t> ready_, waiting_;  // tasks; of those that wait some go on by now
};

}  // namespace

double Program::span() const { return Walk(*this, Costs{}).run(); }

double burdened_span(const Program& program, const Costs& costs) { return Walk(program, costs).run(); }

}  // namespace einkorn::simulate
