// Begin and end of a recording, of its streams, and what fork does to it.
#include "record/recorder.h"
#include <cerrno>
#include <climits>
#include <cstring>
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
constexpr uint32_t kMaxThreads = 1u << 16;  // stream indices are 16 bits of a task id

constexpr uint32_t kSilent = ~0u;           // index of a stream that is in no file

static_assert(kMetaBytes <= Output::kMaxPayload);

char g_path[PATH_MAX];
pthread_mutex_t g_open_lock = PTHREAD_MUTEX_INITIALIZER;

// fork copies the calling thread only: the child has no writer, and the file is the parent's.
void before_fork() { ModuleMap::before_fork(); }
void after_fork_parent() { ModuleMap::after_fork(); }
void after_fork_child() {
  ModuleMap::after_fork();
  Phase phase = g_process.phase.load(std::memory_order_relaxed);
  if (phase == Phase::unused) return;
  g_process.phase.store(Phase::over, std::memory_order_release);
  if (phase == Phase::on) g_process.output.abandon_in_child();
  forget_writer();
}

// Makes the file and the writer. Under g_open_lock.
bool begin_recording() {
  Process& g = g_process;
  int error = g.output.create(g_path, getpid());
  if (error == 0) {
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
  TextBuffer path(g_path, sizeof g_path);
  g.meta = static_cast<char*>(map_memory(kMetaBytes));
  if (!expand_name(options.path, path) || !g.meta) {
    warn_once("not recording: %s; the program goes on", g.meta ? "the file name is too long" : "no memory");
    g.phase.store(Phase::over, std::memory_order_release);
    return;
  }
  clock_init();
  // Time starts when the library is loaded, though the file is made at the first use of OpenMP: the initial thread's
  // serial time before it counts.
  g.start_anchor = take_anchor();
  TextBuffer meta(g.meta, kMetaBytes);
  describe_process(meta, options);
  g.meta_bytes = meta.size();
  g.pool.configure(options.memory_bytes);
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
  {
    Guard guard(g.pool.lock());
    if (g.over() || g.threads == kMaxThreads) {
      unmap_memory(memory, sizeof(Lane));
      return nullptr;
    }
    s.index_ = g.threads++;
    lane->record = {s.index_, uint32_t(syscall(SYS_gettid)), initial, 0, initial ? g.start_anchor.ticks : t};
    if (Buffer* b = g.pool.take()) {
      use_buffer(s, b);
    } else {
      lane->loss.begin.store(t, std::memory_order_relaxed);
      lane->loss.active.store(true, std::memory_order_relaxed);
      s.loss_ = &lane->loss;
    }
    lane->next_new = g.new_lanes;
    g.new_lanes = lane;
  }
  sample_cpu_time(s, t);
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
  uint64_t t = now();
  sample_cpu_time(s, t);
  s.put(Kind::thread_end, now(), 0);
  if (g.over()) return;  // the lane stays: the writer may be reading its last records
  Guard guard(g.pool.lock());
  if (g.over()) return;
  if (s.buffer_) {
    s.buffer_->end = s.cursor_;
    s.buffer_->after = counts(s);
    g.pool.queue_full(s.buffer_);
    s.buffer_ = nullptr;
  }
  lane_of(s).closed = true;
}

void finish() {
  Process& g = g_process;
  Phase phase = g.phase.load(std::memory_order_acquire);
  if (phase == Phase::armed) {
    Guard guard(g_open_lock);
    if (g.phase.load(std::memory_order_acquire) == Phase::armed) {
      g.phase.store(Phase::over, std::memory_order_release);
    }
  }
  finish_writer();
}

int control(int command) {
  enum Command { start = 1, pause, flush, end };
  constexpr int kDone = 0, kIgnored = 1, kNoTool = -2;
  if (g_process.phase.load(std::memory_order_acquire) == Phase::unused) return kNoTool;
  if (!recording()) return kIgnored;  // over
  switch (command) {
    case start: return kDone;  // it is on
    case flush: return flush_writer() ? kDone : kIgnored;
    case end: return finish(), kDone;
    default: return kIgnored;
  }
}

}  // namespace einkorn::record
