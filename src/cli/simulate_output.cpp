#include "cli/simulate_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cli/simulate_memory.h"
#include "schedule/shape.h"
#include "simulate/from_profile.h"
#include "simulate/inflation.h"
#include "simulate/not_replayed.h"
#include "simulate/roofline.h"

namespace einkorn::cli {

using namespace einkorn::simulate;

const char* name_of(const machine::Machine& m) { return m.name.empty() ? "this computer" : m.name.c_str(); }

namespace {

// Summed over all workers.
WorkerTime sum_of(const Outcome& o) {
  WorkerTime sum;
  for (const WorkerTime& w : o.workers) {
    sum.work += w.work;
    sum.memory += w.memory;
    sum.overhead += w.overhead;
    sum.blocked += w.blocked;
    sum.steals += w.steals;
  }
  return sum;
}

// The range that several replays give for one run. If there is only one, both ends are the same. Its middle is the
// geometric one, which is as near to both ends as can be; or what is likely, where one end is for all compute and the
// other for all memory.
struct Range {
  double wall[2], speedup[2];  // the less one first
  double middle;
};
Range range_of(const Subject& subject, const Sweep& sweep, const Ends& ends, size_t point) {
  const Point& p = sweep.points[point];
  const double speedup = sweep.baseline / p.outcome.makespan;
  Range r{{p.outcome.makespan, p.outcome.makespan}, {speedup, speedup}, 0};
  auto reach = [](double(&range)[2], double x) { range[0] = std::min(range[0], x), range[1] = std::max(range[1], x); };
  double others[2] = {p.outcome.makespan, p.outcome.makespan}, likely = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    const Point& q = ends[i].points[point];
    if (q.outcome.stuck) continue;
    if (subject.ends[i].likely_on) {
      likely = q.outcome.makespan;
      continue;
    }
    reach(r.wall, q.outcome.makespan);
    if (subject.ends[i].unknown <= 0) reach(others, q.outcome.makespan);
    reach(r.speedup, ends[i].baseline / q.outcome.makespan);
  }
  r.middle = likely > 0
                 ? std::clamp(likely * std::sqrt(others[0] * others[1]) / p.outcome.makespan, r.wall[0], r.wall[1])
                 : std::sqrt(r.wall[0] * r.wall[1]);
  return r;
}

// The range in which a run is expected. Even in valid recordings threads may have been off their CPUs for up to
// kMostWithoutCpu of their time, which made the recording longer, or makes the run longer; and no two runs are the
// same.
void widen(Range& r) {
  r.wall[0] *= 1 - profile::kMostWithoutCpu;
  r.wall[1] *= 1 + profile::kMostWithoutCpu + kDoubt;
}

double least_hold(const Sweep& sweep, const Ends& ends) {
  double hold = sweep.bounds.hold;
  for (const Sweep& end : ends) hold = std::min(hold, end.bounds.hold);
  return hold;
}

}  // namespace

bool from_invalid_times(const Subject& subject) {
  return subject.profile && !simulate::grain_times_valid(*subject.profile);
}

std::string not_to_trust(const Subject& subject) {
  return from_invalid_times(subject) ? ", from times that are not valid: not to be trusted" : "";
}

