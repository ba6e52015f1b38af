// Begin and end of a recording and of its streams; what fork does to it.
#include "record/recorder.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "record/allocations.h"
#include "record/claim.h"
#include "record/companion.h"
#include "record/file_name.h"
#include "record/meta.h"
#include "record/modules.h"
#include "record/pools.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {

constinit Process g_process;

namespace {

constexpr size_t kMetaBytes = 600 << 10;
constexpr uint32_t kMostThreads =
    (1u << 15) - 1;  // stream indices are 15 bits of a task id: aggregate.h. All threads beyond share the last one

constexpr uint32_t kSilent = ~0u;  // index of a stream that is in no file

static_assert(kMetaBytes <= Output::kMaxPayload);

char g_path[PATH_MAX];
Options g_options;  // the arguments of start(), with the path in g_pattern
char g_pattern[PATH_MAX];
pid_t g_described = 0;       // the process to which g_path and the meta block belong
bool g_forked_amid = false;  // from a process that had begun to record
pthread_mutex_t g_open_lock = PTHREAD_MUTEX_INITIALIZER;

// An absolute path: a process forked later may be in another folder by then, and the variable may have changed.
bool keep_pattern(const char* path) {
  TextBuffer pattern(g_pattern, sizeof g_pattern);
  char cwd[PATH_MAX];
  if (path[0] != '/' && getcwd(cwd, sizeof cwd)) {
    for (const char* c = cwd; *c; ++c) {
      if (*c == '%') pattern.put('%');
      pattern.put(*c);
    }
    pattern.put('/');
  }
  pattern.put(path);
  g_options.path = g_pattern;
  return !pattern.full();
}

// Makes the file's name and the meta block. False: that failed, and a warning has said why.
bool describe() {
  Process& g = g_process;
  TextBuffer path(g_path, sizeof g_path);
  if (!g.meta) g.meta = static_cast<char*>(map_memory(kMetaBytes));
  if (!expand_name(g_options.path, getpid(), path) || !g.meta) {
    warn_once("not recording: %s; the program goes on", g.meta ? "the file name is too long" : "no memory");
    g.phase.store(Phase::over, std::memory_order_release);
    return false;
  }
  TextBuffer meta(g.meta, kMetaBytes);
  describe_process(meta, g_options);
  g.meta_bytes = meta.size();
  g_described = getpid();
  return true;
}

// fork copies the calling thread only: the child has no writer, and the file is the parent's. When the child records
// something, it makes a file of its own. The fork holds the pool's lock, so that what the lock guards is consistent in
// the child.
pid_t g_forking = 0;
bool g_pool_locked = false;

void before_fork() {
  ModuleMap::before_fork();
  g_forking = pid_t(syscall(SYS_gettid));
  // Does not wait for ever: a signal handler that forks may have interrupted the recorder's own work on this thread.
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  g_pool_locked = pthread_mutex_timedlock(&g_process.pool.lock(), &until) == 0;
}

void after_fork_parent() {
  if (g_pool_locked) pthread_mutex_unlock(&g_process.pool.lock());
  ModuleMap::after_fork();
}

void after_fork_child() {
  Process& g = g_process;
  ModuleMap::after_fork();
  const Phase phase = g.phase.load(std::memory_order_relaxed);
  if (phase == Phase::unused) return;
  g_open_lock = PTHREAD_MUTEX_INITIALIZER;  // another thread of the parent may be making the file
  g.output.abandon_in_child();
  forget_writer();
  g.sites.after_fork_child();
  forget_allocations();
  g.initial_counters.abandon();
  g.start_anchor = take_anchor();
  g.start_ticks = 0;  // its time begins here
  g.samples.forget();
  if (phase == Phase::on && g_pool_locked) {
    Recorder::after_fork_child(g_forking);
    g_forked_amid = true;
    g.phase.store(Phase::armed, std::memory_order_release);
  } else if (phase == Phase::on) {
    g.phase.store(Phase::over, std::memory_order_release);
    warn_once("a process forked while the recorder was at work is not recorded; it goes on");
  }
  if (g_pool_locked) pthread_mutex_unlock(&g.pool.lock());
}

// Makes the file and the writer. Under g_open_lock.
bool begin_recording() {
  Process& g = g_process;
  if (g_described != getpid() && !describe()) return false;
  if (g.accesses && g_forked_amid) {
    warn_once(
        "where memory accesses are counted, processes that are forked after the first parallel region are not recorded; they go on");
    g.phase.store(Phase::over, std::memory_order_release);
    return false;
  }
  int error = g.sites.create() ? g.output.create(g_path, g.session, getpid()) : ENOMEM;
  if (error) {
    const char* why = strerrordesc_np(error);
    warn_once("not recording: cannot make '%s': %s; the program goes on", *g.output.path() ? g.output.path() : g_path,
              why ? why : "unknown error");
    g.phase.store(Phase::over, std::memory_order_release);
    return false;
  }
  g.process = getpid();
  g.cpu_use.begin();
  // Before the writer is started: it may find at once that it cannot write, and then ends the recording.
  g.phase.store(Phase::on, std::memory_order_release);
  start_writer();
  return true;
}

// True: there is a file to record into by now.
bool begin_if_armed() {
  Process& g = g_process;
  if (g.phase.load(std::memory_order_acquire) == Phase::armed) {
    Guard guard(g_open_lock);
    if (g.phase.load(std::memory_order_acquire) == Phase::armed && !begin_recording()) return false;
  }
  return recording();
}

}  // namespace

