#include "machine/measure_tools.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpus.h"

namespace einkorn::machine {

double now() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return double(ts.tv_sec) + 1e-9 * double(ts.tv_nsec);
}

void on_cpus(const std::vector<int>& cpus, Measuring* how, const std::function<void(int)>& body) {
  struct Thread {
    const std::function<void(int)>* body;
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
    int error = pthread_create(
        &threads[i].id, nullptr,
        [](void* p) -> void* {
          auto* t = static_cast<Thread*>(p);
          if (t->cpu >= 0) {
            CpuSet one;
            one.add(t->cpu);
            t->bound = set_affinity(one);
          }
          pthread_barrier_wait(t->start);
          (*t->body)(t->index);
          return nullptr;
        },
        &threads[i]);
    if (error) {
      // The threads that wait already can only be abandoned: nothing can be measured like this.
      fprintf(stderr, "einkorn: no thread can be created: %s.\n", strerror(error));
      _exit(125);
    }
  }
  for (Thread& t : threads) {
    pthread_join(t.id, nullptr);
    if (!t.bound)
      how->warn(
          "threads cannot be bound to CPUs here (a container without that permission?): figures are those of the CPUs "
          "where the system let them run");
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

Region::~Region() {
  if (at) munmap(at, bytes);
}

bool Region::map(size_t size) {
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  at = static_cast<char*>(p);
  bytes = size;
  return true;
}

namespace {

// Reads all of it once. Eight sums, so that the additions do not wait for each other.
[[gnu::noinline]] void read_all(const char* at, size_t bytes) {
  auto* p = reinterpret_cast<const uint64_t*>(at);
  auto* end = p + bytes / sizeof *p / 8 * 8;
  uint64_t s[8] = {};
  for (; p != end; p += 8)
    for (int i = 0; i < 8; ++i) s[i] += p[i];
  keep(s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]);
}

// Line by line, so that no compiler turns it into memset(), which may bypass the caches.
[[gnu::noinline]] void write_all(char* at, size_t bytes) {
  auto* p = reinterpret_cast<uint64_t*>(at);
  auto* end = p + bytes / sizeof *p / 8 * 8;
  for (; p != end; p += 8) {
    for (int i = 0; i < 8; ++i) p[i] = uint64_t(i);
    asm volatile("" ::: "memory");
  }
}

}  // namespace

void go_over(Way way, char* at, size_t bytes) {
  if (way == Way::read) read_all(at, bytes);
  else write_all(at, bytes);
}

double stream_bandwidth(Way way, const std::vector<int>& cpus, const Region& r, double seconds, Measuring* how) {
  std::vector<double> rate(cpus.size());
  const size_t part = r.bytes / cpus.size() / 4096 * 4096, piece = std::min<size_t>(part, 1 << 20);
  on_cpus(cpus, how, [&](int i) {
    char* mine = r.at + size_t(i) * part;
    double begin = now(), end = begin;
    size_t done = 0;
    for (size_t at = 0; end - begin < seconds; at = at + 2 * piece <= part ? at + piece : 0) {
      go_over(way, mine + at, piece);
      done += piece;
      end = now();
    }
    rate[size_t(i)] = double(done) / (end - begin);
  });
  double sum = 0;
  for (double v : rate) sum += v;
  return sum;
}

std::vector<int> one_a_core(const Machine& m, int node) {
  std::vector<int> out;
  for (size_t i = 0; i < m.pus.size(); ++i)
    if ((node < 0 || m.pus[i].node == node) && (i == 0 || m.pus[i - 1].core != m.pus[i].core))
      out.push_back(m.pus[i].os);
  return out;
}

}  // namespace einkorn::machine
