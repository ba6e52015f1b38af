// What a decision is made from: the schedule, where its queues are, what is in them, and the worker that asks.
#pragma once
#include "schedule/layout.h"
#include "schedule/random.h"

namespace einkorn::schedule {

// The team as it is now; in the runtime it may have changed by the time the action is taken.
class View {
 public:
  virtual uint32_t length(int place) const = 0;  // tasks queued there
  virtual uint64_t queued() const = 0;           // in all queues
  // 0, 1, 2, ...: for what all workers deal out in turn. place: among the places from that one on, which have numbers
  // of their own: one for all would give each of two that take turns every second place.
  virtual uint32_t ticket(int place = -1) = 0;

 protected:
  ~View() = default;
};

// A worker's own. seed differs from worker to worker.
struct WorkerState {
  RandomState random;
  uint32_t last_victim = 0;  // select = round_robin goes on from here
};

struct Context {
  const Schedule& schedule;
  const Layout& layout;
  View& view;
  WorkerState& state;
  int worker;

  const Layout::Worker& self() const { return layout.workers[size_t(worker)]; }
};

}  // namespace einkorn::schedule