Anchor take_anchor() {
  Anchor best{};
  best.uncertainty_ns = ~0ull;
  for (int i = 0; i < 5; ++i) {  // an interrupt may disturb one of them
    timespec mono, real;
    uint64_t before = ticks();
    clock_gettime(CLOCK_MONOTONIC, &mono);
    clock_gettime(CLOCK_REALTIME, &real);
    uint64_t after = ticks();
    auto ns = [](const timespec& ts) { return uint64_t(ts.tv_sec) * 1000000000ull + uint64_t(ts.tv_nsec); };
    uint64_t width = uint64_t((unsigned __int128)(after - before) * 1000000000u / ticks_per_second());
    if (width < best.uncertainty_ns) best = {before + (after - before) / 2, ns(mono), ns(real), width};
  }
  return best;
}

ThreadUse use_of(const Lane& lane) {
  ThreadUse use = use_of_thread(lane.record.os_tid);
  use.taken = lane.taken.load(std::memory_order_relaxed);  // a figure for the end: a sample more or less
  return use;
}

void start(const Options& options) {
  Process& g = g_process;
  if (g.phase.load(std::memory_order_relaxed) != Phase::unused || !options.path || !*options.path) return;
  if (getauxval(AT_SECURE)) return;  // a setuid program writes no file of its caller's choice
  clock_init();
  g_options = options;
  if (!keep_pattern(options.path)) {
    warn_once("not recording: the file name is too long; the program goes on");
    return;
  }
  if (options.accesses) {
    // Tasks that are aggregated or left out do not cut stretches: their accesses would be counted for other grains.
    bool limited =
        options.last_ns || options.max_bytes || options.roi || options.filter || options.depth < Limits::kNoDepth;
    if (limited)
      warn_once(
          "EINKORN_RECORD_ACCESSES cannot be combined with a limit on what is recorded: memory accesses are not "
          "recorded");
    else find_access_library();
    g_options.stamps = Stamps::all;
  }
  if (options.counters) {
    choose_counters(options.counters);
    if (g.counters.count > 0) g_options.stamps = Stamps::all;  // each record of a grain is a border of counts
  }
  g.session = session_of_environment();
  // Time starts when the library is loaded, though the file is made at the first use of OpenMP: the initial thread's
  // serial time before it counts. What we do ourselves in both places does not: start_ticks, tell_start().
  g.start_anchor = take_anchor();
  if (!describe()) return;
  Companion::program_begins();
  prepare_pools();
  g.pool.configure(options.memory_bytes);
  g.stretch_ticks = ticks_per_second() / 100;
  g.perturbed_ticks = kPerturbedNs * ticks_per_second() / 1'000'000'000;
  if (options.filter && !g.filter.parse(options.filter))
    warn_once("EINKORN_RECORD_FILTER: '%.200s' is not a list of FILE:LINE, or too long: nothing is filtered",
              options.filter);
  if (options.roi) g.stopped.store(LossReason::paused, std::memory_order_relaxed);
  g.last_ns = options.last_ns;
  g.ring_bytes = options.memory_bytes;
  g.max_bytes = options.max_bytes;
  g_limits.asked = std::min(options.depth, Limits::kNoDepth);
  g_limits.depth.store(g_limits.asked, std::memory_order_relaxed);
  // A task has two events that count. If they are a microsecond apart, recording a task in full costs about a twentieth
  // of its time.
  g.brief_ticks = g_options.stamps == Stamps::all      ? 0
                  : g_options.stamps == Stamps::shared ? ~0ull
                                                       : ticks_per_second() / 1'000'000;
  pthread_atfork(before_fork, after_fork_parent, after_fork_child);
  if (!options.accesses) g.samples.open();
  g.start_ticks = ticks() - g.start_anchor.ticks;
  g.phase.store(Phase::armed, std::memory_order_release);
}

bool recording() {
  Phase phase = g_process.phase.load(std::memory_order_acquire);
  return phase == Phase::armed || phase == Phase::on;
}

Stream* open_stream(bool initial) { return Recorder::open(initial); }

