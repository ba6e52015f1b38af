// What the simulator runs: a program as tasks made of steps, and what it costs on a machine. Start here.
//
//   types.h      Program, Setup, Outcome     engine.h   the discrete-event replay
//   synthetic.h  programs without recordings  traffic.h  memory traffic that shares bandwidth
//   costs.h      what the runtime's operations take
//   memory.h     where data is: placement.h, caches.h
//
// Nothing here knows the runtime: every decision (where a task goes, where an idle worker looks) is asked of
// src/schedule, the very objects that the runtime asks. Times are nanoseconds as doubles; the same input gives the same
// result on any computer (compiled without contraction of floating-point expressions, ties broken by the order in which
// events were made).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "machine/types.h"
#include "schedule/loops.h"
#include "simulate/placement.h"

namespace einkorn::simulate {

inline constexpr uint32_t kNone = 0xffffffffu;

// ---- the program
// -----------------------------------------------------------------------------------------------------

// One stretch of memory that tasks touch as a whole: it lies on one node, that of who touches it first unless the setup
// says otherwise. Where in memory it is means nothing.
struct Data {
  uint64_t bytes = 0;
  int32_t node = -1;       // fixed there; -1: by the setup's placement
  uint32_t block = kNone;  // the allocation that it is a part of, in Program::blocks; kNone: it is one by itself
  uint64_t offset = 0;     // in that
};

// Of one step: so many bytes of that data are touched.
struct Access {
  uint32_t data = 0;
  uint64_t bytes = 0;
  bool write = false;
};

// A lock is taken or released while a piece of a task runs (a compute step, a chunk), after so many ns of it. A piece's
// points follow each other in Program::lock_points, the last one says so. lock == kNone: nothing happens.
// step: of a chunk, `lock` is a signal, which is posted, or waited for (taken): of a doacross loop an iteration.
struct LockPoint {
  double at = 0;
  uint32_t lock = kNone;
  bool taken = false, last = false, step = false;
};

enum class StepKind : uint8_t {
  compute,        // ns of its own, with its accesses
  fork,           // creates task `ref`
  wait_children,  // until all tasks that this one created have ended
  wait_group,     // until all tasks of group `ref` have ended
  region,         // runs region `ref`, the calling worker as its first member
  barrier,        // of the team: until all members have come and all its tasks have ended
  loop,           // takes part in loop `ref`: no barrier at its end
  post,           // of a member: what it has done is there for who waits for signal `ref`
  await,          // of a member: until signal `ref` has been posted, doing nothing else
  release,        // gives task `ref`, a codelet by hand's firing, one of the signals that it waits for
};

// Of a step's or a chunk's ns, `memory` is the part that was waiting for memory when they were taken, 0 to 1; what
// remains is compute. That part's place is taken by what its accesses cost; has it none, by the bytes of the own node's
// memory that such time had brought (Setup::recorded_rate). kUnknown: nobody knows, the setup says what to take it for.
inline constexpr float kUnknown = -1;

struct Step {
  StepKind kind = StepKind::compute;
  uint32_t ref = kNone;  // compute: the first of its lock points, kNone: none
  double ns = 0;
  uint32_t first_access = 0, accesses = 0;  // in Program::accesses
  uint32_t source = kNone;                  // of a wait: in the recording it came from
  uint16_t opens = 0;                       // of a fork: taskgroups that begin just before it
  float memory = 0;
};

// Explicit tasks and the implicit tasks of a region's members, and the initial task: all are lists of steps.
struct Task {
  uint32_t first_step = 0, steps = 0;  // in Program::steps
  uint32_t parent = kNone;
  uint32_t group = kNone;
  uint32_t depth = 0;                            // of explicit tasks around it
  uint32_t first_successor = 0, successors = 0;  // in Program::successors: tasks that depend on it
  uint32_t predecessors = 0;                     // tasks, and signals
  uint32_t signals = 0;                          // of these: the steps that release it
  uint32_t first_set = 0, sets = 0;              // in Program::exclusive
  uint32_t grain = kNone;                        // in the recording it came from
  int32_t domain = -1;                           // the node that the program names for it
  bool undeferred = false;                       // its creator runs it at once
  bool codelet = false;                          // of a graph that is there already: to create it costs nothing
  bool explicit_task = true;
};

struct Region {
  uint32_t first_member = 0, members = 0;  // tasks [first_member, first_member + members)
  bool named = false;                      // the program says how many members
  // What members do outside of loops, where they make no tasks: divided among them, each does it, or it is not known.
  enum class Plain : uint8_t { divided, repeated, unknown } plain = Plain::divided;
};

// A worksharing loop: its chunks in the order of its iterations, as they were handed out or as its schedule cuts them.
// Static: dealt out in blocks, or chunk by chunk in rounds; dynamic: to who asks; by_rule: the same, of chunks that
// follow from the number of threads.
enum class LoopSchedule : uint8_t { fixed, on_demand, by_rule, rounds };
struct Chunk {
  double ns = 0;
  uint32_t first_access = 0, accesses = 0;
  float memory = 0;
  uint32_t locks = kNone;  // as Step::ref; of `ns` only
  uint64_t iterations = 1;
  double in_turn = 0;  // ns after these, of an ordered loop: once all chunks before it are through
};
struct Loop {
  uint32_t first_chunk = 0, chunks = 0;
  LoopSchedule schedule = LoopSchedule::on_demand;
  uint32_t members = 0;                  // by_rule: for whom its chunks were cut; 0: not known
  uint64_t least = 1;                    // by_rule: iterations of a chunk
  uint8_t rule = schedule::kGuidedRule;  // by_rule: in schedule::kLoopRules
  bool whole = false;                    // by_rule: chunks are multiples of `least`
  // Guided, of chunks that are the rule's, as recorded or cut anew for another number of members: each member begins
  // with the one of its number (src/runtime/loop/guided.h).
  bool own_firsts = false;
  bool batched = false;  // on_demand: chunks of short loops are taken several at a time, as the runtime does unless
                         // they must come in order
  bool stepped = false;  // doacross: its chunks wait for iterations of others, which come before them
  bool ordered = false;  // its chunks pass a turn on, in their order
};

// Invariants (checked by check()): task 0 is the initial task; every reference is in range; a task is forked once, and
// by its parent, which has a lower number; a region is met once; who takes a lock releases it, in the same task; a
// successor has a higher number than its predecessor; every region of more than one member is met outside regions (one
// met inside is run by its worker alone, member by member); a signal is posted once, by a member of the region whose
// members wait for it; who is released is not undeferred, and is so as often as it has signals.
struct Program {
  std::string name;
  std::vector<Task> tasks;
  std::vector<Step> steps;
  std::vector<Region> regions;
  std::vector<Loop> loops;
  std::vector<Chunk> chunks;
  std::vector<uint32_t> successors;
  std::vector<Data> data;
  std::vector<uint64_t> blocks;  // bytes of allocations
  std::vector<Access> accesses;
  std::vector<LockPoint> lock_points;
  std::vector<uint32_t> exclusive;  // of tasks, ascending: sets of which one runs at a time (mutexinoutset)
  uint32_t groups = 0, locks = 0, signals = 0, sets = 0;

