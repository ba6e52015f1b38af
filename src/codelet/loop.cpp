#include "codelet/loop.h"

#include <cstring>

#include "base/clock.h"
#include "base/tunables.h"
#include "codelet/region.h"
#include "codelet/region_times.h"
#include "codelet/unwinding.h"
#include "runtime/observe/stretches.h"
#include "schedule/tploop.h"

namespace einkorn::codelet {

namespace {

using schedule::LoopForm;
using schedule::LoopTime;

LoopTime read(const LoopWord& word) {
  // Relaxed: a single word, of which each value is as good as another.
  const uint64_t bits = word.time.load(std::memory_order_relaxed);
  LoopTime t;
  static_assert(sizeof t == sizeof bits);
  memcpy(static_cast<void*>(&t), &bits, sizeof t);
  return t;
}
void write(LoopWord& word, const LoopTime& t) {
  uint64_t bits;
  memcpy(&bits, &t, sizeof bits);
  word.time.store(bits, std::memory_order_relaxed);
}

// The calling thread runs the instances 0 .. n - 1, one after the other. It is in the region's team, or nobody asks.
void run_all(Worker* w, const Procedure* p, void* frame, uint32_t n) {
  Room own(w, p->own_bytes);
  Instance me{frame, nullptr, 0, 0, own.begin(), p, n, Instance::of_region};
  const Instance* const outer = std::exchange(t_region_instance, &me);
  for (; me.id < n; ++me.id) {
    EK_NOTHING_LEAVES_TO_HERE(ek_left_region);
    if (EK_UNLIKELY(p->run(&me) != kEnd)) misused(p, "ek_run_loop", "an instance of a loop (EK_LOOP) gives way");
  }
  t_region_instance = outer;
}

struct OneCodelet {
  const Procedure* procedure;
  void* frame;
  uint32_t instances;
};
// Is the loop to be seen as a region, by somebody who records or advises?
bool is_seen(const Worker* w) { return w->stream || w->tool || w->hints; }

// One codelet: the caller runs all iterations. An instance for each thread only where the result depends on how the
// range is cut.
void run_by_caller(Worker* w, const Procedure* p, const void* frame, int threads, Caller caller) {
  const uint32_t n = (p->flags & kWhole) || threads == 1 ? 1 : uint32_t(threads);
  void* const its = const_cast<void*>(frame);
  if (EK_LIKELY(!is_seen(w))) return run_all(w, p, its, n);
  OneCodelet one{p, its, n};
  auto body = [](void* data) {
    const auto& of = *static_cast<const OneCodelet*>(data);
    Worker* me = runtime::self();
    const Instance seen{of.frame, nullptr, 0, 0, nullptr, of.procedure, of.instances, Instance::of_region};
    observe::goes_on_in_region(me, seen, false);
    run_all(me, of.procedure, of.frame, of.instances);
  };
  parallel(w, body, &one, 1, reinterpret_cast<const void*>(p->run), caller, 0);
}

// The loop's procedure with a function that times the first codelet.
struct Timed {
  Procedure procedure;
  const Procedure* timed;
  uint64_t first = 0;  // how long that took, ticks

