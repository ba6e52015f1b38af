#include "machine/sys.h"

#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "machine/load.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

// The CPUs of a file such as "0-3,8"; empty if there is none.
CpuSet list_in(const std::string& path) {
  CpuSet set;
  FILE* file = fopen(path.c_str(), "re");
  if (!file) return set;
  int first, last;
  while (fscanf(file, "%d", &first) == 1) {
    last = first;
    int c = fgetc(file);
    if (c == '-' && fscanf(file, "%d", &last) == 1) c = fgetc(file);
    for (int cpu = first; cpu >= 0 && cpu <= last && cpu < kMaxCpus; ++cpu) set.add(cpu);
    if (c != ',') break;
  }
  fclose(file);
  return set;
}

std::string of_cpu(int cpu, const char* file) { return text("/sys/devices/system/cpu/cpu%d/%s", cpu, file); }
std::string of_node(int node, const char* file) { return text("/sys/devices/system/node/node%d/%s", node, file); }

uint64_t kib_in(const std::string& path) {
  FILE* file = fopen(path.c_str(), "re");
  unsigned long kib = 0;
  if (file && fscanf(file, "%luK", &kib) != 1) kib = 0;
  if (file) fclose(file);
  return uint64_t(kib) << 10;
}

uint64_t memory_of(int node) {
  FILE* file = fopen(of_node(node, "meminfo").c_str(), "re");
  char line[256];
  unsigned long kib = 0;
  while (file && fgets(line, sizeof line, file))
    if (const char* at = strstr(line, "MemTotal:"); at && sscanf(at, "MemTotal: %lu", &kib) == 1) break;
  if (file) fclose(file);
  return uint64_t(kib) << 10;
}

// The number of a CPU's cache directory for the last level; -1: none.
int last_cache(int cpu) {
  for (int index = 9; index >= 0; --index)
    if (access(of_cpu(cpu, text("cache/index%d/shared_cpu_list", index).c_str()).c_str(), R_OK) == 0) return index;
  return -1;
}

void read_cache_sizes(int cpu, Machine& m) {
  for (int index = 0; index <= 9; ++index) {
    std::string folder = text("cache/index%d/", index);
    char type[32] = "";
    int level = 0;
    FILE* file = fopen(of_cpu(cpu, (folder + "type").c_str()).c_str(), "re");
    if (!file) return;
    bool data = fscanf(file, "%31s", type) == 1 && strcmp(type, "Instruction") != 0;
    fclose(file);
    if (!data || !(file = fopen(of_cpu(cpu, (folder + "level").c_str()).c_str(), "re"))) continue;
    if (fscanf(file, "%d", &level) != 1) level = 0;
    fclose(file);
    uint64_t bytes = kib_in(of_cpu(cpu, (folder + "size").c_str()));
    if (level == 1) m.l1_bytes = bytes;
    if (level == 2) m.l2_bytes = bytes;
    m.llc_bytes = bytes;
  }
}

void read_distances(Machine& m) {
  const size_t n = m.nodes.size();
  std::vector<float> all;
  for (const Node& from : m.nodes) {
    FILE* file = fopen(of_node(from.os, "distance").c_str(), "re");
    if (!file) return;
    std::vector<float> row;  // one figure for each node that is online, in order
    for (float d; fscanf(file, "%f", &d) == 1;) row.push_back(d);
    fclose(file);
    CpuSet online = list_in("/sys/devices/system/node/online");
    for (const Node& to : m.nodes) {
      size_t place = 0;
      for (int node = online.next(0); node >= 0 && node < to.os; node = online.next(node + 1)) ++place;
      if (place >= row.size() || !(row[place] > 0)) return;
      all.push_back(row[place]);
    }
  }
  if (all.size() == n * n) m.distance = all;
}

}  // namespace

Machine real_from_sys(const CpuSet& allowed) {
  Machine m;
  // The number of the set that a CPU is in, among those seen so far; a set not seen before gets a new number.
  struct Sets {
    std::vector<CpuSet> seen;
    int of(int cpu, const CpuSet& set) {
      for (size_t i = 0; i < seen.size(); ++i)
        if (seen[i].has(cpu)) return int(i);
      seen.push_back(set);
      seen.back().add(cpu);
      return int(seen.size()) - 1;
    }
  } cores, llcs, sockets;
  CpuSet online = list_in("/sys/devices/system/node/online");
  std::vector<CpuSet> on_node;
  std::vector<int> numbers;
  for (int node = online.next(0); node >= 0; node = online.next(node + 1)) {
    CpuSet cpus = list_in(of_node(node, "cpulist"));
    bool any = !cpus.empty();
    cpus.keep(allowed);
    if (any && cpus.empty()) continue;  // the process may use none of its CPUs
    on_node.push_back(cpus);
    numbers.push_back(node);
  }
  for (size_t i = 0; i < numbers.size(); ++i) m.nodes.push_back({numbers[i], 0, memory_of(numbers[i])});
  if (m.nodes.empty()) m.nodes.push_back({0, 0, 0});
  for (int cpu = allowed.next(0); cpu >= 0; cpu = allowed.next(cpu + 1)) {
    Pu p;
    p.os = cpu;
    for (size_t i = 0; i < on_node.size(); ++i)
      if (on_node[i].has(cpu)) p.node = int32_t(i);
    p.core = cores.of(cpu, list_in(of_cpu(cpu, "topology/thread_siblings_list")));
    p.socket = sockets.of(cpu, list_in(of_cpu(cpu, "topology/core_siblings_list")));
    int cache = last_cache(cpu);
    p.llc = llcs.of(cpu, cache < 0 ? on_node.empty() ? allowed : on_node[size_t(p.node)]
                                   : list_in(of_cpu(cpu, text("cache/index%d/shared_cpu_list", cache).c_str())));
    m.pus.push_back(p);
  }
  if (m.pus.empty()) m.pus.push_back({0, 0, 0, 0, 0});
  for (auto p = m.pus.rbegin(); p != m.pus.rend(); ++p) m.nodes[size_t(p->node)].socket = p->socket;
  read_cache_sizes(m.pus[0].os, m);
  read_distances(m);
  settle(&m);
  m.real = true;
  m.page_bytes = uint64_t(sysconf(_SC_PAGESIZE));
  return m;
}

}  // namespace einkorn::machine
