#include "simulate/sweep.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "simulate/engine.h"
#include "simulate/not_replayed.h"
#include "simulate/rates.h"
#include "simulate/span.h"

namespace einkorn::simulate {

Setup setup_of(const machine::Machine& m, const Setup& common, const schedule::Schedule& schedule, int threads,
               const schedule::Shape& shape) {
  Setup setup = common;
  setup.machine = &m;
  setup.schedule = schedule;
  schedule::Shape& its = setup.schedule.shape;
  if (shape.clusters > 0) its = shape;
  setup.pus = schedule::pus_of(its, m, threads);
  return setup;
}

double at_most(const Bounds& b, const Point& p) {
  const double one = b.work + b.costs;
  if (one <= 0) return p.threads;
  const double predicted = p.outcome.stuck ? 0 : (b.one + b.costs) / p.outcome.makespan;
  return std::max(one / std::max({one / p.threads, p.span, b.hold}), predicted);
}

double burdened_speedup(const Bounds& b, const Point& p) {
  constexpr double kCilkviews = 1.7;
  return b.work <= 0 ? p.threads : b.work / (b.work / p.threads + (1 - 1.0 / p.threads) * kCilkviews * p.burdened);
}

double inflation_speedup(const Bounds& b, const Point& p) {
  double memory = 0, work = 0;
  for (const WorkerTime& w : p.outcome.workers) memory += w.memory, work += w.work + w.memory;
  return p.outcome.bytes > 0 && memory > 0 && work > 0 ? p.threads * b.one / work : -1;
}

namespace {

// The program with teams of one size, as long as points need it: it may be large.
struct Teams {
  std::once_flag made;
  std::unique_ptr<Program> program;
  double span = 0, burdened = 0;
  std::atomic<size_t> points{0};  // that still need it
};

}  // namespace

void run(const std::function<Program(int)>& program_for, const machine::Machine& m, const Setup& common, Sweep& sweep,
         const std::function<void(double)>& progress) {
  for (size_t s = 0; s < sweep.schedules.size(); ++s)
    for (const int n : sweep.threads) sweep.points.push_back({s, n, 0, 0, {}});
  const size_t counts = sweep.threads.size(), all = sweep.points.size();
  std::vector<Teams> teams(counts);
  for (Teams& t : teams) t.points = sweep.schedules.size();

  std::atomic<size_t> next{0}, done{0};
  std::mutex lock;  // of progress
  auto finished = [&] {
    const size_t n = done.fetch_add(1) + 1;
    if (!progress) return;
    std::lock_guard guard(lock);
    progress(double(n) / double(all + 1));
  };
  auto base = [&] {
    const Program one = program_for(1);
    sweep.bounds.work = one.work();
    sweep.bounds.tiny = tiny_share(one);
    const double alone = common.recorded_rate > 0 ? std::min(1.0, common.recorded_rate / rate_of_one(m)) : 1;
    sweep.bounds.hold = common.memory ? one.longest_hold(alone, double(common.unknown_memory)) : one.longest_hold();
    for (uint32_t i = 0; i < one.tasks[0].steps; ++i)
      if (const Step& s = one.steps[one.tasks[0].first_step + i]; s.kind == StepKind::compute)
        sweep.bounds.serial += s.ns;
    const Outcome outcome = simulate(one, setup_of(m, common, sweep.schedules.at(0), 1));
    sweep.baseline = outcome.makespan;
    for (const WorkerTime& w : outcome.workers) sweep.bounds.one += w.work + w.memory;
    sweep.bounds.costs = std::max(0.0, outcome.makespan - sweep.bounds.one);
  };
  auto work = [&] {
    // Item 0 is the baseline; then all schedules with one team size after the other.
    for (size_t i; (i = next.fetch_add(1)) <= all; finished()) {
      if (i == 0) {
        base();
        continue;
      }
      const size_t count = (i - 1) / sweep.schedules.size(), schedule = (i - 1) % sweep.schedules.size();
      Teams& team = teams[count];
      std::call_once(team.made, [&] {
        team.program = std::make_unique<Program>(program_for(sweep.threads[count]));
        team.span = team.program->span();
        team.burdened = burdened_span(*team.program, common.costs);
      });
      const size_t point = schedule * counts + count;
      Point& p = sweep.points[point];
      p.span = team.span;
      p.burdened = team.burdened;
      p.outcome = simulate(
          *team.program, setup_of(m, common, sweep.schedules[schedule], p.threads, sweep.shape_of(point)), sweep.trace);
      if (--team.points == 0) team.program.reset();
    }
  };
  std::vector<std::thread> helpers;
  const size_t cpus = std::max(1u, std::thread::hardware_concurrency());
  for (size_t i = 1; i < std::min(cpus, all + 1); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& t : helpers) t.join();
}

}  // namespace einkorn::simulate
