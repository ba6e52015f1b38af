// A recording in memory: the tables that everything after the reader works on. Start here.
//
// Times are nanoseconds (int64_t) since the start anchor of the recording; so are durations. Indices have 32 bits,
// kNone means absent. What was not measured is absent (kNone, -1 for times), never zero.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "profile/costs.h"
#include "profile/counters.h"
#include "record/format.h"

namespace einkorn::profile {

inline constexpr uint32_t kNone = 0xffffffffu;

// Where a thread's time goes: design.md, contract 3. The states partition each thread's interval.
enum class State : uint8_t { work, overhead, idle, blocked, serial, offcpu, recorder, unattributed };
inline constexpr int kStates = 8;
inline constexpr const char* kStateNames[kStates] = {"work",   "overhead", "idle",     "blocked",
                                                     "serial", "offcpu",   "recorder", "unattributed"};
using StateTimes = std::array<int64_t, kStates>;

// A location in the source, after symbolizing: clones and sites of the same construct at the same line are one Source.
struct Source {
  std::string file;                  // as in the debug information; empty: unknown
  uint32_t line = 0;                 // 0: unknown
  std::string function;              // demangled, of the enclosing user function
  std::string construct;             // "task", "parallel", "loop", "taskwait", ...
  std::string module;                // path of the object file
  uint64_t address = 0;              // in the module, shown where there is no line
  std::vector<std::string> inlined;  // "function file:line", innermost first; empty when not inlined
};

// Adjacent lines of a source file, as they were when the program was recorded.
struct SourceText {
  std::string file;  // as in Source::file
  uint32_t first_line = 1;
  std::vector<std::string> lines;
};

enum class GrainKind : uint8_t {
  initial,   // the program outside all regions: exactly one, grain 0
  implicit,  // the implicit task of one thread in one region: parent of its shares, chunks and tasks. Not counted as a
             // grain
  share,     // what an implicit task executes between two calls of the runtime
  chunk,     // iterations of a loop, or one section
  task,
};
inline constexpr const char* kGrainKindNames[] = {"initial", "implicit", "share", "chunk", "task"};

enum GrainFlags : uint16_t {
  kUndeferred = 1,
  kFinal = 2,
  kUntied = 4,
  kMergeable = 8,
  kIncluded = 16,
  kInlined = 32,
  kHasDepend = 64,
  kDetached = 128,
  kEstimated = 512,    // some of its times come from a lossy stretch
  kIncomplete = 1024,  // no end was recorded (killed program): ends with the recording
  kPerturbed = 2048,   // shorter than ten times the probe's cost: not ranked by time
};

struct Grain {
  uint64_t id_high = 0, id_low = 0;  // schedule-independent identity (design.md, contract 3)
  uint32_t parent = kNone;           // creating grain; for share and chunk their implicit task
  uint32_t ordinal = 0;     // among the parent's children of its kind, in creation order; implicit: thread number
  uint32_t source = kNone;  // Source of the construct; share: share_names.h
  uint32_t region = kNone;
  uint32_t loop = kNone;                               // chunk: which LoopInstance
  uint32_t phase = kNone;                              // share, chunk: which Phase of its region
  uint32_t first_child = kNone, next_sibling = kNone;  // creation order
  uint32_t children = 0;
  uint32_t depth = 0;                    // number of task ancestors
  uint32_t thread = kNone;               // thread that ran its first fragment
  uint32_t creator = kNone;              // thread that created it
  uint16_t cpu = 0xffff, node = 0xffff;  // of the first fragment. node: of the machine that the runtime decided for
  uint16_t creator_node = 0xffff;        // where it was created
  uint32_t footprint = kNone;            // in Profile::footprints
  uint16_t flags = 0;
  GrainKind kind = GrainKind::task;
  uint32_t fragments = 0;                       // how many. implicit: none, its shares have them
  int64_t create_begin = -1, create_cost = -1;  // as stamped by the creator; chunk: of the book-keeping before it
  int64_t begin = -1, end = -1;                 // first fragment's begin, last fragment's end
  int64_t exec = 0;  // sum of its fragments: own user code, without children run inside it, waits, locks and
                     // runtime. It includes off-CPU time, which is known for stretches only, not for grains
  int64_t wait = 0;  // time of its waits, each from begin to end, including what ran inside. share: 0
  int64_t wait_overhead =
      0;  // of `wait`, the runtime's: neither a task ran nor the thread idled. implicit: without its chunks'
  int64_t wait_idle = 0;                          // of `wait`, idle; likewise
  int64_t first_iteration = -1, iterations = -1;  // chunk and taskloop piece: logical, 0-based;
                                                  // codelet: its number in its class (by hand: its own), 1
};

// A codelet by hand's firing: hand_names.h.
struct HandFiring {
  uint32_t grain, nth;  // nth: of its firings in its region, from 0; kNone: it has a name by its creator
  uint64_t as;          // record::fired_as()
};

// Tasks, chunks and shares; and of these, those whose execution was recorded.
inline bool counted(const Grain& g) { return g.kind != GrainKind::initial && g.kind != GrainKind::implicit; }
inline bool executed(const Grain& g) { return counted(g) && g.fragments > 0; }
// A task that was run by its creator on the spot: it went through no queue.
inline bool at_once(const Grain& g) { return g.flags & (kUndeferred | kIncluded | kInlined); }
// One of these that the program demands to run so (if(false), the child of a final task): its creator waits for its end
// in every run. The others could have been queued.
inline bool waited_for(const Grain& g) { return at_once(g) && !(g.flags & kInlined); }

struct Region {                   // one parallel region instance
  uint32_t parent_grain = kNone;  // the grain that encountered it
  uint32_t source = kNone;
  uint32_t ordinal = 0;  // among the regions that the parent grain encountered
  uint32_t team = 0;     // threads
  uint32_t level = 0;    // nesting level, outermost = 1
  int64_t begin = -1, end = -1;
  bool team_named = false;  // the program itself said how many threads (num_threads, if(false))
  // What its threads have asked for: record::kAskedNumber, kAskedThreads. Those that asked for nothing all did the
  // same, outside of loops. Older recordings do not tell: both.
  uint8_t asked = record::kAskedBoth;
  int64_t busiest = 0;  // sum over its phases of the longest member's time
};

// What a team does up to one of its barriers, or to the end of its region. Members reach the barrier one by one, and
// leave it together.
struct Phase {
  uint32_t region = kNone;
  uint32_t source = kNone;  // of the wait that ends it
  bool last = false;        // that wait is the end of the region
  uint32_t members = 0;     // number that reached its end
  int64_t longest = 0;      // from a member's begin until it reached the end: of the member that took longest,
  int64_t taken = 0;        //   of all members
  int64_t waited = 0;       // of all, from reaching the end until the last one reached it
  int64_t leaving = 0;      // of all, from then until they left. last: until the region had ended
};

struct LoopInstance {  // one work-sharing loop or sections construct in one region
  uint32_t region = kNone;
  uint32_t ordinal = 0;  // among the region's work-sharing constructs
  uint32_t source = kNone;
  uint8_t schedule = 0;              // record::Schedule
  int64_t lower = 0, increment = 1;  // user's values, where the compiler passes them
  uint64_t iterations = 0;
  uint32_t chunk = 0;
};

struct Thread {
  uint32_t os_tid = 0;
  bool initial = false;
  int64_t begin = -1, end = -1;
  int64_t in_team = 0;  // sum of (leave - join); for the initial thread its whole life
  StateTimes times{};   // their sum is in_team
  int64_t off_cpu = 0;  // off its CPU in teams, in any state; `times` separates only the part that was work
  int64_t cpu_ns = -1;  // thread CPU time
  int64_t involuntary_switches = -1;
};

struct LockUse {  // per lock address
  uint64_t address = 0;
  uint32_t source = kNone;  // of the first acquisition
  uint64_t acquired = 0, contended = 0;
  int64_t held = 0, waited = 0;
  int64_t waking = 0;  // who waited, by who released it; overhead of theirs
  bool turn = false;   // no lock: the turn of an ordered loop
};

// A lock was taken or released while a node of the graph ran, after so many ns of the node's weight. Turns of ordered
// loops are not locks: Graph::in_turn.
struct LockPoint {
  uint32_t node = kNone;
  uint32_t lock = 0;  // in Profile::locks
  int64_t at = 0;
  bool taken = false;
};

// Tasks of one mutexinoutset set: they run one after the other, in any order.
struct ExclusiveSet {
  uint32_t source = kNone;  // of the first one
  int64_t held = 0;         // ns: what all of them executed
  std::vector<uint32_t> grains;
};

// A grain's thread was off its CPU for so long at once, as far as the kernel's account tells: longer than all else that
// it did meanwhile. It is in the grain's time.
struct Stop {
  uint32_t grain = kNone;
  int64_t ns = 0;
};

struct WaitUse {            // per source line that waits: taskwait, end of taskgroup, barrier, ordered
  uint32_t source = kNone;  // of the wait
  uint64_t waits = 0;
  uint64_t tasks = 0;  // started (or resumed) inside them
  // the threads' time in it in these states, without that of tasks run inside it
  int64_t overhead = 0, idle = 0, blocked = 0;
};

// Tasks or chunks that were not recorded one by one (record --depth, --filter, full buffers): those of one source line
// below one recorded grain. Their work is in the threads' times, but neither in the grains' nor in the graph.
struct Aggregate {
  uint32_t grain = kNone;  // nearest recorded ancestor
  uint32_t source = kNone;
  bool chunks = false;   // otherwise tasks
  uint64_t created = 0;  // chunks: 0
  uint64_t executed = 0;
  int64_t exec = 0, least = 0, most = 0;  // own work: sum, least and most. 0: none was executed
  std::array<uint64_t, 16> histogram{};   // number executed, by their work: Profile::aggregate_limits
};

// The memory that a task declared, and on which nodes it was when the task started. remote: on another node than the
// task's.
struct Footprint {
  uint64_t bytes = 0, known = 0;  // of all its ranges; of these, those whose node was known
  uint64_t remote = 0;            // of the known ones
  uint64_t written = 0, remote_written = 0;
  bool estimated = false;  // some lengths are estimated: the compiler did not pass them
  uint16_t home = 0xffff;  // the node with most of the known bytes; 0xffff: none is known
  uint64_t at_home = 0;    // bytes on `home`
};

// A grain's memory accesses, if the recording counts them (level 3): those of the grain's own code, without children,
// the runtime, and libraries that were compiled without hooks.
struct Accesses {
  uint64_t loads = 0, stores = 0;              // without accesses to the thread's own stack,
  uint64_t stack_loads = 0, stack_stores = 0;  //   which these count
  uint64_t read = 0, written = 0;              // bytes, without the stack
  uint64_t lines = 0;                          // distinct cache lines of 64 bytes, without the stack
  bool estimated = false;                      // `lines` is an estimate, with a standard error of 2.3 %
};

// The accesses of one instruction in the grains of one construct; a source line may have several. The recording models
// a cache as large as a core's first level (Profile::cache_bytes): a cache line that it did not have was fetched, and
// another one evicted.
struct AccessUse {
  uint32_t source = kNone;  // of the construct
  uint32_t place = kNone;   // source of the line itself
  GrainKind kind{};         // of the grains
  bool store = false;
  uint64_t grains = 0, count = 0, bytes = 0;
  int64_t stride = 0;           // the most frequent distance between consecutive accesses, bytes
  uint64_t strides = 0;         // how many of `count` had that stride, at least
  uint64_t fetched = 0;         // cache lines fetched
  uint64_t walked = 0;          // of these, those in pages of 4 KiB that were not among the thousand referenced last
  uint64_t left = 0, used = 0;  // lines evicted, and how many of their bytes had been accessed, in words of four
};

// Thread time over time: bin i is [i * width, (i + 1) * width).
struct TimeBins {
  int64_t width = 0;  // ns; 0: nothing was counted
  std::vector<int64_t> bins;
};

// How long a thread was in each state, in ns, during one bin of time. Off-CPU time is not known in such detail: it is
// part of the state in which it happened.
using StateBin = std::array<float, kStates>;
inline constexpr uint32_t kMostStateBins = 2048;
struct StateBins {
  int64_t bin_ns = 0;  // time that one bin covers, a power of two; 0: not asked for
  std::vector<std::vector<StateBin>>
      threads;  // by thread; bin b begins at b * bin_ns. There are none beyond the thread's end
};

// ---- the grain graph: Muddukrishna 2016, 5.4.1 --------------------------------------------------------------------
// joint: represents a set of tasks to the tasks that depend on all of them (graph.h); or a detached task's end, where
// its grain is that task (completions.h).
enum class NodeKind : uint8_t { fragment, fork, join, bookkeeping, chunk, joint };
enum class EdgeKind : uint8_t { creation, join, continuation, dependence };
inline constexpr const char* kNodeKindNames[] = {"fragment", "fork", "join", "bookkeeping", "chunk", "joint"};
inline constexpr const char* kEdgeKindNames[] = {"creation", "join", "continuation", "dependence"};

struct Node {
  NodeKind kind;
  bool critical = false;  // on the critical path
  uint32_t grain =
      kNone;  // fragment, chunk: whose; fork, joint: the creator; join: the waiting grain; kNone: a whole team's join
  uint32_t source = kNone;  // fork: of what is created; join: of the wait
  uint32_t thread = kNone;
  int64_t begin = -1;
  int64_t weight = 0;  // ns: fragment, chunk: execution; fork: creation; bookkeeping: getting the chunk; join, joint: 0
};

struct Edge {
  uint32_t from, to;
  EdgeKind kind;
};

// One stretch of a procedure's instance: the fragments between two places where it gave way.
struct Stretch {
  uint32_t codelet = kNone;  // in Profile::codelets; kNone: not known
  uint32_t grain = kNone;    // of its first fragment: a task, or of a region's instance a share or chunk
  uint32_t before = kNone;   // the instance's stretch before it, in Graph::stretches
  uint32_t visit = 0;        // number within the instance, from 0
};

// Nodes are in a topological order: from < to for every edge.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Stretch> stretches;    // each after the one before it
  std::vector<uint32_t> stretch_of;  // by node: in stretches, kNone: of none. Empty: there are no procedures
  std::vector<Edge> edges;           // sorted by from
  // by node: was it within a chunk's turn in an ordered loop? Empty: there are no such loops
  std::vector<bool> in_turn;
};

