// The memory nodes of the machine as this folder needs them: which are available, which number the system gives them,
// which one the calling thread is on. Nodes are numbered as in machine::Machine::nodes.
#pragma once
#include <cstddef>
#include <cstdint>

namespace einkorn::memory {

inline constexpr int kMaxNodes = 1024;  // as many as Linux and machine::load() take

class NodeSet {
 public:
  void add(int node) {
    if (node >= 0 && node < kMaxNodes) words_[node / 64] |= 1ul << (node % 64);
  }
  bool has(int node) const { return node >= 0 && node < kMaxNodes && (words_[node / 64] >> (node % 64) & 1); }
  int count() const {
    int n = 0;
    for (unsigned long w : words_) n += __builtin_popcountl(w);
    return n;
  }
  bool empty() const { return count() == 0; }
  int next(int from) const {  // the first one from there on, -1: none
    for (int n = from; n < kMaxNodes; ++n)
      if (has(n)) return n;
    return -1;
  }
  const unsigned long* words() const {
    return words_;
  }  // in the form of system calls, if it holds the system's numbers

 private:
  unsigned long words_[kMaxNodes / 64] = {};
};

struct Nodes {
  int count;        // at least 1
  bool real;        // pages can really be put on them; otherwise a page is where the page map says
  size_t unit;      // the smallest unit that can be put on a node, in bytes: a page of the machine
  size_t line;      // 0, or bytes of a cache line: memory that is put nowhere goes to the nodes of turn[], line by line
  const int* turn;  // those with CPUs, in order
  int turns;        // how many
  NodeSet with_cpus;  // where data is distributed to; never empty
  const int* os;      // [node]: the system's number
  const int* of_os;   // [system's number < kMaxNodes]: the node, -1: none of the machine's
};
// The first call loads the machine (some milliseconds).
const Nodes& nodes();

// Questions of this folder that the runtime answers. It sets them when it is loaded; nullptr: nobody to ask.
struct Hooks {
  int (*current_node)() = nullptr;         // of the calling thread, -1: not known
  void (*team_nodes)(NodeSet*) = nullptr;  // adds those that the threads of its team run on
  void (*warn)(const char* text) = nullptr;
};
extern Hooks g_hooks;

int current_node();    // -1: not known
NodeSet team_nodes();  // of the calling thread's team; never empty

// Warns that memory cannot be placed, with the reason, once in the life of a process.
void cannot_place(int error);

// In the child of a fork: the threads that held locks do not exist any more.
void reset_locks_in_child();

}  // namespace einkorn::memory
