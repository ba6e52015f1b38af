// A recording in memory: tables that everything after the reader works on. Start here.
//
// Times are nanoseconds (int64_t) since the start anchor of the recording; durations likewise. Indices are 32-bit,
// kNone means absent. What was not measured is absent (kNone, -1 for times), never zero.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::profile {

inline constexpr uint32_t kNone = 0xffffffffu;

// Where a thread's time goes: design.md, contract 3. The states partition each thread's interval.
enum class State : uint8_t { work, overhead, idle, blocked, serial, offcpu, recorder, unattributed };
inline constexpr int kStates = 8;
inline constexpr const char* kStateNames[kStates] = {"work", "overhead", "idle", "blocked", "serial", "offcpu", "recorder", "unattributed"};
using StateTimes = std::array<int64_t, kStates>;

// A place in the program, after symbolizing: clones and sites of the same construct at the same line are one Source.
struct Source {
  std::string file;      // as in the debug information; empty: unknown
  uint32_t line = 0;     // 0: unknown
  std::string function;  // demangled, of the enclosing user function
  std::string construct; // "task", "parallel", "loop", "taskwait", ...
  std::string module;    // path of the object file
  uint64_t address = 0;  // in the module, shown where there is no line
  std::vector<std::string> inlined;  // "function file:line", innermost first; empty when not inlined
};

enum class GrainKind : uint8_t {
  initial,   // the program outside all regions: exactly one, grain 0
  implicit,  // the implicit task of one thread in one region: parent of its shares, chunks and tasks. Not counted as a grain
  share,     // what an implicit task does between two calls of the runtime
  chunk,     // iterations of a loop, or one section
  task,
};
inline constexpr const char* kGrainKindNames[] = {"initial", "implicit", "share", "chunk", "task"};

enum GrainFlags : uint16_t {
  kUndeferred = 1, kFinal = 2, kUntied = 4, kMergeable = 8, kIncluded = 16, kInlined = 32, kHasDepend = 64,
  kEstimated = 512,    // some of its times come from a lossy stretch
  kIncomplete = 1024,  // no end was recorded (killed program): ends with the recording
  kPerturbed = 2048,   // shorter than ten times the probe's cost: not ranked by time
};

struct Grain {
  uint64_t id_high = 0, id_low = 0;  // schedule-independent identity (design.md, contract 3)
  uint32_t parent = kNone;     // creating grain; for share and chunk their implicit task
  uint32_t ordinal = 0;        // among the parent's children of its kind, in creation order; implicit: thread number
  uint32_t source = kNone;     // Source of the construct; share: of its region
  uint32_t region = kNone;
  uint32_t loop = kNone;       // chunk: which LoopInstance
  uint32_t first_child = kNone, next_sibling = kNone;  // creation order
  uint32_t children = 0;
  uint32_t depth = 0;          // number of task ancestors
  uint32_t thread = kNone;     // that ran its first fragment
  uint32_t creator = kNone;    // thread that created it
  uint16_t cpu = 0xffff, node = 0xffff;  // of the first fragment. node: of the machine that was decided for
  uint16_t creator_node = 0xffff;        // where it was created
  uint32_t footprint = kNone;  // in Profile::footprints
  uint16_t flags = 0;
  GrainKind kind = GrainKind::task;
  uint32_t fragments = 0;      // how many. implicit: none, its shares have them
  int64_t create_begin = -1, create_cost = -1;  // as stamped by the creator; chunk: the book-keeping before it
  int64_t begin = -1, end = -1;  // first fragment's begin, last fragment's end
  int64_t exec = 0;            // sum of its fragments: own user code, without children run inside it, waits, locks and
                               //   runtime. Off-CPU time is in it: that is known for stretches only, not for grains
  int64_t wait = 0;            // time its waits took, from begin to end of each, what ran inside included. share: 0
  int64_t wait_overhead = 0;   // of that, the runtime's: neither a task ran nor the thread idled. implicit: without its chunks'
  int64_t wait_idle = 0;       // of that, idle; likewise
  int64_t first_iteration = -1, iterations = -1;  // chunk and taskloop piece: logical, 0-based
};

// A task that was run by its creator on the spot: it went through no queue.
inline bool at_once(const Grain& g) { return g.flags & (kUndeferred | kIncluded | kInlined); }

struct Region {          // one parallel region instance
  uint32_t parent_grain = kNone;  // that encountered it
  uint32_t source = kNone;
  uint32_t ordinal = 0;  // among the regions that the parent grain encountered
  uint32_t team = 0;     // threads
  uint32_t level = 0;    // nesting level, outermost = 1
  int64_t begin = -1, end = -1;
};

struct LoopInstance {    // one worksharing loop or sections construct in one region
  uint32_t region = kNone;
  uint32_t ordinal = 0;  // among the region's worksharing constructs
  uint32_t source = kNone;
  uint8_t schedule = 0;  // record::Schedule
  int64_t lower = 0, increment = 1;  // user's values, where the compiler passes them
  uint64_t iterations = 0;
  uint32_t chunk = 0;
};