// What a program with codelets consists of, condensed: a class of a graph, or a place where a procedure's instances go
// on. Its executions are codelets of a graph that were fired, or stretches.
struct Codelet {
  uint32_t graph = kNone;   // in Profile::codelet_graphs
  uint32_t source = kNone;  // where it is
  uint32_t at = kNone;      // procedure: the program's number for the place, 0: its beginning; class: kNone
  uint64_t executed = 0;
  uint64_t recorded = 0;  // of these, those that were recorded one by one; the others were brief, or aggregated
  int64_t exec = 0;       // ns, of all
  int64_t median = -1, longest = -1;  // ns, of those recorded; -1: none was
  int64_t critical = 0;               // ns of the critical path, of those recorded
};
// How often control, or a signal, went from one to another.
struct CodeletArc {
  uint32_t from, to;  // in Profile::codelets
  uint64_t count = 0;
};
// A procedure; or graphs of codelets that have a class in common, as one.
struct CodeletGraph {
  std::string name;  // that the program gave, or a procedure's function has; empty: none
  bool procedure = false;
  uint32_t source = kNone;           // procedure: where its function is
  uint64_t runs = 0;                 // of the graphs; instances of the procedure
  uint32_t first = 0, count = 0;     // in Profile::codelets
  uint32_t first_arc = 0, arcs = 0;  // in Profile::codelet_arcs
};

