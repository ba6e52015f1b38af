#include "cli/simulate_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli/simulate_memory.h"
#include "simulate/roofline.h"

namespace einkorn::cli {

using namespace einkorn::simulate;

const char* name_of(const machine::Machine& m) { return m.name.empty() ? "this computer" : m.name.c_str(); }

namespace {

// Of all workers together.
WorkerTime sum_of(const Outcome& o) {
  WorkerTime sum;
  for (const WorkerTime& w : o.workers) {
    sum.work += w.work;
    sum.memory += w.memory;
    sum.overhead += w.overhead;
    sum.steals += w.steals;
  }
  return sum;
}

// What two replays say of one run: all compute, all memory. The same twice where the memory part is known.
struct Ends {
  double wall[2], speedup[2];  // the less one first
};
Ends ends_of(const Sweep& sweep, const Sweep* memory, size_t point) {
  const Point& p = sweep.points[point];
  Ends e{{p.outcome.makespan, p.outcome.makespan}, {sweep.baseline / p.outcome.makespan, sweep.baseline / p.outcome.makespan}};
  if (!memory || memory->points[point].outcome.stuck) return e;
  const Point& q = memory->points[point];
  e.wall[1] = q.outcome.makespan, e.speedup[1] = memory->baseline / q.outcome.makespan;
  if (e.wall[0] > e.wall[1]) std::swap(e.wall[0], e.wall[1]);
  if (e.speedup[0] > e.speedup[1]) std::swap(e.speedup[0], e.speedup[1]);
  return e;
}

}  // namespace

std::string table(const Subject& subject, const machine::Machine& m, const Sweep& sweep, const Sweep* memory) {
  auto ms = [](double ns) { return fmt::format("{:.4g}", ns * 1e-6); };
  std::string out = fmt::format("{} on {} (predicted)\n", subject.name, name_of(m));
  out += fmt::format("work {} ms", ms(sweep.bounds.work));
  if (sweep.bounds.serial > 0) out += fmt::format(", outside regions {} ms", ms(sweep.bounds.serial));
  if (subject.recorded > 0) out += fmt::format("; recorded {} ms with {} thread{}", ms(subject.recorded), subject.recorded_threads, subject.recorded_threads == 1 ? "" : "s");
  out += "\n\n";
  size_t width = 8;
  for (const std::string& name : sweep.names) width = std::max(width, name.size());
  const int wide = memory ? 17 : 8;
  out += fmt::format("{:{}}  threads  {:>{}}  {:>{}}  at most  burdened      P/r   work   idle  remote\n", "schedule", width, "ms", wide, "speed-up",
                     memory ? 13 : 8);
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const Point& p = sweep.points[i];
    if (p.outcome.stuck) {
      out += fmt::format("{:{}}  {:7}  comes to a stop: tasks wait where this schedule lets nobody take them\n", sweep.names[p.schedule], width, p.threads);
      continue;
    }
    const WorkerTime sum = sum_of(p.outcome);
    const double all = p.outcome.makespan * p.threads, work = sum.work + sum.memory, inflation = inflation_speedup(sweep.bounds, p);
    const Ends e = ends_of(sweep, memory, i);
    out += fmt::format("{:{}}  {:7}  ", sweep.names[p.schedule], width, p.threads);
    auto from_to = [](const std::string& a, const std::string& b) { return a == b ? a : a + "-" + b; };
    out += memory ? fmt::format("{:>17}  {:>13} ", from_to(ms(e.wall[0]), ms(e.wall[1])),
                                from_to(fmt::format("{:.2f}", e.speedup[0]), fmt::format("{:.2f}", e.speedup[1])))
                  : fmt::format("{:>8}  {:8.2f} ", ms(e.wall[0]), e.speedup[0]);
    out += fmt::format("{:8.2f}  {:8.2f} ", at_most(sweep.bounds, p), burdened_speedup(sweep.bounds, p));
    out += inflation > 0 ? fmt::format("{:8.2f}", inflation) : fmt::format("{:>8}", "-");
    out += fmt::format(" {:5.0f}% {:5.0f}%", 100 * work / all, 100 * std::max(0.0, all - work - sum.overhead) / all);
    out += p.outcome.bytes > 0 ? fmt::format(" {:6.0f}%\n", 100 * double(p.outcome.remote_bytes) / double(p.outcome.bytes)) : "       -\n";
  }
  if (memory)
    out += fmt::format("\nFrom - to: of {:.0f} % of the work nobody knows how much of it waits for memory. At one end it is all compute, at the other all\n"
                       "memory that shares its node's bandwidth; the other columns are of the first. A recording with another number of threads\n"
                       "(--with) narrows it, or tasks that say what they touch (docs/simulator.md).\n", 100 * subject.unknown);
  return out;
}

