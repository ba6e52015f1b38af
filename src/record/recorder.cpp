// Begin and end of a recording, of its streams, and what fork does to it.
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
#include "record/file_name.h"
#include "record/meta.h"
#include "record/modules.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {

constinit Process g_process;

namespace {

constexpr size_t kMetaBytes = 600 << 10;
constexpr uint32_t kMaxThreads = 1u << 15;  // stream indices are 15 bits of a task id: aggregate.h

constexpr uint32_t kSilent = ~0u;           // index of a stream that is in no file

static_assert(kMetaBytes <= Output::kMaxPayload);

char g_path[PATH_MAX];
Options g_options;       // as start() got them
pid_t g_described = 0;   // the process that g_path and the meta block are about
pthread_mutex_t g_open_lock = PTHREAD_MUTEX_INITIALIZER;

// The file's name and what the meta block says. False, having said why: neither can be made.
bool describe() {
  Process& g = g_process;
  TextBuffer path(g_path, sizeof g_path);
  if (!g.meta) g.meta = static_cast<char*>(map_memory(kMetaBytes));
  if (!expand_name(g_options.path, path) || !g.meta) {
    warn_once("not recording: %s; the program goes on", g.meta ? "the file name is too long" : "no memory");
    g.phase.store(Phase::over, std::memory_order_release);
    return false;
  }
  // Time starts when the library is loaded, though the file is made at the first use of OpenMP: the initial thread's
  // serial time before it counts.
  g.start_anchor = take_anchor();
  TextBuffer meta(g.meta, kMetaBytes);
  describe_process(meta, g_options);
  g.meta_bytes = meta.size();
  g_described = getpid();
  return true;
}

// fork copies the calling thread only: the child has no writer, and the file is the parent's. Where there is none yet the
// child is a process as any other.
void before_fork() { ModuleMap::before_fork(); }
void after_fork_parent() { ModuleMap::after_fork(); }
void after_fork_child() {
  ModuleMap::after_fork();
  Phase phase = g_process.phase.load(std::memory_order_relaxed);
  if (phase == Phase::unused) return;
  if (phase == Phase::armed) {
    g_open_lock = PTHREAD_MUTEX_INITIALIZER;  // another thread of the parent may be making the file
    return;
  }
  // Another thread may have held the pool's lock, which nobody will give back: no call takes it before it has looked here.
  g_process.phase.store(Phase::over, std::memory_order_release);
  if (phase == Phase::on) g_process.output.abandon_in_child();
  forget_writer();
}

// Makes the file and the writer. Under g_open_lock.
bool begin_recording() {
  Process& g = g_process;
  if (g_described != getpid() && !describe()) return false;
  int error = g.output.create(g_path, getpid());
  if (error == 0) {
    g.cpu_use.begin();
    // Before the writer, which may find at once that it cannot write, and then ends the recording.
    g.phase.store(Phase::on, std::memory_order_release);
    error = g.sites.create() ? start_writer() : ENOMEM;
  }
  if (error) {
    const char* why = strerrordesc_np(error);
    warn_once("not recording: cannot make '%s': %s; the program goes on", g.output.path(), why ? why : "unknown error");
    g.phase.store(Phase::over, std::memory_order_release);
    return false;
  }
  return true;
}

}  // namespace

Anchor take_anchor() {
  Anchor best{};
  best.uncertainty_ns = ~0ull;
  for (int i = 0; i < 5; ++i) {  // an interrupt may fall into one of them
    timespec mono, real;
    uint64_t before = now();
    clock_gettime(CLOCK_MONOTONIC, &mono);
    clock_gettime(CLOCK_REALTIME, &real);
    uint64_t after = now();
    auto ns = [](const timespec& ts) { return uint64_t(ts.tv_sec) * 1000000000ull + uint64_t(ts.tv_nsec); };
    uint64_t width = uint64_t((unsigned __int128)(after - before) * 1000000000u / ticks_per_second());
    if (width < best.uncertainty_ns) best = {before + (after - before) / 2, ns(mono), ns(real), width};
  }
  return best;
}

