// The longest path of a program: its time on as many workers as it can use, if nothing cost anything; and the burdened
// one.
#include "simulate/span.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace einkorn::simulate {

namespace {

// Walks the program depth first, in the order in which one worker would: so what a task waits for, and what it depends
// on, has been walked when it comes to that. A member of a region is walked up to its next barrier, or to a signal that
// has not been posted yet, then the next member; so again and again until all stand at the barrier.
class Walk {
 public:
  Walk(const Program& p, const Costs& costs)
      : p_(p),
        c_(costs),
        ends_(p.tasks.size(), 0),
        children_(p.tasks.size(), 0),
        group_(p.groups, 0),
        signal_(p.signals, kNotPosted) {}

  double run() {
    begin(0, 0);
    while (!stack_.empty()) step();
    return ends_[0];
  }

 private:
  struct At {
    uint32_t task, step;
    double now;
  };
  static constexpr double kNotPosted = -1;
  struct Team {
    const Region* region;
    size_t holder;            // in stack_: the task that met it
    uint32_t next = 0;        // member to walk
    bool moves = true;        // a signal was posted since all were walked last
    double barrier = 0;       // latest arrival, and end of a task
    std::vector<At> members;  // where they stand
  };

  void begin(uint32_t task, double now) { stack_.push_back({task, p_.tasks[task].first_step, now}); }

  void end(const At& at) {
    const Task& t = p_.tasks[at.task];
    ends_[at.task] = at.now;
    stack_.pop_back();
    if (!t.explicit_task) return;
    children_[t.parent] = std::max(children_[t.parent], at.now);
    if (t.group != kNone) group_[t.group] = std::max(group_[t.group], at.now);
    if (!teams_.empty()) teams_.back().barrier = std::max(teams_.back().barrier, at.now);
    for (uint32_t i = 0; i < t.successors; ++i) {
      double& begins = ends_[p_.successors[t.first_successor + i]];  // until it has been walked: not before this
      begins = std::max(begins, at.now);
    }
    if (t.undeferred) stack_.back().now = std::max(stack_.back().now, at.now);
  }

  void step() {
    At& at = stack_.back();
    const Task& t = p_.tasks[at.task];
    if (at.step == t.first_step + t.steps) return t.explicit_task || at.task == 0 ? end(At(at)) : leave_member();
    const Step& s = p_.steps[at.step];
    switch (s.kind) {
      case StepKind::compute:
        at.now += s.ns;
        ++at.step;
        break;
      case StepKind::fork: {
        const Task& child = p_.tasks[s.ref];
        ++at.step;
        if (!child.undeferred && !child.codelet) at.now += c_.create + c_.create_depend * double(child.predecessors);
        begin(s.ref, std::max(at.now, ends_[s.ref]) + (child.undeferred ? 0 : c_.fetch));
        break;
      }
      case StepKind::wait_children:
        at.now = std::max(at.now, children_[at.task]);
        ++at.step;
        break;
      case StepKind::wait_group:
        at.now = std::max(at.now, group_[s.ref]);
        ++at.step;
        break;
      case StepKind::loop: {
        const Loop& l = p_.loops[s.ref];
        const double each = l.schedule != LoopSchedule::fixed ? c_.chunk : 0;
        double turn = at.now;
        for (uint32_t i = 0; i < l.chunks; ++i) {
          const Chunk& c = p_.chunks[l.first_chunk + i];
          double ends = at.now + each + c.ns;
          if (l.ordered) ends = turn = std::max(ends, turn) + c.in_turn;
          if (!teams_.empty()) teams_.back().barrier = std::max(teams_.back().barrier, ends);
        }
        ++at.step;
        break;
      }
      case StepKind::post:
        signal_[s.ref] = at.now;
        teams_.back().moves = true;
        ++at.step;
        break;
      case StepKind::await:
        if (signal_[s.ref] == kNotPosted) return leave_member();
        at.now = std::max(at.now, signal_[s.ref]);
        ++at.step;
        break;
      case StepKind::barrier: leave_member(); break;
      case StepKind::region: {
        const Region& r = p_.regions[s.ref];
        const double begin = at.now + (r.members > 1 ? c_.region : 0);
        Team team{&r, stack_.size() - 1, 0, true, begin, {}};
        for (uint32_t m = 0; m < r.members; ++m)
          team.members.push_back({r.first_member + m, p_.tasks[r.first_member + m].first_step, begin});
        ++at.step;
        teams_.push_back(std::move(team));
        stack_.push_back(teams_.back().members[0]);
        break;
      }
    }
  }

  // At a barrier, its end or a signal that is to come: the next member, or all go on.
  void leave_member() {
    const At at = stack_.back();
    stack_.pop_back();
    Team& team = teams_.back();
    team.barrier = std::max(team.barrier, at.now);
    team.members[team.next] = at;
    if (++team.next < team.members.size()) return stack_.push_back(team.members[team.next]);
    team.next = 0;
    const auto waits = std::find_if(team.members.begin(), team.members.end(), [&](const At& m) {
      return m.step < p_.tasks[m.task].first_step + p_.tasks[m.task].steps && p_.steps[m.step].kind == StepKind::await;
    });
    if (waits != team.members.end()) {
      if (!std::exchange(team.moves, false)) ++waits->step;  // for what never comes, in a damaged recording
      return stack_.push_back(team.members[0]);
    }
    if (team.members.size() > 1) team.barrier += c_.barrier * std::ceil(std::log2(double(team.members.size())));
    bool over = true;
    for (At& m : team.members) {
      const Task& t = p_.tasks[m.task];
      m.now = team.barrier;
      if (m.step < t.first_step + t.steps) ++m.step;
      if (m.step < t.first_step + t.steps) over = false;
    }
    if (!over) return stack_.push_back(team.members[0]);
    stack_[team.holder].now = team.barrier;
    const double barrier = team.barrier;
    teams_.pop_back();
    if (!teams_.empty()) teams_.back().barrier = std::max(teams_.back().barrier, barrier);
  }

  const Program& p_;
  const Costs& c_;
  std::vector<double> ends_, children_, group_, signal_;
  std::vector<At> stack_;
  std::vector<Team> teams_;
};

}  // namespace

double Program::span() const { return Walk(*this, Costs{}).run(); }

double burdened_span(const Program& program, const Costs& costs) { return Walk(program, costs).run(); }

}  // namespace einkorn::simulate