nlohmann::json as_json(const Subject& subject, const machine::Machine& m, const Sweep& sweep, const Sweep* memory) {
  nlohmann::json out = {{"predicted", true}, {"program", subject.name}, {"machine", m.name}, {"memory_modelled", memory == nullptr},
                        {"unknown_memory_share", subject.unknown},
                        {"work_seconds", sweep.bounds.work * 1e-9}, {"serial_seconds", sweep.bounds.serial * 1e-9}, {"points", nlohmann::json::array()}};
  if (subject.recorded > 0) out["recorded_seconds"] = subject.recorded * 1e-9, out["recorded_threads"] = subject.recorded_threads;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const Point& p = sweep.points[i];
    nlohmann::json point = {{"schedule", sweep.names[p.schedule]}, {"threads", p.threads}, {"critical_path_seconds", p.span * 1e-9},
                            {"burdened_critical_path_seconds", p.burdened * 1e-9}};
    if (p.outcome.stuck) {
      point["stuck"] = true;
    } else {
      const WorkerTime sum = sum_of(p.outcome);
      const Ends e = ends_of(sweep, memory, i);
      if (memory) {
        point["wall_seconds_range"] = {e.wall[0] * 1e-9, e.wall[1] * 1e-9};
        point["speedup_range"] = {e.speedup[0], e.speedup[1]};
      } else {
        point["wall_seconds"] = e.wall[0] * 1e-9;
        point["speedup"] = e.speedup[0];
      }
      point["speedup_at_most"] = at_most(sweep.bounds, p);
      point["burdened_speedup"] = burdened_speedup(sweep.bounds, p);
      if (const double inflation = inflation_speedup(sweep.bounds, p); inflation > 0) point["inflation_speedup"] = inflation;
      point["work_seconds"] = sum.work * 1e-9;
      if (sum.memory > 0) point["memory_seconds"] = sum.memory * 1e-9;
      point["overhead_seconds"] = sum.overhead * 1e-9;
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
void each_roofline(const Subject& subject, const machine::Machine& m, const Setup& common, const std::vector<int>& threads, Use&& use) {
  for (const int n : threads) {
    const Program p = subject.with(n);
    Setup ends[2] = {setup_of(m, common, {}, n), setup_of(m, common, {}, n)};
    if (subject.unknown > kWorthARange) ends[1].unknown_memory = 1;
    use(n, roofline(p, ends[0]), roofline(p, ends[1]));
  }
}

}  // namespace

std::string roofline_table(const Subject& subject, const machine::Machine& m, const Setup& common, const std::vector<int>& threads) {
  auto ms = [](double a, double b) {
    return a == b ? fmt::format("{:.4g}", a * 1e-6) : fmt::format("{:.4g}-{:.4g}", std::min(a, b) * 1e-6, std::max(a, b) * 1e-6);
  };
  std::string out = fmt::format("{} on {} (roofline: the larger of compute and memory, with what synchronisation costs)\n\n", subject.name, name_of(m));
  out += "threads                ms           compute            memory     sync   serial  limited by\n";
  each_roofline(subject, m, common, threads, [&](int n, const Roofline& a, const Roofline& b) {
    const bool compute = a.compute >= a.memory, also = b.compute >= b.memory;
    out += fmt::format("{:7}  {:>16}  {:>16}  {:>16}  {:>7}  {:>7}  {}\n", n, ms(a.total(), b.total()), ms(a.compute, b.compute), ms(a.memory, b.memory),
                       ms(a.sync, a.sync), ms(a.serial, a.serial), compute != also ? "one or the other" : compute ? "compute" : "memory");
  });
  if (subject.unknown > kWorthARange)
    out += fmt::format("\nFrom - to: of {:.0f} % of the work nobody knows how much of it waits for memory.\n", 100 * subject.unknown);
  return out;
}

nlohmann::json roofline_json(const Subject& subject, const machine::Machine& m, const Setup& common, const std::vector<int>& threads) {
  nlohmann::json out = {{"predicted", true}, {"model", "roofline"}, {"program", subject.name}, {"machine", m.name},
                        {"unknown_memory_share", subject.unknown}, {"points", nlohmann::json::array()}};
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
  auto ends = [&](const char* with) { return file.size() > strlen(with) && file.compare(file.size() - strlen(with), strlen(with), with) == 0; };
  return ends(".svg") ? 's' : ends(".html") ? 'h' : 0;
}

std::string plot(const Subject& subject, const machine::Machine& m, const Sweep& sweep, const Sweep* memory, char form) {
  report::SpeedupPlot out;
  out.title = subject.name;
  out.subtitle = fmt::format("predicted on {}", name_of(m));
  for (const std::string& name : sweep.names) out.curves.push_back({name, {}, {}, {}});
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const Point& p = sweep.points[i];
    if (p.schedule == 0) {  // the bounds are those of the program
      out.at_most.emplace_back(p.threads, at_most(sweep.bounds, p));
      out.burdened.emplace_back(p.threads, burdened_speedup(sweep.bounds, p));
    }
    if (p.outcome.stuck) continue;
    const Ends e = ends_of(sweep, memory, i);
    out.curves[p.schedule].points.emplace_back(p.threads, memory ? e.speedup[1] : e.speedup[0]);
    if (memory) out.curves[p.schedule].other.emplace_back(p.threads, e.speedup[0]);
    if (const double inflation = inflation_speedup(sweep.bounds, p); inflation > 0) out.curves[p.schedule].inflation.emplace_back(p.threads, inflation);
  }
  auto sort = [](report::Line& line) { std::sort(line.begin(), line.end()); };
  sort(out.at_most), sort(out.burdened);
  for (auto& c : out.curves) sort(c.points), sort(c.other), sort(c.inflation);
  return form == 's' ? speedup_svg(out) : speedup_html(out, table(subject, m, sweep, memory));
}

}  // namespace einkorn::cli