std::string table(const Subject& subject, const machine::Machine& m, const Sweep& sweep, const Ends& ends) {
  auto ms = [](double ns) { return fmt::format("{:.4g}", ns * 1e-6); };
  std::string out = fmt::format("{} on {} (predicted{})\n", subject.name, name_of(m), not_to_trust(subject));
  out += fmt::format("work {} ms", ms(sweep.bounds.work));
  if (sweep.bounds.serial > 0) out += fmt::format(", outside regions {} ms", ms(sweep.bounds.serial));
  if (sweep.bounds.hold > 0) out += fmt::format(", one lock held for {} ms", ms(sweep.bounds.hold));
  if (subject.recorded > 0)
    out += fmt::format("; recorded {} ms with {} thread{}", ms(subject.recorded), subject.recorded_threads,
                       subject.recorded_threads == 1 ? "" : "s");
  out += "\n\n";
  size_t width = 8;
  for (const std::string& name : sweep.names) width = std::max(width, name.size());
  const bool ranged = !ends.empty();
  const int wide = ranged ? 17 : 8;
  // Which point it is: schedule, shape, threads.
  size_t shape_width = 0;
  for (const schedule::Shape& shape : sweep.shapes)
    shape_width = std::max({shape_width, schedule::shape_text(shape).size() + 2, size_t(10)});
  auto point_text = [&](size_t i) {
    const Point& p = sweep.points[i];
    const std::string shape = sweep.shapes.empty() ? "" : schedule::shape_text(sweep.shape_of(i));
    return fmt::format("{:{}}  {:{}}{:7}  ", sweep.names[p.schedule], width, shape, shape_width, p.threads);
  };
  out += fmt::format("{:{}}  {:{}}threads  {:>{}}{}  {:>{}}  at most  burdened      P/r   work   idle  remote{}\n",
                     "schedule", width, sweep.shapes.empty() ? "" : "clusters", shape_width, "ms", wide,
                     ranged ? "    likely" : "", "speed-up", ranged ? 13 : 8,
                     subject.recorded > 0 ? "           within" : "");
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const Point& p = sweep.points[i];
    if (p.outcome.stuck) {
      out += point_text(i) + "comes to a stop: tasks wait where this schedule lets nobody take them\n";
      continue;
    }
    const WorkerTime sum = sum_of(p.outcome);
    const double all = p.outcome.makespan * p.threads, work = sum.work + sum.memory,
                 inflation = inflation_speedup(sweep.bounds, p);
    Range e = range_of(subject, sweep, ends, i);
    out += point_text(i);
    auto from_to = [](const std::string& a, const std::string& b) { return a == b ? a : a + "-" + b; };
    out += ranged ? fmt::format("{:>17}  {:>8}  {:>13} ", from_to(ms(e.wall[0]), ms(e.wall[1])), ms(e.middle),
                                from_to(fmt::format("{:.2f}", e.speedup[0]), fmt::format("{:.2f}", e.speedup[1])))
                  : fmt::format("{:>8}  {:8.2f} ", ms(e.wall[0]), e.speedup[0]);
    out += fmt::format("{:8.2f}  {:8.2f} ", at_most(sweep.bounds, p), burdened_speedup(sweep.bounds, p));
    out += inflation > 0 ? fmt::format("{:8.2f}", inflation) : fmt::format("{:>8}", "-");
    out += fmt::format(" {:5.0f}% {:5.0f}%", 100 * work / all, 100 * std::max(0.0, all - work - sum.overhead) / all);
    out += p.outcome.bytes > 0
               ? fmt::format(" {:6.0f}%", 100 * double(p.outcome.remote_bytes) / double(p.outcome.bytes))
               : "       -";
    if (subject.recorded > 0) {
      widen(e);
      out += fmt::format("  {:>15}", from_to(ms(e.wall[0]), ms(e.wall[1])));
    }
    out += "\n";
  }
  for (size_t s = 0; s < sweep.schedules.size(); ++s)
    for (const std::string& what : not_replayed(sweep.schedules[s], sweep.bounds.tiny))
      out += fmt::format("\nNot replayed of {}: {}.\n", sweep.names[s], what);
  if (subject.moved)
    out +=
        "\nThe two recordings were made with CPUs at different distances from each other (a host moves those of a virtual "
        "machine):\nwhat they say of memory does not narrow the range. Record both again, one right after the other.\n";
  if (ranged && subject.second && !subject.moved)
    out +=
        "\nFrom - to: two runs of one program differ, so what the two recordings say of memory is accurate to some "
        "percent; for work\nthat got faster with more threads, or slower than sharing explains, to the difference of "
        "both.\n";
  if (std::any_of(subject.ends.begin(), subject.ends.end(), [](const Subject::End& e) { return e.awake; }))
    out +=
        "\nFrom - to: whether threads that wait for a lock sleep is partly chance: at one end none does, at the other "
        "wakes take twice as long.\n";
  if (ranged && subject.unknown > kWorthARange)
    out += fmt::format(
        "\nFrom - to: for {:.0f} % of the work nobody knows how much of it waits for memory. At one end it is "
        "all compute, at the other all\nmemory that shares its node's bandwidth; the other columns are for the first. "
        "A recording with another number of threads\n(--with) narrows the range, and so do tasks that declare what "
        "they touch (docs/simulator.md).\n",
        100 * subject.unknown);
  if (subject.in_cache)
    out +=
        "\nAll that the program had in memory fits into the last-level cache: none of its work is taken to wait for "
        "memory.\n";
  if (subject.perturbed > kPerturbedWork)
    out += fmt::format(
        "\n{:.0f} % of the work is in grains shorter than ten times what recording one takes. Their "
        "times are upper bounds, and with\n"
        "them all of these.\n",
        100 * subject.perturbed);
  return out;
}

