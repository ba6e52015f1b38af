#include "report/repeated.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/source_costs.h"
#include "report/text/table.h"
#include "report/validity.h"
#include "report/wording.h"

namespace einkorn::report {

using profile::Profile;
using profile::State;

void Spread::add(double value) {
  least = count ? std::min(least, value) : value;
  most = count ? std::max(most, value) : value;
  const double before = value - mean;
  mean += before / double(++count);
  squares += before * (value - mean);
}

double Spread::deviation() const { return count < 2 ? -1 : std::sqrt(squares / double(count - 1)); }

Spread& Repeated::figure(const char* name, double unit) {
  for (Figure& f : figures_)
    if (!strcmp(f.name, name)) return f.spread;
  figures_.push_back({name, unit, {}});
  return figures_.back().spread;
}

bool Repeated::add(const std::string& file, const Profile& p, std::string* why) {
  uint32_t threads = uint32_t(p.threads.size());
  if (files_.empty()) {
    program_ = p.program, threads_ = threads;
  } else if (p.program.substr(p.program.rfind('/') + 1) != program_.substr(program_.rfind('/') + 1)) {
    *why = fmt::format("{} is a recording of {}, {} one of {}: repetitions are of one program.",
                       printable(files_[0].name), printable(program_), printable(file), printable(p.program));
    return false;
  } else if (threads != threads_) {
    *why = fmt::format(
        "{} has {}, {} has {}: repetitions are run the same way. einkorn compare BEFORE AFTER compares two.",
        printable(files_[0].name), plural(threads_, "thread"), printable(file), plural(threads, "thread"));
    return false;
  }
  files_.push_back({file, p.times_valid, p.totals.complete, p.wall_ns, p.costs.line_now});
  figure("tasks", 1).add(double(p.totals.tasks));
  figure("chunks", 1).add(double(p.totals.chunks));
  if (p.times_valid) {
    figure("wall_seconds", 1e9).add(double(p.wall_ns));
    const bool cpu_time_known =
        std::any_of(p.threads.begin(), p.threads.end(), [](const profile::Thread& t) { return t.cpu_ns >= 0; });
    for (int s = 0; s < profile::kStates; ++s)
      if (s != int(State::offcpu) || cpu_time_known)
        figure(profile::kStateNames[s], 1e9).add(double(p.thread_time[size_t(s)]));
    figure("critical_path_seconds", 1e9).add(double(p.critical_path_ns));
    if (p.critical_path_ns > 0) figure("parallelism", 1).add(p.parallelism);
  }
  add_lines(p);
  return true;
}

void Repeated::add_lines(const Profile& p) {
  for (const SourceCost& c : source_costs(p)) {
    static const profile::Source unknown;
    const profile::Source& s = c.source < p.sources.size() ? p.sources[c.source] : unknown;
    // Without a line it is the place in the module that tells it from others.
    const uint64_t address = s.line ? 0 : s.address;
    const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", s.file, s.line, s.function, s.construct,
                                        s.line ? "" : s.module, address, int(c.kind));
    Line& l = lines_[key];
    if (l.grains.count == 0) {
      l.file = s.file, l.line = s.line, l.function = s.function, l.construct = s.construct, l.kind = c.kind;
      if (!s.line) l.module = s.module, l.address = address;
    }
    l.grains.add(double(c.grains));
    if (!p.times_valid || !c.executed) continue;
    l.exec.add(double(c.exec));
    l.median.add(double(c.median));
  }
}

std::vector<const Repeated::Line*> Repeated::by_cost() const {
  std::vector<const Line*> all;
  for (const auto& [key, line] : lines_) all.push_back(&line);
  std::stable_sort(all.begin(), all.end(), [](const Line* a, const Line* b) {
    return a->exec.mean != b->exec.mean ? a->exec.mean > b->exec.mean : a->grains.mean > b->grains.mean;
  });
  return all;
}

// Sentences.
std::vector<std::string> Repeated::remarks() const {
  std::vector<std::string> out;
  for (const File& f : files_) {
    if (!f.times_valid)
      out.push_back(fmt::format("The times of {} are not valid and count for nothing here: einkorn report says why.",
                                printable(f.name)));
    if (!f.complete)
      out.push_back(fmt::format("{} is not complete: its program was killed, or its file cut.", printable(f.name)));
  }
  double near = 0, far = 0;
  for (const File& f : files_)
    if (f.times_valid && f.line_ns > 0)
      near = near > 0 ? std::min(near, f.line_ns) : f.line_ns, far = std::max(far, f.line_ns);
  if (std::string moved = cpus_moved(near, far); !moved.empty()) out.push_back(std::move(moved));
  return out;
}

namespace {

std::string text_of(double unit, double value) {
  if (unit == 1e9) return duration(int64_t(std::llround(value)));
  return value == std::floor(value) && value < 1e15 ? count(uint64_t(value)) : significant(value, 4);
}

std::vector<std::string> cells(const Spread& s, double unit) {
  if (s.count == 0) return {"-", "-", "-", "-", "-"};
  const double deviation = s.deviation(), percent = s.percent_of_least();
  return {text_of(unit, s.mean), deviation < 0 ? "-" : text_of(unit, deviation),
          percent < 0 ? "-" : fmt::format("{:.1f} %", percent), text_of(unit, s.least), text_of(unit, s.most)};
}

}  // namespace

