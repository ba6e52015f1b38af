#include <cmath>
#include <nlohmann/json.hpp>
#include <fmt/format.h>
#include "report/compare.h"
#include "report/json/json.h"
#include "report/table.h"

namespace einkorn::report {
namespace {

using json = nlohmann::ordered_json;
using profile::ComparedGrain;
using profile::Counted;
using profile::kNone;
using profile::LineChange;
using profile::Side;

class ComparisonWriter {
 public:
  explicit ComparisonWriter(const Compared& c) : c_(c), r_(c.result), times_(why_not_comparable(c).empty()) {}
  std::string run();

 private:
  void put_place(json& to, const Side& side, uint32_t source) const {
    if (source >= side.sources.size()) return;
    const profile::Source& s = side.sources[source];
    if (!s.file.empty()) to["file"] = s.file;
    if (s.line) to["line"] = s.line;
    if (!s.function.empty()) to["function"] = s.function;
    if (!s.construct.empty()) to["construct"] = s.construct;
    if (!s.line && s.address) to["module"] = s.module, to["address"] = s.address;
  }
  json counted(const Counted& n) const {
    json j = {{"grains", n.grains}};
    if (times_) j["exec_seconds"] = seconds(n.exec);
    return j;
  }
  json side(const Side& s, const std::string& file) const;
  json line(const LineChange& l) const;
  json loops() const;
  json grains() const;

  const Compared& c_;
  const profile::Comparison& r_;
  const bool times_;  // of both recordings mean something
};

json ComparisonWriter::side(const Side& s, const std::string& file) const {
  json j = {{"recording", file}};
  if (!s.program.empty()) j["program"] = s.program;
  if (!s.argv.empty()) j["argv"] = s.argv;
  j["threads"] = s.threads;
  if (!s.predicted.empty()) j["predicted"] = s.predicted;
  j["complete"] = s.complete;
  j["times_valid"] = s.times_valid;
  j["lost_grains"] = s.lost;
  if (s.aggregated) j["aggregated_grains"] = s.aggregated;
  if (!s.times_valid) return j;
  j["wall_seconds"] = seconds(s.wall_ns);
  if (s.line_ns > 0) j["line_seconds"] = seconds(std::llround(s.line_ns));
  for (size_t i = 0; i < s.thread_time.size(); ++i)
    if (i != size_t(profile::State::offcpu) || s.cpu_time_known)
      j["thread_time"][profile::kStateNames[i]] = seconds(s.thread_time[i]);
  return j;
}

json ComparisonWriter::line(const LineChange& l) const {
  json j = json::object();
  if (l.after_source != kNone) put_place(j, c_.after, l.after_source);
  else put_place(j, c_.before, l.before_source);
  if (l.after_source != kNone && l.before_source != kNone) {
    json was = json::object();
    put_place(was, c_.before, l.before_source);
    bool other = false;
    for (const auto& [key, value] : was.items()) other |= !j.contains(key) || j[key] != value;
    if (other) j["was"] = std::move(was);
  }
  j["kind"] = profile::kGrainKindNames[size_t(l.kind)];
  j["before"] = counted(l.before);
  j["after"] = counted(l.after);
  if (times_) j["change_seconds"] = seconds(l.change()), j["change_by_median_seconds"] = seconds(l.by_median);
  j["matched"] = l.matched;
  if (l.only_before.grains) j["only_before"] = counted(l.only_before);
  if (l.only_after.grains) j["only_after"] = counted(l.only_after);
  if (times_ && r_.per_grain()) {
    if (l.matched_before > 0) j["inflation"] = double(l.matched_after) / double(l.matched_before);
    if (l.median_ratio >= 0) j["median_deviation"] = l.median_ratio, j["worst_deviation"] = l.worst_ratio;
  }
  return j;
}

json ComparisonWriter::loops() const {
  json out = json::array();
  for (const profile::LoopChange& l : r_.loops) {
    json j = json::object();
    auto put = [&](const char* name, const Side& s, uint32_t i) {
      if (i == kNone) return;
      const profile::ComparedLoop& loop = s.loops[i];
      j[name] = {{"chunks", loop.chunks}, {"iterations", loop.iterations}};
      if (times_ && loop.chunks) j[name]["exec_seconds"] = seconds(loop.exec);
    };
    if (l.after != kNone) put_place(j, c_.after, c_.after.loops[l.after].source);
    else put_place(j, c_.before, c_.before.loops[l.before].source);
    put("before", c_.before, l.before);
    put("after", c_.after, l.after);
    out.push_back(std::move(j));
  }
  return out;
}

json ComparisonWriter::grains() const {
  json out = json::array();
  for (uint32_t i : r_.changed) {
    const ComparedGrain &after = c_.after.grains[i], &before = c_.before.grains[r_.match[i]];
    json j = json::object();
    put_place(j, c_.after, after.source);
    j["kind"] = profile::kGrainKindNames[size_t(after.kind)];
    j["id"] = fmt::format("{:016x}{:016x}", after.id_high, after.id_low);
    j["before_grain"] = before.grain;
    j["after_grain"] = after.grain;
    j["before_seconds"] = seconds(before.exec);
    j["after_seconds"] = seconds(after.exec);
    if (before.exec > 0) j["deviation"] = double(after.exec) / double(before.exec);
    out.push_back(std::move(j));
  }
  return out;
}

std::string ComparisonWriter::run() {
  json out = {{"before", side(c_.before, c_.before_file)}, {"after", side(c_.after, c_.after_file)}};
  if (std::string why = why_not_comparable(c_); !why.empty()) out["not_comparable"] = why;
  if (times_) {
    if (c_.after.wall_ns > 0) out["speedup"] = double(c_.before.wall_ns) / double(c_.after.wall_ns);
    out["inflation_seconds"] = seconds(c_.after.work() - c_.before.work());
    if (c_.before.work() > 0) out["inflation"] = double(c_.after.work()) / double(c_.before.work());
  }
  out["grains_before"] = counted(r_.before);
  out["grains_after"] = counted(r_.after);
  out["matched"] = {{"grains", r_.matched}, {"per_grain", r_.per_grain()}};
  if (times_) out["matched"]["share_of_work"] = r_.share;
  out["only_before"] = counted(r_.only_before);
  out["only_after"] = counted(r_.only_after);
  out["lines"] = json::array();
  for (const LineChange& l : r_.lines) out["lines"].push_back(line(l));
  if (!r_.per_grain()) out["loops"] = loops();
  if (times_ && r_.per_grain()) out["changed"] = grains();
  return json_text(out, 2);
}

}  // namespace

std::string compare_json(const Compared& c) { return ComparisonWriter(c).run(); }

}  // namespace einkorn::report
