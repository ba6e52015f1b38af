// Two recordings of one program, grain by grain: design.md, contract 3.
//
// Two grains are the same if they have the same schedule-independent name and stand for the same thing: chunks the same
// number of iterations, shares a team of the same size. That says which construct of one recording is which of the
// other (pairing.h), whatever lines and functions they have by now. Names shift where something was added before a
// grain: so grains whose constructs are not a pair are not the same, and what a pair of constructs is left with is
// matched in its order.
//
// Ratios grain by grain mean something only if nearly all work is matched (kEnough); otherwise (loops divided
// differently, programs that search) lines and loop instances are compared as a whole. That goes for the recordings,
// and for each line.
//
// Grains that were counted, not recorded one by one, are compared as a whole, by source line below the same grain: if
// equally many were executed in both recordings they are taken to be the same. There are no ratios of single grains.
//
// Everything is linear in the number of grains (except the sorting of what is shown), and takes 56 bytes per grain and
// side. A Side represents a recording, so that two profiles need not be in memory at once.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

inline constexpr double kEnough = 0.95;  // of the work, matched

struct ComparedGrain {  // a task, chunk or share whose execution was recorded
  uint64_t id_high, id_low;
  uint64_t first;  // chunk, piece of a taskloop: first iteration; otherwise 0
  int64_t exec;
  uint32_t extent;  // chunk, piece of a taskloop: iterations, cut to 32 bits; share: threads of its team; otherwise 0
  uint32_t grain;   // in Profile::grains
  uint32_t source;  // in Side::sources, kNone: unknown
  uint32_t loop;    // chunk: in Side::loops; share: in Side::phases
  uint32_t phase;   // share, chunk: number of its phase in its region
  GrainKind kind;
};

struct ComparedLoop {
  uint64_t key;  // name of the instance, from its region and position in it
  uint32_t source;
  uint32_t region_source;
  uint64_t iterations;
  uint64_t chunks = 0;
  int64_t exec = 0;  // of its chunks
};

struct ComparedPhase {  // what a team does between two barriers
  uint64_t key;         // name of the instance, from its region and position in it
  int64_t exec = 0;     // of its shares
  uint32_t region_source = kNone;
};

struct ComparedAggregate {   // of one source line, below one recorded grain
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
  double line_ns = -1;    // RuntimeCosts::line_now; of a prediction unknown
  std::string predicted;  // made by `einkorn simulate`: for which machine; empty: it was recorded
  StateTimes thread_time{};
  uint64_t lost = 0;  // tasks and chunks that were not described
  std::vector<Source> sources;
  std::vector<std::vector<std::string>> texts;  // by source: its line and those behind it (pairing.h); empty: not known
  std::vector<ComparedGrain> grains;
  std::vector<ComparedLoop> loops;
  std::vector<ComparedPhase> phases;
  std::vector<ComparedAggregate> aggregates;  // that were executed
  uint64_t aggregated = 0;                    // grains that these stand for
  int64_t work() const { return thread_time[size_t(State::work)] + thread_time[size_t(State::serial)]; }
};

Side side_of(const Profile&);

struct Counted {  // of one side; aggregated ones included
  uint64_t grains = 0;
  int64_t exec = 0;
};

// A construct in both recordings, or in one. `before` and `after` count all its grains, `only_*` those without a match.
struct LineChange {
  uint32_t before_source = kNone, after_source = kNone;  // kNone: it is in one recording only, or its line is unknown.
                                                         // Of several, the one with the most execution
  GrainKind kind{};
  Counted before, after, only_before, only_after;
  uint64_t matched = 0;
  int64_t matched_before = 0, matched_after = 0;  // execution of the matched grains
  double median_ratio = -1, worst_ratio = -1;     // after / before of single grains; -1: none
  // What the execution would have changed by if each grain had changed as the middle of it did: single grains that were
  // held up do not count. As change() where few are matched, and of shares.
  int64_t by_median = 0;
  int64_t change() const { return after.exec - before.exec; }
  bool in_both() const { return before.grains > 0 && after.grains > 0; }
};

struct LoopChange {
  uint32_t before = kNone, after = kNone;  // in Side::loops; kNone: it is in one recording only
};

struct Comparison {
  std::vector<uint32_t> match;  // by Side::grains of `after`: the same grain in `before`, or kNone
  Counted before, after, only_before, only_after;
  uint64_t matched = 0;
  double share = 0;  // part of the work that is matched, on the side where that is less; 1 if there is no work
  std::vector<LineChange> lines;  // those in both, the largest change (by_median) first; then those in one only
  std::vector<LoopChange> loops;  // in the order of `after`, then those of `before` only
  std::vector<uint32_t> changed;  // matched grains by Side::grains of `after`, the largest change of execution first
  bool per_grain() const { return share >= kEnough; }
};

// At most `most` of the grains that changed are listed.
Comparison compare(const Side& before, const Side& after, size_t most = 20);

// By Profile::grains of `after`: execution of the same grain in `before`, ns; NaN if there is none, and for all if too
// little is matched. For MetricOptions::baseline.
std::vector<float> baseline_exec(const Side& before, const Side& after, const Comparison& c, size_t grains);

}  // namespace einkorn::profile