struct Totals {
  uint64_t tasks = 0, chunks = 0, shares = 0, regions = 0;  // tasks, chunks: including lost ones
  uint64_t dependences = 0;                                 // that tasks and waits named
  uint64_t lost_tasks = 0,
           lost_chunks =
               0;  // executed while no buffer was free or the file was full, or on counted threads: not described
  uint64_t counted_threads = 0;  // threads of which only these counts are known: there were more than task ids can name
  uint64_t outside_tasks = 0,
           outside_chunks = 0;  // executed while nothing was to be recorded (paused, older than --last)
  uint64_t aggregated_tasks = 0,
           aggregated_chunks = 0;  // created; executed. Described only in sum: Profile::aggregates
  int64_t other_cpu_ns = -1;       // CPU time of the process's threads that are not OpenMP's; -1: not known
  int64_t cpu_wait_ns = -1;  // time for which OpenMP's threads were ready to run and waited for a CPU; -1: not known
  // time for which OpenMP's threads were off the CPU without having gone to sleep, at least; -1: not known
  int64_t taken_ns = -1;
  int64_t steal_ns = -1;        // steal time of the CPUs that the process could use (taken by the host); -1: not known
  int64_t writer_cpu_ns = -1;   // CPU time of the recorder's writer; -1: not known
  int64_t resident_bytes = -1;  // the most that the process had at once; -1: not known
  int64_t allocating_calls = -1;  // that were counted (Allocations); -1: allocations were not recorded
  uint64_t stamps =
      0;  // approximate number of times that the threads read the clock for the recorder; each took stamp_ps 10^-12 s
  uint64_t stamp_ps = 0;   // 0: not known
  bool complete = false;   // the program ended and the end block was read
  bool truncated = false;  // a torn or damaged block was met: only what precedes it is here
  uint64_t damaged_blocks = 0;
  uint64_t runs_without_order = 0;  // of graphs of codelets: their codelets have no dependences here
  bool clock_jumped = false;        // the file's clock and the system's diverged for a while: times mean nothing
};

