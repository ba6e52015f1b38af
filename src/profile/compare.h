// Two recordings of one program, grain by grain: design.md, contract 3.
//
// Grains are the same where their schedule-independent names are, and what they stand for is: a chunk needs the same
// number of iterations, a share a team of the same size. Ratios grain by grain mean something only where nearly all
// work is matched (kEnough); elsewhere (loops cut otherwise, programs that search) lines and loop instances are
// compared as a whole.
//
// What was counted, not recorded one by one, is compared place by place below the same grain, as a whole: where equally
// many were executed in both recordings they are taken to be the same ones. Without ratios of single grains.
//
// Everything is linear in the number of grains (but for the sorting of what is shown), and takes 48 bytes a grain and
// side: a Side stands for a recording, so that two profiles need not be in memory at once.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

inline constexpr double kEnough = 0.95;  // of the work, matched

struct ComparedGrain {  // a task, chunk or share whose execution was recorded
  uint64_t id_high, id_low;
  int64_t exec;
  uint32_t extent;  // chunk, piece of a taskloop: iterations, cut to 32 bits; share: threads of its team; else 0
  uint32_t grain;   // in Profile::grains
  uint32_t source;  // in Side::sources, kNone: unknown
  uint32_t loop;    // chunk: in Side::loops
  GrainKind kind;
};

struct ComparedLoop {
  uint64_t key;  // of the instance: of region and position in it
  uint32_t source;
  uint64_t iterations;
  uint64_t chunks = 0;
  int64_t exec = 0;  // of its chunks
};

struct ComparedAggregate {  // of one place, below one recorded grain
  uint64_t id_high, id_low;  // of that grain
  uint32_t source;           // in Side::sources, kNone: unknown
  GrainKind kind;
  uint64_t executed;
  int64_t exec;
};

struct Side {
  std::string program;
  std::vector<std::string> argv;
  uint32_t threads = 0;
  int64_t wall_ns = 0;
  bool times_valid = true, complete = true, cpu_time_known = false;
  std::string predicted;  // by `einkorn simulate`: on which machine; empty: it was recorded
  StateTimes thread_time{};
  uint64_t lost = 0;  // tasks and chunks that were not described
  std::vector<Source> sources;
  std::vector<ComparedGrain> grains;
  std::vector<ComparedLoop> loops;
  std::vector<ComparedAggregate> aggregates;  // that were executed
  uint64_t aggregated = 0;                    // grains that these stand for
  int64_t work() const { return thread_time[size_t(State::work)] + thread_time[size_t(State::serial)]; }
};

Side side_of(const Profile&);

struct Counted {  // of one side; aggregated ones included
  uint64_t grains = 0;
  int64_t exec = 0;
};

// A construct at a place, in both recordings. `before` and `after` count all its grains, `only_*` those without a
// match.
struct LineChange {
  uint32_t before_source = kNone, after_source = kNone;  // kNone: it is in one recording only, or its place is unknown
  GrainKind kind{};
  Counted before, after, only_before, only_after;
  uint64_t matched = 0;
  int64_t matched_before = 0, matched_after = 0;  // execution of the matched grains
  double median_ratio = -1, worst_ratio = -1;     // after / before of single grains; -1: none
  int64_t change() const { return after.exec - before.exec; }
};

struct LoopChange {
  uint32_t before = kNone, after = kNone;  // in Side::loops; kNone: it is in one recording only
};

struct Comparison {
  std::vector<uint32_t> match;  // by Side::grains of `after`: the same one of `before`, or kNone
  Counted before, after, only_before, only_after;
  uint64_t matched = 0;
  double share = 0;               // of the work that is matched, of the side where it is less; 1 where there is no work
  std::vector<LineChange> lines;  // the largest change of execution first
  std::vector<LoopChange> loops;  // in the order of `after`, then those of `before` only
  std::vector<uint32_t> changed;  // matched grains by Side::grains of `after`, the largest change of execution first
  bool per_grain() const { return share >= kEnough; }
};

// At most `most` of the grains that changed are listed.
Comparison compare(const Side& before, const Side& after, size_t most = 20);

// By Profile::grains of `after`: execution of the same grain in `before`, ns; NaN where it has none, and everywhere
// where too little is matched. For MetricOptions::baseline.
std::vector<float> baseline_exec(const Side& before, const Side& after, const Comparison& c, size_t grains);

}  // namespace einkorn::profile
