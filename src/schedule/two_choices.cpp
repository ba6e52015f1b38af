// The example of docs/schedules.md: a stealing rule of its own.
//
// two-choices: a thief draws two queues and takes from the longer one (Mitzenmacher 1998, "Analyses of load stealing
// models based on differential equations", where thieves have several choices). It finds those that have much nearly as
// well as most-loaded does, at the price of two looks instead of one at each queue.
#include "schedule/select.h"

namespace einkorn::schedule {

int two_choices(const Context& c, Round&) {
  const auto places = uint32_t(c.layout.places.size());
  const int one = int(next_random(c.state.random) % places), other = int(next_random(c.state.random) % places);
  return c.view.length(one) >= c.view.length(other) ? one : other;
}

}  // namespace einkorn::schedule
