// Building and closing a graph: arcs are gathered, checked, counted.
#pragma once
#include <memory>
#include <string>

#include "base/platform.h"
#include "codelet/types.h"

namespace einkorn::codelet {

class Graph;

// What a run reads of a closed graph: none of it changes but the counters. A copy in a local variable spares whoever
// fires codelets to read all of it again behind each of them.
struct Arcs {
  const Graph* graph;
  const Class* classes;
  Counter* counters;
  const uint32_t *begin, *list;  // of node n the arcs list[begin[n]] .. list[begin[n + 1]]
  const uint16_t* class_of;      // by node; nullptr: there is one class

  // Codelet i of that class has been fired: calls ready(Item) for each successor that has none left to wait for. By any
  // thread; each codelet of a run once. alone: no other thread counts at the same time.
  template <bool alone, class Ready>
  __attribute__((always_inline)) void release_successors(const Class& c, uint32_t i, Ready&& ready) const {
    if (c.by_rule) {
      const Rule *rule = c.rules.data(), *const end = rule + c.rules.size();
      do {
        uint32_t out[kMostNext];
        const int count = rule->next(c.context, i, out);
        if (EK_UNLIKELY(unsigned(count) > unsigned(kMostNext))) rule_changed(graph, c, i);
        for (const uint32_t *to = out, *last = out + count; to != last; ++to) {
          const uint32_t j = *to;
          if (EK_UNLIKELY(j >= rule->to_count)) rule_changed(graph, c, i);
          Counter& counter = rule->counters[j];
          const uint32_t all = counter.predecessors;
          if (all <= 1) {
            if (EK_UNLIKELY(all == 0)) rule_changed(graph, c, i);
          } else if (!is_last_of<alone>(counter, all)) {
            continue;
          }
          ready(rule->item_of(j));
        }
      } while (++rule != end);
    }
    if (!c.lists) return;
    const uint32_t node = c.first + i;
    for (const uint32_t *to = list + begin[node], *last = list + begin[node + 1]; to != last; ++to) {
      const uint32_t n = *to, all = counters[n].predecessors;
      if (all != 1 && !is_last_of<alone>(counters[n], all)) continue;
      if (EK_LIKELY(class_of == nullptr)) ready(Item(0, n, 1));
      else ready(Item(class_of[n], n - classes[class_of[n]].first, 1));
    }
  }

 private:
  // A predecessor of `all`, which are several, has been fired: was it the last?
  template <bool alone>
  __attribute__((always_inline)) static bool is_last_of(Counter& c, uint32_t all) {
    if constexpr (alone) {
      const uint32_t left = c.waits.load(std::memory_order_relaxed) - 1;
      c.waits.store(left != 0 ? left : all, std::memory_order_relaxed);
      return left == 0;
    }
    // Release: what the fired codelet wrote; acquire, by who takes it to zero: what all the others did.
    if (c.waits.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    // Relaxed: nobody counts here until the next run, which begins after this one's end has been seen.
    c.waits.store(all, std::memory_order_relaxed);
    return true;
  }
  [[noreturn]] static void rule_changed(const Graph* graph, const Class& c, uint32_t i);
};

class Graph {
 public:
  explicit Graph(const char* name) : name_(name ? name : "") {}

  // By the thread that builds it, before close(). What is wrong is kept, and said by close().
  int add_class(Fire fire, void* context, uint32_t count, uint32_t line, const void* from = nullptr);
  void add_arc(int from, uint32_t i, int to, uint32_t j);
  void add_rule(int from, int to, NextOf next);
  // 0, EINVAL or ELOOP, and why: one line that names the graph. Time and memory linear in nodes and arcs.
  int close(std::string* why);
  // The same for one without rules of which nothing is wrong: its arcs are between nodes that are there, and who made
  // them knows that there is no circle. each(f) calls f(from, to) for each arc, by numbers of nodes; twice.
  template <class Each>
  void close_with(Each&& each);

  bool is_closed() const { return closed_; }
  uint32_t size() const { return size_; }  // nodes
  const std::string& name() const { return name_; }

  // ---- Of a closed one ----
  const std::vector<Item>& roots() const { return roots_; }  // what waits for nobody
  Arcs arcs() const {
    return {this,
            classes_.data(),
            counters_.get(),
            arc_begin_.data(),
            arcs_.get(),
            class_of_.empty() ? nullptr : class_of_.data()};
  }
  const std::vector<Class>& classes() const { return classes_; }
  // All arcs, of rules, too: of node n list[begin[n]] .. list[begin[n + 1]]. False: more than 2^32.
  bool list_arcs(std::vector<uint32_t>& begin, std::vector<uint32_t>& list);
  // "line 12 [3]"
  std::string label(uint32_t node) const;
  std::string label(const Class& c) const;  // "line 12"
  // The program cannot go on:
  [[noreturn]] void fired_again() const;                // more codelets than there are were fired in a run
  [[noreturn]] void never_ready(uint64_t fired) const;  // or fewer

 private:
  struct Arc {
    uint32_t from, to;
  };
  // Codelets and arcs, four bytes each: up to so many a run reads them sooner than it asks rules (2-D wavefronts of
  // empty codelets: 10,000 take 5 ns each for 8, a million 19 for 9, as their lists are in no near cache).
  static constexpr size_t kMostListed = size_t(1) << 17;
  uint32_t class_of(uint32_t node) const { return classes_.size() == 1 ? 0 : class_of_[node]; }
  void fail(std::string why);
  std::string label_of(int c, uint32_t i) const;
  bool is_class(int c, const char* what);
  void begin_counting();
  template <class Each>
  void count_list(Each&& each);
  bool list_rules();
  bool count_arcs();
  void finish();
  template <class Each>
  bool each_by_rule(uint32_t node, Each&& each);
  template <class Each>
  void each_successor(uint32_t node, Each&& each);
  std::string circle(std::vector<uint32_t>& left);
  void find_roots();
  int check_order();

  std::string name_, wrong_;
  bool closed_ = false;
  int error_ = 0;  // of close(), with wrong_
  uint32_t size_ = 0;
  std::vector<Class> classes_;
  std::vector<Arc> gathered_;  // until it is closed
  std::vector<uint16_t> class_of_;
  std::vector<uint32_t> arc_begin_;
  std::unique_ptr<uint32_t[]> arcs_;
  std::unique_ptr<Counter[]> counters_;
  std::vector<Item> roots_;
};

// The list by its beginnings, and how many arcs lead to each.
template <class Each>
void Graph::count_list(Each&& each) {
  // Of node n first how many at n + 2; then where they begin at n + 1, which moves on as they come.
  arc_begin_.assign(size_t(size_) + 2, 0);
  uint32_t* const at = arc_begin_.data() + 1;
  Counter* const counters = counters_.get();
  each([&](uint32_t from, uint32_t to) { ++at[from + 1], ++counters[to].predecessors; });
  uint32_t sum = 0;
  for (uint32_t n = 0; n <= size_; ++n) at[n] = sum += at[n];
  arcs_ = std::make_unique_for_overwrite<uint32_t[]>(sum);
  uint32_t* const list = arcs_.get();
  each([&](uint32_t from, uint32_t to) { list[at[from]++] = to; });
}

template <class Each>
void Graph::close_with(Each&& each) {
  begin_counting();
  count_list(each);
  for (Class& c : classes_) c.lists = arc_begin_[c.first] != arc_begin_[c.first + c.count];
  find_roots();
  EK_ASSERT(check_order() == 0);
  finish();
}

}  // namespace einkorn::codelet
