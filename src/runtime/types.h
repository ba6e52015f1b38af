// The runtime's structures and what is always true of them. Start here.
//
//   Worker  an OS thread that OpenMP knows: the initial thread, a foreign thread that called us, or one we made
//   Team    the threads of one parallel region; a thread outside all regions has a team of its own, of one
//   Slot    a thread's part of a team: its queue of tasks and its implicit task. Queues belong to (team, place)
//   Task    an explicit or implicit task: task_types.h
//   WorkShare   one worksharing construct (loop, sections) of a team
//   ContentionGroup  an initial thread (or a league's) with all regions under it: what thread-limit-var counts
#pragma once
#include "record/stream.h"
#include "runtime/observe/caller.h"
#include "runtime/settings/config.h"
#include "runtime/task_types.h"
#include "base/relaxed.h"
#include "flow/deque.h"
#include "flow/giving_way.h"
#include "flow/inbox.h"
#include "flow/linger.h"
#include "flow/mutex.h"
#include "flow/orders.h"
#include "flow/park.h"
#include "flow/place_queue.h"
#include "runtime/loop/own_chunks.h"
#include "schedule/loops.h"
#include "schedule/ws_search.h"
#include "schedule/tiny.h"

namespace einkorn::runtime {

using flow::Deque;
using flow::Inbox;
using flow::Mutex;
using flow::ParkWord;
using flow::PlaceQueue;
using schedule::Inlining;

struct Region;
struct ReductionCopies;
class UrgentQueue;
struct Doacross;
struct PendingDoacross;

inline constexpr int kMaxWorkers = 0xffff;

struct ChunkRange;

// Whose the first chunks of a guided or dynamic loop are: nobody's; the very first one that of the thread that sets the
// construct up, without asking; the first n one each of the n threads', which claim theirs (of guided loops guided.h,
// of others batch.h).
enum class FirstChunks : uint8_t { nobodys, of_who_sets_up, of_each };

// A worksharing construct in flight. Iterations are logical: 0 .. iterations-1.
// Threads meet constructs in the same order, so the n-th construct of a region is share n % kShares, round n / kShares.
//   state = round << 2 | phase;  0: free for this round, 1: being set up, 2: open. Open may stay until the next round's
//   first thread comes, where a barrier has told it that all have left (Slot::unfreed)
// A thread that finds an earlier round waits (it is kShares nowait constructs ahead of another).
struct alignas(kCacheLine) WorkShare {
  // One line has all that a thread asks for each chunk.
  std::atomic<uint64_t> state;
  std::atomic<uint32_t> left;   // threads that are through, where no barrier follows; the last one frees the share
  std::atomic<uint32_t> event;  // changes when state or turn do, if waiters > 0
  std::atomic<uint32_t> waiters;
  LoopKind kind;
  bool monotonic_only;  // ordered: chunks in order
  bool lone;            // one thread's, in a cancelled region: not in the ring
  bool sections;
  bool whole_chunks;  // guided: chunks are multiples of the least one
  bool silent;        // not a loop of the program's: nothing of it is recorded
  bool batched;       // next counts chunks, and there are ranges (batch.h)
  bool dealt;         // of these, all chunks are in them from the start: static, then steal
  FirstChunks firsts;
  int64_t lower;  // user's first value
  int64_t increment;
  uint64_t iterations;
  uint64_t chunk;
  // What follows changes seldom while a loop comes again.
  alignas(kCacheLine) int64_t upper;         // user's bound, exclusive, where the entry points pass one
  uint64_t chunks;                           // of a batched loop
  ChunkRange* ranges;                        // one a thread, kept for the next loop in this place
  Doacross* doacross;                        // ordered(n): which iterations are done; nullptr: nobody has to wait
  void* memory;                              // zeroed, shared by the threads during the construct; nullptr: none
  std::atomic<ReductionCopies*> reductions;  // of reduction(task, ...): the copies that the threads share
  const void* caller;
  uint32_t site;
  uint16_t site_flags;          // with caller: for recording
  std::atomic<bool> was_brief;  // the latest guided loop in this place (guided.h)
  int ranges_room;
  uint32_t
      loops;     // in this place in which each thread had a first chunk: the latest one's number (ChunkRange::first_of)
  char* buffer;  // what doacross and memory lie in, kept for the next construct in this place
  size_t buffer_bytes;
  alignas(kCacheLine) std::atomic<uint64_t> next;  // first iteration that nobody has
  std::atomic<uint64_t> turn;                      // ordered: first iteration of the chunk whose turn it is
  OwnChunks own_chunks;                            // FirstChunks::of_each
};

static_assert(offsetof(WorkShare, upper) == kCacheLine, "what is asked for each chunk is one line");

// A thread's part of the share it works on.
struct WorkShareView {
  WorkShare* share = nullptr;
  uint64_t static_next = 0;       // static schedules: index of this thread's next chunk
  uint64_t first = 0, count = 0;  // the chunk in hand
  bool in_chunk = false;
  bool has_first = false;  // set the construct up, and has not taken the chunk that belongs to it (WorkShare::firsts)
  bool in_turn = false;    // ordered, recorded: that chunk has its turn, and has come to where it needs it
  enum LastChunk : uint8_t { not_seen, kept, ran } last_chunk = not_seen;  // batch.h
  uint64_t took_at = 0;                                                    // where the latest batch began
  uint64_t taken = 0;                                                      // chunks, in all of its batches
  schedule::Batch<uint64_t> batch;                                         // began: ticks; of guided loops, too
  // clang's doacross loops begin before the loop's schedule is known: a construct of its own around the loop's.
  PendingDoacross* pending_doacross = nullptr;
  WorkShare* doacross = nullptr;
};
struct PendingDoacross {  // the bounds follow: kmpc_doacross.cpp
  int count;
  const void* caller;
};

// thread-limit-var bounds the threads of all regions that an initial thread begins, with all nested in them. Counted
// only while there is a limit. A league's teams each have a group of their own, and their place in the league is known
// by it.
struct ContentionGroup {
  std::atomic<int> threads{1};
  int num_teams = 1;
  int team_num = 0;
};

// How a thread of clang's adds its values of a reduction to the team's: reduction.h.
enum class ReductionMethod : uint8_t { alone, lock, atomics, together };

struct alignas(kCacheLine) Slot {
  Deque<Task> deque;
  alignas(kCacheLine) Inbox<Task> inbox;
  // Written by the slot's thread only. A barrier is complete when all have arrived and the sums over the team agree:
  // executed is read first (docs/runtime.md, "Barriers").
  alignas(kCacheLine) std::atomic<uint64_t> created;
  std::atomic<uint64_t> executed;
  bool has_tasks;             // this slot's bit of Team::slots_with_tasks is set
  ReductionMethod reduction;  // of the latest one of clang's
  uint16_t unfreed;           // bit i: shares[i] stays open until its next round (share_leave_to_barrier())
  uint64_t shares_met;        // worksharing constructs met in this region
  uint64_t singles_met;
  uint32_t generation;                 // barriers of the team that this thread has passed
  int16_t place, first_place, places;  // where its thread runs, and the partition of its implicit task (places.h)
  Worker* worker;
  Team* team;  // constant
  Task implicit;
  TaskExtra implicit_extra;
  tool::TaskData* tool;  // of the implicit task, for a tool (tool.h)
};

// A variable for the model checker's sake alone, whose teams are small.
inline int g_arrivals_a_line = tunables::kArrivalsALine;
// In teams of so many, and smaller ones, all who search count in the team's word. A variable for the same reason.
inline int g_searchers_at_team = tunables::kSearchersAtTeam;
// In teams of more who want a lock look for it in turn. A variable for tests' sake alone.
inline int g_looks_apart = tunables::kLooksApart;
// Do the threads of a team of n gather before they arrive at its barrier? Team::groups.
inline bool gathers(int n) { return n > tunables::kArrivalsAtTeam; }

// As a flow::Group its threads sleep and wake each other: idle, bell, watched and number are there.
struct Team : flow::Group {
  static constexpr int kShares = 16;