struct Thread {
  uint32_t os_tid = 0;
  bool initial = false;
  int64_t begin = -1, end = -1;
  int64_t in_team = 0;   // sum of (leave - join); for the initial thread its whole life
  StateTimes times{};    // sum equals in_team
  int64_t cpu_ns = -1;   // thread CPU time
  int64_t involuntary_switches = -1;
};

struct LockUse {         // per lock address
  uint64_t address = 0;
  uint32_t source = kNone;  // of the first acquisition
  uint64_t acquired = 0, contended = 0;
  int64_t held = 0, waited = 0;
  int64_t waking = 0;  // who waited, by who released it; overhead of theirs
};

struct WaitUse {         // per place that waits: taskwait, end of taskgroup, barrier
  uint32_t source = kNone;  // of the wait
  uint64_t waits = 0;
  uint64_t tasks = 0;       // started (or resumed) inside them
  int64_t overhead = 0, idle = 0;  // threads' time in it in these states; tasks run inside it are theirs, not its
};

// Tasks or chunks that were not recorded one by one (record --depth, --filter, full buffers): those of one place in the
// program below one recorded grain. Their work is in the threads' times, not in the grains' and not in the graph.
struct Aggregate {
  uint32_t grain = kNone;      // nearest recorded ancestor
  uint32_t source = kNone;
  bool chunks = false;         // else tasks
  uint64_t created = 0;        // chunks: 0
  uint64_t executed = 0;
  int64_t exec = 0, least = 0, most = 0;  // own work of all; of one. 0 where none was executed
  std::array<uint64_t, 16> histogram{};   // executed, by exec: Profile::aggregate_limits
};

// What a task said of the memory that it touches, with where that was when it started. remote: on another node than it ran on.
struct Footprint {
  uint64_t bytes = 0, known = 0;    // of all its ranges; of these, on nodes that were known
  uint64_t remote = 0;              // of the known ones
  uint64_t written = 0, remote_written = 0;
  bool estimated = false;           // with lengths that the compiler did not pass
  uint16_t home = 0xffff;           // the node with most of the known ones; 0xffff: none is known
  uint64_t at_home = 0;             // bytes there
};

// What a grain did to memory, where the recording counts that (level 3). The grain's own code: children and the runtime are not in
// it, nor is what libraries did that were compiled without hooks.
struct Accesses {
  uint64_t loads = 0, stores = 0;              // without those to the thread's own stack,
  uint64_t stack_loads = 0, stack_stores = 0;  //   which are these
  uint64_t read = 0, written = 0;              // bytes, without the stack
  uint64_t lines = 0;                          // distinct cache lines of 64 bytes, without the stack
  bool estimated = false;                      // lines is, with a standard error of 2.3 %
};

// The accesses of one instruction in the grains of one construct; a line may have several. A cache that holds as much as a core's first
// (Profile::cache_bytes) was modelled: a line that it did not have was fetched, another one left.
struct AccessUse {
  uint32_t source = kNone;  // of the construct
  uint32_t place = kNone;   // source of the line itself
  GrainKind kind{};         // of the grains
  bool store = false;
  uint64_t grains = 0, count = 0, bytes = 0;
  int64_t stride = 0;       // bytes between its consecutive accesses: that of most of them
  uint64_t strides = 0;     // how many of `count` at least had that one
  uint64_t fetched = 0;     // lines
  uint64_t walked = 0;      // of these, in pages of 4 KiB that were not among the thousand referenced last
  uint64_t left = 0, used = 0;  // lines that left, and the bytes of these that had been accessed, by words of four
};

// Thread time by when it was: bin i is [i * width, (i + 1) * width).
struct TimeBins {
  int64_t width = 0;          // ns; 0: nothing was counted
  std::vector<int64_t> bins;
};

// How long a thread was in each state, in ns, during one bin of time. Off-CPU time is not known to that detail: it is in
// the state that it happened in.
using StateBin = std::array<float, kStates>;
inline constexpr uint32_t kMostStateBins = 2048;
struct StateBins {
  int64_t bin_ns = 0;  // of time that one bin covers, a power of two; 0: was not asked for
  std::vector<std::vector<StateBin>> threads;  // by thread; bin b begins at b * bin_ns. Empty beyond the thread's end
};

// ---- the grain graph: reference muddukrishna.md 3 -----------------------------------------------------------------
// joint: stands for a set of tasks to those that depend on all of them (graph.h).
enum class NodeKind : uint8_t { fragment, fork, join, bookkeeping, chunk, joint };
enum class EdgeKind : uint8_t { creation, join, continuation, dependence };
inline constexpr const char* kNodeKindNames[] = {"fragment", "fork", "join", "bookkeeping", "chunk", "joint"};
inline constexpr const char* kEdgeKindNames[] = {"creation", "join", "continuation", "dependence"};

struct Node {
  NodeKind kind;
  bool critical = false;   // on the critical path
  uint32_t grain = kNone;  // fragment, chunk: whose; fork, joint: the creator; join: the waiting grain; kNone: a whole team's join
  uint32_t source = kNone; // fork: of what is created; join: of the wait
  uint32_t thread = kNone;
  int64_t begin = -1;
  int64_t weight = 0;      // ns: fragment, chunk: execution; fork: creation; bookkeeping: getting the chunk; join, joint: 0
};

