// A schedule is a point in one space (docs/design.md, contract 2). Start here.
//
// Nothing in this folder has threads, atomics or a clock: a decision is a deterministic function (view, state) ->
// action, and the caller owns the state. The runtime asks through a view that may be stale, so that an action is a
// request which can fail and be asked again; the simulator asks through a view that never is.
//
//   types.h    the axes, Schedule          presets.cpp  the schedulers of the literature
//   layout.h   where queues live           text.h       reading and writing a schedule's text
//   shape.h    clusters of workers, and on which CPUs they are
//   push.h     where a task goes           tiny.h       which tiny tasks run at once
//   loops.h    how loops are cut           taskloop.h   into how many tasks a taskloop is split
//   freeing.h  when memory of what has ended is given back
//   random.h   random numbers              lock_looks.h who waits for a lock: when it looks
//
// Where a worker without work looks, and what it takes, from the whole to the parts:
//   ws_search.h     one search of the default, ws: whose queue, how many, by force or not
//   place_search.h  one search of all others, by place: whether it looks beyond its own places, and what it takes
//   visits.h        in the second: which places it may take from, and how many tasks of each
//   select.h        in visits.h: in which order others' places come
#pragma once
#include <cstdint>

namespace einkorn::schedule {

// Where queues live: one each core (worker), last-level cache, NUMA node, each of both, or a single one. Of a cluster
// (shape.h): one for its codelets, or one each core for these; and one for its procedures. tree: each core's, and one
// of its cluster above it (SWARM's locales), in which lies what is for any of its cores.
enum class Places : uint8_t { core, llc, node, core_node, machine, cluster, cluster_core, tree };
// Which task a worker takes from its own queue. Thieves take the oldest; with fifo everybody does.
enum class Order : uint8_t { lifo, fifo };
// A task is placed when it is created, or when its dependences are fulfilled (by who fulfilled the last).
enum class When : uint8_t { created, ready };
// Which tasks are queued at all. The others run at once, never those with dependences, a priority or an event:
//   count: `defer_limit` tasks a worker are queued in the team; queue_full: `defer_limit` in the queue it would go to;
//   depth: it is nested more than `defer_limit` deep; adaptive: to queue it costs more than that can gain (ws only).
enum class Defer : uint8_t { always, count, queue_full, depth, adaptive };
// Tasks with dependences that have no predecessors when they are created: the sources of the graph, which touch data
// first.
enum class Init : uint8_t { as_push, local, cyclic_node, random_node };
// least_cost: where the sum over nodes of distance x bytes of the footprint is least (Muddukrishna 2016, 3.4.2, Alg. 1
// and 3).
enum class Push : uint8_t { local, local_node, round_robin, writer_node, writer_node_or_local, least_cost };
// Which data least_cost goes by: all; or such that Layout::coarse has put on a node, and without these the local queue,
// as the rest is spread evenly (Alg. 3, for machines whose cache lines have homes). There the one that the task uses
// most decides, if the program names it.
enum class Data : uint8_t { any, coarse };
// Which cache a footprint must be larger than: a worker's share of the last level, or its own first level.
enum class Cache : uint8_t { llc, l1 };
// Where a worker without work looks after its own queues, in order (Virouleau et al. 2016). Rules of their own have the
// numbers that follow: their line in registered.h.
enum class Select : uint8_t {
  none,
  random,
  random_node,
  round_robin,
  near_first,
  core_then_node,
  node_then_core,
  core_only,
  node_only,
  most_loaded,
  up  // the own cluster, then the others, nearest first
};
// How many tasks a thief takes of a queue; per_worker: as many as workers share its own queue.
enum class Take : uint8_t { one, quarter, half, number, per_worker };
// One: of the workers that share a queue one at a time looks elsewhere, for all of them.
enum class Thieves : uint8_t { any, one_per_place };
enum class Backoff : uint8_t { none, exponential };
// Where others' places are, of two levels: in other clusters, whose procedures may be taken; or in the own one, where
// codelets are.
enum Level : uint8_t { kBeyond, kWithin, kLevels };
// What of a task is given back when it has ended, its memory (freeing.h): at once; or by a worker without work.
enum class Free : uint8_t { now, idle };
// What a worker may run that waits in a task. Tied tasks leave no more than its descendants.
enum class Wait : uint8_t { descendants };
// Where tasks may go by stealing: anywhere; never across nodes; never across groups of `vicinity` workers.
enum class Reach : uint8_t { loose, strict, vicinity };
// Of the two levels of codelets (Arteaga et al. 2017, 2.2) a procedure that has not begun may leave its cluster, and a
// codelet of one that has begun never does. To where: any cluster; those of the same node; none.
enum class TpReach : uint8_t { loose, node, cluster };
// To which cluster a new procedure goes: its invoker's; each in turn; that which the program names, else its invoker's.
enum class TpPush : uint8_t { local, round_robin, named };

// The abstract machine: so many clusters of so many units, each a worker (shape.h). clusters == 0: one for each node
// that has workers, of all of them.
struct Shape {
  enum Over : uint8_t { compact, spread, list };
  int clusters = 0, units = 0;
  Over over = compact;
  const char* cpus = nullptr;  // of list: as the system numbers them, in the form of GOMP_CPU_AFFINITY

