// Hours of mixed programs in one process: teams that grow and shrink, nested regions, threads that come and go, children
// made by fork, tasks of every kind. Each piece checks its result; a watchdog finds what hangs; at the end the process may
// not be larger, nor have more threads, than after its first third.
//
// usage: soak SECONDS [SEED [PIECE]]    PIECE: one of the functions below alone, to find what leaks
#include <algorithm>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "../unit/stress_watchdog.h"

using namespace stress;

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

void tree(Random& r, int threads) {
  long result = 0;
  int n = 10 + int(r.below(8));
#pragma omp parallel num_threads(threads)
#pragma omp single
  result = fib(n);
  long a = 0, b = 1;
  for (int i = 0; i < n; ++i) b += a, a = b - a;
  STRESS_CHECK(result, a);
}

void wavefront(Random& r, int threads) {
  int side = 4 + int(r.below(30));
  std::vector<int> grid(size_t(side * side), 0);
  int* g = grid.data();
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      int *here = g + i * side + j, *up = i ? here - side : here, *left = j ? here - 1 : here;
#pragma omp task depend(in : up[0], left[0]) depend(out : here[0]) firstprivate(here, up, left)
      *here = 1 + std::max(up == here ? 0 : *up, left == here ? 0 : *left);
    }
  STRESS_CHECK(grid.back(), 2 * side - 1);
}

void loops(Random& r, int threads) {
  int n = 1 + int(r.below(5000)), chunk = 1 + int(r.below(20));
  long sum = 0, turn = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, chunk) nowait
    for (int i = 0; i < n; ++i) sum += i;
#pragma omp for schedule(guided)
    for (int i = 0; i < n; ++i) sum += i;
#pragma omp for schedule(static, chunk) ordered
    for (int i = 0; i < 50; ++i) {
#pragma omp ordered
      if (turn == i) ++turn;
    }
#pragma omp sections
    {
#pragma omp section
      sum += 1;
#pragma omp section
      sum += 2;
    }
  }
  STRESS_CHECK(sum, long(n) * (n - 1) + 3);
  STRESS_CHECK(turn, 50L);
}

void task_loops(Random& r, int threads) {
  int n = 1 + int(r.below(3000)), grain = 1 + int(r.below(40));
  long sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskloop grainsize(grain) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += i;
  }
  STRESS_CHECK(sum, long(n) * (n - 1) / 2);
}

void nested(Random& r, int threads) {
  int inner = 1 + int(r.below(4));
  std::atomic<long> seen{0};
#pragma omp parallel num_threads(threads)
  {
#pragma omp parallel num_threads(inner)
    {
#pragma omp task
      seen.fetch_add(1);
#pragma omp barrier
      seen.fetch_add(1);
    }
  }
  STRESS_CHECK(seen.load() % 2, 0L);
}

void cancels(Random& r, int threads) {
  int at = int(r.below(400));
  std::atomic<long> before{0};
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 400; ++i) {
#pragma omp cancellation point for
      before.fetch_add(1);
      if (i == at) {
#pragma omp cancel for
      }
    }
#pragma omp single
    {
#pragma omp taskgroup
      for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(i)
        {
          if (i == at % 100) {
#pragma omp cancel taskgroup
          }
          before.fetch_add(1);
        }
      }
    }
  }
  STRESS_CHECK(before.load() > 0, true);
}

void detached(Random& r, int threads) {
  int ended = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : ended) shared(ended)
    ended = 1;
    uint64_t wait = r.below(4000);
    std::thread outside([=] {
      spin(wait);
      omp_fulfill_event(event);
    });
#pragma omp task depend(inout : ended) shared(ended)
    ++ended;
#pragma omp taskwait
    outside.join();
  }
  STRESS_CHECK(ended, 2);
}

// Threads that OpenMP did not make, each with regions of its own; they end with their crews.
void foreign(Random& r, int threads) {
  std::vector<std::thread> all;
  std::atomic<long> sum{0};
  int count = 1 + int(r.below(4));
  for (int t = 0; t < count; ++t)
    all.emplace_back([&] {
      for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(threads)
        sum.fetch_add(1);
      }
    });
  for (auto& t : all) t.join();
  STRESS_CHECK(sum.load(), 3L * count * threads);
}

void forks(Random& r, int threads) {
  if (r.below(20)) return;
  pid_t child = fork();
  if (child == 0) {
    int n = 0;
#pragma omp parallel num_threads(threads) reduction(+ : n)
    n += 1;
    _exit(n == threads ? 0 : 1);
  }
  int status = 0;
  STRESS_CHECK(waitpid(child, &status, 0), child);
  STRESS_CHECK(status, 0);
}