nlohmann::json as_json(const Subject& subject, const machine::Machine& m, const Sweep& sweep, const Ends& ends) {
  nlohmann::json out = {{"predicted", true},
                        {"program", subject.name},
                        {"recording_times_valid", !from_invalid_times(subject)},
                        {"machine", m.name},
                        {"memory_modelled", subject.unknown <= kWorthARange},
                        {"unknown_memory_share", subject.unknown},
                        {"perturbed_work_share", subject.perturbed},
                        {"fits_cache", subject.in_cache},
                        {"cpus_moved", subject.moved},
                        {"work_seconds", sweep.bounds.work * 1e-9},
                        {"serial_seconds", sweep.bounds.serial * 1e-9},
                        {"points", nlohmann::json::array()}};
  if (sweep.bounds.hold > 0) out["longest_hold_seconds"] = least_hold(sweep, ends) * 1e-9;
  if (subject.recorded > 0)
    out["recorded_seconds"] = subject.recorded * 1e-9, out["recorded_threads"] = subject.recorded_threads;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const Point& p = sweep.points[i];
    nlohmann::json point = {{"schedule", sweep.names[p.schedule]},
                            {"threads", p.threads},
                            {"critical_path_seconds", p.span * 1e-9},
                            {"burdened_critical_path_seconds", p.burdened * 1e-9}};
    if (!sweep.shapes.empty()) point["amm"] = schedule::shape_text(sweep.shape_of(i));
    if (const std::vector<std::string> left_out = not_replayed(sweep.schedules[p.schedule], sweep.bounds.tiny);
        !left_out.empty())
      point["not_replayed"] = left_out;
    if (p.outcome.stuck) {
      point["stuck"] = true;
    } else {
      const WorkerTime sum = sum_of(p.outcome);
      Range e = range_of(subject, sweep, ends, i);
      if (!ends.empty()) {
        point["wall_seconds_range"] = {e.wall[0] * 1e-9, e.wall[1] * 1e-9};
        point["speedup_range"] = {e.speedup[0], e.speedup[1]};
      }
      if (!ends.empty()) point["middle_wall_seconds"] = e.middle * 1e-9;
      if (subject.unknown <= kWorthARange) {
        point["wall_seconds"] = p.outcome.makespan * 1e-9;
        point["speedup"] = sweep.baseline / p.outcome.makespan;
      } else {
        point["compute_wall_seconds"] = p.outcome.makespan * 1e-9;
      }
      if (subject.recorded > 0) {
        widen(e);
        point["wall_seconds_within"] = {e.wall[0] * 1e-9, e.wall[1] * 1e-9};
      }
      point["speedup_at_most"] = at_most(sweep.bounds, p);
      point["burdened_speedup"] = burdened_speedup(sweep.bounds, p);
      if (const double inflation = inflation_speedup(sweep.bounds, p); inflation > 0)
        point["inflation_speedup"] = inflation;
      point["work_seconds"] = sum.work * 1e-9;
      if (sum.memory > 0) point["memory_seconds"] = sum.memory * 1e-9;
      point["overhead_seconds"] = sum.overhead * 1e-9;
      if (sum.blocked > 0) point["blocked_seconds"] = sum.blocked * 1e-9;
      point["steals"] = sum.steals;
      if (p.outcome.bytes > 0) {
        point["cached_bytes"] = p.outcome.cached_bytes;
        point["bytes"] = p.outcome.bytes;
        point["remote_bytes"] = p.outcome.remote_bytes;
      }
    }
    out["points"].push_back(std::move(point));
  }
  return out;
}

namespace {

template <class Use>
void each_roofline(const Subject& subject, const machine::Machine& m, const Setup& common,
                   const std::vector<int>& threads, Use&& use) {
  for (const int n : threads) {
    const Program p = subject.with(n);
    Setup ends[2] = {setup_of(m, common, {}, n), setup_of(m, common, {}, n)};
    if (subject.unknown > kWorthARange) ends[1].unknown_memory = 1;
    use(n, roofline(p, ends[0]), roofline(p, ends[1]));
  }
}

}  // namespace

