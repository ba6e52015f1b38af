// The grain file, version 10: the format on disk. docs/grain-file.md describes it for readers in other languages.
//
//   FileHeader, then blocks. A block is a BlockHeader and `stored_bytes` of payload, padded with zeros to 8 bytes.
//   Blocks are written whole; a file from a killed program ends in at most one torn block, which its checksum reveals.
//   Little-endian throughout.
//
// Used by src/record (writes) and src/profile (reads). Nothing else may depend on these numbers.
#pragma once
#include <cstddef>
#include <cstdint>

namespace einkorn::record {

inline constexpr char kFileMagic[8] = {'E', 'I', 'N', 'K', 'O', 'R', 'N', '\n'};
inline constexpr uint32_t kVersion = 10;
inline constexpr uint32_t kVersionAtOnceTold =
    4;  // from this version on, a team of one marks inlined tasks with kSiteInlined
inline constexpr uint32_t kBlockMagic = 0x4e524731;  // "1GRN"

struct FileHeader {
  char magic[8];              // kFileMagic
  uint32_t version;           // kVersion: a reader refuses a larger one, with a message
  uint32_t header_bytes;      // sizeof(FileHeader): blocks start here
  uint64_t ticks_per_second;  // of every tick in the file; 10^9 where the time stamp counter cannot be trusted
  uint64_t session;           // session number of the `einkorn record` that this run is part of (claim.h); 0: none
  uint64_t process;           // its number on its host; 0: not known
  uint64_t reserved[3];       // 0
};
static_assert(sizeof(FileHeader) == 64);

enum class BlockType : uint16_t {
  meta = 1,  // JSON object: program (argv[0]), argv, executable, cwd, pid, rank, host, started (ISO 8601, UTC), runtime
             //   ("einkorn 0.1.0"), environment {NAME: value}, cpus, nodes. What is not known is absent
  anchor = 2,   // Anchor[]: ticks beside the system's clocks; at the start, about every second, at the end
  modules = 3,  // load map: ModuleRecord + path bytes, repeated (later blocks add or replace)
  sites = 4,    // SiteRecord + text bytes, repeated; always before the first event block that names them
  thread = 5,   // ThreadRecord: once per thread, before its first event block
  events = 6,   // words, see below; of one thread, in the thread's order
  end =
      7,  // JSON object: exact totals of all threads {tasks (created), chunks, regions: lost ones included; lost_tasks,
          //   lost_chunks (executed while no buffer was free); threads; blocks}, and abrupt: true where the process
          //   ended by other means than exit(). Absent: not known how it ended, the tail may be missing
  // Reserved from version 1 (design.md, contract 3). A reader skips types it does not know.
  aggregate = 16,       // subtree count, sum, min, max, histogram by source
  segment = 17,         // region of interest: start, pause, flush, end (omp_control_tool)
  counters = 18,        // hardware and software counters per grain: they are in records `counters`
  accesses = 19,        // memory accesses and footprints (docs/grain-file.md, section 5)
  process = 20,         // MPI rank, communicator size
  clock_offsets = 21,   // per-CPU clock offsets and their uncertainty
  source_text = 22,     // cited source lines, embedded
  layout = 23,          // computed drawing positions
  codelet_graphs = 24,  // GraphPiece + classes + arcs, repeated: docs/grain-file.md
  code_names = 25,      // CodeNameRecord + name, repeated
  allocations = 26,     // AllocationRecord + nodes x 8 bytes, repeated: at the end
  samples = 29,         // SampleRecord + addresses, repeated
  shared_lines = 28,    // SharedLineRecord, repeated: at the end
};

enum class Codec : uint16_t {
  raw = 0,
  zstd = 1,
  packed = 2,       // events: packed.h
  packed_zstd = 3,  // events: zstd of packed
  halves = 4,       // events: halves.h
};

struct BlockHeader {
  uint32_t magic;  // kBlockMagic
  BlockType type;
  Codec codec;
  uint32_t stored_bytes;  // payload on disk, before padding
  uint32_t raw_bytes;     // payload decoded; at most kMaxRawBytes. For halves: in units, undecoded
  uint32_t checksum;      // CRC-32C of this header with checksum = 0, then of the stored payload
  uint32_t thread;        // events, thread: index of the thread's stream; else 0
  uint64_t sequence;      // events: 0, 1, 2 ... within the thread; a gap is a lost block
  uint64_t first_tick;    // events: time before the block's first record
  uint64_t first_serial;  // events: tasks this thread had created before this block
};
static_assert(sizeof(BlockHeader) == 48);
inline constexpr uint32_t kMaxRawBytes = 1u << 24;
// What a payload takes in the file.
constexpr uint64_t padded(uint64_t stored_bytes) { return (stored_bytes + 7) & ~uint64_t(7); }

struct Anchor {
  uint64_t ticks;
  uint64_t monotonic_ns;    // CLOCK_MONOTONIC
  uint64_t realtime_ns;     // CLOCK_REALTIME
  uint64_t uncertainty_ns;  // width of the ticks readings around the clock readings
};

struct ModuleRecord {   // followed by path_bytes of path
  uint64_t base;        // load bias: address in memory - address in the file
  uint64_t begin, end;  // mapped range in memory
  uint8_t build_id[32];
  uint32_t build_id_bytes;  // 0: none
  uint32_t path_bytes;
};

struct ThreadRecord {
  uint32_t index;  // stream index, dense from 0
  uint32_t os_tid;
  uint32_t is_initial;  // 1: this thread existed when the library was loaded: its time outside regions is `serial`
  uint32_t reserved;
  uint64_t begin_tick;  // thread joined
};

// The construct of a site. A site is a location in the program: (construct, flags, function, return address).
enum class Construct : uint16_t {
  unknown = 0,
  parallel = 1,
  task = 2,
  taskloop = 3,
  taskwait = 4,
  taskgroup = 5,
  taskyield = 6,
  barrier = 7,            // explicit
  barrier_workshare = 8,  // implicit, at the end of a work-sharing construct
  barrier_parallel = 9,   // implicit, at the end of a parallel region
  loop = 10,
  sections = 11,
  single = 12,
  masked = 13,
  critical = 14,
  lock = 15,
  nest_lock = 16,
  ordered = 17,
  atomic = 18,
  reduction = 19,
  scope = 20,
  teams = 21,
  target = 22,
  cancel = 23,
  codelet = 24,        // a class of a graph of codelets
  codelet_graph = 25,  // a run of one
  stretch = 26,        // of a procedure's instance, from where it goes on
  allocation = 27,     // of memory, by a call that returns to return_address
  variable = 28,       // global, at `function`; the text is its symbol
};

// The runtime's debug builds redefine the name `atomic` (base/delays.h): this enumerator cannot be spelt in them.
inline constexpr Construct kConstructAtomic = Construct::atomic;

enum SiteFlags : uint16_t {
  kSiteUndeferred =
      1,  // task: its creator ran it at once. Without kSiteInlined: the program asked for it, so in every run
  kSiteFinal = 2,
  kSiteUntied = 4,
  kSiteMergeable = 8,
  kSiteIncluded = 16,  // task: child of a final task
  kSiteInlined = 32,   // task: the runtime chose to run it at once (the team has one thread, say)
  kSiteHasDepend = 64,
  kSiteDetach = 128,
  kSiteClang = 256,         // came through the __kmpc_ entry points
  kSiteNowait = 512,        // taskwait depend nowait: nobody waits. stretch: the one before it waited for no children
  kSiteProcedure = 1024,    // task: an instance of a procedure
  kSiteThroughPool = 2048,  // parallel, its barrier: of a function that others call to run theirs on all threads
                            // (pools.h); the return address is that of its own caller
};

struct SiteRecord {         // followed by text_bytes: clang's ident_t.psource, empty for gcc
  uint32_t id;              // from 1; 0 means no site
  uint16_t construct;       // Construct
  uint16_t flags;           // SiteFlags
  uint64_t function;        // outlined function, 0: none
  uint64_t return_address;  // of the call into the runtime, 0: none
  uint32_t text_bytes;
  uint32_t reserved;
};

// Blocks of memory of at least 128 KiB that one call has allocated; or one variable. Followed by `nodes` numbers of 64
// bits: on each of the system's nodes, from 0 on, how many of the bytes about which the system was asked: pages that
// had memory, a sample of them, when the block was freed or the recording ended. nodes 0: it was not asked.
struct AllocationRecord {
  uint32_t site;
  uint32_t nodes;
  uint64_t blocks, bytes, largest;
};
inline constexpr uint32_t kMostAllocationNodes = 1024;  // as many as Linux takes

// The function that holds an address of a site which is in none of the modules: code that the program made while it
// ran. Followed by name_bytes of its symbol. A later one of the same address replaces it.
struct CodeNameRecord {
  uint64_t address;  // as in the site; of a return address, the byte before it
  uint64_t begin;    // of the function
  uint32_t name_bytes;
  uint32_t reserved;
};

// A part of a closed graph of codelets: its nodes from `first` on. All parts of a graph have its classes, the first one
// its name, too. Followed by `classes` GraphClass, name_bytes of text and zeros up to a multiple of 4, then count + 1
// numbers of 32 bits, where in the part's arcs each node's begin, and the arcs: nodes that follow.
struct GraphPiece {
  uint32_t id;     // from 1
  uint32_t nodes;  // of the graph
  uint32_t first, count;
  uint32_t arcs;  // of the part
  uint32_t classes;
  uint32_t name_bytes;
  uint32_t reserved;
};
struct GraphClass {  // the nodes from `first` on, up to the next class's
  uint32_t site;
  uint32_t first;
};

// Grains shorter than ten times what it takes at most to record one, with two stamps, are perturbed: ns.
inline constexpr uint64_t kProbeNs = 25, kPerturbedNs = 10 * kProbeNs;

// ---- events --------------------------------------------------------------------------------------------------
// A record is one 64-bit word, for some kinds followed by more words:
//   bits 0..5 kind, 6..31 ticks since the previous record of this thread, 32..63 payload.
// If the difference does not fit, a `time` record precedes it.
//
// A reader follows one thread as a state machine. A record with a stamp ends the state before it:
//   serial|outside -> region_begin -> overhead -> implicit_begin -> work
//   work -> task_create -> overhead for its duration -> work
//   work -> wait_begin -> overhead -> { idle_begin -> idle -> idle_end -> overhead | task_start -> work -> task_end
//        -> overhead }* -> wait_end -> work
//   work -> mutex_wait -> blocked -> mutex_acquired -> work -> mutex_released -> overhead, for its duration -> work
//   work -> loop_begin -> overhead -> { chunk_begin -> work -> chunk_end -> overhead }* -> loop_end -> work
//   work -> implicit_end -> overhead -> region_end -> serial|outside|work of the enclosing task
// task_start may also follow task_create directly (undeferred or inlined): the child runs inside its parent.
enum class Kind : uint8_t {
  pad = 0,
  time = 1,      // +1 word: absolute ticks of this point (its own difference is 0)
  cpu = 2,       // payload: cpu | node << 20: the thread was seen on another CPU
  cpu_time = 3,  // payload: involuntary context switches since the thread began; +2 words: thread CPU time in ns,
                 //   ns spent parked by the runtime (in waits and idle). Both since the thread began
  thread_end = 4,
  region_begin = 5,  // by the primary thread. payload: site; +2 words: region id; team size | nesting level << 32
  region_end = 6,
  implicit_begin = 7,  // payload: thread number in the team; +1 word: region id
  implicit_end = 8,
  task_create =
      9,  // stamped at the begin of creation. payload: site:16 | duration in ticks:16, if both fit; otherwise:
  task_create_long = 10,  // payload: site; +1 word: duration in ticks. Both give the next serial to the child
  task_start = 11,        // payload: low 32 bits of the serial; the task was created by this thread
  task_start_other = 12,  // +1 word: task id
  task_end = 13,
  wait_begin = 14,  // payload: site (its construct says which wait)
  wait_end = 15,
  idle_begin = 16,   // at the first full search that fails
  idle_end = 17,     // a task was found, or the wait is over
  loop_begin = 18,   // payload: site; +4 words: lower bound (signed), iterations, increment (signed),
                     //   chunk:32 | schedule:8 | flags:8   (schedule: enum Schedule)
  chunk_begin = 19,  // payload: first logical iteration (0-based); its length is the loop's chunk, shorter at the end
  chunk_begin_long = 20,  // +2 words: first logical iteration, number of iterations
  chunk_end = 21,
  loop_end = 22,
  mutex_wait = 23,       // payload: site; +1 word: address of the lock. Contended only
  mutex_acquired = 24,   // payload: site; +1 word: address of the lock
  mutex_released = 25,   // ticks that it took to wake its waiter; +1 word: address of the lock
  taskgroup_begin = 26,  // payload: site. Its end is a wait with construct taskgroup
  yield = 27,            // payload: site. taskyield; tasks may start inside until the matching
  yield_end = 28,
  recorder = 29,  // stamped at the end; payload: ticks this thread just spent in the recorder itself
  loss =
      30,  // stamped at the end; +5 words: ticks since the loss began, tasks created, tasks executed, chunks executed,
           //   contexts (see nesting() below) that had been open and were closed meanwhile. Contexts opened meanwhile
           //   were closed too, except in a loss that the end of the recording cuts off
  task_range = 31,    // +2 words: first logical iteration, count: of the taskloop piece created just before
  task_suspend = 32,  // an untied task returns to the queue; task_start resumes it. payload: 0, or site: of the stretch
                      //   with which a procedure's instance goes on when its children have ended
  depend =
      33,  // payload: count; +3 words each: address, bytes (0 unknown), mode (kmp_depend_info's: DependMode). Of the
           //   task that the task_create just before created; of the undeferred task that the task_end just before
           //   ended; or of the wait that the wait_begin just before began (docs/grain-file.md, Dependences)
  edge =
      34,  // payload 0: the member of a team that runs has come to a step that others wait for; +2 words: its number,
           //   from 1; 0. Payload n: it goes on behind that step of n others (at most two); second word: their
           //   numbers in the team, 32 bits each. Of a codelet by hand (first word: its address), payload kEdgeSignal:
           //   who runs has signalled it; second word: signals that it waited for after that, not 0. kEdgeFired: the
           //   last signal has come, and the task that the task_create just before created is the firing; second
           //   word: fired_as(). kEdgeFiredTask (version 9, and predicted runs): the last signal has come; second
           //   word: id of the task that is the firing. kEdgeNamed + n: nothing has happened; the task of the id that
  //   the first word says is the n-th firing, from 0, in its region, of the codelet of that fired_as(). kEdgeUnnamed:
  //   likewise; it is a firing that has no name of its own
  affinity = 35,  // After footprint, for the same task: payload 1 reads, 2 writes, 3 both, + 4 if the length was
                  // estimated; +2 words:
  //   address and bytes of one of its ranges. Payload 0: first word the node that the program named for it
  control = 36,         // reserved. omp_control_tool
  taskloop_begin = 37,  // payload: site; +2 words: iterations, number of tasks
  taskloop_end = 38,
  // Where the machine has several memory nodes:
  place = 39,  // payload: node | PU << 16 (of the machine that the runtime decides for): where the implicit task just
               // begun runs
  footprint =
      40,  // payload: 1 if lengths were estimated; +2 words: bytes of all ranges; of these, on known nodes. Of the
           //   task that the task_start just before started
  footprint_node = 41,  // payload: node; +2 words: bytes on it that the same task only reads; that it writes
  // While tasks are brief. A record without a stamp of its own began some ns after the stamp of the record before it;
  // how many is known from the records that have their own stamp.
  task_create_brief = 42,  // as task_create, stamped at the end of a creation that was not timed. payload: site
  task_next = 43,  // as task_start, after a wait_begin or the end of a task. Difference 0: it has no stamp of its own
  task_run =
      44,  // a task_next without a stamp of its own, and its task_end: stamped at its end. payload: as task_start
  wait_done = 45,   // as wait_end, after the end of a task. Difference 0: it has no stamp of its own
  chunk_next = 48,  // chunk_end, followed at once by a chunk_begin without a stamp of its own. payload: as chunk_begin
  // Tasks and chunks that are not recorded one by one (aggregate.h):
  aggregate =
      46,  // stamped at the end; payload: tasks and chunks that ended; +5 words, in ticks: since it began; of these in
           //   work of such tasks and chunks, overhead, idle, blocked. The rest: in the state before
  subtree =
      47,  // payload: site; +14 words: nearest recorded ancestor's task id (serial 0: no task), created, executed,
           //   ticks of work of all, least, most; 16 counts of 32 bits: executed by ticks, kHistogramBuckets
  // Graphs of codelets:
  graph_run = 49,      // payload: site; +2 words: run id; graph. A wait begins, which wait_end ends; in it the thread
                       //   fires codelets, as others do in their waits
  codelet_begin = 50,  // payload: node of the run's graph; +1 word: run id
  codelet_end = 51,
  stretch = 52,   // payload: site. What runs is a procedure's instance, and goes on with that stretch
  counters = 53,  // with the stamp of the record after it: what the thread's counters have seen since its `counters`
                  //   record before (in the order of the meta block's `counters`, of which there are at most 8).
                  //   payload: bit i: the i-th has seen something, and has a word: its count, or all ones: not known;
                  //   bit 8 + i: that is estimated; bit 16: they do not reach back so far. +1 word for each bit
};

// Payloads of `edge` that are no counts.
inline constexpr uint32_t kEdgeSignal = 3, kEdgeFiredTask = 4, kEdgeFired = 5, kEdgeNamed = 6, kEdgeUnnamed = ~0u;

// Which codelet by hand was fired, for names that do not depend on the schedule: the program's number for it, and the
// line that made it. 0: not told.
constexpr uint64_t fired_as(uint32_t number, uint32_t line) { return uint64_t(line) << 32 | number; }

// A setting of the recorder: which events have a stamp of their own. automatic: all, except while tasks are brief.
enum class Stamps : uint8_t { automatic, all, shared };

// Why a thread counted instead of recording: payload of `loss`.
enum class LossReason : uint8_t {
  none = 0,       // as no_buffer, in files of version 1
  no_buffer = 1,  // none was free
  paused = 2,     // paused by the program, or not yet started by it
  dropped = 3,    // older than what is kept (--last)
  full = 4,       // the file had reached its largest size
};
inline constexpr int kLossReasons = 5;

// The bounds of a stretch in an `accesses` block. Its footprint is exact up to kExactLines cache lines of 64 bytes, and
// a HyperLogLog sketch beyond that.
inline constexpr uint32_t kExactLines = 8192, kLineRegisters = 2048, kMostInstructions = 1024;

// Register and rank of a line: the first 11 bits of a hash, and the number of zeros that follow them, plus one.
struct LineRank {
  uint32_t index;
  uint8_t rank;
};
constexpr LineRank rank_of_line(uint64_t line) {
  uint64_t h = line * 0x9e3779b97f4a7c15ull;  // MurmurHash3's finalizer on top: every bit counts
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ull;
  h ^= h >> 33;
  return {uint32_t(h >> 53), uint8_t(__builtin_clzll((h << 11) | 1024) + 1)};
}

// Bucket 0: less than 64 ticks of work; bucket i: less than 4^(i + 3); the last one has no upper end.
inline constexpr int kHistogramBuckets = 16;

// The mode of a dependence. Any other value is read as out.
enum DependMode : uint8_t {
  kDependIn = 1,
  kDependOut = 3,
  kDependMutexInOutSet = 4,
  kDependInOutSet = 8,
  kDependAllMemory = 0x80
};

enum class Schedule : uint8_t {
  static_ = 0,
  static_chunked = 1,
  dynamic = 2,
  guided = 3,
  auto_ = 4,
  sections = 5,
  distribute = 6
};

inline constexpr int kDeltaBits = 26;
inline constexpr uint64_t kMaxDelta = (1ull << kDeltaBits) - 1;

constexpr uint64_t pack(Kind k, uint64_t delta, uint32_t payload) {
  return uint64_t(k) | (delta << 6) | (uint64_t(payload) << 32);
}
constexpr Kind kind_of(uint64_t w) { return Kind(w & 63); }
constexpr uint64_t delta_of(uint64_t w) { return (w >> 6) & kMaxDelta; }
constexpr uint32_t payload_of(uint64_t w) { return uint32_t(w >> 32); }

// Number of words after the first one, or -1 for a kind that this version does not know; `depend` and `counters` have
// as many entries as their payload says.
constexpr int extra_words(Kind k, uint32_t payload) {
  switch (k) {
    case Kind::pad:
    case Kind::cpu:
    case Kind::thread_end:
    case Kind::region_end:
    case Kind::implicit_end:
    case Kind::task_create:
    case Kind::task_start:
    case Kind::task_end:
    case Kind::wait_begin:
    case Kind::wait_end:
    case Kind::idle_begin:
    case Kind::idle_end:
    case Kind::chunk_begin:
    case Kind::chunk_end:
    case Kind::loop_end:
    case Kind::taskgroup_begin:
    case Kind::yield:
    case Kind::yield_end:
    case Kind::recorder:
    case Kind::task_suspend:
    case Kind::taskloop_end:
    case Kind::place:
    case Kind::task_create_brief:
    case Kind::task_next:
    case Kind::task_run:
    case Kind::wait_done:
    case Kind::codelet_end:
    case Kind::stretch:
    case Kind::chunk_next: return 0;
    case Kind::time:
    case Kind::codelet_begin:
    case Kind::implicit_begin:
    case Kind::task_create_long:
    case Kind::task_start_other:
    case Kind::mutex_wait:
    case Kind::mutex_acquired:
    case Kind::mutex_released: return 1;
    case Kind::cpu_time:
    case Kind::graph_run:
    case Kind::region_begin:
    case Kind::chunk_begin_long:
    case Kind::task_range:
    case Kind::taskloop_begin:
    case Kind::edge:
    case Kind::affinity:
    case Kind::control:
    case Kind::footprint:
    case Kind::footprint_node: return 2;
    case Kind::loop_begin: return 4;
    case Kind::loss:
    case Kind::aggregate: return 5;
    case Kind::subtree: return 6 + kHistogramBuckets / 2;
    case Kind::depend: return payload > 100000 ? -1 : int(payload) * 3;
    case Kind::counters: return __builtin_popcount(payload & 0xff);
  }
  return -1;
}

// Contexts nest: +1 for a kind that opens one, -1 for one that closes the innermost. Idling and holding or waiting for
// a mutex are states, not contexts.
constexpr int nesting(Kind k) {
  switch (k) {
    case Kind::region_begin:
    case Kind::implicit_begin:
    case Kind::task_start:
    case Kind::task_start_other:
    case Kind::wait_begin:
    case Kind::loop_begin:
    case Kind::chunk_begin:
    case Kind::chunk_begin_long:
    case Kind::yield:
    case Kind::taskloop_begin:
    case Kind::graph_run:
    case Kind::codelet_begin:
    case Kind::task_next: return 1;
    case Kind::region_end:
    case Kind::implicit_end:
    case Kind::task_end:
    case Kind::task_suspend:
    case Kind::wait_end:
    case Kind::loop_end:
    case Kind::chunk_end:
    case Kind::yield_end:
    case Kind::taskloop_end:
    case Kind::codelet_end:
    case Kind::wait_done: return -1;
    default: return 0;
  }
}

// Task id: index of the creating thread's stream << 48 | serial within it, from 1. Region id likewise, of the primary
// thread; id of a graph's run, of the thread that calls it.
constexpr uint64_t make_id(uint32_t thread, uint64_t serial) {
  return uint64_t(thread) << 48 | (serial & ((1ull << 48) - 1));
}
constexpr uint32_t id_thread(uint64_t id) { return uint32_t(id >> 48); }
constexpr uint64_t id_serial(uint64_t id) { return id & ((1ull << 48) - 1); }

}  // namespace einkorn::record
