// The program as a whole: bounds, the division of the threads' time, and the effect of a cut-off.
#include <algorithm>

#include "profile/metrics_parts.h"

namespace einkorn::profile {
namespace {

using enum Metric;

double time_in(const Profile& p, State s) { return double(p.thread_time[size_t(s)]); }

// Wall time inside outermost regions, and the average number of threads in them.
void regions(const Profile& p, Metrics& m) {
  std::vector<std::pair<int64_t, int64_t>> outermost;
  double capacity = 0;
  for (const Region& r : p.regions) {
    if (r.begin < 0 || r.end <= r.begin) continue;
    capacity += double(r.team) * double(r.end - r.begin);
    if (r.level <= 1) outermost.emplace_back(r.begin, r.end);
    else capacity -= double(r.end - r.begin);  // its primary thread counts in the inner team only
  }
  // Threads that the program made itself may run regions at the same time.
  std::sort(outermost.begin(), outermost.end());
  int64_t until = INT64_MIN;
  for (auto [begin, end] : outermost) {
    if (end > until) m.region_wall += end - std::max(begin, until);
    until = std::max(until, end);
  }
  if (m.region_wall > 0) m[threads] = std::max(1.0, capacity / double(m.region_wall));
}

void bounds(const Profile& p, Metrics& m) {
  double t1 = 0;
  for (const Grain& g : p.grains) t1 += double(g.exec);
  for (const Aggregate& a : p.aggregates) t1 += double(a.exec);  // not recorded one by one, and done all the same
  m[work] = t1;
  int64_t hold = -1, all_held = 0;
  for (const LockUse& l : p.locks) hold = std::max(hold, l.held), all_held += l.turn ? 0 : l.held;
  for (const ExclusiveSet& s : p.exclusive) hold = std::max(hold, s.held), all_held += s.held;
  if (hold >= 0) m[largest_hold] = double(hold);
  if (p.wall_ns > 0) m[speedup] = t1 / double(p.wall_ns);
  if (p.graph.nodes.empty() || p.critical_path_ns <= 0 || t1 <= 0) return;
  const double p_threads = std::isnan(m[threads]) ? 1 : m[threads], t_inf = double(p.critical_path_ns),
               burdened = double(p.burdened_path_ns);
  constexpr double kSpanCoefficient = 1.7;  // Cilkview's (He et al. 2010)
  m[span] = t_inf;
  m[burdened_span] = burdened;
  m[parallelism] = t1 / t_inf;
  m[burdened_parallelism] = t1 / burdened;
  m[time_bound] = std::max({t1 / p_threads, t_inf, double(hold)});
  m[speedup_bound] = t1 / m[time_bound];
  // While nobody is in a critical section a greedy schedule keeps its promise; the sections, at worst, one after the
  // other.
  const double alone = std::min(t1, t_inf + double(all_held));
  m[brent_speedup] = t1 / std::max(m[time_bound], alone + (t1 - alone) / p_threads);
  m[burdened_speedup] =
      t1 / std::max(m[time_bound], t1 / p_threads + (1 - 1 / p_threads) * kSpanCoefficient * burdened);
}

void split(const Profile& p, const MetricOptions& options, Metrics& m) {
  const double all_work = time_in(p, State::work) + time_in(p, State::serial);
  const double before = double(options.baseline.work_ns);
  m[split_work] = all_work;
  if (before > 0) {
    m[split_work] = before;
    m[split_inflation] = all_work - before;
    if (all_work > 0 && !std::isnan(m[threads])) m[inflation_speedup] = m[threads] * before / all_work;
  }
  m[split_overhead] = time_in(p, State::overhead) + time_in(p, State::recorder);
  m[split_idle] = time_in(p, State::idle) + time_in(p, State::blocked);
  m[split_offcpu] = time_in(p, State::offcpu) + time_in(p, State::unattributed);
}

// Schmidl 2016, 5.1: issues (1) and (4); (2) and (3) are with the balance.
void issues(const Profile& p, Metrics& m) {
  double created = 0, execution = 0, queued = 0, far = 0;
  for (const Grain& g : p.grains) {
    if (g.kind != GrainKind::task) continue;
    created += double(std::max<int64_t>(0, g.create_cost));
    execution += double(g.exec);
    if (g.fragments == 0 || at_once(g) || g.node == 0xffff || g.creator_node == 0xffff) continue;
    queued += double(g.exec);
    if (g.node != g.creator_node) far += double(g.exec);
  }
  for (const WaitUse& w : p.waits)
    if (w.tasks > 0) created += double(w.overhead);
  if (execution > 0) m[too_fine] = created / execution;
  if (queued > 0) m[far_from_creator] = far / queued;
}

}  // namespace

void metrics_of_program(const Profile& p, const MetricOptions& options, Metrics& m) {
  regions(p, m);
  bounds(p, m);
  split(p, options, m);
  issues(p, m);
}

// By depth: tasks, their costs, and the longest subtree. With a cut-off at a depth, tasks of that depth run what is
// below them. In a greedy schedule no thread idles longer than the longest of them takes (Graham): while the last one
// runs, the other threads idle at most (threads - 1) times its length.
void metrics_of_cut_off(const Profile& p, Metrics& m) {
  std::vector<int64_t> below(p.grains.size());
  struct Level {
    uint64_t tasks = 0;
    double cost = 0;
    int64_t longest = 0;
  };
  std::vector<Level> levels;
  double fetching = 0, execution = 0;
  uint64_t tasks = 0;
  for (const WaitUse& w : p.waits)
    if (w.tasks > 0) fetching += double(w.overhead);
  for (size_t i = p.grains.size(); i-- > 0;) {  // children come after their parents
    const Grain& g = p.grains[i];
    below[i] += g.exec;
    if (g.parent < i) below[g.parent] += below[i];
    if (g.kind != GrainKind::task) continue;
    execution += double(g.exec);
    if (waited_for(g)) continue;  // already a part of its creator
    if (g.depth >= levels.size()) levels.resize(g.depth + 1u);
    Level& l = levels[g.depth];
    ++l.tasks;
    l.cost += double(std::max<int64_t>(0, g.create_cost));
    l.longest = std::max(l.longest, below[i]);
    ++tasks;
  }
  if (tasks == 0) return;
  const double others = std::isnan(m[threads]) ? 0 : m[threads] - 1;
  double cost = 0;
  uint64_t above = 0;
  for (const Level& l : levels) {
    above += l.tasks;
    cost += l.cost + fetching * double(l.tasks) / double(tasks);  // one fetch costs the same whatever is fetched
    const double n = double(std::max<uint64_t>(1, above));
    m.cut_off.push_back({above, execution / n, cost / n, others * double(l.longest) / n});
  }
  for (size_t d = 0; d + 1 < m.cut_off.size(); ++d)
    if (m.cut_off[d].idle <= m.cut_off[d].parallelization) {
      m[cut_off] = double(d);
      break;
    }
}

}  // namespace einkorn::profile
