#include "base/platform.h"

#include "base/environment.h"
#include "base/printable.h"
#include "base/tunables.h"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace einkorn::inline base {

std::atomic<bool> g_asymmetric{false};

#ifdef EINKORN_ASSERT
#undef atomic
std::atomic<uint32_t> g_delays{0};
#define atomic einkorn_delayed_atomic

void delay_slow() {
  static thread_local uint64_t state = 0;
  if (!state) state = (uint64_t(gettid()) << 32 | g_delays.load(std::memory_order_relaxed)) * 0x9e3779b97f4a7c15ull | 1;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  // Mostly no delay; sometimes that of a cache miss or two; rarely that of a preemption.
  if (state % 256) return;
  uint64_t how = state >> 20;
  if (how % 64) {
    for (uint64_t i = 0; i < how % 4096; ++i) pause();
    return;
  }
  timespec nap = {0, long(how % 500'000)};
  nanosleep(&nap, nullptr);
}
#endif

namespace {
bool g_was_asymmetric = false;  // some threads may pass light fences only; set once by fences_init()
bool register_for_membarrier() { return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0; }
}  // namespace

void fences_init() {
#ifdef EINKORN_ASSERT
  if (const char* seed = base::environment("EINKORN_DELAYS")) g_delays.store(uint32_t(strtoul(seed, nullptr, 0)));
#endif
  // Asks with no words at all: EINVAL if the call exists, otherwise ENOSYS (or a sandbox's error).
  int saved = errno;
  g_waits_for_two = syscall(SYS_futex_waitv, nullptr, 0, 0, nullptr, CLOCK_MONOTONIC) != 0 && errno == EINVAL;
  errno = saved;
#if !defined(__SANITIZE_THREAD__)
  // EINKORN_FENCES=plain lets tests take the path of machines without membarrier.
  const char* v = base::environment("EINKORN_FENCES");
  if (v && !strcmp(v, "plain")) {
    g_waits_for_two = false;  // those have no futex_waitv either
    return;
  }
  long have = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (have < 0 || !(have & MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  g_was_asymmetric = register_for_membarrier();
  g_asymmetric.store(g_was_asymmetric, std::memory_order_relaxed);
#endif
}

namespace {

// Waits, without membarrier, until all see every store that its processor had issued when this began. The other threads
// cannot be asked: they may be in user code with all signals blocked. Nor is an interrupt by mprotect(2), which others
// use, certain any more (some processors invalidate TLBs by broadcast; all of Arm's). But no x86 processor keeps a
// store for long: its buffer drains by itself within microseconds ("temporally bounded TSO", Morrison and Afek, ASPLOS
// 2015), at an interrupt at once, and a thread that was taken from its CPU has passed a full barrier. Nor does one of
// Arm's, whose architecture promises no time, only that each store is seen in the end; and a load that it has begun
// early is over when the instructions before it are. The wait is a thousand times as long, and includes a timer tick.
void outlast_store_buffers() {
  constexpr int64_t kSecond = 1'000'000'000;
  auto now = [] {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return int64_t(t.tv_sec) * kSecond + t.tv_nsec;
  };
  full_fence();  // orders the caller's stores before the wait, in which others' stores arrive
  int saved = errno;
  for (int64_t end = now() + tunables::kStoresDrain, left; (left = end - now()) > 0;) {
    timespec nap = {0, left};
    nanosleep(&nap, nullptr);  // signals end it early, and a sandbox may forbid it
  }
  errno = saved;
  full_fence();  // orders the caller's next loads behind the wait
}

}  // namespace

void heavy_fence() {
  full_fence();  // orders the caller's stores before its later loads; pairs with the others' light_fence(), through
                 // membarrier, or with their full_fence()
  if (!g_was_asymmetric) return;
  int saved = errno;
  bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  // A process restored from a checkpoint must register again.
  if (EK_UNLIKELY(!done) && register_for_membarrier())
    done = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  errno = saved;
  if (EK_LIKELY(done)) return;
  g_asymmetric.store(false, std::memory_order_relaxed);  // who begins a region publishes what it read
  outlast_store_buffers();
}

void futex_wait(std::atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns) {
  timespec ts, *limit = nullptr;
  if (timeout_ns >= 0) {
    ts.tv_sec = timeout_ns / 1000000000;
    ts.tv_nsec = timeout_ns % 1000000000;
    limit = &ts;
  }
  int saved = errno;  // the program's errno is not ours to change
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAIT_PRIVATE, expected, limit, nullptr, 0);
  errno = saved;
}

bool g_waits_for_two = false;

void futex_wait_either(std::atomic<uint32_t>* word, uint32_t expected, std::atomic<uint32_t>* other,
                       uint32_t other_expected, int64_t timeout_ns) {
  constexpr int64_t kSecond = 1'000'000'000;
  using tunables::kLookAtOther;
  const int64_t turn = timeout_ns >= 0 && timeout_ns < kLookAtOther ? timeout_ns : kLookAtOther;
  if (!g_waits_for_two) return futex_wait(word, expected, turn);
  constexpr uint32_t flags = 2 | FUTEX_PRIVATE_FLAG;  // 2: 32 bits
  futex_waitv words[] = {{expected, reinterpret_cast<uintptr_t>(word), flags, 0},
                         {other_expected, reinterpret_cast<uintptr_t>(other), flags, 0}};
  timespec until, *limit = nullptr;  // not how long, but till when
  if (timeout_ns >= 0) {
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (until.tv_nsec + timeout_ns) / kSecond;
    until.tv_nsec = (until.tv_nsec + timeout_ns) % kSecond;
    limit = &until;
  }
  int saved = errno;
  long woken = syscall(SYS_futex_waitv, words, 2, 0, limit, CLOCK_MONOTONIC);
  // Forbidden since (seccomp)? Then the words are polled, as on kernels without the call.
  if (EK_UNLIKELY(woken < 0 && errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT))
    futex_wait(word, expected, turn);
  errno = saved;
}

void futex_wake(std::atomic<uint32_t>* word, int count) {
  int saved = errno;
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
  errno = saved;
}

bool g_warnings = true;

namespace {
void message(const char* prefix, const char* format, va_list args) {
  char text[1024];
  int n = snprintf(text, sizeof text, "%s", prefix);
  n += vsnprintf(text + n, sizeof text - size_t(n) - 1, format, args);
  if (n > int(sizeof text) - 2) n = int(sizeof text) - 2;
  n = int(base::make_printable(text, size_t(n)));  // values of variables and names of files are in it
  text[n] = '\n';
  ssize_t ignored = write(STDERR_FILENO, text, size_t(n) + 1);
  (void)ignored;
}

constexpr char kOurs[] = "einkorn: ", kLibgomps[] = "libgomp: ";
}  // namespace

#define EK_SAY(prefix)             \
  do {                             \
    va_list args;                  \
    va_start(args, format);        \
    message(prefix, format, args); \
    va_end(args);                  \
  } while (0)

void fatal(const char* format, ...) {
  EK_SAY(kOurs);
  _exit(1);
}

void fatal_libgomp(const char* format, ...) {
  EK_SAY(kLibgomps);
  _exit(1);
}

void warn(const char* format, ...) {
  if (g_warnings) EK_SAY(kOurs);
}

void warn_libgomp(const char* format, ...) {
  if (g_warnings) EK_SAY(kLibgomps);
}

void warn_libomp(int number, const char* format, ...) {
  char prefix[32];
  snprintf(prefix, sizeof prefix, "OMP: Warning #%d: ", number);
  if (g_warnings) EK_SAY(prefix);
}

void* try_allocate(size_t bytes) {
  bytes = (bytes + 4095) & ~size_t(4095);
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  base::leaks_look_in(p, bytes);
  return p;
}

void* allocate(size_t bytes) {
  void* p = try_allocate(bytes);
  if (!p) fatal("out of memory: %zu bytes for the runtime's own structures (%s)", bytes, strerror(errno));
  return p;
}

void release(void* p, size_t bytes) {
  bytes = (bytes + 4095) & ~size_t(4095);
  base::leaks_look_no_more_in(p, bytes);
  munmap(p, bytes);
}

}  // namespace einkorn::inline base
