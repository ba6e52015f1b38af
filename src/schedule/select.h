// Decides in which order a worker without work looks into others' places: the axis `select`. A rule is a function in a
// file of its own and a line of registered.h (docs/schedules.md); the runtime and the simulator ask it through
// visits.h.
#pragma once
#include "schedule/registered.h"
#include "schedule/view.h"

namespace einkorn::schedule {

// A range of places, looked through from `at` on, round and round.
struct Sweep {
  int first = 0, count = 0, at = 0, left = 0;
  void begin(int from, int n, uint32_t start) {
    first = from, count = left = n, at = n > 0 ? int(start % uint32_t(n)) : 0;
  }
  int next() {
    if (left == 0) return -1;
    --left;
    int place = first + at;
    at = at + 1 == count ? 0 : at + 1;
    return place;
  }
};

// One round of looking: what a rule keeps from one question to the next. New for each search.
struct Round {
  int asked = 0;  // so often before in this round
  Sweep sweep;
  // By nodes: step counts them, in the order of nearness or from a random one on; a node's two parts are its cores'
  // places and the whole one.
  int step = 0, start = 0, part = 0, node = -1;
};

// The next place to look into; -1: the round is over. It may name the worker's own, empty ones, one twice, and such as
// the worker may not take from: the search passes over these. covers: of a round no place is left out that the worker
// may take from. A rule that leaves some out is asked no more often than there are places; in the last search before a
// sleep not at all, since then nothing may be forgotten.
struct SelectRule {
  const char* name;
  const char* also;  // as the literature spells it, or nullptr
  int (*next)(const Context&, Round&);
  bool covers;
};

int all_places(const Context&, Round&);    // from a random one on
int round_robin(const Context&, Round&);   // from where the worker found something last
int node_by_node(const Context&, Round&);  // the own node first
int most_loaded(const Context&, Round&);   // the longest queue that it may take from
int up(const Context&, Round&);            // the own cluster's places, then those of the others, nearest first

#define EK_DECLARE(function, name, covers) int function(const Context&, Round&);
EK_OWN_STEALING_RULES(EK_DECLARE)
#undef EK_DECLARE

// By Select; those of registered.h are behind them.
#define EK_ROW(function, name, covers) {name, nullptr, function, covers},
inline constexpr SelectRule kSelectRules[] = {{"none", nullptr, all_places, true},  // who waits in a task
                                              {"random", "sRand", all_places, true},
                                              {"random-node", "sRandNuma", node_by_node, true},
                                              {"round-robin", nullptr, round_robin, true},
                                              {"near-first", nullptr, node_by_node, true},
                                              {"core-then-node", "sProcNuma", node_by_node, true},
                                              {"node-then-core", "sNumaProc", node_by_node, true},
                                              {"core-only", "sProc", node_by_node, true},
                                              {"node-only", "sNuma", node_by_node, true},
                                              {"most-loaded", nullptr, most_loaded, false},
                                              {"up", nullptr, up, true},
                                              EK_OWN_STEALING_RULES(EK_ROW)};
#undef EK_ROW
inline constexpr int kSelectRuleCount = sizeof kSelectRules / sizeof kSelectRules[0];
static_assert(kSelectRules[int(Select::up)].next == up);

}  // namespace einkorn::schedule
