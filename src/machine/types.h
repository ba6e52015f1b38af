// The machine as all see it that decide by it: schedules, page map, places, simulator. Contract 1 of docs/design.md.
// One struct for all sources: the real machine, hwloc's XML and synthetic strings (load.h), the model files of
// share/machines/. Plain tables, because reading must be fast and filling need not be.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::machine {

// Indices count from 0 in the machine's own order, in which neighbours are adjacent; `os` is the system's number (or
// the model's, if the machine is not this computer).
struct Pu {
  int32_t os = -1;
  int32_t core = 0, llc = 0, node = 0, socket = 0;
};

struct Node {
  int32_t os = -1;
  int32_t socket = 0;
  uint64_t memory_bytes = 0;  // 0: not known
};

// What `einkorn machine --measure` found beside the tables below: "barrier_ns", "malloc_ns_all_threads", ...
// (docs/machines.md).
struct Measured {
  std::string name;
  double value = 0;
};

// Invariants: pus is ordered by (socket, node, llc, core), and not empty. Every index in it is smaller than the count
// of its kind. Every core, llc and socket has a PU; a node may have none (memory only). distance, latency_ns and
// bandwidth are nodes x nodes, [from * nodes + to]; from: where the thread is, to: where the memory is.
struct Machine {
  std::string name;    // for people
  std::string source;  // the text that asked for it: "", a name, a file, a synthetic string
  std::string note;    // where its figures come from; empty: as the system says
  bool real = false;   // its PUs and nodes are this computer's: threads can be bound to them, pages placed on them
  std::vector<Pu> pus;
  std::vector<Node> nodes;
  int cores = 0, llcs = 0, sockets = 0;
  std::vector<float> distance;  // of the system's table (ACPI SLIT), or measured; local = 10. Always there
  bool distance_measured = false;
  std::vector<float> latency_ns;  // of a load, empty: not known
  std::vector<float> bandwidth;   // bytes/s, all threads of `from` reading memory of `to` as a stream; empty: not known
  std::vector<float> bandwidth_one;                         // the same, of one thread
  std::vector<float> write_bandwidth, write_bandwidth_one;  // the same, writing
  std::vector<Measured> measured;
  uint64_t l1_bytes = 0, l2_bytes = 0, llc_bytes = 0;  // data caches, each; 0: not known
  uint64_t page_bytes = 4096;
  uint64_t unit_bytes =
      0;  // 0: a page is on one node as a whole. Else each cache line has a home: the lines go to the nodes in turn

  int node_count() const { return int(nodes.size()); }
  int pu_count() const { return int(pus.size()); }
  float distance_between(int from, int to) const { return distance[size_t(from) * nodes.size() + size_t(to)]; }
};

// Their names for people, and bytes of each; 0: not known.
inline std::array<std::pair<const char*, uint64_t>, 3> data_caches(const Machine& m) {
  return {{{"L1", m.l1_bytes}, {"L2", m.l2_bytes}, {"last level", m.llc_bytes}}};
}

// The machine that the process's OpenMP runs on: EINKORN_MACHINE's, or the real one, limited to the CPUs that the
// process may use. The first call loads it (some milliseconds, as it opens hwloc); it never changes afterwards. Never
// fails: if nothing is known, all CPUs are one node of one socket.
const Machine& this_machine();

}  // namespace einkorn::machine
