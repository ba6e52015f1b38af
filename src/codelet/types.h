// A graph of codelets: classes, arcs, counters. Start here.
//
// A node is a codelet: number `first + i` of class c is its i-th. What is always true of a closed graph:
//   predecessors  of its counter: arcs that lead to the node, of lists and rules; never changes
//   waits         those of them that have not fired in this run. Between runs waits == predecessors, so a run has
//                 nothing to set up: who takes a counter to zero fires the node, and puts it back first. Nobody else
//                 counts in it until the next run, which begins after all of this one is over.
//   nodes with one predecessor or none have nobody else to count: their counter is not used.
#pragma once
#include <cstdint>
#include <vector>
#include "base/platform.h"

namespace einkorn::codelet {

using Fire = void (*)(void* context, uint32_t i);
using NextOf = int (*)(void* context, uint32_t i, uint32_t* out);
inline constexpr int kMostNext = 8;  // EK_MOST_NEXT

// What lies in queues: `count` codelets of one class, from its `first` on, all ready. Never 0.
class Item {
 public:
  Item() = default;
  Item(uint32_t c, uint32_t first, uint32_t count) : word_(uint64_t(c) << 48 | uint64_t(count) << 32 | first) {}
  explicit Item(void* word) : word_(reinterpret_cast<uintptr_t>(word)) {}
  uint32_t of_class() const { return uint32_t(word_ >> 48); }
  uint32_t first() const { return uint32_t(word_); }
  uint32_t count() const { return uint32_t(word_ >> 32) & kMostCount; }
  // So many codelets on.
  Item moved(uint32_t by) const { return Item(reinterpret_cast<void*>(uintptr_t(word_ + by))); }
  // Class and count.
  uint32_t kind() const { return uint32_t(word_ >> 32); }
  bool is_one(uint32_t kind_of_one) const { return kind() == kind_of_one; }
  explicit operator bool() const { return word_ != 0; }
  void* word() const { return reinterpret_cast<void*>(uintptr_t(word_)); }

  static constexpr uint32_t kMostCount = 0xffff, kMostClasses = 0xffff;

 private:
  uint64_t word_ = 0;
};

// Of a node, side by side, as who counts in one reads the other.
struct Counter {
  std::atomic<uint32_t> waits;
  uint32_t predecessors;
};

struct Rule {
  NextOf next;
  uint32_t to;  // class
  // Of it, once the graph is closed:
  uint32_t to_count = 0;
  Counter* counters = nullptr;  // of its nodes
  Item item = {};               // codelet 0
  Item item_of(uint32_t i) const { return item.moved(i); }
};

struct Class {
  Fire fire;
  void* context;
  uint32_t first, count;  // nodes
  uint32_t line;          // of the program's source; 0: not known
  const void* from;       // where the program made it: a return address, nullptr: not known
  bool lists = false;     // some of its nodes have arcs in the list
  bool by_rule = false;   // it has rules; once the graph is closed
  std::vector<Rule> rules;
};

}  // namespace einkorn::codelet
