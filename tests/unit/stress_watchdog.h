// What the stress programs share: a seeded random number generator, checks that stop the program, and a watchdog that
// prints every thread's stack with gdb when nothing has moved for a while.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <omp.h>
#include <thread>
#include <unistd.h>

namespace stress {

// splitmix64 (Steele et al. 2014): any seed will do.
inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

struct Random {
  uint64_t state;
  uint64_t next() { return mix(state++); }
  uint64_t below(uint64_t n) { return next() % n; }
};

inline std::atomic<uint64_t> g_progress{0};
inline void progress() { g_progress.fetch_add(1, std::memory_order_relaxed); }

[[noreturn]] inline void hang(const char* what) {
  std::fprintf(stderr, "%s: nothing moved for too long; stacks of all threads follow\n", what);
  char command[200];
  std::snprintf(command, sizeof command,
                "gdb -p %d -batch -ex 'set pagination off' -ex 'thread apply all backtrace 24' 1>&2", int(getpid()));
  if (std::system(command) != 0) std::fprintf(stderr, "gdb could not attach\n");
  _exit(3);
}

// Ends the program, with all stacks, when g_progress stands still for `seconds`.
inline void start_watchdog(const char* what, int seconds) {
  std::thread([=] {
    uint64_t seen = ~uint64_t(0);
    for (int still = 0;; ++still) {
      uint64_t now = g_progress.load(std::memory_order_relaxed);
      if (now != seen) still = 0;
      seen = now;
      if (still >= seconds) hang(what);
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  }).detach();
}

#define STRESS_CHECK(a, b)                                                                                     \
  do {                                                                                                         \
    auto stress_a = (a);                                                                                       \
    decltype(stress_a) stress_b = (b);                                                                         \
    if (stress_a != stress_b) {                                                                                \
      std::fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, #a, (long long)stress_a, #b, \
                   (long long)stress_b);                                                                       \
      _exit(2);                                                                                                \
    }                                                                                                          \
  } while (0)

// Testing another OpenMP library than ours would prove nothing.
inline void check_library() {
  Dl_info where;
  if (dladdr(reinterpret_cast<void*>(&omp_get_level), &where) && where.dli_fname &&
      !std::strncmp(where.dli_fname, EINKORN_LIBRARY_DIR, std::strlen(EINKORN_LIBRARY_DIR)))
    return;
  std::fprintf(stderr, "OpenMP comes from %s, not from " EINKORN_LIBRARY_DIR "\n", where.dli_fname);
  _exit(2);
}

// The program's arguments: seconds to run (`hang` tests the watchdog itself), seed.
struct Budget {
  std::chrono::steady_clock::time_point end;
  uint64_t seed;
  Budget(int argc, char** argv, const char* what)
      : end(std::chrono::steady_clock::now() +
            std::chrono::milliseconds(int(1000 * (argc > 1 ? std::atof(argv[1]) : 2)))),
        seed(argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1) {
    check_library();
    if (argc > 1 && !std::strcmp(argv[1], "hang")) {
      start_watchdog(what, 2);
      for (;;) pause();
    }
    start_watchdog(what, 60);
  }
  bool left() const { return std::chrono::steady_clock::now() < end; }
};

// More than there are CPUs, or one for each of a large machine's.
inline int many_threads() {
  static const int many = omp_get_num_procs() > 16 ? omp_get_num_procs() : 16;
  return many;
}
// The size of a round's teams.
inline int threads_of_round(uint64_t round) {
  const int threads[] = {many_threads(), 2, 4, 3, 1, 2, 7};
  return threads[round % 7];
}

inline void spin(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) asm volatile("" ::: "memory");
}

}  // namespace stress
