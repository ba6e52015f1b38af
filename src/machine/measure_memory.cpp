#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "machine/measure.h"
#include "machine/near.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

constexpr size_t kLine = 64;

double now() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return double(ts.tv_sec) + 1e-9 * double(ts.tv_nsec);
}

// Runs body(i) on each of `cpus` (system's numbers; -1: anywhere) at once, and waits.
template <class Body>
void on_cpus(const std::vector<int>& cpus, Measuring* how, const Body& body) {
  struct Thread {
    const Body* body;
    pthread_barrier_t* start;
    int index, cpu;
    bool bound = true, made = false;
    pthread_t id;
  };
  pthread_barrier_t start;
  std::vector<Thread> threads(cpus.size());
  pthread_barrier_init(&start, nullptr, unsigned(cpus.size()));
  for (size_t i = 0; i < cpus.size(); ++i) {
    threads[i] = {&body, &start, int(i), cpus[i], true, false, {}};
    int error = pthread_create(&threads[i].id, nullptr, [](void* p) -> void* {
      auto* t = static_cast<Thread*>(p);
      if (t->cpu >= 0) {
        CpuSet one;
        one.add(t->cpu);
        t->bound = set_affinity(one);
      }
      pthread_barrier_wait(t->start);
      (*t->body)(t->index);
      return nullptr;
    }, &threads[i]);
    if (error) {
      // Those that wait already can only be left: nothing can be measured like this.
      fprintf(stderr, "einkorn: no thread can be made: %s.\n", strerror(error));
      _exit(125);
    }
  }
  for (Thread& t : threads) {
    pthread_join(t.id, nullptr);
    if (!t.bound)
      how->warn(
          "threads cannot be bound to CPUs here (a container without that permission?): figures are those of wherever "
          "the system let them run");
  }
  pthread_barrier_destroy(&start);
}

uint64_t available_memory() {
  FILE* file = fopen("/proc/meminfo", "re");
  char line[256];
  unsigned long kib = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %lu", &kib) == 1) break;
  if (file) fclose(file);
  uint64_t bytes = uint64_t(kib) << 10;
  // A container's limit may be lower.
  if (FILE* limit = fopen("/sys/fs/cgroup/memory.max", "re")) {
    unsigned long most = 0;
    if (fscanf(limit, "%lu", &most) == 1 && most > 0) bytes = std::min<uint64_t>(bytes, most);
    fclose(limit);
  }
  return bytes ? bytes : 256u << 20;
}

struct Region {
  char* at = nullptr;
  size_t bytes = 0;
  ~Region() {
    if (at) munmap(at, bytes);
  }
  bool map(size_t size) {
    void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    at = static_cast<char*>(p);
    bytes = size;
    return true;
  }
};

volatile uint64_t g_sink;  // what is read must be used

// Reads all of it once. Eight sums, so that the additions do not wait for each other.
[[gnu::noinline]] void read_all(const char* at, size_t bytes) {
  auto* p = reinterpret_cast<const uint64_t*>(at);
  auto* end = p + bytes / sizeof *p / 8 * 8;
  uint64_t s[8] = {};
  for (; p != end; p += 8)
    for (int i = 0; i < 8; ++i) s[i] += p[i];
  g_sink = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

// Bytes a second of all threads together, each streaming its part of a region over and over for `seconds`.
double read_bandwidth(const std::vector<int>& cpus, const Region& r, double seconds, Measuring* how) {
  std::vector<double> rate(cpus.size());
  const size_t part = r.bytes / cpus.size() / 4096 * 4096, piece = std::min<size_t>(part, 1 << 20);
  on_cpus(cpus, how, [&](int i) {
    const char* mine = r.at + size_t(i) * part;
    double begin = now(), end = begin;
    size_t done = 0;
    for (size_t at = 0; end - begin < seconds; at = at + 2 * piece <= part ? at + piece : 0) {
      read_all(mine + at, piece);
      done += piece;
      end = now();
    }
    rate[size_t(i)] = double(done) / (end - begin);
  });
  double sum = 0;
  for (double v : rate) sum += v;
  return sum;
}

// A chain through all lines of a region in random order, one cycle (Sattolo).
void make_chain(const Region& r) {
  const size_t lines = r.bytes / kLine;
  std::unique_ptr<uint32_t[]> next(new (std::nothrow) uint32_t[lines]);
  if (!next) return;
  for (size_t i = 0; i < lines; ++i) next[i] = uint32_t(i);
  uint64_t seed = 88172645463325252ull;
  for (size_t i = lines - 1; i > 0; --i) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    std::swap(next[i], next[seed % i]);
  }
  for (size_t i = 0; i < lines; ++i) *reinterpret_cast<char**>(r.at + i * kLine) = r.at + size_t(next[i]) * kLine;
}

