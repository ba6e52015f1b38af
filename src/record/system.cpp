#include "record/system.h"
#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/printable.h"
#include "record/companion.h"

namespace einkorn::record {

void* map_memory(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

void unmap_memory(void* p, size_t bytes) { munmap(p, bytes); }

void futex_wait(std::atomic<uint32_t>* word, uint32_t expected, uint64_t timeout_ns) {
  timespec ts = {time_t(timeout_ns / 1000000000), long(timeout_ns % 1000000000)};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &ts, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
}

bool lock_within(pthread_mutex_t& m, uint64_t ns) {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);  // pthread_mutex_timedlock()'s
  const uint64_t end = uint64_t(until.tv_nsec) + ns;
  until.tv_sec += time_t(end / 1'000'000'000);
  until.tv_nsec = long(end % 1'000'000'000);
  return pthread_mutex_timedlock(&m, &until) == 0;
}

uint64_t monotonic_ns() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return uint64_t(ts.tv_sec) * 1000000000ull + uint64_t(ts.tv_nsec);
}

ssize_t read_file(const char* path, char* out, size_t bytes) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  size_t size = 0;
  for (ssize_t n; size < bytes && (n = read(fd, out + size, bytes - size)) > 0;) size += size_t(n);
  close(fd);
  return ssize_t(size);
}

uint64_t process_began_ns() {
  char text[1024];
  text[std::max<ssize_t>(0, read_file("/proc/self/stat", text, sizeof text - 1))] = 0;
  // The 22nd field, ticks since the computer began; the 2nd, the program's name in brackets, may hold anything.
  const char* p = strrchr(text, ')');
  for (int field = 2; p && field < 22; ++field)
    if ((p = strchr(p, ' '))) ++p;
  const long per_second = sysconf(_SC_CLK_TCK);
  timespec up, now;
  if (!p || per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &up) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
    return 0;
  const auto age = int64_t(up.tv_sec) - int64_t(strtoull(p, nullptr, 10) / uint64_t(per_second));
  const int64_t began = int64_t(now.tv_sec) - age - 1;
  return began > 0 ? uint64_t(began) * 1'000'000'000 : 0;
}

// In parts, on a thread that may have a small stack: the line may stand behind a long one of groups.
std::optional<bool> filters_system_calls() {
  constexpr char kLine[] = "\nSeccomp:\t";
  constexpr size_t kBefore = sizeof kLine;  // of the part before: the line's name, less one, and the value's digit
  char text[kBefore + 512 + 1];
  const int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::optional<bool> found;
  size_t kept = 0;
  for (ssize_t n; !found && (n = read(fd, text + kept, sizeof text - 1 - kept)) > 0;) {
    const size_t size = kept + size_t(n);
    text[size] = 0;
    if (const char* line = strstr(text, kLine); line && line[sizeof kLine - 1] != 0)
      found = line[sizeof kLine - 1] != '0';
    kept = size < kBefore ? size : kBefore;
    memmove(text, text + size - kept, kept);
  }
  close(fd);
  return found;
}

void warn_once(const char* format, ...) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true, std::memory_order_relaxed)) return;
  char line[1024] = "einkorn: ";
  size_t at = strlen(line);
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line + at, sizeof line - at - 1, format, args);
  va_end(args);
  if (n < 0) return;
  size_t size = make_printable(line, strlen(line));
  line[size++] = '\n';
  if (Companion::tell(line, size)) return;
  // One write: the line stays whole among the program's own. Where stderr is gone, there is nobody to tell.
  [[maybe_unused]] ssize_t ignored = write(STDERR_FILENO, line, size);
}

SignalsHeld::SignalsHeld() {
  sigset_t ours, pending;
  sigemptyset(&ours);
  sigemptyset(&held_);
  sigpending(&pending);
  for (int signal : {SIGPIPE, SIGXFSZ}) {
    sigaddset(&ours, signal);
    if (!sigismember(&pending, signal)) sigaddset(&held_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &ours, &before_);
}

SignalsHeld::~SignalsHeld() {
  const int error = errno;
  const timespec at_once{};
  while (sigtimedwait(&held_, nullptr, &at_once) > 0) {}
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

void TextBuffer::number(uint64_t v) {
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(v));
  put(digits);
}

}  // namespace einkorn::record