std::string Repeated::text(const TextOptions& o, size_t most) const {
  auto bold = [&](const std::string& s) { return o.color ? "\x1b[1m" + s + "\x1b[0m" : s; };
  std::string out = bold(fmt::format("{} of {}, {}", plural(files_.size(), "recording"), printable(program_),
                                     plural(threads_, "thread"))) +
                    "\n";
  for (const std::string& s : remarks()) out += s + "\n";
  out += "\n";
  TextTable table;
  auto row = [&](const std::string& name, const Spread& s, double unit) {
    std::vector<std::string> r{name};
    for (std::string& c : cells(s, unit)) r.push_back(std::move(c));
    table.row(std::move(r));
  };
  table.row({"", "mean", "deviation", "of the least", "least", "most"});
  for (const Figure& f : figures_) {
    std::string name = f.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (size_t at = name.find(" seconds"); at != std::string::npos) name.resize(at);
    row(name, f.spread, f.unit);
  }
  table.print(out, "lrrrrr");
  out += "\n" + bold("By line: execution of all its grains, and of one, the median") + "\n";
  Profile places;  // wants a profile: one that has nothing but sources
  const std::vector<const Line*> lines = by_cost();
  for (const Line* l : lines) {
    profile::Source s;
    s.file = l->file, s.line = l->line, s.function = l->function, s.construct = l->construct, s.module = l->module;
    s.address = l->address;
    places.sources.push_back(std::move(s));
  }
  const Places place(places);
  TextTable of_lines;
  of_lines.row(
      {"", "", "grains", "deviation", "execution", "deviation", "of the least", "one grain", "deviation", "in"});
  for (size_t i = 0; i < lines.size() && i < most; ++i) {
    const Line& l = *lines[i];
    const auto grains = cells(l.grains, 1), exec = cells(l.exec, 1e9), one = cells(l.median, 1e9);
    const std::string construct = l.construct.empty() ? profile::kGrainKindNames[size_t(l.kind)] : l.construct;
    of_lines.row({place(uint32_t(i)), printable(construct), grains[0], grains[1], exec[0], exec[1], exec[2], one[0],
                  one[1], fmt::format("{} of {}", l.grains.count, files_.size())});
  }
  of_lines.print(out, "llrrrrrrrr");
  if (lines.size() > most)
    out += fmt::format("  and {} (--lines N, --json)\n", plural(lines.size() - most, "more line"));
  out += "\nDeviation: the standard deviation over the recordings (n - 1), also in per cent of the least.\n";
  return out;
}

std::string Repeated::json() const {
  using nlohmann::ordered_json;
  auto put = [](ordered_json& to, const char* name, const Spread& s, double unit) {
    if (s.count == 0) return;
    ordered_json j = {{"recordings", s.count}, {"mean", s.mean / unit}};
    if (s.deviation() >= 0) j["standard_deviation"] = s.deviation() / unit;
    if (s.percent_of_least() >= 0) j["percent_of_least"] = s.percent_of_least();
    j["least"] = s.least / unit;
    j["most"] = s.most / unit;
    to[name] = std::move(j);
  };
  ordered_json out;
  out["recordings"] = ordered_json::array();
  for (const File& f : files_) {
    ordered_json j = {{"recording", utf8(f.name)}, {"complete", f.complete}, {"times_valid", f.times_valid}};
    if (f.times_valid) j["wall_seconds"] = double(f.wall_ns) / 1e9;
    if (f.times_valid && f.line_ns > 0) j["line_seconds"] = f.line_ns / 1e9;
    out["recordings"].push_back(std::move(j));
  }
  out["program"] = utf8(program_);
  out["threads"] = threads_;
  ordered_json figures = ordered_json::object(), states = ordered_json::object();
  for (const Figure& f : figures_) {
    const bool state = std::any_of(std::begin(profile::kStateNames), std::end(profile::kStateNames),
                                   [&](const char* s) { return !strcmp(s, f.name); });
    put(state ? states : figures, f.name, f.spread, f.unit);
  }
  if (!states.empty()) figures["thread_time"] = std::move(states);
  out["figures"] = std::move(figures);
  out["lines"] = ordered_json::array();
  for (const Line* l : by_cost()) {
    ordered_json j = ordered_json::object();
    if (!l->file.empty()) j["file"] = utf8(l->file);
    if (l->line) j["line"] = l->line;
    if (!l->function.empty()) j["function"] = utf8(l->function);
    if (!l->construct.empty()) j["construct"] = utf8(l->construct);
    if (!l->module.empty()) j["module"] = utf8(l->module), j["address"] = l->address;
    j["kind"] = profile::kGrainKindNames[size_t(l->kind)];
    put(j, "grains", l->grains, 1);
    put(j, "exec_seconds", l->exec, 1e9);
    put(j, "median_seconds", l->median, 1e9);
    out["lines"].push_back(std::move(j));
  }
  return out.dump(1) + "\n";
}

}  // namespace einkorn::report
