// Where the queues of a team are: places over the workers and nodes of a machine. A place is a shepherd of Qthreads, a
// runqueue of ForestGOMP, a location's queue of MIR, a place of X-Kaapi. Made once a team; constant then.
#pragma once
#include <vector>

#include "machine/types.h"
#include "schedule/types.h"

namespace einkorn::schedule {

// cluster: of a cluster's codelets, or of what is for any of its cores (Places::tree); procedures: of a cluster's
// procedures that have not begun.
enum class PlaceKind : uint8_t { core, llc, node, machine, cluster, procedures };

// first, workers: index into Layout::order of those that the place belongs to. node: -1 where they are on several.
struct Place {
  PlaceKind kind;
  int16_t node;
  int32_t first = 0, workers = 0;
  int32_t cluster = -1;
};

// Invariants: places are ordered by node, in a node by kind: its cores, then its caches, then the node's own. Where
// workers are in clusters (has_clusters()) they are ordered by cluster instead, and the last of a cluster's is that of
// its procedures, if it has one; the nodes have no places of their own then. A place has workers. own[w] lists the
// places of worker w, finest first: one or two.
struct Layout {
  struct Worker {
    int16_t node = 0;
    int16_t own_count = 0;
    int32_t own[2] = {-1, -1};
    int32_t rank = 0;     // its position in `order`
    int32_t cluster = 0;  // in `clusters`
  };
  struct Cluster {
    int32_t first = 0, places = 0;      // its places: [first, first + places); of a tree the last is the cluster's own
    int32_t procedures = -1;            // of these, that of its procedures; -1: they lie where its codelets do
    int32_t first_rank = 0, units = 0;  // its workers in `order`
    int16_t node = -1;                  // of all its workers; -1: they are on several
  };
  struct Node {
    int32_t first = 0, cores = 0;  // its places, cores (or caches) first: [first, first + cores)
    int32_t whole = -1;            // the place of the whole node, -1: none
    int32_t workers = 0;
    int32_t first_rank = 0;  // its workers in `order`
  };
  std::vector<Place> places;
  std::vector<Worker> workers;
  std::vector<int32_t> order;      // workers by node, or by cluster; then as the machine's PUs stand
  std::vector<Cluster> clusters;   // those with workers; none: the schedule knows of none
  std::vector<int32_t> up;         // clusters x clusters: nearest to each first, itself before all
  std::vector<Node> nodes;         // of the machine; those without workers have no places
  std::vector<int16_t> near;       // nodes x nodes: nodes with workers, nearest to each node first; the rest is -1
  std::vector<int16_t> populated;  // nodes with workers, in order
  std::vector<float> distance;     // nodes x nodes, local = 1
  uint64_t llc_share = 0;          // bytes of the last-level cache a worker
  uint64_t l1_bytes = 0;           // of the data cache of a core; 0: not known

  int node_count() const { return int(nodes.size()); }
  float distance_between(int from, int to) const { return distance[size_t(from) * nodes.size() + size_t(to)]; }
  // The node with workers that is nearest to `node`: itself where it has any. -1: no such node.
  int populated_near(int node) const {
    return node < 0 || node >= node_count() ? -1 : near[size_t(node) * nodes.size()];
  }
};

// pus[w]: where worker w runs, an index into machine.pus. At least one worker. A shape that does not fit the machine
// (place_shape()) is none.
Layout make_layout(const Schedule&, const machine::Machine&, const std::vector<int>& pus);

}  // namespace einkorn::schedule
