// Memory under C++'s orders alone, as far as a processor of today has it: what a load may read. Operational, by views,
// after Kang, Hur, Lahav, Vafeiadis and Dreyer, "A promising semantics for relaxed-memory concurrency" (POPL 2017),
// without its promises.
//
// A location keeps all values that were stored there, in the order of these stores: its messages. A thread has a view:
// of each location, the oldest message that it may still read. It reads that one or any later (a decision of the
// checker's), and never an older one afterwards. A release store leaves the thread's view with its message, and who
// reads that with acquire has it from then on, too. An update reads the latest message, and passes on what came with
// that. Fences (and heavy_fence(), which is one of every thread) share one view, in the order in which they run.
// seq_cst loads and stores of one location see each other, and order nothing else: an update with seq_cst is no fence,
// as it is none on Arm.
//
// What this does not have: loads that see a store from later on (which needs a processor that stores before an earlier
// load of its own is done), and two threads' stores to two locations that are seen in an order that contradicts both
// threads'.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace model::weak {

// By number of the location; what is not there is 0.
class View {
 public:
  uint32_t at(uint32_t location) const { return location < seen_.size() ? seen_[location] : 0; }
  void raise(uint32_t location, uint32_t message) {
    if (location >= seen_.size()) seen_.resize(location + 1, 0);
    if (seen_[location] < message) seen_[location] = message;
  }
  void join(const View& other) {
    if (other.seen_.size() > seen_.size()) seen_.resize(other.seen_.size(), 0);
    for (size_t i = 0; i < other.seen_.size(); ++i)
      if (seen_[i] < other.seen_[i]) seen_[i] = other.seen_[i];
  }
  void clear() { seen_.clear(); }

 private:
  std::vector<uint32_t> seen_;
};

inline bool acquires(std::memory_order o) {
  return o == std::memory_order_acquire || o == std::memory_order_acq_rel || o == std::memory_order_seq_cst ||
         o == std::memory_order_consume;
}
inline bool releases(std::memory_order o) {
  return o == std::memory_order_release || o == std::memory_order_acq_rel || o == std::memory_order_seq_cst;
}

struct Message {
  uint64_t value;
  View view;
};

struct Location {
  explicit Location(uint32_t n) : number(n) {}
  uint32_t number;
  uint32_t first = 0;  // number of messages[0]
  std::vector<Message> messages;
  uint32_t latest() const { return first + uint32_t(messages.size()) - 1; }
  Message& message(uint32_t n) { return messages[n - first]; }

  // What was written there without an atomic store is everybody's at once.
  void set_plainly(uint64_t value) {
    if (messages.empty()) {
      messages.push_back({value, {}});
    } else if (messages.back().value != value) {
      first += uint32_t(messages.size());
      messages.clear();
      messages.push_back({value, {}});
    }
  }
};

// What a thread knows. held: of what it has read without acquire, for its next fence; given: at its latest fence, for
// stores without release behind it.
struct Knowledge {
  View view, held, given;
  void clear() { view.clear(), held.clear(), given.clear(); }

  // `sequential`: what fences have shared, and seq_cst stores of each location.
  void fence(View& sequential) {
    view.join(held);
    view.join(sequential);
    sequential.join(view);
    given = view;
  }
  uint32_t oldest(const Location& of, const View& sequential, std::memory_order order) const {
    uint32_t n = std::max(view.at(of.number), of.first);
    return order == std::memory_order_seq_cst ? std::max(n, sequential.at(of.number)) : n;
  }
  uint64_t read(Location& from, uint32_t n, std::memory_order order) {
    view.raise(from.number, n);
    (acquires(order) ? view : held).join(from.message(n).view);
    return from.message(n).value;
  }
  // update: behind the latest message, whose view goes on.
  void write(Location& to, uint64_t value, View& sequential, std::memory_order order, bool update) {
    const uint32_t n = to.latest() + 1;
    view.raise(to.number, n);
    if (order == std::memory_order_seq_cst) sequential.raise(to.number, n);
    Message m{value, releases(order) ? view : given};
    m.view.raise(to.number, n);
    if (update) m.view.join(to.messages.back().view);
    to.messages.push_back(std::move(m));
  }
};

}  // namespace model::weak