// Blocks of memory of 128 KiB and more that one line has allocated.
struct Allocations {
  uint32_t source = kNone;  // construct "allocation"
  uint64_t blocks = 0, bytes = 0, largest = 0;
  std::vector<uint64_t> on;  // bytes by node, of a sample; empty: not known
};

struct Profile {
  std::string program;  // argv[0]
  std::vector<std::string> argv;
  std::string runtime;         // "einkorn 0.1.0"
  std::string absent;          // what the runtime could not tell; empty: nothing is missing, as with Einkorn's
  std::string host, started;   // started: ISO 8601
  std::string machine;         // machine that the program ran as if on; empty: the computer that it ran on
  std::string predicted;       // simulated, not recorded: for what. Empty: recorded
  std::string machine_source;  // text that asked for the machine: machine/load.h
  int64_t baseline_ns = -1;    // record --baseline: the program's run on its own runtime; -1: was not timed
  uint32_t cpus = 0;           // that the process could use
  RuntimeCosts costs;          // the runtime's costs there; threads 0: the recording does not tell
  Interface interface = Interface::gomp;  // that most of its constructs used
  int64_t wall_ns = 0;
  bool times_valid =
      true;  // without_cpu() is at most kMostWithoutCpu; not run as if on another machine; accesses not counted
  Totals totals;
  StateTimes thread_time{};  // sum over threads
  std::vector<Source> sources;
  std::vector<std::string>
      source_folders;  // folders in which its code was compiled, or from which, as far as the debug information tells
  std::vector<SourceText> source_texts;  // that the recording keeps
  std::vector<Grain> grains;             // parents before children; grains[0] is the initial task
  std::vector<HandFiring> hand_firings;  // by grain
  std::vector<Region> regions;
  std::vector<Phase> phases;  // by region, in order
  std::vector<LoopInstance> loops;
  std::vector<Thread> threads;
  std::vector<LockUse> locks;
  std::vector<LockPoint> lock_points;  // by node, in a node's order; where LoadOptions ask for them
  std::vector<Stop> stops;
  std::vector<ExclusiveSet> exclusive;  // of two tasks and more; where LoadOptions ask for the graph
  std::vector<WaitUse> waits;           // one per source
  std::vector<Aggregate> aggregates;    // by grain, then source
  std::array<int64_t, 16>
      aggregate_limits{};                // ns: executions shorter than this are in the bucket; the last has no limit
  std::vector<Footprint> footprints;     // of tasks, where the recording has them
  std::vector<Accesses> accesses;        // by grain; empty: not counted
  std::vector<AccessUse> access_uses;    // the most fetched first
  std::vector<Allocations> allocations;  // where they were recorded, the most bytes first
  CountedEvents counted;                 // what threads' counters have seen
  uint64_t cache_bytes = 0;              // of the modelled cache
  bool slowed = false;                   // accesses were counted in this very run: its times mean nothing
  std::vector<uint64_t> footprint_on;    // bytes of all footprints, by the node on which they were
  TimeBins idle_over_time;               // of all threads; their sum is thread_time's
  StateBins state_bins;                  // where LoadOptions ask for it
  Graph graph;
  std::vector<CodeletGraph> codelet_graphs;  // where LoadOptions ask for the graph
  std::vector<Codelet> codelets;             // by graph; classes in their order, stretches by `at`
  std::vector<CodeletArc> codelet_arcs;      // by graph, from, to
  int64_t critical_path_ns = 0;              // span: longest path by execution
  int64_t burdened_path_ns = 0;              // by execution and overhead
  double parallelism = 0;                    // total work / span
  // tasks of the graph, without those that their creator waits for (waited_for()); 0: no graph
  uint64_t chained_tasks = 0;
  uint64_t longest_chain = 0;  // of these, the most that lie on one path
};