Stream* silent_stream() { return Recorder::open_silent(); }

void close_stream(Stream* s) {
  if (s) Recorder::close(*s);
}

Stream* Recorder::open(bool initial) {
  static_assert(offsetof(Lane, stream) == 0);
  Process& g = g_process;
  if (!recording()) return nullptr;
  const uint64_t asked = ticks();
  if (!begin_if_armed()) return nullptr;
  void* memory = map_memory(sizeof(Lane));
  if (!memory) return nullptr;
  Stream& s = (new (memory) Lane)->stream;
  const uint64_t t = ticks();
  g.pool.grow_if_empty();
  if (!enlist(s, initial, t)) {
    unmap_memory(memory, sizeof(Lane));
    return nullptr;
  }
  if (initial) tell_start(s, asked);
  sample_cpu_time(s, s.last_);
  attach_accesses(s);
  open_counters(s, initial);
  return &s;
}

// To make the file and its writer takes a millisecond, which without recording the program does not spend: it is the
// recorder's time, not the program's serial time. The thread's first record: the region that it has come to begins
// behind it.
void Recorder::tell_start(Stream& s, uint64_t asked) {
  if (!s.buffer_) return;  // it begins with a loss, whose time is nobody's
  s.recorder_end_ = s.last_;
  s.recorder_ticks_ = g_process.start_ticks + (s.last_ - asked);
  write_owed(s);
}

void Recorder::attach_accesses(Stream& s) {
  if (!g_process.accesses || lane_of(s).counted_only) return;
  const AccessStream stream = accesses_of(s);
  g_process.accesses->attach(&stream);
}

// Adds a stream to the process's, with a buffer if there is one. False: recording is over.
bool Recorder::enlist(Stream& s, bool initial, uint64_t t) {
  Process& g = g_process;
  Lane* lane = &lane_of(s);
  s.last_ = t;
  s.cpu_ = ~1u;  // neither a CPU nor rseq's value for "none"
  lane->counts.tick = t;
  const auto tid = uint32_t(syscall(SYS_gettid));
  const ThreadUse use = use_of_thread(tid);
  Guard guard(g.pool.lock());
  if (g.over()) return false;
  lane->counted_only = g.threads == kMostThreads;
  if (lane->counted_only) s.serial_ = uint64_t(++g.counted_threads) << 20;  // ids that no other thread's tasks have
  s.index_ = lane->counted_only ? kMostThreads : g.threads++;
  lane->record = {s.index_, tid, initial, 0, initial ? g.start_anchor.ticks : t};
  LossReason stopped = g.stopped.load(std::memory_order_relaxed);
  // Nothing was to be recorded since its begin, not even its serial time.
  if (initial && stopped == LossReason::paused) s.last_ = lane->counts.tick = lane->record.begin_tick;
  Buffer* b = stopped == LossReason::none && !lane->counted_only ? g.pool.take() : nullptr;
  if (b) use_buffer(s, b);
  else begin_loss(s, s.last_, stopped == LossReason::none ? LossReason::no_buffer : stopped);
  g.cpu_use.joins(use);
  lane->next_new = g.new_lanes;
  g.new_lanes = lane;
  lane->next_open = g.open_lanes;
  g.open_lanes = lane;
  return true;
}

// The child has a copy of all streams; only the forking thread's lives on, emptied. Called with the pool's lock held.
void Recorder::after_fork_child(pid_t forking_thread) {
  Process& g = g_process;
  for (Lane* l = g.open_lanes; l; l = l->next_open) l->counters.abandon();
  Lane* mine = g.open_lanes;
  while (mine && pid_t(mine->record.os_tid) != forking_thread) mine = mine->next_open;
  g.pool.after_fork_child();
  g.new_lanes = g.open_lanes = nullptr;
  g.queued_blocks = g.last_queued_block = nullptr;
  g.graphs.store(0, std::memory_order_relaxed);
  g.generation.fetch_add(1, std::memory_order_relaxed);
  g.access_bytes.store(0, std::memory_order_relaxed);
  g.graph_bytes.store(0, std::memory_order_relaxed);
  g.threads = g.counted_threads = 0;
  g.cpu_use = CpuUse{};
  g.other_cpu_ns = g.cpu_wait_ns = g.taken_ns = g.steal_ns = g.resident_bytes = -1;
  if (g.stopped.load(std::memory_order_relaxed) == LossReason::full)
    g.stopped.store(LossReason::none, std::memory_order_relaxed);
  g_limits.depth.store(g_limits.asked, std::memory_order_relaxed);
  if (!mine) return;
  Aggregator* aggregator = mine->stream.aggregator_;
  new (mine) Lane;
  if (aggregator) mine->stream.aggregator_ = new (aggregator) Aggregator;
  pthread_mutex_unlock(&g.pool.lock());
  const bool enlisted = enlist(mine->stream, syscall(SYS_gettid) == getpid(), g.start_anchor.ticks);
  pthread_mutex_lock(&g.pool.lock());
  if (!enlisted) return make_inert(mine->stream);
  mine->dormant = true;
  mine->stream.limit_.store(nullptr,
                            std::memory_order_relaxed);  // its next record comes to refill(), and from there to wake()
}

