// What placed.cpp and placed_search.cpp share.
#pragma once
#include "runtime/team/placed.h"
#include "runtime/sync/sleep.h"
#include "schedule/visits.h"

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
  uint32_t ticket(int place) override {
    std::atomic<uint32_t>& tickets = place < 0 ? p_.tickets : p_.places[size_t(place)].tickets;
    return tickets.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  Placed& p_;
};

struct Asking {  // a worker and what it needs to ask the schedule
  Placed& p;
  Placed::PerWorker& me;
  TeamView view;
  schedule::Context context;
  Asking(Placed& placed, int worker)
      : p(placed),
        me(placed.workers[size_t(worker)]),
        view(placed),
        context{*placed.schedule, placed.layout, view, me.state, worker} {}
};

// Something was pushed there: wakes one that may take it: of the place's own workers, else of those that come by.
void wake_for(Worker* w, Team* team, const Placed& p, int place);

}  // namespace einkorn::runtime
