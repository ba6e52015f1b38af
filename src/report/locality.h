// Where tasks ran, seen from where they were made and from where their data was (Schmidl 2016, 5.4).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

inline constexpr uint16_t kNoNode = 0xffff;  // of a grain: where is not known

enum class Nearness : uint8_t {
  own_thread,
  same_node,
  remote
};  // of the thread that ran a task, to the one that created it
inline constexpr int kNearnesses = 3;
inline constexpr const char* kNearnessNames[kNearnesses] = {"local queue", "same node", "remote"};
inline constexpr const char* kNearnessKeys[kNearnesses] = {"local_queue", "same_node", "remote"};

// Nothing: it went through no queue, or where is not known.
std::optional<Nearness> nearness(const profile::Grain&);

struct Locality {
  uint32_t nodes = 0;                // on which grains ran, 0: the recording does not tell
  uint64_t tasks[kNearnesses] = {};  // that went through a queue
  int64_t exec[kNearnesses] = {};    // ns, sum
  uint64_t footprints = 0;           // tasks with one
  uint64_t bytes = 0, known = 0, remote = 0, written = 0, remote_written = 0;  // see profile::Footprint
  bool estimated = false;
};

Locality locality(const profile::Profile&);

// Of data that is known to be on a node: so much of it on one, and one thread has brought it there.
inline constexpr double kOneNode = 0.8;

// Grains ran on several nodes, and nearly all that these lines have allocated lies on one: blocks of a megabyte or
// more, and not small beside the program's largest.
std::vector<const profile::Allocations*> on_one_node(const profile::Profile&, const Locality&);

// A global one: no line allocates it.
bool is_variable(const profile::Profile&, const profile::Allocations&);
// What to do about those that are on_one_node(). Empty: there are none.
std::string one_node_advice(const profile::Profile&, const Locality&, const std::vector<const profile::Allocations*>&);

// Of bytes by node the largest shares, and the others together: there may be a thousand nodes.
struct NodeShares {
  struct Share {
    uint32_t node;
    uint64_t bytes;
  };
  std::vector<Share> most;  // the largest first
  uint32_t others = 0;      // further nodes that have some
  double others_bytes = 0, all = 0;
};
NodeShares node_shares(const std::vector<uint64_t>& on, size_t most);

// The footprints of one source's tasks. Index: source; the last is of those without.
struct SourceBytes {
  uint64_t bytes = 0, known = 0, remote = 0;
};
std::vector<SourceBytes> bytes_by_source(const profile::Profile&);

}  // namespace einkorn::report
