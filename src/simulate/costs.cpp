#include "simulate/costs.h"

#include <algorithm>
#include <cmath>

#include "base/tunables.h"

namespace einkorn::simulate {

namespace {

double measured(const machine::Machine& m, const char* name, double otherwise) {
  for (const machine::Measured& x : m.measured)
    if (x.name == name) return x.value;
  return otherwise;
}

bool lines_are_of_the_recording(const machine::Machine& m) {
  return m.node_count() == 1 && std::none_of(m.measured.begin(), m.measured.end(), [](const machine::Measured& x) {
           return x.name.rfind("line_round_trip_ns_", 0) == 0;
         });
}

}  // namespace

// Counted in fib of bench/: 22 ns of CPU time a task in all, half of it on the side that creates. A theft is two trips
// of cache lines, the victim's ends and the task; a look of an idle worker that spins sees a push after one.
Costs costs_of(const machine::Machine& m) {
  Costs c;
  const double trip = measured(m, "line_round_trip_ns_same_node", measured(m, "line_round_trip_ns_same_llc", 205));
  c.create = 11;
  c.create_depend = 60;
  c.fetch = 11;
  c.steal = trip;
  c.wake = trip;
  c.short_task = tunables::kLongTask;
  c.short_batch = tunables::kBriefBatch;
  c.line = trip / 2;
  c.queue = 15;
  c.pause = 40;
  c.sleeper = 50000;
  c.sleeper_call = 5000;
  c.chunk = 9;
  c.region = measured(m, "parallel_ns_2_threads", 506) / 2;
  c.barrier = measured(m, "barrier_ns_2_threads", 166);
  c.migrate_page = measured(m, "migrate_page_ns", 1295);  // Schmidl 2016, table 3.2: two sockets of Westmere
  c.next_touch_page = measured(m, "next_touch_page_ns", 15593);
  return c;
}

void take_waiting(const profile::RuntimeCosts& measured_there, const machine::Machine& m, Costs& costs) {
  using profile::Waiting;
  auto take = [&](Waiting w, double& cost) {
    if (measured_there(w) >= 0) cost = measured_there(w);
  };
  take(Waiting::pause, costs.pause);
  take(Waiting::wake, costs.sleeper);
  take(Waiting::wake_call, costs.sleeper_call);
  if (lines_are_of_the_recording(m)) take(Waiting::line, costs.line);
}

double take_line(const profile::RuntimeCosts& measured_there, const profile::RuntimeCosts& second,
                 const machine::Machine& m, Costs& costs) {
  double least = measured_there(profile::Waiting::line), most = measured_there.line_most;
  if (measured_there.line_now > 0 && second.line_now > 0) {
    least = std::min(measured_there.line_now, second.line_now);
    most = std::max(measured_there.line_now, second.line_now);
  }
  if (!lines_are_of_the_recording(m) || least <= 0) return 1;
  costs.line = least;
  return std::max(1.0, most / least);
}

bool take_streams(const profile::RuntimeCosts& measured_there, machine::Machine& m) {
  if (m.node_count() != 1 || !m.bandwidth.empty() || measured_there.stream_alone <= 0) return false;
  constexpr double kDoubt = 0.85;
  const double all = std::max(measured_there.stream_alone, kDoubt * measured_there.stream_all);
  m.bandwidth = {float(all * 1e9)};
  m.bandwidth_one = {float(measured_there.stream_alone * 1e9)};
  return true;
}

machine::Machine with_usual_streams(const profile::RuntimeCosts& measured_there, machine::Machine m) {
  if (measured_there.stream_times <= 0) return m;
  m.bandwidth = {
      float(std::max(measured_there.stream_all, measured_there.stream_alone * measured_there.stream_times) * 1e9)};
  return m;
}

bool fits_cache(const profile::Profile& recorded, const machine::Machine& m) {
  constexpr double kPart = 0.5;
  const double cache = m.real || m.llc_bytes == 0 ? recorded.costs.cache_bytes : double(m.llc_bytes);
  return m.node_count() == 1 && recorded.totals.resident_bytes >= 0 &&
         double(recorded.totals.resident_bytes) <= kPart * cache;
}

double slept_share(const profile::Profile& recorded, const Costs& costs) {
  constexpr double kEnough = 100;
  double waits = 0, waking = 0;
  for (const profile::LockUse& l : recorded.locks) waits += double(l.contended), waking += double(l.waking);
  return waits < kEnough || costs.sleeper_call <= 0 ? -1 : std::min(1.0, waking / (waits * costs.sleeper_call));
}

}  // namespace einkorn::simulate