// If threads had no CPU for more than this part of their time, durations mean little.
inline constexpr double kMostWithoutCpu = 0.05;

inline int64_t all_thread_time(const Profile& p) {
  int64_t all = 0;
  for (int64_t t : p.thread_time) all += t;
  return all;
}

// Time off the CPU in teams, in any state: by what is missing of the threads' CPU time.
inline int64_t off_cpu(const Profile& p) {
  int64_t sum = 0;
  for (const Thread& t : p.threads) sum += t.off_cpu;
  return std::max(sum, p.thread_time[size_t(State::offcpu)]);
}

// The part of the CPUs' time that the computer's host had taken, for the CPUs that the process could use.
inline double stolen(const Profile& p) {
  return p.totals.steal_ns > 0 && p.cpus > 0 && p.wall_ns > 0
             ? double(p.totals.steal_ns) / (double(p.cpus) * double(p.wall_ns))
             : 0;
}

// The part of the threads' time without a CPU, found in three ways: by what is missing of their CPU time; by the
// kernel's account, which includes threads that were woken and had to wait; and by what the host took. These may
// overlap: the largest counts.
inline double without_cpu(const Profile& p) {
  const int64_t all = all_thread_time(p), missing = std::max(off_cpu(p), p.totals.cpu_wait_ns);
  return std::min(1.0, std::max(all > 0 ? double(missing) / double(all) : 0, stolen(p)));
}

// CPU time that recording took, ns: of the threads in the state `recorder`; for reading stamps, which is part of their
// other states; of the writer. Older recordings have only the first.
struct RecordingCost {
  int64_t threads = 0, stamps = 0, writer = -1;
  bool known() const { return writer >= 0; }
};
inline RecordingCost recording_cost(const Profile& p) {
  return {p.thread_time[size_t(State::recorder)], int64_t(double(p.totals.stamps) * double(p.totals.stamp_ps) * 1e-3),
          p.totals.writer_cpu_ns};
}

// The task, implicit or explicit, whose code a grain is: shares and chunks are their implicit task's.
inline uint32_t context_of(const Profile& p, uint32_t g) {
  while (g != kNone && (p.grains[g].kind == GrainKind::share || p.grains[g].kind == GrainKind::chunk))
    g = p.grains[g].parent;
  return g;
}

}  // namespace einkorn::profile