  double work() const;     // ns of all compute steps and chunks
  double span() const;     // of the longest path; a chunk hangs off its loop's begin
  double unknown() const;  // of the work: ns whose memory part nobody knows
  // The longest that one lock is held in all, or that the tasks of a set take: no run takes less. Waiting, hand-overs
  // and what was named as touched not included. `alone`: of the time that is memory's, what it takes where nobody
  // shares the bandwidth; `unknown`: the part that is taken for it where that is not known.
  double longest_hold(double alone = 1, double unknown = 0) const;
};

// Empty: all is well; else what is not.
std::string check(const Program&);

// ---- what it costs
// ---------------------------------------------------------------------------------------------------

// ns, of one operation on the worker that does it.
struct Costs {
  double create = 0;         // a task, put into the worker's own place
  double create_depend = 0;  // added for one with dependences, each
  double fetch = 0;          // from an own place
  double steal = 0;          // by ws, from another place of the same node; others: by distance (local = 1) times this
  double short_batch =
      0;  // a loop's chunks: a thread takes twice as many where those before took less than that times the threads
  double short_task = 0;  // ws: a thief takes several where the ones before took no longer than that each
  double wake = 0;        // from a push until an idle worker looks
  double chunk = 0;       // of a loop on demand
  double region = 0;      // until the members begin
  double barrier = 0;  // from the last one's arrival until all go on, for two workers; log2 of them times this for more
  double line = 0;   // a cache line, from the core that wrote it last: by distance (local = 1) times this. Of a place's
                     // queue and of the program's locks; the default's own queues need none
  double queue = 0;  // a place's queue is held for it
  double pause = 0;  // of who waits for a lock, between two looks (schedule/lock_looks.h)
  double sleeper = 0;          // from the moment that a lock is free until one of those who sleep runs ...
  double sleeper_call = 0;     // ... and what that costs the one that released it
  double migrate_page = 0;     // a page, moved by whoever asks
  double next_touch_page = 0;  // moved in the handler of a fault
};

struct Setup {
  const machine::Machine* machine = nullptr;
  schedule::Schedule schedule;
  schedule::LoopVictim loop_victim = schedule::LoopVictim::none;  // of LoopSchedule::fixed: static, then steal
  std::vector<int> pus;                                           // of the workers, indices into machine->pus
  Costs costs;
  Placement placement;       // of data whose node is not fixed
  bool memory = true;        // false: accesses take no time
  float unknown_memory = 0;  // the part of Step::memory where that is not known: 0, all of it compute, to 1
  double slept = -1;         // wakes for each time that a lock is waited for; negative: who waits long sleeps
  double recorded_rate =
      0;  // bytes a ns that a thread had of its node's memory when the times were taken; 0: one core alone
  uint32_t seed = 1;
};

// ---- what comes of it
// ------------------------------------------------------------------------------------------------

// One stay of a task or chunk on a worker.
struct Stay {
  uint32_t task = kNone;
  uint32_t worker = 0;
  double begin = 0, end = 0;
};

// What a recording would hold. ref: the region, task, step (waits, groups), loop (its turn, too), lock or chunk (of its
// loop) that it is about. post, await, release: the step; of chunks the signal.
enum class Mark : uint8_t {
  region_begin,
  region_end,
  implicit_begin,
  implicit_end,
  group_begin,
  create,
  start,
  end,
  wait_begin,
  wait_end,
  idle_begin,
  idle_end,
  loop_begin,
  chunk_begin,
  chunk_end,
  loop_end,
  lock_wait,
  lock_taken,
  lock_released,
  turn_wait,
  turn_begin,
  turn_end,
  post,
  await_begin,
  await_end,  // also where nobody had to wait
  chunk_post,
  chunk_await,  // has ended
  release,
  fired,  // the task has been created and released by all: it may start
};
struct Happening {
  double at = 0;
  uint32_t ref = kNone;
  Mark mark{};
  float cost = 0;  // create
};

struct WorkerTime {
  // The rest is idle; memory: its accesses, in caches or not; blocked: by locks, and for a turn.
  double work = 0, memory = 0, overhead = 0, blocked = 0;
  uint64_t tasks = 0, steals = 0, stolen = 0, failed = 0;
};

struct Outcome {
  double makespan = 0;
  std::vector<WorkerTime> workers;
  uint64_t bytes = 0, cached_bytes = 0, remote_bytes = 0;  // touched; of these, from caches; from other nodes' memory
  bool stuck = false;  // not all tasks ran: the schedule keeps workers from them, or dependences wait for each other
  std::vector<Stay> stays;                    // where asked for
  std::vector<std::vector<Happening>> trace;  // by worker, in its order; where asked for
};

}  // namespace einkorn::simulate