struct Edge { uint32_t from, to; EdgeKind kind; };

// Nodes are in a topological order: from < to for every edge.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Edge> edges;  // sorted by from
};

struct Totals {
  uint64_t tasks = 0, chunks = 0, shares = 0, regions = 0;  // tasks, chunks: the lost ones included
  uint64_t dependences = 0;  // that tasks and waits named
  uint64_t lost_tasks = 0, lost_chunks = 0;  // executed while no buffer was free or the file was full, or on counted threads: not described
  uint64_t counted_threads = 0;              // of which nothing but these counts is known: there were more than task ids can name
  uint64_t outside_tasks = 0, outside_chunks = 0;        // executed while nothing was to be recorded (paused, older than --last)
  uint64_t aggregated_tasks = 0, aggregated_chunks = 0;  // created; executed. Described in sum only: Profile::aggregates
  int64_t other_cpu_ns = -1; // CPU time of the process's threads that are not OpenMP's; -1: not known
  int64_t cpu_wait_ns = -1;  // for which OpenMP's were ready to run and waited for a CPU; -1: not known
  bool complete = false;    // the program ended and the end block was read
  bool truncated = false;   // a torn or damaged block was met: what lies before it is here
  uint64_t damaged_blocks = 0;
  bool clock_jumped = false; // the file's clock and the system's went apart for a while: times mean nothing
};

struct Profile {
  std::string program;               // argv[0]
  std::vector<std::string> argv;
  std::string runtime;               // "einkorn 0.1.0"
  std::string absent;                // what the runtime could not tell; empty: Einkorn's tells all
  std::string host, started;         // ISO 8601
  std::string machine;               // that the program ran as on; empty: the computer that it ran on
  std::string predicted;             // not recorded but simulated: what for. Empty: recorded
  std::string machine_source;        // what it was asked for with: machine/load.h
  int64_t baseline_ns = -1;          // record --baseline: the program's run on its own runtime; -1: was not timed
  uint32_t cpus = 0;                 // that the process could use
  int64_t wall_ns = 0;
  bool times_valid = true;           // without_cpu() at most kMostWithoutCpu, not as on another machine, and without counted accesses
  Totals totals;
  StateTimes thread_time{};          // sum over threads
  std::vector<Source> sources;
  std::vector<std::string> source_folders;  // that its code was compiled in, or from, as far as the debug information says
  std::vector<Grain> grains;         // parents before children; grains[0] is the initial task
  std::vector<Region> regions;
  std::vector<LoopInstance> loops;
  std::vector<Thread> threads;
  std::vector<LockUse> locks;
  std::vector<WaitUse> waits;        // one per source
  std::vector<Aggregate> aggregates; // by grain, then source
  std::array<int64_t, 16> aggregate_limits{};  // ns: an execution shorter than this is in the bucket; the last has no limit
  std::vector<Footprint> footprints; // of tasks, where the recording has them
  std::vector<Accesses> accesses;    // by grain; empty: were not counted
  std::vector<AccessUse> access_uses;  // the most fetched first
  uint64_t cache_bytes = 0;          // of the modelled cache
  bool slowed = false;               // accesses were counted in this very run: its times mean nothing
  std::vector<uint64_t> footprint_on;  // bytes of all footprints, by the node that they were on
  TimeBins idle_over_time;           // of all threads; their sum is thread_time's
  StateBins state_bins;              // where LoadOptions ask for it
  Graph graph;
  int64_t critical_path_ns = 0;      // span: longest path by execution
  int64_t burdened_path_ns = 0;      // by execution and overhead
  double parallelism = 0;            // total work / span
  uint64_t chained_tasks = 0;        // of the graph, without those that their creator ran at once; 0: no graph
  uint64_t longest_chain = 0;        // of these, the most that lie on one path
};

// Where threads had no CPU for more than this part of their time, durations mean little.
inline constexpr double kMostWithoutCpu = 0.05;

inline int64_t all_thread_time(const Profile& p) {
  int64_t all = 0;
  for (int64_t t : p.thread_time) all += t;
  return all;
}

// That part: by what is missing of their work, and by the kernel's account, which knows also of those that were woken and had to wait. Both
// may be about the same time: the larger one counts.
inline double without_cpu(const Profile& p) {
  const int64_t all = all_thread_time(p), missing = std::max(p.thread_time[size_t(State::offcpu)], p.totals.cpu_wait_ns);
  return all > 0 ? std::min(1.0, double(missing) / double(all)) : 0;
}

// The task, implicit or explicit, whose code a grain is: shares and chunks are their implicit task's.
inline uint32_t context_of(const Profile& p, uint32_t g) {
  while (g != kNone && (p.grains[g].kind == GrainKind::share || p.grains[g].kind == GrainKind::chunk)) g = p.grains[g].parent;
  return g;
}

}  // namespace einkorn::profile