  explicit Timed(const Procedure* p) : procedure(*p), timed(p) { procedure.run = run; }
  static int run(Instance* me) {
    auto& its = *reinterpret_cast<Timed*>(const_cast<Procedure*>(me->procedure));
    if (me->id != 0) return its.timed->run(me);
    const uint64_t began = short_times().now();
    const int next = its.timed->run(me);
    its.first = short_times().now() - began;
    return next;
  }
};

// Codelets that are tasks: of procedures, or where there are more or fewer of them than threads.
void run_as_tasks(Worker* w, const Procedure* p, const void* function, const void* frame, int threads,
                  const schedule::LoopDivision& division, Caller caller) {
  struct Begun {
    LoopTasks tasks;
    bool by_procedures;
  } loop{{p, const_cast<void*>(frame), uint32_t(division.codelets), uint32_t(division.each()), 1, caller},
         division.form == LoopForm::procedures};
  auto body = [](void* data) {
    auto& its = *static_cast<Begun*>(data);
    Worker* me = runtime::self();
    if (me->thread_num != 0) return;
    int own;
    its.tasks.clusters = clusters(me, &own);
    if (its.by_procedures) invoke_parts(its.tasks);
    else invoke_codelets(its.tasks, 0, its.tasks.count);
  };
  parallel(w, body, &loop, threads, function, caller, 0);
}

// The M of the paper.
int procedures_wanted(int threads) {
  const int m = g_config.tp_instances > 0 ? g_config.tp_instances : std::max(g_config.schedule->shape.clusters, 1);
  return std::min(m, threads);
}

uint64_t in_units(uint64_t ns, uint64_t us) { return ns * us / 1'000; }

}  // namespace

int most_codelets(int threads) {
  const schedule::LoopThresholds& asked = g_config.tploop;
  return std::max(threads, asked.are_set ? std::max(asked.p, 1) * std::max(asked.q, 1) : 1);
}

void run_loop(const Procedure* p, const void* frame, int instances, int64_t iterations, LoopWord* loop, Caller caller) {
  check(p, frame, "ek_run_loop");
  if (EK_UNLIKELY((p->flags & (kLoop | kFree | kBeside)) != (kLoop | kFree)) || EK_UNLIKELY(!loop) ||
      EK_UNLIKELY(instances < 0))
    return run(p, frame, instances, caller);
  Worker* w = runtime::self();
  const int threads = threads_of_region(w, instances);
  const schedule::LoopThresholds& asked = g_config.tploop;
  const Codelets how = g_config.codelets;
  const ShortTimes& clock = short_times();
  const uint64_t us = clock.in_us;
  LoopTime time = read(*loop);
  const bool by_time = EK_LIKELY(!asked.are_set);
  if (by_time && how != Codelets::threads && schedule::runs_untimed(time, iterations, us)) {
    write(*loop, time);
    return run_by_caller(w, p, frame, threads, caller);
  }
  const uint64_t work = schedule::predicted(time, iterations);
  const uint64_t began = clock.now();
  Times* times = nullptr;
  schedule::RegionWay way{false, false};
  const int size_class = schedule::class_of_loop(work, us);
  if (by_time) {
    if (threads == 1 || how == Codelets::alone || iterations <= 0) {
      way.alone = true;
    } else if (how != Codelets::threads) {
      times = &times_of(w);
      schedule::RegionTime& its = entry_of(*times, p, size_class).time;
      its.work = work;
      way = schedule::way_of(its, times->before, began, us, [&] {
        return threads_sleep(w, began - times->before.threads >= schedule::kPauseUs * us);
      });
    }
  }
  const schedule::LoopFacts facts{iterations, threads, procedures_wanted(threads), way.alone, work};
  const schedule::LoopCosts costs{in_units(tunables::kLoopProcedure, us), in_units(tunables::kLoopCodelet, us)};
  const schedule::LoopDivision division = schedule::divided_loop(asked, facts, costs);
  // What all codelets took together: the work of one thread.
  uint64_t busy = 0;
  const auto* const function = reinterpret_cast<const void*>(p->run);
  if (division.form == LoopForm::one) {
    run_by_caller(w, p, frame, threads, caller);
  } else if (division.form == LoopForm::codelets && division.codelets == threads) {
    busy = run_on_team(w, p, frame, threads, instances, by_time, caller);
  } else if (is_seen(w) || !by_time) {  // a recording shows the loop's own function
    run_as_tasks(w, p, function, frame, threads, division, caller);
  } else {
    Timed timed(p);
    run_as_tasks(w, &timed.procedure, function, frame, threads, division, caller);
    busy = timed.first * uint64_t(division.codelets);
  }
  if (!by_time) return;
  const uint64_t now = clock.now(), took = now - began;
  // By one thread all of it would take at least as long as its caller is at it, but for waking others.
  if (division.form == LoopForm::one) busy = took;
  else if (division.form == LoopForm::codelets && !way.asleep) busy = std::max(busy, took);
  // A region inside of the loop may have taken the entry: then this one begins again.
  schedule::RegionTrial* const trial = times ? &entry_of(*times, p, size_class).time.trial : nullptr;
  const bool stays_alone = division.form == LoopForm::one && (!way.tried || trial->alone);
  // Nothing was timed: it is as long as that at least, and what is known already is better.
  const bool is_timed = busy != 0 || division.form != LoopForm::procedures;
  if (!is_timed) busy = took - std::min(took, schedule::cost_of(division, costs));
  if (is_timed || work == ~uint64_t(0)) {
    schedule::learn(time, busy, iterations, stays_alone);
    write(*loop, time);
  }
  if (!times) return;
  schedule::ended(times->before, way, now, took);
  if (way.tried) schedule::learn_trial(*trial, way.alone, took, threads, us);
}

}  // namespace einkorn::codelet
