// The form in which a parallel loop of codelets runs (TPLoops: Arteaga, Zuckerman and Gao 2017): by its caller alone,
// as codelets, or as procedures that have codelets each.
//
// The compiler of the paper generates three graphs for the body, and thresholds of the user select one by the range of
// the iterations. Here the body is one function, which asks for its part of the range (ek_static()), and what it is
// asked for decides the form. Without thresholds the predicted time decides: the iterations times what an iteration of
// this loop took, against what it costs to have threads and to invoke procedures.
#pragma once
#include <algorithm>
#include <cstdint>

#include "schedule/regions.h"

namespace einkorn::schedule {

// EINKORN_TPLOOP=TH0,TH1[,P,Q].
struct LoopThresholds {
  bool are_set = false;           // false: auto
  int64_t one = 0, codelets = 0;  // fewer iterations than that are one codelet; are codelets without procedures
  int p = 0, q = 0;               // codelets (of a procedure, where there are procedures), procedures; 0: as usual
};

enum class LoopForm : uint8_t { one, codelets, procedures };

// The range is cut into so many parts as there are codelets. Procedure k has the codelets with the numbers from
// k * each on, `each` of them, and the last one has those that are left.
struct LoopDivision {
  LoopForm form;
  int codelets, procedures;  // 1 and 0: one codelet has all iterations
  int each() const { return procedures == 0 ? codelets : (codelets - 1) / procedures + 1; }
};

// What the loop asks for is known before it runs.
struct LoopFacts {
  int64_t iterations;
  int threads;
  int instances;  // M of the paper: EINKORN_TP_INSTANCES, or the clusters of the team; 1: no procedures
  bool alone;     // way_of() says so
  uint64_t work;  // predicted for all iterations by one thread, ticks; ~0: not known
};

// To invoke and end a procedure, and a codelet of it, costs that much, ticks.
struct LoopCosts {
  uint64_t procedure, codelet;
};
// Procedures are made where they cost at most a part of so many of what the loop takes on all threads.
inline constexpr uint64_t kPartForProcedures = 20;

inline LoopDivision procedures_of(int codelets, int procedures) {
  const int each = (codelets - 1) / procedures + 1;
  // With ceil(N / M) codelets each fewer than M procedures may have them all.
  return {LoopForm::procedures, codelets, (codelets - 1) / each + 1};
}

inline uint64_t cost_of(const LoopDivision& d, const LoopCosts& costs) {
  return uint64_t(d.procedures) * costs.procedure + uint64_t(d.codelets) * costs.codelet;
}

inline LoopDivision divided_loop(const LoopThresholds& asked, const LoopFacts& loop, const LoopCosts& costs) {
  if (asked.are_set) {
    if (loop.iterations < asked.one) return {LoopForm::one, 1, 0};
    const int p = asked.p > 0 ? asked.p : loop.threads;
    if (loop.iterations < asked.codelets) return {LoopForm::codelets, p, 0};
    if (asked.q > 0) return procedures_of(p * asked.q, asked.q);
    if (loop.instances <= 1) return {LoopForm::codelets, p, 0};
    return procedures_of(loop.threads, loop.instances);
  }
  if (loop.alone) return {LoopForm::one, 1, 0};
  const int m = std::min(loop.instances, loop.threads);
  const LoopDivision plain{LoopForm::codelets, loop.threads, 0};
  if (m <= 1) return plain;
  const auto threads = uint64_t(loop.threads);
  const LoopDivision parts = procedures_of(loop.threads, m);
  return loop.work / threads < cost_of(parts, costs) * kPartForProcedures ? plain : parts;
}

// ---- how long it will take ----

// What is known of one loop of the program: kept beside the loop, in a word that its callers share.
struct LoopTime {
  float iteration = 0;  // ticks, by one thread; 0: not known
  uint32_t unread = 0;  // so many more runs are not timed
};

inline uint64_t predicted(const LoopTime& t, int64_t iterations) {
  if (t.iteration <= 0) return ~uint64_t(0);
  const double ticks = double(t.iteration) * double(iterations);
  return ticks < 1e18 ? uint64_t(ticks) : ~uint64_t(0) - 1;
}

// Loops of one kind differ by orders of magnitude (the levels of a search), and what is the quicker way for a short one
// is not for a long one. So RegionTime::trial compares loops of one size class: each is four times the one before it.
inline constexpr int kLoopClasses = 8;
inline int class_of_loop(uint64_t work, uint64_t us) {
  int c = 0;
  for (uint64_t limit = 4 * us; c < kLoopClasses - 1 && work >= limit; limit *= 4) ++c;
  return c;
}

// To look at the clock costs a twentieth of a loop of a microsecond. One that ran alone, and is as short as that, is
// timed seldom: should it get more iterations, that is known without a clock.
inline bool runs_untimed(LoopTime& t, int64_t iterations, uint64_t us) {
  if (t.unread == 0 || predicted(t, iterations) >= 2 * us * kRegionAwakeUs) return false;
  --t.unread;
  return true;
}

// All iterations together took that long, ticks. A single run may have been interrupted, so an iteration is not
// believed to take more than four times as long as before.
inline void learn(LoopTime& t, uint64_t work, int64_t iterations, bool alone) {
  constexpr float kMostGrowth = 4;
  t.unread = alone ? kUntimed : 0;
  if (iterations <= 0) return;
  const float its = std::max(float(double(work) / double(iterations)), 1e-6f);
  if (t.iteration <= 0) t.iteration = its;
  else t.iteration = its > t.iteration ? std::min(its, kMostGrowth * t.iteration) : (t.iteration + its) / 2;
}

}  // namespace einkorn::schedule