void start(const Options& options) {
  Process& g = g_process;
  if (g.phase.load(std::memory_order_relaxed) != Phase::unused || !options.path || !*options.path) return;
  if (getauxval(AT_SECURE)) return;  // a setuid program writes no file of its caller's choice
  clock_init();
  g_options = options;
  if (options.accesses) {
    // What is aggregated or left out cuts no stretches: its accesses would be other grains'.
    bool limited = options.last_ns || options.max_bytes || options.roi || options.filter || options.depth < Limits::kNoDepth;
    if (limited) warn_once("EINKORN_RECORD_ACCESSES goes with no limit of what is recorded: memory accesses are not recorded");
    else find_access_library();
    g_options.stamps = Stamps::all;
  }
  if (!describe()) return;
  g.pool.configure(options.memory_bytes);
  g.stretch_ticks = ticks_per_second() / 100;
  if (options.filter && !g.filter.parse(options.filter))
    warn_once("EINKORN_RECORD_FILTER: '%.200s' is no list of FILE:LINE, or too long: nothing is filtered", options.filter);
  if (options.roi) g.stopped.store(LossReason::paused, std::memory_order_relaxed);
  g.last_ns = options.last_ns;
  g.ring_bytes = options.memory_bytes;
  g.max_bytes = options.max_bytes;
  g_limits.asked = std::min(options.depth, Limits::kNoDepth);
  g_limits.depth.store(g_limits.asked, std::memory_order_relaxed);
  // A task has two events that count. Where they are a microsecond apart, its full recording costs about a twentieth of it.
  g.brief_ticks = g_options.stamps == Stamps::all ? 0 : g_options.stamps == Stamps::shared ? ~0ull : ticks_per_second() / 1'000'000;
  remember_cpus();
  pthread_atfork(before_fork, after_fork_parent, after_fork_child);
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
  if (g.phase.load(std::memory_order_acquire) == Phase::armed) {
    Guard guard(g_open_lock);
    if (g.phase.load(std::memory_order_acquire) == Phase::armed && !begin_recording()) return nullptr;
  }
  void* memory = map_memory(sizeof(Lane));
  if (!memory) return nullptr;
  auto lane = new (memory) Lane;
  Stream& s = lane->stream;
  uint64_t t = now();
  s.last_ = t;
  s.cpu_ = ~1u;  // neither a CPU nor what rseq says where it has none
  lane->counts.tick = t;
  g.pool.grow_if_empty();
  const auto tid = uint32_t(syscall(SYS_gettid));
  const ThreadUse use = use_of_thread(tid);
  {
    Guard guard(g.pool.lock());
    if (g.over() || g.threads == kMaxThreads) {
      unmap_memory(memory, sizeof(Lane));
      return nullptr;
    }
    s.index_ = g.threads++;
    lane->record = {s.index_, tid, initial, 0, initial ? g.start_anchor.ticks : t};
    LossReason stopped = g.stopped.load(std::memory_order_relaxed);
    if (initial && stopped == LossReason::paused) {  // since its begin nothing was to be recorded, its serial time neither
      t = s.last_ = lane->counts.tick = lane->record.begin_tick;
    }
    Buffer* b = stopped == LossReason::none ? g.pool.take() : nullptr;
    if (b) use_buffer(s, b);
    else begin_loss(s, t, stopped == LossReason::none ? LossReason::no_buffer : stopped);
    g.cpu_use.joins(use);
    lane->next_new = g.new_lanes;
    g.new_lanes = lane;
    lane->next_open = g.open_lanes;
    g.open_lanes = lane;
  }
  sample_cpu_time(s, t);
  if (g.accesses) {
    const AccessStream stream = accesses_of(s);
    g.accesses->attach(&stream);
  }
  return &s;
}

Stream* Recorder::open_silent() {
  void* memory = map_memory(sizeof(Lane));
  if (!memory) return nullptr;
  Stream& s = (new (memory) Lane)->stream;
  s.inert_ = true;
  s.index_ = kSilent;
  s.cpu_time_every_ = ~0ull;  // no system calls for what goes nowhere
  return &s;
}

void Recorder::close(Stream& s) {
  if (s.index_ == kSilent) return unmap_memory(&s, sizeof(Lane));
  Process& g = g_process;
  if (g.accesses) g.accesses->detach();
  uint64_t t = now();
  sample_cpu_time(s, t);
  write_cells(s);
  s.put(Kind::thread_end, now(), 0);
  if (g.over()) return;  // the lane stays: the writer may be reading its last records
  const ThreadUse use = use_of_thread(lane_of(s).record.os_tid);
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

// Counts are written when a thread leaves a region, and the program may end while some are on their way out of the last one.
// Not for long: who ends the program within a region has threads that do not come.
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
    case end: return finish(), kDone;
    default: return kIgnored;
  }
}

}  // namespace einkorn::record
