// The memory part of recorded times from two recordings of one program with different numbers of threads: a line whose
// work takes longer with more threads waits for something that they share.
//
// With c of compute and m of memory by one thread alone, a line's work is W(P) = c + m s(P), s(P): how much longer a
// stream takes when P threads of a node share its bandwidth. Two recordings give m = (W(P2) - W(P1)) / (s(P2) - s(P1)).
// Where the machine says that so many threads do not share (or nothing), s(P) = P is taken: the smallest memory part
// that explains what was seen.
//
// Each W is known to some percent only, so m is between a least and a most. What got faster with more threads than that
// explains (they have caches of their own), or slower than sharing can explain, is not settled: such a line takes as
// long as it took in the one recording or in the other, or something in between.
#pragma once
#include <string>
#include <vector>

#include "machine/types.h"
#include "profile/types.h"

namespace einkorn::simulate {

// Of a time: two runs of one program differ by that. Where CPUs were at other distances from each other in the one than
// in the other (profile::same_distance()) threads share memory in other ways, too: then two recordings say next to
// nothing of it.
inline constexpr double kDoubt = 0.03, kDoubtWhereMoved = 0.6;

struct Inflation {
  // By source of `recorded`: Change::memory and Change::longer. A line that the other one lacks is kUnknown.
  struct End {
    std::vector<float> memory;
    std::vector<double> longer;
  };
  // As found; the least and the most of it that is memory's, or takes longer with more threads for whatever reason.
  End likely, least, most;
  double slower = 1;   // s(P) of `recorded`, by which its streams' bytes are known: Setup::recorded_rate
  double share = 0;    // of `recorded`'s work: memory's
  bool moved = false;  // CPUs were at other distances in `other`
};

// Both loaded with lines (LoadOptions::symbolize). Not empty `error`: they cannot be compared.
Inflation inflation(const profile::Profile& recorded, const profile::Profile& other, const machine::Machine& on,
                    std::string& error);

// How much longer a stream takes with so many threads, by the machine: on as few nodes as have room for them.
double slower_with(const machine::Machine& m, uint32_t threads);

}  // namespace einkorn::simulate