  // Set by the primary thread before it lets the others in, constant while the region runs. First what each of them
  // reads on its way in and out: one line, which is all that the start of a region moves to them besides
  // Worker::orders.
  alignas(kCacheLine) void (*fn)(void*) = nullptr;  // gcc's outlined function, or the trampoline of clang's
  void* data = nullptr;
  Slot* slots = nullptr;  // capacity of them; never freed while a thread may look
  Relaxed<int> n{1};      // a thread late to leave the barrier before may still read it
  int level = 0;          // nesting, 0: outside all regions
  uint32_t icv = 0;       // of its implicit tasks
  int cpus = 1;
  bool first_share_open = false;    // combined parallel loop: share 0 is set up already
  bool clang = false;               // begun by an entry point of clang's
  bool crew = false;                // slot i always belongs to the same thread: reusable at once
  bool league = false;              // its threads take teams of a league
  std::atomic<bool> fenced{false};  // its threads pass full fences, no light ones: see heavy_fence(). Never falls again
  const void* function = nullptr;   // the outlined function of the program
  uint32_t generation = 0;          // of `barrier`, when the region began
  int active_level = 0;             // counting regions with more than one thread
  // What else they read, which seldom changes. First: whose instances may not wait for each other; nullptr: none
  // (instance.h).
  alignas(kCacheLine) const struct FreeInstances* free = nullptr;
  std::atomic<struct Placed*> placed{nullptr};  // queues by place, where the schedule is not the default (placed.h)
  int capacity = 0;                             // of slots
  ForcedReduction reduction = ForcedReduction::unset;  // as asked for when the team was made: the same for all threads
  // In a team of more than two g_arrivals_a_line neighbours gather before a barrier, then the last ones of so many
  // groups, and so on: each line is written by few, and looked at by few. Always true: between two barriers `arrived`
  // is 0, and `released` is the generation behind a barrier that is over: of the groups that `gathered` threads have,
  // one of the latest.
  struct Group {
    alignas(kCacheLine) std::atomic<uint32_t> arrived{0};
    void* values[tunables::kArrivalsALine] = {};  // of a reduction: of each who arrives (barrier.h)
    alignas(kCacheLine) std::atomic<uint32_t> released{0};
    flow::Searchers searchers;  // those of them that search, in a team of more than g_searchers_at_team
  };
  Group* groups = nullptr;  // of slots, then of groups, ...; nullptr: the team never has so many threads
  int group_count = 0;
  int gathered = 0;  // the team's size when it was set last
  // Of a crew's: slots 1 .. staffed - 1 hold the threads of the primary thread's crew with the number staffed_by
  // (Worker::crews). To look at each is a line a thread.
  int staffed = 1;
  uint32_t staffed_by = 0;
  alignas(kCacheLine) Team* outer = nullptr;
  int outer_thread_num = 0;
  Task* outer_task = nullptr;
  ContentionGroup* group = nullptr;
  int counted = 0;         // threads that group->threads counts for this team, the primary one not among them
  uint64_t region_id = 0;  // recording
  uint32_t end_site = 0;
  uint64_t tool_data = 0;               // for a tool (tool.h): its own word,
  tool::TaskData* tool_task = nullptr;  // the task that met the region,
  const void* tool_caller = nullptr;    // and where in the program
  int tool_flags = 0;
  bool show_affinity = false;          // its threads say where they are (OMP_DISPLAY_AFFINITY)
  std::atomic<bool> cancelled{false};  // cancel parallel
  const int* nested = nullptr;  // num_threads clause with a list: of the regions in it, then of those in them, ...
  int nested_count = 0;
  int depth = 0;          // regions around it, leagues too: for recording
  bool for_crew = false;  // regions begun in it are top-level ones of its thread: they get the thread's crew
  Team* next_free = nullptr;
  std::atomic<int> departed{0};  // threads that will not look at a non-crew team again
  // With more threads than CPUs: of its members those that are new and have not begun, as they wait for a CPU for
  // milliseconds. They are neither at work nor asleep. (Others begin within microseconds; were they not counted as at
  // work, more than there are CPUs would be woken in each region.)
  std::atomic<int> unseen{0};
  std::atomic<uint32_t> urgent_tasks{0};  // hint: tasks in `urgent`
  UrgentQueue* urgent = nullptr;          // tasks with a priority, made with the first of them
  // Tasks of the team that threads of no or of another team ended (omp_fulfill_event); counts with the slots'
  // `executed`.
  std::atomic<uint64_t> executed_elsewhere{0};
  WorkShare* shares = nullptr;
  Reductions* reductions = nullptr;                         // of reduction(task, ...) on the region (gcc)
  std::atomic<ReductionCopies*> shared_reductions[2] = {};  // clang: of the region, of a worksharing construct in it