std::string roofline_table(const Subject& subject, const machine::Machine& m, const Setup& common,
                           const std::vector<int>& threads) {
  auto ms = [](double a, double b) {
    return a == b ? fmt::format("{:.4g}", a * 1e-6)
                  : fmt::format("{:.4g}-{:.4g}", std::min(a, b) * 1e-6, std::max(a, b) * 1e-6);
  };
  std::string out =
      fmt::format("{} on {} (roofline: the larger of compute and memory, with what synchronisation costs{})\n\n",
                  subject.name, name_of(m), not_to_trust(subject));
  out += "threads                ms           compute            memory     sync   serial  limited by\n";
  each_roofline(subject, m, common, threads, [&](int n, const Roofline& a, const Roofline& b) {
    const bool compute = a.compute >= a.memory, also = b.compute >= b.memory;
    out += fmt::format("{:7}  {:>16}  {:>16}  {:>16}  {:>7}  {:>7}  {}\n", n, ms(a.total(), b.total()),
                       ms(a.compute, b.compute), ms(a.memory, b.memory), ms(a.sync, a.sync), ms(a.serial, a.serial),
                       compute != also ? "one or the other"
                       : compute       ? "compute"
                                       : "memory");
  });
  if (subject.unknown > kWorthARange)
    out += fmt::format("\nFrom - to: for {:.0f} % of the work nobody knows how much of it waits for memory.\n",
                       100 * subject.unknown);
  return out;
}

nlohmann::json roofline_json(const Subject& subject, const machine::Machine& m, const Setup& common,
                             const std::vector<int>& threads) {
  nlohmann::json out = {{"predicted", true},
                        {"model", "roofline"},
                        {"program", subject.name},
                        {"recording_times_valid", !from_invalid_times(subject)},
                        {"machine", m.name},
                        {"unknown_memory_share", subject.unknown},
                        {"points", nlohmann::json::array()}};
  auto pair = [](nlohmann::json& point, const std::string& name, double a, double b) {
    if (a == b) point[name] = a * 1e-9;
    else point[name + "_range"] = {std::min(a, b) * 1e-9, std::max(a, b) * 1e-9};
  };
  each_roofline(subject, m, common, threads, [&](int n, const Roofline& a, const Roofline& b) {
    nlohmann::json point = {{"threads", n}, {"sync_seconds", a.sync * 1e-9}, {"serial_seconds", a.serial * 1e-9}};
    pair(point, "wall_seconds", a.total(), b.total());
    pair(point, "compute_seconds", a.compute, b.compute);
    pair(point, "memory_seconds", a.memory, b.memory);
    out["points"].push_back(std::move(point));
  });
  return out;
}

char plot_form(const std::string& file) {
  auto ends = [&](const char* with) {
    return file.size() > strlen(with) && file.compare(file.size() - strlen(with), strlen(with), with) == 0;
  };
  return ends(".svg") ? 's' : ends(".html") ? 'h' : 0;
}

std::string plot(const Subject& subject, const machine::Machine& m, const Sweep& sweep, const Ends& ends, char form) {
  report::SpeedupPlot out;
  out.title = subject.name;
  out.subtitle = fmt::format("predicted on {}{}", name_of(m), not_to_trust(subject));
  for (const std::string& name : sweep.names) out.curves.push_back({name, {}, {}, {}});
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const Point& p = sweep.points[i];
    if (p.schedule == 0) {  // the bounds belong to the program, not to a schedule
      out.at_most.emplace_back(p.threads, at_most(sweep.bounds, p));
      out.burdened.emplace_back(p.threads, burdened_speedup(sweep.bounds, p));
    }
    if (p.outcome.stuck) continue;
    Range e = range_of(subject, sweep, ends, i);
    out.curves[p.schedule].points.emplace_back(p.threads, e.speedup[1]);
    if (!ends.empty()) out.curves[p.schedule].other.emplace_back(p.threads, e.speedup[0]);
    if (const double inflation = inflation_speedup(sweep.bounds, p); inflation > 0)
      out.curves[p.schedule].inflation.emplace_back(p.threads, inflation);
  }
  auto sort = [](report::Line& line) { std::sort(line.begin(), line.end()); };
  sort(out.at_most), sort(out.burdened);
  for (auto& c : out.curves) sort(c.points), sort(c.other), sort(c.inflation);
  return form == 's' ? speedup_svg(out) : speedup_html(out, table(subject, m, sweep, ends));
}

}  // namespace einkorn::cli
