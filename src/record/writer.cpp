#include "record/writer.h"
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cpus.h"
#include "record/companion.h"
#include "record/recorder.h"
#include "record/system.h"
#include "record/contents.h"

namespace einkorn::record {

namespace {

constexpr uint64_t kPatienceNs =
    5'000'000'000;  // the program's exit waits at most so long for a file system that hangs

// Set anew for the child of a fork: forget_writer().
// Orders: each word is stored with release behind what it tells of, and acquired by who goes by it: started, that
// g.thread is set; head and flush_done, that so much is in the file; finish, the last records and the CPU times; done,
// that the writer looks at nothing any more. flush_asked: what was recorded before it was asked. wake and asleep, all
// seq_cst, are Dekker's: who changes wake sees asleep, or the writer's futex finds the word changed.
struct Pair {
  std::atomic<uint32_t> wake{0};  // futex: changes with every reason to look
  std::atomic<bool> asleep{false};
  std::atomic<bool> ending{false};  // before_end() was called
  std::atomic<bool> finish{false};
  std::atomic<uint32_t> done{0};  // futex: 1 when the writer has nothing more to do
  std::atomic<uint32_t> head{0};  // futex: 1 when the file has its head, so that a reader accepts it
  std::atomic<uint32_t> flush_asked{0}, flush_done{0};  // the latter a futex
  std::atomic<uint64_t> progress{0};
  pthread_t thread{};
  std::atomic<bool> started{false};
  std::atomic<bool> by_the_program{false};  // no thread could be made: the thread that fills a buffer writes it
  pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;  // for that case
};
Pair g;
std::atomic<bool> g_stalled{false};  // tests only; release and acquire: what the test did before
alignas(Writer) char g_writer[sizeof(Writer)];
Writer& writer() { return *std::launder(reinterpret_cast<Writer*>(g_writer)); }

void begin_file() {
  new (g_writer) Writer(g_process, g_process.output);
  writer().begin();
  g.head.store(1, std::memory_order_release);
  futex_wake(&g.head);
}

// Does what is to be done now; any thread that writes may call it. False: nothing is left to do.
bool look_once(bool last) {
  const uint32_t asked = g.flush_asked.load(std::memory_order_acquire);
  const bool wanted = asked != g.flush_done.load(std::memory_order_relaxed);
  using Look = Writer::Look;
  const bool due = writer().flush_is_due(monotonic_ns());
  const bool more = writer().look(last ? Look::last : wanted ? Look::keep : due ? Look::flush : Look::brief);
  if (wanted && !writer().failed()) {
    g.flush_done.store(asked, std::memory_order_release);
    futex_wake(&g.flush_done);
  }
  writer_progressed();
  return more;
}

void write_all() {
  begin_file();
  for (;;) {
    const uint32_t seen = g.wake.load(std::memory_order_acquire);
    bool last = g.finish.load(std::memory_order_acquire) || Companion::is_alone();
    while (g_stalled.load(std::memory_order_acquire) && !last) {
      timespec pause = {0, 1'000'000};
      nanosleep(&pause, nullptr);
      last = g.finish.load(std::memory_order_acquire) || Companion::is_alone();
    }
    if (!look_once(last)) break;
    g.asleep.store(true);
    const uint64_t now_ns = monotonic_ns();
    if (now_ns < writer().next_flush()) futex_wait(&g.wake, seen, writer().next_flush() - now_ns);
    g.asleep.store(false, std::memory_order_relaxed);
  }
  g.done.store(1, std::memory_order_release);
  futex_wake(&g.done);
}

// Somebody has killed the companion.
void bury_companion() {
  warn_once("recording stopped: the process that writes '%s' was ended; the program goes on", g_process.output.path());
  g_process.phase.store(Phase::over, std::memory_order_release);
  // It ran as this thread: nobody else releases the locks that it held.
  pthread_mutex_t& lock = g_process.pool.lock();
  if (lock.__data.__owner == int(syscall(SYS_gettid))) pthread_mutex_unlock(&lock);
  g.done.store(1, std::memory_order_release);
  futex_wake(&g.done);
}

void* writer_main(void*) {
  pthread_setname_np(pthread_self(), "einkorn-rec");
  set_affinity(process_cpus());
  if (!Companion::run(write_all, wake_writer, g_process.output.descriptor())) write_all();
  else if (!g.done.load(std::memory_order_acquire)) bury_companion();
  return nullptr;
}

// If there is no thread that could.
void look_by_the_program(bool last, bool wait) {
  if (wait) pthread_mutex_lock(&g.looking);
  else if (pthread_mutex_trylock(&g.looking) != 0) return;
  {
    SignalsHeld held;
    if (!g.done.load(std::memory_order_relaxed) && !look_once(last)) g.done.store(1, std::memory_order_relaxed);
  }
  pthread_mutex_unlock(&g.looking);
}

// The kernel is asked about the threads now, by the program, because another process may not ask. A thread that still
// has a stream may be gone without having given it back.
void note_cpu_use() {
  Process& p = g_process;
  if (p.over()) return;
  Guard guard(p.pool.lock());
  CpuUse use = p.cpu_use;
  for (const Lane* l = p.open_lanes; l; l = l->next_open) use.leaves(use_of(*l));
  clockid_t clock;
  timespec ts{};
  if (!program_writes() && pthread_getcpuclockid(g.thread, &clock) == 0) clock_gettime(clock, &ts);
  p.other_cpu_ns = use.others(int64_t(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec);
  p.cpu_wait_ns = use.waiting();
  p.taken_ns = use.taken();
  p.steal_ns = use.stolen();
  p.resident_bytes = most_resident();
}

}  // namespace

void writer_progressed() { g.progress.fetch_add(1, std::memory_order_relaxed); }

bool program_writes() { return g.by_the_program.load(std::memory_order_relaxed); }

void start_writer() {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  // A small stack. But the thread's part of the program's static TLS is taken from it: if that is large, the default
  // size.
  pthread_attr_setstacksize(&attr, 512 << 10);
  int error = pthread_create(&g.thread, &attr, writer_main, nullptr);
  if (error) error = pthread_create(&g.thread, nullptr, writer_main, nullptr);
  pthread_attr_destroy(&attr);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  if (error) {
    const char* why = strerrordesc_np(error);
    warn_once(
        "no thread can be created for the recorder (%s): the program's own threads write the recording, which costs "
        "them time",
        why ? why : "unknown error");
    SignalsHeld held;
    begin_file();
    g.by_the_program.store(true, std::memory_order_relaxed);
    g.started.store(true, std::memory_order_release);
    return;
  }
  g.started.store(true, std::memory_order_release);
  // A program that crashes at once leaves a file that says so. The writer writes it, not this thread, which must not
  // get a SIGPIPE or SIGXFSZ from us; nor does this thread wait for a file system that hangs.
  for (int i = 0; i < 10 && !g.head.load(std::memory_order_acquire); ++i) futex_wait(&g.head, 0, kPatienceNs / 10);
}

// Changes the word that the writer sleeps on: a writer that is about to sleep will not.
void wake_writer() {
  if (program_writes()) return look_by_the_program(false, false);
  g.wake.fetch_add(1);
  if (g.asleep.load()) futex_wake(&g.wake);
}

namespace {
// Waits until done() is true; false: the writer makes no progress for a while.
template <class Done>
bool wait_for_writer(std::atomic<uint32_t>& futex, Done done) {
  uint64_t progress = g.progress.load(std::memory_order_relaxed), since = monotonic_ns();
  for (;;) {
    uint32_t seen = futex.load(std::memory_order_acquire);
    if (done()) return true;
    futex_wait(&futex, seen, 100'000'000);
    uint64_t latest = g.progress.load(std::memory_order_relaxed);
    if (latest != progress) {
      progress = latest;
      since = monotonic_ns();
    } else if (monotonic_ns() - since > kPatienceNs) {
      return done();
    }
  }
}
}  // namespace

bool flush_writer() {
  if (!g.started.load(std::memory_order_acquire)) return true;  // nothing was recorded yet
  uint32_t mine = g.flush_asked.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (program_writes()) look_by_the_program(false, true);
  g.wake.fetch_add(1);
  futex_wake(&g.wake);
  auto flushed = [mine] { return int32_t(g.flush_done.load(std::memory_order_acquire) - mine) >= 0; };
  wait_for_writer(g.flush_done, [&] { return flushed() || g.done.load(std::memory_order_acquire); });
  return flushed();
}

void finish_writer() {
  // Also if the writer ended by itself, on a full disk: its code must not be unloaded while it runs.
  if (!g.started.load(std::memory_order_acquire)) return;
  if (!program_writes() && g.head.load(std::memory_order_acquire) && !g.ending.exchange(true)) writer().before_end();
  bool first = !g.finish.exchange(true);
  if (first) note_cpu_use();
  if (program_writes()) return look_by_the_program(true, true);
  g.wake.fetch_add(1);
  futex_wake(&g.wake);
  if (!wait_for_writer(g.done, [] { return g.done.load(std::memory_order_acquire) != 0; })) {
    warn_once("recording cut short: '%s' takes no more data; the program goes on", g_process.output.path());
    return;
  }
  if (first) pthread_join(g.thread, nullptr);
}

void forget_writer() {
  Companion::forget();
  new (&g) Pair;
}

void stall_writer_for_test(bool stalled) { g_stalled.store(stalled, std::memory_order_release); }

}  // namespace einkorn::record