  // generation << 32 | arrived: one word, so that nobody who is late can complete a barrier that is not his.
  alignas(kCacheLine) std::atomic<uint64_t> barrier{0};
  // In the same line: who asks for a single construct, and who reads what the one thread says, is at a barrier then.
  std::atomic<uint64_t> single{0};
  void* copyprivate = nullptr;
  // Which slots have counted or queued a task in this region: set before the task is counted or queued, cleared when
  // the next region begins. Where none has, barriers have nothing to count and searches nothing to look into: with a
  // thousand threads that are the costs that grow with their square. In a line that is seldom written: all who wait in
  // a barrier look at it, and those who arrive would wait for that of `barrier` (a sixth of a barrier of 128 threads).
  alignas(kCacheLine) std::atomic<bool> has_tasks{false};
  std::atomic<uint64_t>* slots_with_tasks = nullptr;  // bits
  // Where cancellation is enabled: the barriers inside the region; `barrier` is its last one only. So a thread that a
  // cancel sent to the end never counts with those that still are inside. generation << 32 | inside: threads in the
  // barrier of that generation, exactly: a thread that a cancelled region lets go takes itself off again (one
  // compare-and-swap with the generation). A barrier is complete when all are inside and the tasks have ended; in a
  // cancelled region, when the threads inside it and those in `barrier` are all. A thread is in one of the two at most,
  // and leaves `barrier` only when all are there: so that sum can only be reached, not passed, and stays until a thread
  // inside completes the barrier. 0 inside at the end of a region.
  alignas(kCacheLine) std::atomic<uint64_t> inner_barrier{0};
  std::atomic<uint32_t> cancel_event{0};     // futex: changes when the region is cancelled
  std::atomic<uint64_t> share_cancelled{0};  // cancel for, sections: 1 << 32 | generation of inner_barrier at that time
};

struct Worker {
  Task* current = nullptr;
  Team* team = nullptr;
  Slot* slot = nullptr;
  record::Stream* stream = nullptr;  // nullptr: not recording and no tool (tool.h)
  tool::Thread* tool = nullptr;      // nullptr: no tool; else stream is not
  int thread_num = 0;
  WorkerId id = kNoWorker;
  bool ours = false;  // a thread that the runtime made
  bool initial = false;
  bool helps = false;     // with target tasks (helpers.h)
  bool refused = false;   // the latest search left a task that this thread must not start
  bool fulfills = false;  // in omp_fulfill_event()
  bool more = false;      // a queue from which this thread stole had more
  // Tasks of others that have ended here, all children of one and in one group, and are not yet counted: count_ended().
  Task* ended_parent = nullptr;
  Taskgroup* ended_group = nullptr;
  Slot* ended_slot = nullptr;
  uint32_t ended = 0;
  uint64_t published_at = 0;  // in a large team: when thieves were let have tasks last (ticks)
  // So many counts in that group's balance stand for no task: this thread holds them (task.h, join_group()).
  Taskgroup* credited = nullptr;
  int64_t credit = 0;
  Inlining inlining;  // what it knows of the tasks that it creates (inline.h)
  flow::CpuWait cpu_wait;
  flow::Crowding crowding;
  uint64_t looked_apart = 0;      // when it last looked whether it shares its CPU with one of its team, ns (apart.h)
  schedule::Loot<uint64_t> loot;  // when: ticks
  // The latest that it would have robbed by force, and how many tasks these had created.
  static constexpr int kSeen = 4;
  schedule::SeenVictim seen[kSeen];
  WorkShareView view;
  schedule::RandomState random;

