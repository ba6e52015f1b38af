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

#include "base/cpus.h"
#include "machine/measure_tools.h"
#include "machine/near.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

constexpr size_t kLine = 64;

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
    keep(uint64_t(p));
    ns = (end - begin) * 1e9 / double(loads);
  });
  return ns;
}

// Puts a region on a node: one of its CPUs touches it; if the node has none, the system is asked to put it there.
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
    how->warn(text(
        "memory that was to be on node %d is on %d (is there a memory policy, for instance numactl's?): latency and "
        "bandwidth are left out",
        os, found));
    return false;
  }
  return true;
}

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
    how->warn("there is too little memory to exceed the caches: latency and bandwidth look better than they are");
  std::vector<Region> regions(n);
  bool good = with.size() == n;
  for (size_t b = 0; good && b < n; ++b) {
    how->step(0.1 * double(b) / double(n), "placing memory");
    good = regions[b].map(bytes) && place(*m, int(b), regions[b], how);
  }
  if (!good) return;
  // Measures everything twice and takes the better result: others may be using the machine.
  const double slice = std::clamp(seconds / double(10 * n * n), 0.003, 0.3);
  std::vector<float> latency(n * n), all(n * n), one(n * n), write_all(n * n), write_one(n * n);
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      std::vector<int> cpus = one_a_core(*m, int(a));
      for (int round = 0; round < 2; ++round) {
        how->step(0.1 + 0.4 * (double(a * n + b) + 0.5 * round) / double(n * n), "latency and bandwidth");
        size_t i = a * n + b;
        float ns = float(chase_ns(cpus[0], regions[b], slice, how));
        latency[i] = round ? std::min(latency[i], ns) : ns;
        one[i] = std::max(one[i], float(stream_bandwidth(Way::read, {cpus[0]}, regions[b], slice, how)));
        all[i] = std::max(all[i], float(stream_bandwidth(Way::read, cpus, regions[b], slice, how)));
      }
    }
  // After all chains have been read: writing destroys them.
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      std::vector<int> cpus = one_a_core(*m, int(a));
      how->step(0.5 + 0.2 * double(a * n + b) / double(n * n), "write bandwidth");
      for (int round = 0; round < 2; ++round) {
        size_t i = a * n + b;
        write_one[i] = std::max(write_one[i], float(stream_bandwidth(Way::write, {cpus[0]}, regions[b], slice, how)));
        write_all[i] = std::max(write_all[i], float(stream_bandwidth(Way::write, cpus, regions[b], slice, how)));
      }
    }
  m->latency_ns = latency;
  m->bandwidth = all;
  m->bandwidth_one = one;
  m->write_bandwidth = write_all;
  m->write_bandwidth_one = write_one;
  for (size_t i = 0; i < n * n; ++i) m->distance[i] = std::round(all[0] / all[i] * 100) / 10;
  m->distance_measured = true;
}

// One core reads arrays of growing size in its own memory: the caches, then a plateau (Schmidl 2016, 2.1.1).
void measure_footprints(Machine* m, Measuring* how, double seconds) {
  const uint64_t most = std::min<uint64_t>(std::max<uint64_t>(64 << 20, 4 * m->llc_bytes), available_memory() / 4);
  std::vector<size_t> sizes;
  for (size_t bytes = 16 << 10; bytes <= most; bytes *= 2) sizes.push_back(bytes);
  std::vector<int> first{m->pus[0].os};
  Region r;
  if (sizes.empty() || !r.map(sizes.back())) return;
  madvise(r.at, r.bytes, MADV_HUGEPAGE);
  on_cpus(first, how, [&](int) { memset(r.at, 1, r.bytes); });
  const size_t whole = r.bytes;
  for (Way way : {Way::read, Way::write})
    for (size_t bytes : sizes) {
      how->step(way == Way::read ? 0.71 : 0.73, "bandwidth by footprint");
      double best = 0;
      r.bytes = bytes;
      for (int round = 0; round < 2; ++round)
        best = std::max(best, stream_bandwidth(way, first, r, seconds / double(4 * sizes.size()), how));
      put(m, text("footprint_%s_bandwidth_%zuKiB", way == Way::read ? "read" : "write", bytes >> 10), best);
    }
  r.bytes = whole;
}

// 1, 2, 4, ... and all cores each read 16 MiB that they touched first (Schmidl 2016, 2.1.2): the cores of one node
// first, then of the next.
void measure_threads(Machine* m, Measuring* how, double seconds) {
  const std::vector<int> all = one_a_core(*m, -1);
  std::vector<size_t> counts;
  for (size_t n = 1; n < all.size(); n *= 2) counts.push_back(n);
  counts.push_back(all.size());
  const size_t part = std::min<uint64_t>(16 << 20, available_memory() / 4 / all.size()) >> 12 << 12;
  if (part < (1 << 20)) return;
  for (Way way : {Way::read, Way::write})
    for (size_t n : counts) {
      how->step(way == Way::read ? 0.75 : 0.77, "bandwidth by threads");
      const std::vector<int> cpus(all.begin(), all.begin() + long(n));
      Region r;
      if (!r.map(n * part)) return;
      on_cpus(cpus, how, [&](int i) { memset(r.at + size_t(i) * part, 1, part); });
      double best = 0;
      for (int round = 0; round < 2; ++round)
        best = std::max(best, stream_bandwidth(way, cpus, r, seconds / double(4 * counts.size()), how));
      put(m, text("threads_%s_bandwidth_%zu", way == Way::read ? "read" : "write", n), best);
    }
}

// memory_go_around: at step s each thread streams the part of the thread that is s after it.
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
    how->step(0.78 + 0.04 * double(k) / double(steps + 1), "memory go-around");
    const size_t turn = k * n / steps;
    std::vector<double> rate(n);
    on_cpus(cpus, how, [&](int i) {
      const Region& r = chunks[(size_t(i) + turn) % n];
      double begin = now(), end = begin;
      size_t done = 0;
      for (; end - begin < seconds / double(steps + 1); end = now()) go_over(Way::read, r.at, part), done += part;
      rate[size_t(i)] = double(done) / (end - begin);
    });
    double sum = 0;
    for (double v : rate) sum += v;
    put(m, text("go_around_bandwidth_%zu", turn), sum);
  }
}

void measure_allocation(Machine* m, Measuring* how, double seconds) {
  std::vector<int> all = one_a_core(*m, -1);
  for (bool everybody : {false, true}) {
    if (everybody && all.size() == 1) break;
    std::vector<int> cpus = everybody ? all : std::vector<int>{all[0]};
    how->step(everybody ? 0.83 : 0.82, "malloc and free");
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

// The round trip of a line that two cores write in turn. Release and acquire, as of who hands something over by it: on
// x86 they cost nothing, elsewhere they are part of what is measured.
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
  measure_pairs(m, how, how->seconds * 0.55);
  measure_footprints(m, how, how->seconds * 0.05);
  measure_threads(m, how, how->seconds * 0.05);
  measure_go_around(m, how, how->seconds * 0.1);
  measure_allocation(m, how, how->seconds * 0.04);
  measure_first_touch(m, how);
  measure_lines(m, how, how->seconds * 0.04);
}

}  // namespace einkorn::machine
