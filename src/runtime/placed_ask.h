// What placed.cpp and placed_search.cpp share.
#pragma once
#include "runtime/placed.h"
#include "runtime/sleep.h"
#include "schedule/search.h"

namespace einkorn::runtime {

class TeamView final : public schedule::View {
 public:
  explicit TeamView(Placed& p) : p_(p) {}
  uint32_t length(int place) const override { return p_.queues[size_t(place)].length(); }
  uint64_t queued() const override {
    uint64_t sum = 0;
    for (size_t i = 0; i < p_.layout.places.size(); ++i) sum += p_.queues[i].length();
    return sum;
  }
  uint32_t ticket() override { return p_.tickets.fetch_add(1, std::memory_order_relaxed); }

 private:
  Placed& p_;
};

struct Asking {  // a worker and what it needs to ask the schedule
  Placed& p;
  Placed::PerWorker& me;
  TeamView view;
  schedule::Context context;
  Asking(Placed& placed, int worker)
      : p(placed), me(placed.workers[size_t(worker)]), view(placed),
        context{*placed.schedule, placed.layout, view, me.state, worker} {}
};

// Are there places from which some workers may not take?
inline bool is_closed(const schedule::Schedule& s) {
  return s.reach != schedule::Reach::loose || s.select == schedule::Select::none;
}

// Who may take from a place, without looking at others' nodes or groups: a range of Layout::order.
struct WorkerRange {
  int first, last;
};
WorkerRange reach_of(const Placed& p, const schedule::Place& at);
// Something was pushed there: wakes one that may take it: of the place's own workers, else, where others come by, of any.
void wake_for(Worker* w, Team* team, const Placed& p, int place);

}  // namespace einkorn::runtime