  int workers() const { return clusters * units; }
};

struct Context;
struct TaskFacts;

// Invariants (checked where a schedule is made, text.cpp): which values go together; limits are at least 1.
struct Schedule {
  const char* name = "";
  const char* what = "";  // one line for --help and error messages
  Places places = Places::core;
  Order order = Order::lifo;
  When when = When::ready;
  Defer defer = Defer::always;
  Init init = Init::as_push;
  Push push = Push::local;
  Select select = Select::random;
  Take take = Take::one;
  Thieves thieves = Thieves::any;
  Backoff backoff = Backoff::none;
  Wait wait = Wait::descendants;
  Reach reach = Reach::loose;
  int take_number = 8;
  int defer_limit = 64;
  int vicinity = 0;              // workers a group
  int cap = 64;                  // backoff: after searches in vain others' places are left out of so many, at most
  int cap_us[kLevels] = {0, 0};  // instead, of two levels: not looked into for so long, at most, us; 0: not said
  Free free = Free::now;
  int free_number = 0;  // idle: when there are so many
  TpReach tp_reach = TpReach::loose;
  TpPush tp_push = TpPush::named;
  Shape shape = {};
  // A thief leaves queues alone that are not longer than guard x distance x workers of the node, where distance is that
  // of the system's table by 10: local = 1. 0: no such guard.
  float guard = 0;
  // least_cost only for footprints larger than this share of what one worker has of the cache.
  float least_cost_share = 1;
  Cache cache = Cache::llc;
  Data data = Data::any;
  // With select = none: a thread in a barrier takes others' tasks, too, once nobody has taken any of that place for a
  // while (the runtime's rescue). Else one that is busy for long, or waits for a task in its own queue, keeps them.
  bool helps_late = false;
  // A schedule with a placement of its own (docs/schedules.md): instead of `push`; a place, never kRunNow.
  int (*place_task)(const Context&, const TaskFacts&) = nullptr;
  // The fast deque of the default: one queue a worker, last in first out. How much thieves take is in ws_search.h.
  bool is_default = false;
};

// Has it queues of clusters, with the two kinds of what lies in them?
constexpr bool has_two_levels(const Schedule& s) {
  return s.places == Places::cluster || s.places == Places::cluster_core;
}
// Are its workers in clusters?
constexpr bool has_clusters(const Schedule& s) {
  return has_two_levels(s) || s.places == Places::tree || s.select == Select::up;
}
constexpr bool has_level_caps(const Schedule& s) { return s.cap_us[kBeyond] > 0; }

// Where the workers of a static-then-steal loop look when their own block is done (Schmidl 2016, 4.2); none: as OpenMP
// says.
enum class LoopVictim : uint8_t { none, random, nearest, most_loaded };

// The preset of that name, or nullptr. `count` of them are in presets(), in the order that messages list them.
const Schedule* find_preset(const char* name);
const Schedule* const* presets(int* count);

}  // namespace einkorn::schedule