void exceptions(Random&, int threads) {
  std::atomic<int> caught{0};
#pragma omp parallel num_threads(threads)
  {
    try {
      throw 1;
    } catch (int) {
      caught.fetch_add(1);
    }
#pragma omp task
    try {
      throw 2;
    } catch (int) {
      caught.fetch_add(1);
    }
  }
  STRESS_CHECK(caught.load(), 2 * threads);
}

// Thread n of one team is thread n of the next.
int g_own = -1;
#pragma omp threadprivate(g_own)
void persists(Random&, int threads) {
#pragma omp parallel num_threads(threads)
  g_own = omp_get_thread_num();
  std::atomic<int> right{0};
#pragma omp parallel num_threads(threads)
  right.fetch_add(g_own == omp_get_thread_num());
  STRESS_CHECK(right.load(), threads);
}

void locks(Random& r, int threads) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int n = 20 + int(r.below(200)), plain = 0, nests = 0, named = 0;
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < n; ++i) {
    omp_set_lock(&lock);
    ++plain;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++nests;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp critical(soak)
    ++named;
  }
  STRESS_CHECK(plain, n * threads);
  STRESS_CHECK(nests, n * threads);
  STRESS_CHECK(named, n * threads);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

// Of /proc/self/status: VmRSS in KiB, Threads.
long status_of(const char* name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(name, 0) == 0) return std::atol(line.c_str() + std::strlen(name) + 1);
  return -1;
}

long median(std::vector<long> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Seen {
  std::vector<long> memory, threads;  // KiB resident; each second
};

// What is kept grows towards a bound, by steps (free lists fill up for every team size); a leak of one block a round is
// far above.
bool has_grown(const Seen& seen) {
  const std::vector<long>&memory = seen.memory, &threads = seen.threads;
  const auto third = ptrdiff_t(memory.size() / 3);
  const std::vector<long> middle(memory.begin() + third, memory.begin() + 2 * third), last(memory.end() - third, memory.end());
  const long threads_then = *std::max_element(threads.begin(), threads.begin() + third),
             threads_now = *std::max_element(threads.end() - third, threads.end());
  std::printf("resident %ld KiB in the middle third, %ld in the last; at most %ld threads in the first, %ld in the last\n",
              median(middle), median(last), threads_then, threads_now);
  return median(last) > median(middle) + median(middle) / 10 + 2048 || threads_now > threads_then + 16;
}

}  // namespace

int main(int argc, char** argv) {
  // Cancellation is fixed when the library is loaded.
  if (!getenv("OMP_CANCELLATION")) {
    setenv("OMP_CANCELLATION", "true", 1);
    execv("/proc/self/exe", argv);
  }
  Budget budget(argc, argv, "soak");
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  struct Piece {
    const char* name;
    void (*run)(Random&, int);
  };
#define PIECE(f) {#f, f}
  constexpr Piece kPieces[] = {PIECE(tree), PIECE(wavefront), PIECE(loops), PIECE(task_loops), PIECE(nested), PIECE(cancels),
                               PIECE(detached), PIECE(foreign), PIECE(forks), PIECE(exceptions), PIECE(persists),
                               PIECE(locks)};
  const char* only = argc > 3 ? argv[3] : nullptr;
  constexpr int kThreads[] = {1, 2, 2, 3, 4, 6, 9, 16};
  Random random{budget.seed};
  Seen seen;
  const auto length = budget.end - std::chrono::steady_clock::now();
  uint64_t rounds = 0;
  auto go_on = [&] {
    auto next_look = std::chrono::steady_clock::now();
    for (; budget.left(); ++rounds) {
      const Piece& piece = kPieces[random.below(std::size(kPieces))];
      int count = kThreads[random.below(std::size(kThreads))];
      if (!only || !std::strcmp(only, piece.name)) piece.run(random, count);
      progress();
      if (std::chrono::steady_clock::now() < next_look) continue;
      next_look += std::chrono::seconds(1);
      seen.memory.push_back(status_of("VmRSS:"));
      seen.threads.push_back(status_of("Threads:"));
    }
    std::printf("%llu rounds; ", (unsigned long long)rounds);
  };
  go_on();
  if (seen.memory.size() < 9) {
    std::fprintf(stderr, "soak: %zu seconds say nothing about growth: give it at least 10\n", seen.memory.size());
    return 2;
  }
  bool grows = has_grown(seen);
  if (grows) {
    // On a busy machine a step may come late. A leak goes on: of twice the time its thirds are twice as far apart.
    budget.end = std::chrono::steady_clock::now() + length;
    go_on();
    grows = has_grown(seen);
  }
  if (grows) std::fprintf(stderr, "soak: the process has grown\n");
  return grows ? 1 : 0;
}
