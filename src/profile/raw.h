// The decoder's output, before anything is linked across threads. Read it after types.h.
//
// A *context* is one stay of a task (explicit, implicit or initial) on a thread; an untied task that moved, or a task
// cut by a lost stretch, has several. A context is a list of *steps*: a stretch of execution and the action that ended
// it. Contexts name tasks and regions by the ids of the file; link.cpp resolves them.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>
#include "profile/slab.h"
#include "profile/source_lines.h"
#include "profile/symbols.h"
#include "profile/time_bins.h"
#include "profile/touches.h"
#include "profile/types.h"
#include "record/format.h"

namespace einkorn::profile {

enum class StepKind : uint8_t {
  fragment,
  bookkeeping,
  chunk,
  none,  // the runtime's own code between two actions (pieces of a taskloop, the end of a region): it gets no node
};

// A lock was taken or released in the step, after so many ns of its weight.
struct RawLockPoint {
  uint32_t step, lock;
  int64_t at;
  bool taken;
};

// What ended a step. `ref` is an index into the table named here.
enum class Action : uint8_t {
  end,          // of the context
  fork,         // tasks; kNone once linked: nothing is known of the child's execution
  region,       // regions
  wait_task,    // site: taskwait, or the stretch of a procedure's instance that follows; joins the children
  wait_group,   // site: end of a taskgroup, joins children and descendants created in it
  wait_depend,  // site: joins the tasks that its dependences name: Recording::depends_of_wait
  wait_team,    // site: a barrier of the team
  wait_end,     // site: the barrier at the region's end: the region's join stands for it
  wait_own,  // site: waits for nothing that the graph knows, or for a barrier whose place in the team's order was lost
  loop_begin,   // loops
  chunk_begin,  // chunks
  chunk_end,
  loop_end,
  stretch,    // site: of a procedure's instance, the one that follows, at once
  post,       // besides: of a region's instance, which has come to a step that others wait for,
  behind,     // or goes on behind theirs
  signal,     // signals: of who has signalled a codelet by hand
  iteration,  // iterations: of a chunk of a doacross loop
  fulfill,    // fulfills: of who has fulfilled a detached task's event
  turn,       // chunks: a chunk of an ordered loop has its turn from here until its end
};

struct Step {
  int64_t begin, end;  // ns
  int64_t weight;      // ns of it in state work (fragment, chunk), serial (initial task) or overhead (bookkeeping)
  uint32_t next;       // in the same context
  uint32_t ref;
  uint32_t grain;  // filled in by link()
  uint32_t thread;
  StepKind kind;
  Action action;
  uint16_t groups;  // taskgroups that begin in it
  uint16_t cpu, node;
};

enum class ContextKind : uint8_t {
  initial,  // the initial thread outside regions
  foreign,  // any other thread outside regions: one that the program made itself and that encountered OpenMP constructs
  implicit,
  task,
};

struct Context {
  uint64_t key = 0;  // task: task id; implicit: region id
  uint32_t first_step = kNone, last_step = kNone;
  uint32_t thread = kNone;
  uint32_t member = 0;         // implicit: thread number in the team
  uint32_t host = kNone;       // context of the implicit task in which it ran: where an orphan belongs
  uint32_t next_stay = kNone;  // task, implicit task: its next stay on a thread
  uint32_t region = kNone;     // implicit: in regions; filled in by resolve_ids()
  int64_t end = -1, wait = 0, wait_overhead = 0, wait_idle = 0;
  ContextKind kind = ContextKind::task;
  bool ended = false;                  // its end was recorded
  uint8_t asked = record::kAskedBoth;  // implicit: record::kAskedNumber, kAskedThreads
  bool estimated = false;              // touched by a lost stretch
  uint32_t footprint = kNone;          // in Recording::footprints
};

struct RawTask {
  int64_t create_begin = -1, create_cost = -1;
  uint32_t site = 0;
  uint32_t creator = kNone;  // thread
  uint16_t creator_node = 0xffff;
  uint32_t first_stay = kNone;  // contexts
  uint32_t grain = kNone;
  uint32_t range = kNone;    // ranges
  uint32_t depends = kNone;  // the first of its dependences, in depends
  // A codelet, fired in a run. Unseen: nothing is known of it but whom it waits for, and no grain stands for it.
  enum class Fired : uint8_t { no, seen, unseen } fired = Fired::no;
  struct {
    uint32_t run = kNone, node = 0;  // in runs; of its graph
  } codelet;
};

// A graph of codelets, as the program has closed it.
struct RawGraph {
  uint32_t nodes = 0;
  std::string name;
  std::vector<record::GraphClass> classes;
  std::vector<uint32_t> begin, arcs;  // of node n the arcs arcs[begin[n]] .. arcs[begin[n + 1]]
  // Filled in by make_codelets():
  enum class State : uint8_t { unknown, whole, damaged } state = State::unknown;
  // Whole: nodes, each after those that it waits for; and where each is there.
  std::vector<uint32_t> order, position;
};

// A run of one, by a context that waits for it: `step` is the one that it ended.
struct RawRun {
  uint64_t id;
  uint32_t graph;  // its number; from make_codelets() on in graphs, kNone: it is not known
  uint32_t context, step;
};

struct Firing {  // a codelet that was recorded
  uint64_t run;  // id
  uint32_t node;
  uint32_t context;
  uint32_t task = kNone;  // filled in by make_codelets()
};
// The key of a firing's context, whose task has no id: this, and the index in firings.
inline constexpr uint64_t kFiringKey = uint64_t(1) << 63;

struct RawDepend {  // one dependence of a task or a wait
  uint64_t address;
  uint64_t bytes;  // 0: not known
  uint32_t next;   // of the same task or wait, in depends
  uint8_t mode;    // record::DependMode, whatever the file says
};

struct TaskRange {  // a piece of a taskloop
  uint64_t first, count;
  uint32_t taskloop;  // ordinal among the taskloops of its context or chunk; kNone: not within one
};

// Of a member of a team: a step of its own that others wait for, or others' steps of that number.
struct RawBeside {
  uint32_t number;
  uint32_t count = 0;  // of members; 0: its own
  std::array<uint32_t, 2> members{};
};

// A codelet by hand was signalled, and still waited for `left` signals after that. 0: it was fired, as that task.
struct RawSignal {
  uint64_t codelet;  // its address
  int64_t at;        // ns
  uint32_t left = 0;
  uint64_t id = 0;        // of the firing
  uint64_t as = 0;        // record::fired_as()
  uint32_t task = kNone;  // of the firing, in tasks; filled in by link()
};
// Of a doacross loop: an iteration is done, or was waited for.
struct RawIteration {
  uint64_t position;
  bool awaited;
};
// A detached task's event was fulfilled.
struct RawFulfill {
  uint64_t id;
  uint32_t task = kNone;  // filled in by link()
};
// A step was stopped for so long at least.
struct RawStop {
  uint32_t step;
  int64_t ns;
};
// A firing whose name the file gives.
struct RawName {
  uint64_t id, as;  // the task's; record::fired_as()
  uint32_t nth;     // of such firings in its region; kNone: it has none of its own
};

struct RawRegion {
  uint64_t id = 0;
  uint32_t site = 0, team = 0, level = 0;
  uint32_t region = kNone;  // index in Profile::regions
  int64_t begin = -1, end = -1, create_cost = 0;
  bool begun = false;                      // region_begin was recorded
  uint32_t first_member = 0, members = 0;  // in Recording::members, by thread number; stays of one member are adjacent
};

struct RawLoop {  // one thread's part in a work-sharing construct
  uint32_t site = 0, ordinal = 0;
  bool aligned = true;  // `ordinal` is its position among the team's constructs
  uint8_t schedule = 0;
  uint32_t chunk = 0;
  int64_t lower = 0, increment = 1;
  uint64_t iterations = 0;
};

struct RawChunk {
  uint64_t first = 0, count = 0;
  int64_t wait = 0, wait_overhead = 0, wait_idle = 0;
  uint32_t loop = kNone;
  uint32_t grain = kNone;
};

// The tasks that one thread created, by serial. Runs of serials that follow each other: one, unless some were lost.
struct SerialRun {
  uint64_t first;
  uint32_t task, count;
};

struct RawThread {
  Thread info;
  bool described = false;  // its `thread` block was read
  uint32_t base = kNone;   // its context outside regions
  std::vector<SerialRun> created;
};

// Grains that nobody is known to have created: attached to a region, or to the initial task.
struct Orphan {
  uint32_t region = kNone;      // RawRegion that adopts it; kNone: the initial task
  uint32_t context = kNone;     // a task's first stay, or a foreign context
  uint32_t own_region = kNone;  // or a whole region
};

// Tasks or chunks of one site that were not recorded one by one, below one recorded task. Several may add up to one
// Aggregate.
struct RawSubtree {
  uint64_t ancestor = 0;  // task id; serial 0: no task
  uint32_t site = 0;
  uint32_t host = kNone;  // context of the implicit task in which the record was written
  uint64_t created = 0, executed = 0;
  int64_t work = 0, least = 0, most = 0;
  std::array<uint32_t, record::kHistogramBuckets> histogram{};
};

// Accesses of one thread from one time on, until it changed to another grain or to the next step of its grain.
struct RawStretch {
  int64_t begin;  // ns
  uint32_t thread;
  uint32_t sketch;                           // in Recording::sketches; kNone: the lines are exact
  Accesses counts;                           // without lines
  uint32_t first_run, runs;                  // of lines, in Recording::line_runs
  uint32_t first_instruction, instructions;  // in Recording::instructions
};

// What a thread's counters have seen while it ran a step.
struct RawCounts {
  uint32_t step;      // kNone: none, but the runtime
  bool torn = false;  // of that step something is not known, and these values mean nothing
  uint8_t estimated = 0;
  CountValues values{};
};

struct LineRun {
  uint64_t first, count;
};

struct RawInstruction {
  uint64_t address;  // the end of the instruction: its return address
  int64_t stride;
  uint64_t count, bytes, strides, fetched, walked, left, used;
  bool load, store;
};

struct Recording {
  uint32_t version = record::kVersion;  // of the file
  std::string meta;                     // JSON text
  std::string totals;                   // JSON text of the end block, empty: the program was killed
  std::vector<Site> sites;              // by id; [0] is "no site"
  std::vector<Module> modules;
  CodeNames code_names;
  SourceLines kept_lines;
  uint64_t allocation_bytes = 0;         // of memory that these take
  std::vector<Allocations> allocations;  // `source` holds a site id until profile.cpp resolves it
  std::vector<RawThread> threads;        // by stream index
  Slab<Step> steps;
  Slab<Context> contexts;
  Slab<RawTask> tasks;
  Slab<RawRegion> regions;
  Slab<RawLoop> loops;
  Slab<RawChunk> chunks;
  std::vector<TaskRange> ranges;
  std::vector<RawBeside> besides;
  std::vector<RawIteration> iterations;
  std::vector<RawFulfill> fulfills;
  std::vector<RawStop> stops;
  std::vector<RawSignal> signals;
  std::vector<RawName> names_by_hand;
  Slab<RawDepend> depends;
  uint64_t named_dependences = 0;  // of these, those that tasks and waits named; filled in by make_codelets()
  std::vector<RawGraph> graphs;
  std::unordered_map<uint32_t, uint32_t> graph_at;  // number -> graphs
  uint64_t graph_bytes = 0;                         // of memory that they take
  uint64_t room = 0;                                // bytes that what is made of the recording may take, too
  std::vector<RawRun> runs;
  std::vector<Firing> firings;
  uint32_t recorded_steps = kNone;                         // of the steps, those that were decoded; filled in by link()
  std::unordered_map<uint32_t, uint32_t> depends_of_wait;  // step that a wait ended -> the first of its dependences
  std::vector<Footprint> footprints;
  std::vector<uint64_t> footprint_on;  // bytes, by node
  std::vector<Touch> touches;  // Touch::grain is a context until gather_touches(); those of one context are adjacent
  std::unordered_map<uint32_t, uint32_t> touches_of;  // context -> the first of its touches
  std::vector<LockUse> locks;                         // `source` holds a site id until profile.cpp resolves it
  std::vector<WaitUse> waits;                         // by site id, `source` not yet set
  std::unordered_map<uint64_t, uint32_t> lock_at;     // address -> locks
  bool wants_lock_points = false;
  std::vector<RawLockPoint> lock_points;  // one thread's in its order
  std::vector<RawSubtree> subtrees;
  std::vector<RawStretch> stretches;
  std::vector<RawCounts> counts;  // one thread's, step by step
  std::vector<LineRun> line_runs;
  std::vector<std::array<uint8_t, record::kLineRegisters>> sketches;
  std::vector<RawInstruction> instructions;
  uint64_t lost_tasks = 0, lost_chunks = 0;
  uint64_t outside_tasks = 0, outside_chunks = 0;  // executed while nothing was to be recorded
  int64_t outside = 0;                             // ns of the initial thread in which nothing was to be recorded
  std::array<int64_t, record::kHistogramBuckets> histogram_limits{};  // ns: less than this is in the bucket
  uint64_t stamps = 0;     // approximate number of clock readings for its records
  uint64_t unmatched = 0;  // records that fit no open context: 0 unless something was lost or damaged
  uint64_t damaged_blocks = 0;
  uint64_t runs_without_order = 0;  // of graphs: who waited for whom in them is not known
  bool clock_jumped = false;        // between two anchors
  bool truncated = false;
  bool complete = false;
  int64_t end = 0;   // ns: end of the recording
  GrowingBins idle;  // of all threads, over time

  // Filled in by link().
  std::vector<uint32_t> members;  // contexts of implicit tasks, see RawRegion::first_member
  std::vector<Orphan> orphans;    // sorted by region, kNone last
  uint32_t initial = kNone;       // context
};

}  // namespace einkorn::profile
