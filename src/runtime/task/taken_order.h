// Whom each task that is taken down follows: the rules of DepTable (dep_table.h) for tasks of which none ends while
// others come. So they are numbers, nothing is shared, and what is told is kept as arcs.
#pragma once
#include <cstdlib>

#include "runtime/task/taken.h"

namespace einkorn::runtime {

class TakenOrder {
 public:
  struct Arc {
    uint32_t from, to;
  };

  // tasks: how many there are. Joints have the numbers behind theirs.
  explicit TakenOrder(uint32_t tasks) : tasks_(tasks) {}
  TakenOrder(const TakenOrder&) = delete;
  ~TakenOrder() { clear(); }

  // Task n, which is the latest, has these dependences.
  void add(uint32_t n, const Dependence* list, uint32_t count);
  const Series<Arc>& arcs() const { return arcs_; }
  // Places in the order, without a task.
  uint32_t joints() const { return joints_; }

 private:
  static constexpr uint32_t kNobody = ~0u;
  // Tasks: the latest, and those before it.
  struct Set {
    uint32_t task = kNobody, before = kNobody;  // before: among others_
  };
  // Of an address: as DepEntry's sets.
  struct Entry {
    uintptr_t address;
    Set last, before;
    uint8_t kind;  // DepMode, of `last`
  };
  // The task that is being added, and the first of those that it follows: each is told once.
  struct Follower {
    static constexpr uint32_t kFirst = 8;
    const uint32_t task;
    uint32_t known = 0;
    uint32_t first[kFirst];
    explicit Follower(uint32_t n) : task(n) {}
  };

  void follow(Follower& f, uint32_t pred);
  void follow_all_of(Follower& f, Set set);
  void join(Set& set, uint32_t n);
  void put_in_front(Set& set, uint32_t n);
  Entry& find_or_make(uintptr_t address);
  Entry& make(uintptr_t address);
  void make_room();
  void clear();
  void add_all_memory(Follower& f);

  const uint32_t tasks_;
  uint32_t joints_ = 0;
  Series<Arc> arcs_;
  Entry* none_ = nullptr;
  Entry** slots_ = &none_;
  uint32_t mask_ = 0, used_ = 0;  // of as many slots as a power of two
  Series<Entry> entries_;
  std::vector<Set> others_;  // members of sets of several
  uint32_t all_ = kNobody;   // the latest with omp_all_memory: an address that is not here follows it
};

}  // namespace einkorn::runtime