double chase_ns(int cpu, const Region& r, double seconds, Measuring* how) {
  double ns = 0;
  on_cpus({cpu}, how, [&](int) {
    char* p = r.at;
    double begin = now(), end = begin;
    size_t loads = 0;
    while (end - begin < seconds) {
      for (int i = 0; i < 4096; ++i) p = *reinterpret_cast<char* volatile*>(p);
      loads += 4096;
      end = now();
    }
    g_sink = uint64_t(p);
    ns = (end - begin) * 1e9 / double(loads);
  });
  return ns;
}

// The first hardware thread of each core of a node (-1: of all nodes).
std::vector<int> one_a_core(const Machine& m, int node) {
  std::vector<int> out;
  for (size_t i = 0; i < m.pus.size(); ++i)
    if ((node < 0 || m.pus[i].node == node) && (i == 0 || m.pus[i - 1].core != m.pus[i].core))
      out.push_back(m.pus[i].os);
  return out;
}

// Puts a region on a node: touched by a CPU there; where the node has none, the system is asked to.
bool place(const Machine& m, int node, const Region& r, Measuring* how) {
  madvise(r.at, r.bytes, MADV_HUGEPAGE);  // the memory is to be measured, not the page tables
  std::vector<int> cpus = one_a_core(m, node);
  int os = m.nodes[size_t(node)].os;
  if (cpus.empty()) {
    unsigned long mask[kMaxCpus / 64] = {};
    mask[os / 64] = 1ul << (os % 64);
    if (syscall(SYS_mbind, r.at, r.bytes, 2 /* MPOL_BIND */, mask, kMaxCpus, 0) != 0) {
      how->warn(
          text("memory cannot be put on node %d (%s): latency and bandwidth are left out", node, strerror(errno)));
      return false;
    }
    cpus = {m.pus[0].os};
  }
  on_cpus({cpus[0]}, how, [&](int) {
    memset(r.at, 1, r.bytes);
    make_chain(r);
  });
  int found = -1;
  if (syscall(SYS_get_mempolicy, &found, nullptr, 0, r.at, 3 /* MPOL_F_NODE | MPOL_F_ADDR */) == 0 && found != os) {
    how->warn(
        text("memory that was to be on node %d is on %d (is there a memory policy, as of numactl?): latency and "
             "bandwidth are left out",
             os, found));
    return false;
  }
  return true;
}

void put(Machine* m, const char* name, double value) { m->measured.push_back({name, value}); }

