#include "runtime/platform.h"

#include "machine/environment.h"
#include "runtime/config.h"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace einkorn::runtime {

bool g_asymmetric = false;

#ifdef EINKORN_ASSERT
#undef atomic
std::atomic<uint32_t> g_delays{0};
#define atomic einkorn_delayed_atomic

void delay_slow() {
  static thread_local uint64_t state = 0;
  if (!state) state = (uint64_t(gettid()) << 32 | g_delays.load(std::memory_order_relaxed)) * 0x9e3779b97f4a7c15ull | 1;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  // Mostly none; sometimes what a cache miss or two takes; rarely as if the kernel had taken the CPU away.
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

void fences_init() {
#ifdef EINKORN_ASSERT
  if (const char* seed = machine::environment("EINKORN_DELAYS")) g_delays.store(uint32_t(strtoul(seed, nullptr, 0)));
#endif
  // No words at all: EINVAL where there is such a call, else ENOSYS (or what a sandbox says).
  int saved = errno;
  g_waits_for_two = syscall(SYS_futex_waitv, nullptr, 0, 0, nullptr, CLOCK_MONOTONIC) != 0 && errno == EINVAL;
  errno = saved;
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // EINKORN_FENCES=plain is for tests of the path that machines without membarrier take.
  const char* v = machine::environment("EINKORN_FENCES");
  if (v && !strcmp(v, "plain")) {
    g_waits_for_two = false;  // those have no futex_waitv either
    return;
  }
  long have = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (have < 0 || !(have & MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  g_asymmetric = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

void heavy_fence_slow() {
  if (g_asymmetric && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
    fatal("membarrier(2) failed though the kernel offered it (%s). Run with EINKORN_FENCES=plain", strerror(errno));
  full_fence();
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

void futex_wait_either(std::atomic<uint32_t>* word, uint32_t expected, std::atomic<uint32_t>* other, uint32_t other_expected,
                       int64_t timeout_ns) {
  constexpr int64_t kLookUp = 10'000'000, kSecond = 1'000'000'000;
  if (!g_waits_for_two) return futex_wait(word, expected, timeout_ns >= 0 && timeout_ns < kLookUp ? timeout_ns : kLookUp);
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
  syscall(SYS_futex_waitv, words, 2, 0, limit, CLOCK_MONOTONIC);
  errno = saved;
}

void futex_wake(std::atomic<uint32_t>* word, int count) {
  int saved = errno;
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
  errno = saved;
}

namespace {
void message(const char* format, va_list args, int libomps_number = 0) {
  char text[1024];
  int n = libomps_number ? snprintf(text, sizeof text, "OMP: Warning #%d: ", libomps_number)
                         : snprintf(text, sizeof text, "einkorn: ");
  n += vsnprintf(text + n, sizeof text - size_t(n) - 1, format, args);
  if (n > int(sizeof text) - 2) n = int(sizeof text) - 2;
  text[n] = '\n';
  ssize_t ignored = write(STDERR_FILENO, text, size_t(n) + 1);
  (void)ignored;
}
}  // namespace

void fatal(const char* format, ...) {
  va_list args;
  va_start(args, format);
  message(format, args);
  va_end(args);
  _exit(1);
}

void warn(const char* format, ...) {
  if (!g_config.warnings) return;
  va_list args;
  va_start(args, format);
  message(format, args);
  va_end(args);
}

void warn_libomp(int number, const char* format, ...) {
  if (!g_config.warnings) return;
  va_list args;
  va_start(args, format);
  message(format, args, number);
  va_end(args);
}

void* allocate(size_t bytes) {
  bytes = (bytes + 4095) & ~size_t(4095);
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) fatal("out of memory: %zu bytes for the runtime's own structures (%s)", bytes, strerror(errno));
  return p;
}

void release(void* p, size_t bytes) { munmap(p, (bytes + 4095) & ~size_t(4095)); }

}  // namespace einkorn::runtime
