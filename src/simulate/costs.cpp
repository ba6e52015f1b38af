#include "simulate/costs.h"

#include <algorithm>
#include <cmath>

namespace einkorn::simulate {

namespace {

double measured(const machine::Machine& m, const char* name, double otherwise) {
  for (const machine::Measured& x : m.measured)
    if (x.name == name) return x.value;
  return otherwise;
}

}  // namespace

// Counted in fib of bench/: 22 ns of CPU time a task in all, half of it on the side that creates. A theft is two trips of
// cache lines, the victim's ends and the task; a look of an idle worker that spins sees a push after one.
Costs costs_of(const machine::Machine& m) {
  Costs c;
  const double trip = measured(m, "line_round_trip_ns_same_node", measured(m, "line_round_trip_ns_same_llc", 205));
  c.create = 11;
  c.create_depend = 60;
  c.fetch = 11;
  c.steal = trip;
  c.wake = trip;
  c.push_away = trip / 2;
  c.chunk = 9;
  c.region = measured(m, "parallel_ns_2_threads", 506) / 2;
  c.barrier = measured(m, "barrier_ns_2_threads", 166);
  c.migrate_page = measured(m, "migrate_page_ns", 1295);  // Schmidl, table 3.2: two sockets of Westmere
  c.next_touch_page = measured(m, "next_touch_page_ns", 15593);
  return c;
}

}  // namespace einkorn::simulate