// The first thing that a forked thread records. The ends of contexts that the parent had begun are not the child's.
bool Recorder::wake(Stream& s, Kind k, uint64_t t) {
  const bool begins = nesting(k) > 0 || k == Kind::task_create || k == Kind::task_create_long ||
                      k == Kind::task_create_brief || k == Kind::taskgroup_begin || k == Kind::mutex_wait ||
                      k == Kind::mutex_acquired;
  return begins && wake_up(s) && refill(s, k, t);
}

bool Recorder::wake_up(Stream& s) {
  if (!begin_if_armed()) {
    make_inert(s);
    return false;
  }
  lane_of(s).dormant = false;
  open_counters(s, true);
  s.cpu_ = ~1u;
  s.recorder_ticks_ = 0;
  if (s.buffer_) set_limit(s, full_limit(s.buffer_));
  return true;
}

Stream* Recorder::open_silent() {
  void* memory = map_memory(sizeof(Lane));
  if (!memory) return nullptr;
  Stream& s = (new (memory) Lane)->stream;
  s.inert_ = true;
  s.index_ = kSilent;
  s.cpu_time_every_ = ~0ull;  // no system calls for records that go nowhere
  return &s;
}

void Recorder::close(Stream& s) {
  if (s.index_ == kSilent) return unmap_memory(&s, sizeof(Lane));
  Process& g = g_process;
  if (g.accesses && !lane_of(s).counted_only) g.accesses->detach();
  uint64_t t = ticks();
  sample_cpu_time(s, t);
  write_cells(s);
  s.put(Kind::thread_end, ticks(), 0);
  lane_of(s).counters.close();
  if (g.over()) return;  // the lane stays: the writer may be reading its last records
  const ThreadUse use = use_of(lane_of(s));
  Guard guard(g.pool.lock());
  if (g.over()) return;
  if (s.buffer_) hand_over(s);
  g.cpu_use.leaves(use);
  Lane& lane = lane_of(s);
  Lane** at = &g.open_lanes;
  while (*at != &lane) at = &(*at)->next_open;
  *at = lane.next_open;
  lane.closed = true;
}

namespace {

// Counts are written when a thread leaves a region, and the program may end while some threads are leaving the last
// one. Waits only briefly: if the program ends within a region, some threads never come.
void wait_for_cells() {
  Process& g = g_process;
  for (int i = 0; i < 200 && !g.over(); ++i) {  // before the lock: see after_fork_child()
    bool owed = false;
    {
      Guard guard(g.pool.lock());
      if (g.phase.load(std::memory_order_acquire) != Phase::on) return;
      for (Lane* l = g.open_lanes; l && !owed; l = l->next_open) owed = l->cells_owed.load(std::memory_order_acquire);
    }
    if (!owed) return;
    timespec pause = {0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

void finish() {
  Process& g = g_process;
  Phase phase = g.phase.load(std::memory_order_acquire);
  if (phase == Phase::armed) {
    Guard guard(g_open_lock);
    if (g.phase.load(std::memory_order_acquire) == Phase::armed) {
      g.phase.store(Phase::over, std::memory_order_release);
    }
  }
  wait_for_cells();
  if (g.accesses && phase == Phase::on) g.accesses->finish();
  finish_writer();
}

int control(int command, Stream* caller) {
  enum Command { start = 1, pause, flush, end };
  constexpr int kDone = 0, kIgnored = 1, kNoTool = -2;
  if (g_process.phase.load(std::memory_order_acquire) == Phase::unused) return kNoTool;
  if (!recording()) return kIgnored;  // over
  Process& g = g_process;
  auto change = [&](LossReason from, LossReason to) {
    Guard guard(g.pool.lock());
    if (g.stopped.load(std::memory_order_relaxed) == from) Recorder::set_stopped(to);
  };
  switch (command) {
    case start:
      change(LossReason::paused, LossReason::none);
      if (caller) Recorder::go_on(*caller);
      return kDone;
    case pause:
      change(LossReason::none, LossReason::paused);
      if (caller) Recorder::stop_now(*caller);
      return kDone;
    case flush: return flush_writer() ? kDone : kIgnored;
    case end:
      if (caller) Recorder::tell_counts(*caller);
      return finish(), kDone;
    default: return kIgnored;
  }
}

}  // namespace einkorn::record
