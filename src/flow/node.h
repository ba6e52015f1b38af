// A node of a graph that is built while it runs: it may start when all that it follows have ended. Knows neither what a
// node does nor where it lies. One thread, the creator, makes nodes and says whom each follows; any thread ends them.
//
// What creator and ending threads share is one word of each node:
//
//   successors   0 .......... none yet
//                Link* ...... pushed by the creator (compare-and-swap, which fails only when the node ends)
//                | kTag ..... of that link, for who pushes it to use
//                | kDropped . the creator names it no more: nobody is pushed any more. Often set with the last push
//                kClosed .... the node has ended: nobody is pushed any more
//                | kKept .... but it is not to be freed yet (let_go())
//   waits_for    predecessors that have not ended. Set to the number of all before the first of them knows of the node;
//                those that had ended before they could be told, the creator counts off. Who brings it to 0 makes the node
//                ready; who finds it at 1 is the only one left, and need not write it
//
// A node that ends exchanges the whole list for kClosed, where the creator may still push, and counts each successor
// down: no lock, no retry, nothing of the creator's. Whoever is the last to say kClosed without kKept, or kDropped,
// frees the node: the creator may name nodes that have ended.
//
// Links lie in the successor's memory: it cannot end, so not be freed, before all its predecessors have let go of it. A
// predecessor reads a link's `next` before it counts the successor down.
// Checked: tests/unit/model/node_model_test.cpp, and with wrong copies of this file.
#pragma once
#include "base/platform.h"

namespace einkorn::flow {

// T is what the node is a part of.
template <class T>
class Node {
 public:
  // next: the word of the list before this link was pushed. Until then the creator's, for the predecessor say.
  struct Link {
    uintptr_t next;
    T* successor;
  };
  static constexpr uintptr_t kTag = 4;

  void init() {
    successors_.store(0, std::memory_order_relaxed);
    waits_for_.store(0, std::memory_order_relaxed);
    named_ = 0;
  }
  // Acquire: what was done before its end is visible to who does not wait for it then.
  bool has_ended() const { return successors_.load(std::memory_order_acquire) & kClosed; }

  // ---- the creator's -----------------------------------------------------------------------------------------------
  // It names the node once more, or less: true: no more, and has to drop() it.
  void name() { ++named_; }
  bool unname() {
    EK_ASSERT(named_ != 0);
    return --named_ == 0;
  }
  bool is_named() const { return named_ != 0; }
  // This node will be told to so many predecessors: before the first push().
  void expect(uint32_t predecessors) { waits_for_.store(int32_t(predecessors), std::memory_order_relaxed); }
  // Of these so many had ended. true: the node waits for nobody.
  bool missed(uint32_t ended) {
    // Acquire: what the others did before their ends. Release: with the count, for who counts it down last.
    return waits_for_.fetch_sub(int32_t(ended), std::memory_order_acq_rel) == int32_t(ended);
  }
  // link->successor follows this node, and one name of it less is left. tag: 0 or kTag. false: it has ended, and where
  // that was the last name (is_named()) it is to be dropped. After a node's last predecessor that has not ended was
  // told, nothing of that node may be touched but by who names it.
  bool push(Link* link, uintptr_t tag) {
    uintptr_t word = reinterpret_cast<uintptr_t>(link) | tag;
    if (unname()) word |= kDropped;
    uintptr_t head = successors_.load(std::memory_order_acquire);
    do {
      if (EK_UNLIKELY(head & kClosed)) return false;
      link->next = head;
      // Release: who closes the list reads the link. And with kDropped, the memory is used anew after our last access.
      // Acquire, also where it fails: what was done before the end, for who is not told any more.
    } while (!successors_.compare_exchange_weak(head, word, std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
  }
  // It is named no more. true: it has ended, and is the creator's to free.
  bool drop() {
    // Acquire: the memory is used anew after the last access of the thread that closed it. Release: after our own.
    uintptr_t now = successors_.load(std::memory_order_acquire);
    if ((now & (kClosed | kKept)) != kClosed) now = successors_.fetch_or(kDropped, std::memory_order_acq_rel);
    return (now & (kClosed | kKept)) == kClosed;
  }

  // ---- who ends it -------------------------------------------------------------------------------------------------
  // Nobody is pushed any more: the word as it was, with the list. kept: it is not to be freed before let_go().
  uintptr_t close(bool kept = false) {
    // Acquire: the links; the creator's last use of the memory.
    uintptr_t head = successors_.load(std::memory_order_acquire);
    // Release: what was done comes before the end.
    if (!(head & kDropped))
      head = successors_.exchange(EK_LIKELY(!kept) ? kClosed : kClosed | kKept, std::memory_order_acq_rel);
    // Relaxed: the creator does not look any more.
    if (EK_UNLIKELY(kept) && (head & kDropped))
      successors_.store(kClosed | kKept | kDropped, std::memory_order_relaxed);
    return head;
  }
  // Of what close() says: is it the ending thread's to free (or, if kept, at let_go())? Else the creator frees it, at
  // any time from here on.
  static bool is_dropped(uintptr_t head) { return head & kDropped; }
  static bool has_successors(uintptr_t head) { return link_at(head) != nullptr; }
  // It may be freed. true: now; else when the creator has dropped it.
  bool let_go() {
    // Acquire: the creator's last use of it. Release: ours, for the creator.
    return successors_.fetch_and(~kKept, std::memory_order_acq_rel) & kDropped;
  }
  // Each of the list that close() gave, the oldest first. The node itself may be gone by now. fetch(link): of those
  // with kTag, the youngest first, before any of them: to ask for what each() will touch.
  template <class Fetch, class Each>
  static void for_each(uintptr_t head, Fetch&& fetch, Each&& each) {
    uintptr_t before = 0;
    while (Link* link = link_at(head)) {
      if (EK_LIKELY(head & kTag)) fetch(link);
      uintptr_t next = link->next;
      link->next = before;
      before = head;
      head = next;
    }
    while (Link* link = link_at(before)) {
      before = link->next;
      each(link->successor);
    }
  }
  // A predecessor has ended. true: the node waits for nobody any more.
  bool count_down() {
    // Acquire: the last predecessor to end has seen all the others end, and then nobody else writes the count. Release:
    // its own end, for the last.
    return waits_for_.load(std::memory_order_acquire) == 1 || waits_for_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // The same where a thread sleeps until the count is 0, and may free the node then: the count is always written.
  bool count_down_for_sleeper() {
    // Acquire and release: as in count_down().
    if (waits_for_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    fence_after_update();  // orders the update before the load of the sleeper's park word in wake(); pairs with the
                           // fence in Sleep
    return true;
  }
  // For that thread. Acquire: what was done before the ends.
  bool waits_for_nobody() const { return waits_for_.load(std::memory_order_acquire) == 0; }

  // Ready, its count is nobody's: a number for who starts it, whose locks order it.
  void set_stage(int32_t n) { waits_for_.store(n, std::memory_order_relaxed); }
  int32_t stage() const { return waits_for_.load(std::memory_order_relaxed); }

 private:
  static constexpr uintptr_t kClosed = 1, kDropped = 2, kKept = 8;  // kKept: beside kClosed only
  static constexpr uintptr_t kBits = kClosed | kDropped | kTag;
  static Link* link_at(uintptr_t word) { return reinterpret_cast<Link*>(word & ~kBits); }

  std::atomic<uintptr_t> successors_;
  std::atomic<int32_t> waits_for_;
  uint32_t named_;
};

}  // namespace einkorn::flow