void measure_pairs(Machine* m, Measuring* how, double seconds) {
  const size_t n = m->nodes.size();
  std::vector<int> with = nodes_with_cpus(*m);
  if (with.size() != n)
    how->warn("nodes without CPUs read nothing: latency and bandwidth are left out");  // a table has all rows
  uint64_t llcs = 0;
  for (int node = 0; node < int(n); ++node) llcs = std::max<uint64_t>(llcs, uint64_t(m->llcs) * m->llc_bytes / n);
  size_t bytes = std::min<uint64_t>(std::max<uint64_t>(64 << 20, 4 * llcs), available_memory() / 4 / n) >> 21 << 21;
  if (bytes < (16u << 20))
    return how->warn("there is too little memory to measure it: latency and bandwidth are left out");
  if (bytes < 2 * llcs)
    how->warn("there is too little memory to get out of the caches: latency and bandwidth look better than they are");
  std::vector<Region> regions(n);
  bool good = with.size() == n;
  for (size_t b = 0; good && b < n; ++b) {
    how->step(0.1 * double(b) / double(n), "placing memory");
    good = regions[b].map(bytes) && place(*m, int(b), regions[b], how);
  }
  if (!good) return;
  // Each thing twice, and the better one counts: others may use the machine.
  const double slice = std::clamp(seconds / double(6 * n * n), 0.003, 0.4);
  std::vector<float> latency(n * n), all(n * n), one(n * n);
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      std::vector<int> cpus = one_a_core(*m, int(a));
      for (int round = 0; round < 2; ++round) {
        how->step(0.1 + 0.6 * (double(a * n + b) + 0.5 * round) / double(n * n), "latency and bandwidth");
        size_t i = a * n + b;
        float ns = float(chase_ns(cpus[0], regions[b], slice, how));
        latency[i] = round ? std::min(latency[i], ns) : ns;
        one[i] = std::max(one[i], float(read_bandwidth({cpus[0]}, regions[b], slice, how)));
        all[i] = std::max(all[i], float(read_bandwidth(cpus, regions[b], slice, how)));
      }
    }
  m->latency_ns = latency;
  m->bandwidth = all;
  m->bandwidth_one = one;
  for (size_t i = 0; i < n * n; ++i) m->distance[i] = std::round(all[0] / all[i] * 100) / 10;
  m->distance_measured = true;
}

// memory_go_around: at step s each thread streams the part of the one that is s after it.
void measure_go_around(Machine* m, Measuring* how, double seconds) {
  std::vector<int> cpus = one_a_core(*m, -1);
  const size_t n = cpus.size();
  size_t part = std::min<uint64_t>(16 << 20, available_memory() / 4 / n) >> 12 << 12;
  if (n < 2 || part < (1 << 20)) return;
  std::vector<Region> chunks(n);
  for (Region& r : chunks)
    if (!r.map(part)) return;
  on_cpus(cpus, how, [&](int i) { memset(chunks[size_t(i)].at, 1, part); });
  const size_t steps = std::min<size_t>(n, 16);
  for (size_t k = 0; k <= steps; ++k) {
    how->step(0.7 + 0.1 * double(k) / double(steps + 1), "memory go-around");
    const size_t turn = k * n / steps;
    std::vector<double> rate(n);
    on_cpus(cpus, how, [&](int i) {
      const Region& r = chunks[(size_t(i) + turn) % n];
      double begin = now(), end = begin;
      size_t done = 0;
      for (; end - begin < seconds / double(steps + 1); end = now()) read_all(r.at, part), done += part;
      rate[size_t(i)] = double(done) / (end - begin);
    });
    double sum = 0;
    for (double v : rate) sum += v;
    put(m, text("go_around_bandwidth_%zu", turn).c_str(), sum);
  }
}

void measure_allocation(Machine* m, Measuring* how, double seconds) {
  std::vector<int> all = one_a_core(*m, -1);
  for (bool everybody : {false, true}) {
    if (everybody && all.size() == 1) break;
    std::vector<int> cpus = everybody ? all : std::vector<int>{all[0]};
    how->step(everybody ? 0.82 : 0.8, "malloc and free");
    std::vector<double> ns(cpus.size());
    on_cpus(cpus, how, [&](int i) {
      double begin = now(), end = begin;
      size_t pairs = 0;
      for (; end - begin < seconds / 2; end = now())
        for (int k = 0; k < 16; ++k, ++pairs) {
          void* volatile p = malloc(1 << 20);
          free(p);
        }
      ns[size_t(i)] = (end - begin) * 1e9 / double(pairs);
    });
    double mean = 0;
    for (double v : ns) mean += v / double(ns.size());
    put(m, everybody ? "malloc_1mib_ns_all" : "malloc_1mib_ns", mean);
  }
}