  static constexpr int kSizeClasses = 8;  // of task blocks (blocks.h)
  void* free_blocks[kSizeClasses] = {};
  Task* spare_instances = nullptr;  // of src/codelet: blocks that are procedures' instances already, linked by `parent`
  // Of src/codelet: the block of the latest instance that had its own memory apart, for the next one.
  Task* own_at_hand = nullptr;
  uint32_t own_bytes_at_hand = 0;  // so many it is known to have room for; 0: there is none
  char* fresh = nullptr;           // rest of the slab that new blocks are cut from
  char* fresh_end = nullptr;
  void* chains[kSizeClasses] = {};  // that came home and were not yet unpacked
  void* foreign = nullptr;          // a chain of blocks of one other worker and class, not yet sent home
  WorkerId foreign_home = kNoWorker;
  uint8_t foreign_class = 0;
  uint32_t kept_count = 0;
  void* kept = nullptr;  // blocks of others that go home when the schedule says (blocks.h)
  static constexpr int kLargeClasses = 8;
  void* large[kLargeClasses] = {};  // blocks of more than 4096 bytes, kept by their size (large_blocks.h)
  uint32_t large_bytes = 0;         // of them
  alignas(kCacheLine) std::atomic<void*> returned[kSizeClasses] = {};  // blocks that others sent home

