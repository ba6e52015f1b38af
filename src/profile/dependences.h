// Derives which of the tasks that one task creates depend on which, from the dependences recorded with them (OpenMP
// 5.1, 2.19.11).
//
// The rules are those of src/runtime/task/dep_table.h: per address the tasks of the latest kind of access (`last`), and
// what all of these follow (`before`). An access of the same kind joins `last` and follows `before`; any other follows
// `last` and begins a new set. But here tasks are never dropped because they have ended: the edges are the program's,
// not the schedule's. They are dropped when all that is created later comes after them anyway: clear().
//
// Sparse: where several tasks of one kind are followed by several of another (readers by an inoutset, say), they are
// replaced by one node, a joint, that follows them all. Every entry of a set is followed at most once, or has become a
// joint: there are at most about three edges per recorded dependence, whatever the file says.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>
#include "profile/raw.h"

namespace einkorn::profile {

class DependTable {
 public:
  using Nodes = std::vector<uint32_t>;                      // of the graph: last nodes of tasks, joints
  using MakeJoint = std::function<uint32_t(const Nodes&)>;  // a new node that follows these

  explicit DependTable(const Slab<RawDepend>& depends) : depends_(depends) {}

  // Adds to `out` the nodes that a task follows; its dependences begin at `first`. add() enters the task itself once
  // its last node is known; make no other query before that. A task without a body excludes no others: for it
  // mutexinoutset is treated as inout.
  void follow(uint32_t first, bool has_body, Nodes& out, const MakeJoint&);
  void add(uint32_t first, bool has_body, uint32_t node);
  // Of a task with a body, behind add(): numbers of the mutexinoutset sets that it is in. `sets`: how many there have
  // been, in all tables.
  void exclusive(uint32_t first, uint32_t& sets, Nodes& out);
  // Adds the nodes that a wait follows. Whatever the creating task creates from now on comes after them.
  void wait(uint32_t first, Nodes& out);
  // A wait for all children, or a barrier.
  void clear();

 private:
  struct Place {
    uint32_t node, next;
  };
  struct Set {
    uint32_t head = kNone, tail = kNone;
  };
  struct Entry {
    Set last, before;
    uint8_t mode = record::kDependOut;  // of `last`
    uint32_t set = kNone;               // its number, of a mutexinoutset set
  };
  void follow_one(uint64_t address, uint8_t mode, Nodes& out, const MakeJoint&);
  void add_one(uint64_t address, uint8_t mode, uint32_t node);
  void wait_one(uint64_t address, uint8_t mode, Nodes& out);
  void put(Set&, uint32_t node);
  void read(const Set&, Nodes& out) const;
  bool several(const Set& s) const { return s.head != s.tail; }
  Entry& entry(uint64_t address);
  void read_all(Nodes& out) const;

  const Slab<RawDepend>& depends_;
  std::unordered_map<uint64_t, uint32_t> at_;  // address -> entries_
  std::vector<Entry> entries_;                 // in the order in which the program names them
  std::vector<Place> places_;
  uint32_t all_ = kNone;  // the latest omp_all_memory access
};

}  // namespace einkorn::profile
