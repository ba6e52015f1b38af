// Random trees of tasks: taskwait, taskgroup, taskyield, untied, if(0), final, taskloop, and children that outlive
// their parents. Every node counts itself; a wait that returns early, a lost or a doubled task shows as a wrong count.
#include <omp.h>
#include "stress_watchdog.h"

using namespace stress;

namespace {

// The tree is a function of its seed: counting it without tasks gives what the tasks must arrive at.
struct Shape {
  int children, how;  // how the children are made and waited for
  bool long_work;
};
Shape shape(uint64_t seed, int depth) {
  uint64_t h = mix(seed);
  return {depth == 0 ? 0 : int(h % 4) + (depth > 5), int(h >> 8 & 7), (h >> 16 & 31) == 0};
}
uint64_t child_seed(uint64_t seed, int i) { return mix(seed + 0x1234567 * uint64_t(i + 1)); }

uint64_t count(uint64_t seed, int depth) {
  uint64_t sum = 1;
  Shape s = shape(seed, depth);
  for (int i = 0; i < s.children; ++i) sum += count(child_seed(seed, i), depth - 1);
  return sum;
}

std::atomic<uint64_t> g_seen{0};

// Nodes below and including this one, where the waits let that be known; every node also counts in g_seen.
void node(uint64_t seed, int depth, uint64_t* out);

void children(uint64_t seed, int depth, const Shape& s, uint64_t* sums) {
  for (int i = 0; i < s.children; ++i) {
    uint64_t below = child_seed(seed, i);
    uint64_t* sum = sums ? &sums[i] : nullptr;
    switch (below >> 40 & 7) {
      case 0:
#pragma omp task firstprivate(below, depth, sum) untied
        node(below, depth - 1, sum);
        break;
      case 1:
#pragma omp task firstprivate(below, depth, sum) if (0)
        node(below, depth - 1, sum);
        break;
      case 2:
#pragma omp task firstprivate(below, depth, sum) final(depth < 3) mergeable
        node(below, depth - 1, sum);
        break;
      default:
#pragma omp task firstprivate(below, depth, sum)
        node(below, depth - 1, sum);
        break;
    }
    if ((below >> 44 & 15) == 0) {
#pragma omp taskyield
    }
  }
}

void node(uint64_t seed, int depth, uint64_t* out) {
  Shape s = shape(seed, depth);
  progress();
  if (s.long_work) spin(20000);
  uint64_t sums[8] = {};
  if (s.how == 0 && !out) {
    children(seed, depth, s, nullptr);  // they may outlive this task
  } else if (s.how <= 2) {
#pragma omp taskgroup
    children(seed, depth, s, sums);
  } else {
    children(seed, depth, s, sums);
#pragma omp taskwait
  }
  uint64_t sum = 1;
  for (uint64_t v : sums) sum += v;
  if (out) {
    STRESS_CHECK(sum, count(seed, depth));
    *out = sum;
  }
  g_seen.fetch_add(1, std::memory_order_relaxed);
}

void one_producer(uint64_t seed, int threads, int depth) {
  g_seen = 0;
  uint64_t sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  node(seed, depth, &sum);
  STRESS_CHECK(sum, count(seed, depth));
  STRESS_CHECK(g_seen.load(), count(seed, depth));
}

// Nobody waits for anybody but the barrier.
void rogues(uint64_t seed, int threads, int depth) {
  g_seen = 0;
#pragma omp parallel num_threads(threads)
  {
    node(seed + uint64_t(omp_get_thread_num()), depth, nullptr);
#pragma omp barrier
    uint64_t all = 0;
    for (int i = 0; i < omp_get_num_threads(); ++i) all += count(seed + uint64_t(i), depth);
    STRESS_CHECK(g_seen.load(), all);
#pragma omp barrier
    node(seed + 77, 1, nullptr);
  }
}

// A burst of small tasks from one thread, then a long silence: sleepers must have come for them.
void bursts(uint64_t seed, int threads) {
  std::atomic<int> done{0};
#pragma omp parallel num_threads(threads)
#pragma omp master
  for (int burst = 0; burst < 5; ++burst) {
    for (int i = 0; i < 300; ++i) {
#pragma omp task shared(done)
      done.fetch_add(1, std::memory_order_relaxed);
    }
    spin(mix(seed) % 100000);
    progress();
#pragma omp taskwait
  }
  STRESS_CHECK(done.load(), 1500);
}

void loops(uint64_t seed, int threads) {
  int n = 1 + int(seed % 500);
  std::atomic<int> hits{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskloop grainsize(3) shared(hits)
    for (int i = 0; i < n; ++i) hits.fetch_add(1, std::memory_order_relaxed);
    STRESS_CHECK(hits.load(), n);
#pragma omp taskloop num_tasks(7) nogroup shared(hits)
    for (int i = n; i > 0; --i) hits.fetch_add(1, std::memory_order_relaxed);
  }
  progress();
  STRESS_CHECK(hits.load(), 2 * n);
}

// Random accesses to a few cells. The creator knows what a run in its order would find there: so many writes, so many
// reads since. A task that starts too early, or beside one that it must follow, finds something else.
struct Cell {
  uint64_t writes = 0;             // by whoever may: not atomic
  std::atomic<uint64_t> reads{0};  // since the latest write
};
struct Access {
  int cell;
  bool write;
  uint64_t writes, reads;
};

void access(Cell* cells, const Access* list, int count) {
  for (int i = 0; i < count; ++i) {
    Cell& c = cells[list[i].cell];
    STRESS_CHECK(c.writes, list[i].writes);
    if (list[i].write) {
      STRESS_CHECK(c.reads.load(std::memory_order_relaxed), list[i].reads);
      c.reads.store(0, std::memory_order_relaxed);
      ++c.writes;
    } else {
      c.reads.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

void dependences(uint64_t seed, int threads, int tasks) {
  constexpr int kCells = 6;
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int creator = 0; creator < 2; ++creator) {
#pragma omp task firstprivate(creator)
    {
      Random random{mix(seed + uint64_t(creator))};
      Cell cells[kCells], model[kCells];
      for (int t = 0; t < tasks; ++t) {
        int first = int(random.below(kCells)), second = int(random.below(kCells));
        if (second == first) second = (first + 1) % kCells;
        Access list[2];
        int at[2] = {first, second};
        uint64_t modes = random.next();
        for (int i = 0; i < 2; ++i) {
          Cell& m = model[at[i]];
          list[i] = {at[i], (modes >> i & 1) != 0, m.writes, m.reads.load()};
          if (list[i].write) ++m.writes, m.reads.store(0);
          else m.reads.fetch_add(1);
        }
        [[maybe_unused]] Cell *a = &cells[first], *b = &cells[second];
        Access l0 = list[0], l1 = list[1];
        Cell* all = cells;
        auto body = [all, l0, l1] {
          Access both[2] = {l0, l1};
          access(all, both, 2);
        };
        bool at_once = (modes >> 8 & 15) == 0;
        switch (modes & 3) {
          case 0:
#pragma omp task depend(in : a[0], b[0]) firstprivate(body) if (!at_once)
            body();
            break;
          case 1:
#pragma omp task depend(inout : a[0]) depend(in : b[0]) firstprivate(body) if (!at_once)
            body();
            break;
          case 2:
#pragma omp task depend(in : a[0]) depend(out : b[0]) firstprivate(body) if (!at_once)
            body();
            break;
          default:
#pragma omp task depend(out : a[0], b[0]) firstprivate(body) if (!at_once)
            body();
        }
        if ((modes >> 12 & 63) == 0) {
#pragma omp taskwait depend(in : a[0])
          STRESS_CHECK(a->writes, model[first].writes);
        }
      }
#pragma omp taskwait
      for (int i = 0; i < kCells; ++i) {
        STRESS_CHECK(cells[i].writes, model[i].writes);
        STRESS_CHECK(cells[i].reads.load(), model[i].reads.load());
      }
      progress();
    }
  }
}

// Events fulfilled by siblings and by a thread of no team, before and after the bodies; a successor behind each.
void events(uint64_t seed, int threads) {
  std::atomic<int> bodies{0}, after{0};
  constexpr int kEvents = 24;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    omp_event_handle_t handles[kEvents];
    for (int i = 0; i < kEvents; ++i) {
      omp_event_handle_t handle;
      [[maybe_unused]] char* cell = reinterpret_cast<char*>(&handles[i]);
#pragma omp task detach(handle) depend(out : cell[0]) shared(bodies)
      bodies.fetch_add(1, std::memory_order_relaxed);
      handles[i] = handle;
#pragma omp task depend(in : cell[0]) shared(after)
      after.fetch_add(1, std::memory_order_relaxed);
    }
    for (int i = 0; i < kEvents; i += 2) {
      omp_event_handle_t handle = handles[i];
#pragma omp task firstprivate(handle)
      omp_fulfill_event(handle);
    }
    std::thread outside([&] {
      for (int i = 1; i < kEvents; i += 2) {
        spin(mix(seed + uint64_t(i)) % 3000);
        omp_fulfill_event(handles[i]);
      }
    });
#pragma omp taskwait
    STRESS_CHECK(after.load(), kEvents);
    outside.join();
  }
  STRESS_CHECK(bodies.load(), kEvents);
  progress();
}

}  // namespace

int main(int argc, char** argv) {
  Budget budget(argc, argv, "stress_tasks");
  omp_set_dynamic(0);
  uint64_t round = 0;
  for (; budget.left(); ++round) {
    uint64_t seed = mix(budget.seed * 1000003 + round);
    int threads = threads_of_round(round);
    one_producer(seed, threads, 4 + int(seed % 4));
    rogues(seed, threads, 3 + int(seed % 3));
    bursts(seed, threads);
    loops(seed, threads);
    dependences(seed, threads, 20 + int(seed % 200));
    events(seed, threads);
  }
  std::printf("%llu rounds\n", (unsigned long long)round);
}