void measure_first_touch(Machine* m, Measuring* how) {
  std::vector<int> all = one_a_core(*m, -1);
  const size_t bytes = std::min<uint64_t>(256 << 20, available_memory() / 4) >> 21 << 21;
  for (bool everybody : {false, true}) {
    if (everybody && all.size() == 1) break;
    std::vector<int> cpus = everybody ? all : std::vector<int>{all[0]};
    how->step(everybody ? 0.86 : 0.84, "first touch");
    Region r;
    if (bytes < (8u << 20) || !r.map(bytes)) return;
    std::vector<double> end(cpus.size()), begin(cpus.size());
    const size_t part = bytes / cpus.size() / 4096 * 4096;
    on_cpus(cpus, how, [&](int i) {
      begin[size_t(i)] = now();
      memset(r.at + size_t(i) * part, 1, part);
      end[size_t(i)] = now();
    });
    double took = *std::max_element(end.begin(), end.end()) - *std::min_element(begin.begin(), begin.end());
    put(m, everybody ? "first_touch_all" : "first_touch_one", double(part * cpus.size()) / took);
  }
}

// There and back of a line that two cores write in turn.
double line_round_trip_ns(int a, int b, double seconds, Measuring* how) {
  struct alignas(128) {
    std::atomic<int64_t> turn{0};
  } line;
  std::atomic<bool> over{false};
  double ns = 0;
  on_cpus({a, b}, how, [&](int i) {
    double begin = now(), end = begin;
    int64_t trips = 0;
    for (;; ++trips) {
      while (line.turn.load(std::memory_order_acquire) != 2 * trips + i)
        if (i == 1 && over.load(std::memory_order_relaxed)) return;
      if (i == 0 && trips % 256 == 0 && (end = now()) - begin > seconds) break;
      line.turn.store(2 * trips + i + 1, std::memory_order_release);
    }
    over.store(true, std::memory_order_relaxed);
    if (trips) ns = (end - begin) * 1e9 / double(trips);
  });
  return ns;
}

void measure_lines(Machine* m, Measuring* how, double seconds) {
  const Pu first = m->pus[0];
  const Pu *cache = nullptr, *node = nullptr, *far = nullptr;
  for (const Pu& p : m->pus) {
    if (p.core == first.core) continue;
    if (p.llc == first.llc) cache = cache ? cache : &p;
    else if (p.node == first.node) node = node ? node : &p;
    else if (!far || m->distance_between(first.node, p.node) > m->distance_between(first.node, far->node)) far = &p;
  }
  how->step(0.88, "cache lines between cores");
  if (cache) put(m, "line_round_trip_ns_same_llc", line_round_trip_ns(first.os, cache->os, seconds / 3, how));
  if (node) put(m, "line_round_trip_ns_same_node", line_round_trip_ns(first.os, node->os, seconds / 3, how));
  if (far) put(m, "line_round_trip_ns_farthest", line_round_trip_ns(first.os, far->os, seconds / 3, how));
}

}  // namespace

void measure_memory(Machine* m, Measuring* how) {
  double load = 0;
  if (getloadavg(&load, 1) == 1 && load > 0.25 * m->cores + 0.25)
    how->warn(text(
        "other programs use this computer (load average %.1f): figures are worse than they would be on an idle one",
        load));
  measure_pairs(m, how, how->seconds * 0.6);
  measure_go_around(m, how, how->seconds * 0.1);
  measure_allocation(m, how, how->seconds * 0.04);
  measure_first_touch(m, how);
  measure_lines(m, how, how->seconds * 0.04);
}

}  // namespace einkorn::machine
