// The schedulers of the literature, each a point in the space of types.h. What they say of themselves is printed by
// `einkorn run --help` and in error messages. A schedule with a rule of its own has a file: see balance.cpp.
#include <cstring>

#include "schedule/own_rules.h"

namespace einkorn::schedule {

namespace {

// Who steals of whom is in ws_search.h: the default does not ask `select`.
constexpr Schedule ws{.name = "ws",
                      .what = "work stealing: own queue last in first out, thieves take the oldest of a random victim",
                      .take = Take::quarter,
                      .is_default = true};
constexpr Schedule ws_adaptive{
    .name = "ws-adaptive",
    .what = "ws, but fine tasks run at once while nobody looks for work and enough are queued",
    .defer = Defer::adaptive,
    .take = Take::quarter,
    .is_default = true};
// Olivier 2012, 6.2 to 6.4: CQ, Q, L and MTS.
constexpr Schedule central{.name = "central",
                           .what = "one queue for all, last in first out (Olivier's CQ)",
                           .places = Places::machine,
                           .select = Select::none};
constexpr Schedule rr_fifo{
    .name = "rr-fifo",
    .what =
        "new tasks to all cores' queues in turn, first in first out; only waits in tasks take from others' "
        "(Qthreads' Q)",
    .order = Order::fifo,
    .push = Push::round_robin,
    .select = Select::none};
constexpr Schedule rr_lifo{.name = "rr-lifo",
                           .what = "the same, last in first out (Qthreads' L)",
                           .push = Push::round_robin,
                           .select = Select::none};
constexpr Schedule mts{
    .name = "mts",
    .what =
        "one queue for the cores of a cache; one thief of it at a time, which takes a task for each (Olivier's MTS)",
    .places = Places::llc,
    .take = Take::per_worker,
    .thieves = Thieves::one_per_place,
    .backoff = Backoff::exponential};
// Olivier 2012, 7.3.
constexpr Schedule domains{
    .name = "domains",
    .what = "one queue a NUMA node; tasks go where the program says, or stay; nearest nodes help",
    .places = Places::node,
    .select = Select::near_first,
    .take = Take::per_worker,
    .thieves = Thieves::one_per_place,
    .backoff = Backoff::exponential};
constexpr Schedule domains_strict{.name = "domains-strict",
                                  .what = "the same, and no task leaves its node",
                                  .places = Places::node,
                                  .select = Select::none,
                                  .reach = Reach::strict};
// Muddukrishna 2016, 3.4.2: Alg. 1 and 2; on the TILEPro64, vicinities.
constexpr Schedule deal{.name = "deal",
                        .what = "tasks are dealt to the node where their data is nearest; long queues are helped (MIR)",
                        .places = Places::node,
                        .order = Order::fifo,
                        .when = When::created,
                        .push = Push::least_cost,
                        .select = Select::near_first,
                        .backoff = Backoff::exponential,
                        .guard = 1};
constexpr Schedule vicinity{
    .name = "vicinity",
    .what =
        "vicinity:N: coarse data draws tasks to its node, a queue a core, stealing only inside groups of N "
        "(MIR)",
    .order = Order::fifo,
    .when = When::created,
    .push = Push::least_cost,
    .backoff = Backoff::exponential,
    .reach = Reach::vicinity,
    .vicinity = 4,
    .cache = Cache::l1,
    .data = Data::coarse};
// Virouleau et al. 2016: the 3 x 4 x 6 strategies are given after a colon.
constexpr Schedule xkaapi{
    .name = "xkaapi",
    .what = "xkaapi:INIT+PUSH+SELECT[+strict]: driven by dependences, a queue a core and a node (X-Kaapi)",
    .places = Places::core_node,
    .init = Init::cyclic_node,
    .push = Push::writer_node_or_local,
    .select = Select::core_then_node};
// Arteaga, Zuckerman and Gao 2017, 2.1 and 2.2: the two levels of the codelet model, DARTS' policies on them, SWARM's
// locales. What of these is not here: docs/schedules.md.
constexpr Schedule codelets{
    .name = "codelets",
    .what =
        "two levels: codelets stay in their cluster, in a queue a core; procedures not begun may be helped by the "
        "nearest clusters",
    .places = Places::cluster_core,
    .select = Select::up,
    .take = Take::quarter,
    .backoff = Backoff::exponential};
constexpr Schedule darts_standard{
    .name = "darts-standard",
    .what = "two levels: codelets to the cores of their cluster in turn, nobody steals (DARTS, standard)",
    .places = Places::cluster_core,
    .order = Order::fifo,
    .push = Push::round_robin,
    .select = Select::none,
    .tp_reach = TpReach::cluster};
constexpr Schedule darts_steal{
    .name = "darts-steal",
    .what =
        "two levels: a cluster's cores share its codelets, clusters steal procedures not begun, one at a time, ever "
        "more seldom (DARTS, work stealing)",
    .places = Places::cluster,
    .order = Order::fifo,
    .backoff = Backoff::exponential};
constexpr Schedule swarm{.name = "swarm",
                         .what =
                             "a tree: a queue a core and one a cluster; who has no work looks at its siblings, then "
                             "up, nearest first (SWARM)",
                         .places = Places::tree,
                         .select = Select::up};

constexpr const Schedule* kPresets[] = {&ws,       &ws_adaptive, &central,        &rr_fifo,     &rr_lifo,  &kDeferred,
                                        &mts,      &domains,     &domains_strict, &deal,        &vicinity, &xkaapi,
                                        &kBalance, &codelets,    &darts_standard, &darts_steal, &swarm};

}  // namespace

const Schedule* const* presets(int* count) {
  *count = int(sizeof kPresets / sizeof kPresets[0]);
  return kPresets;
}

const Schedule* find_preset(const char* name) {
  for (const Schedule* s : kPresets)
    if (!strcmp(s->name, name)) return s;
  return nullptr;
}

}  // namespace einkorn::schedule