  alignas(kCacheLine) ParkWord park{0};
  std::atomic<uint64_t> whereabouts{0};  // on which CPU it was, and when (apart.cpp); 0: it has never said
  std::atomic<bool> any_task{false};     // while it sleeps: in a barrier, where any task may start
  std::atomic<uint32_t> halts{0};        // odd while it waits for something other than tasks, or sleeps: halted.h
  flow::Orders<Team> orders;             // for threads of ours: set by a primary thread
  alignas(kCacheLine) flow::Dock dock;   // by the worker
  Worker* next_idle = nullptr;           // in a list of Workers (flow/workers.h)
  Worker** crew = nullptr;               // initial and foreign threads: their top-level teams' threads 1, 2, ...
  int crew_size = 0;
  int crew_room = 0;            // of the list, from malloc: it stays when the thread ends, for the next one
  Team* serial_team = nullptr;  // of a thread outside all regions
  ContentionGroup own_group;    // of the serial team
  Team* free_teams = nullptr;   // teams that this thread was primary of, for reuse
  uint32_t crews = 0;           // that it has had before this crew: Team::staffed
  int pushed_threads = 0;       // num_threads clause of the next region (__kmpc_push_num_threads)
  struct PushedThreads* pushed_list = nullptr;  // the same with a list, or strict (kmpc_parallel.cpp)
  const int* nested = nullptr;                  // for the region that begins next: see Team::nested
  int nested_count = 0;
  int pushed_teams[3] = {};              // num_teams clause (least, most) and thread_limit of the next league
  ProcBind pushed_bind = ProcBind::off;  // proc_bind clause of the next region
  uint32_t urgent_refused = 0;           // of UrgentQueue::take()
  int16_t place = -1;                    // it is bound to, -1: none
  uint64_t affinity_shown = 0;           // of its regions: what OMP_DISPLAY_AFFINITY printed last
  void* region_times = nullptr;          // what src/codelet knows of its regions
  Task* fired_task = nullptr;            // of src/codelet: in which the tasks of a graph run here, one by one
  int nested_instances = 0;              // procedures on its stack that run their children (src/codelet)
  char* stack_low = nullptr;             // below this address the stack is low; nullptr: never (stack.h)
  char* spare_stacks = nullptr;
  int spare_stack_count = 0;
  struct TaskHints* hints = nullptr;   // what was said of the next task (footprint.h)
  uint32_t calls = 0;                  // of tasks below the current one, if that merges (merged.h)
  struct Capture* captures = nullptr;  // of tasks on its stack, innermost first (capture.h)
  Region* open_regions = nullptr;      // of entry points that return between begin and end, innermost first
  // Routines of clang's untied tasks, by address: of which the first part is known (kmp_body.h). The latest there.
  static constexpr int kKnownInParts = 32;
  const void* in_parts[kKnownInParts] = {};
};

// What programs of gcc's ask in every worksharing loop: read with nothing between. A thread that is no worker yet is
// thread 0 of 1. Written by stand_as() and stand_in() alone.
struct Here {
  int thread_num = 0;
  int threads = 1;     // of its team
  uint32_t asked = 0;  // since the outermost region began: record::kAskedNumber, kAskedThreads
};

extern Worker* g_workers[kMaxWorkers];
// Declared initial-exec: the library may be loaded by dlopen, and the whole TLS block of ours is three words.
// constinit: no initialiser to call before each access.
extern constinit thread_local Worker* t_worker __attribute__((tls_model("initial-exec")));
extern constinit thread_local Here t_here __attribute__((tls_model("initial-exec")));

// The calling thread, `w`, is thread `num` of the team that it is in from now on.
inline void stand_as(Worker* w, int num, Slot* slot) {
  w->thread_num = t_here.thread_num = num;
  w->slot = slot;
}
// The same of that team, of which the size is set.
inline void stand_in(Worker* w, Team* team, int num, Slot* slot) {
  w->team = team;
  t_here.threads = team->n;
  stand_as(w, num, slot);
}

Worker* attach_thread();  // makes the calling foreign thread a worker

inline Worker* self() {
  Worker* w = t_worker;
  if (EK_UNLIKELY(!w)) w = attach_thread();
  return w;
}

}  // namespace einkorn::runtime
