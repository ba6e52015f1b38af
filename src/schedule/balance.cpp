// The example of docs/schedules.md: a schedule with a placement of its own.
//
// balance: a queue a node. A task goes to the node where most of the bytes lie that it writes, as writer-node has it,
// but not if that queue is already more than `kLead` tasks a worker longer than the shortest one: then to the shortest.
// So data decide while all have enough to do, and load decides where one node owns what all work on.
#include "schedule/own_rules.h"
#include "schedule/push.h"

namespace einkorn::schedule {

namespace {

constexpr uint32_t kLead = 4;

int place_task(const Context& c, const TaskFacts& t) {
  int home = c.layout.populated_near(node_with_most(c.layout, t.written));
  int mine = home < 0 ? own_node_place(c) : place_on_node(c, home);
  int shortest = mine;
  uint32_t least = c.view.length(mine);
  for (int node : c.layout.populated) {
    int place = place_on_node(c, node);
    if (uint32_t length = c.view.length(place); length < least) shortest = place, least = length;
  }
  uint32_t lead = kLead * uint32_t(c.layout.places[size_t(mine)].workers);
  return c.view.length(mine) > least + lead ? shortest : mine;
}

}  // namespace

const Schedule kBalance{.name = "balance",
                        .what = "to the node that holds what a task writes, unless its queue is much the longest",
                        .places = Places::node,
                        .select = Select::near_first,
                        .take = Take::per_worker,
                        .backoff = Backoff::exponential,
                        .place_task = place_task};

}  // namespace einkorn::schedule
