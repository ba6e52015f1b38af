// Work that takes longer than it must, because of where its data is or who else uses the memory.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/locality.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Metric;
using profile::Profile;

constexpr double kInflated = 1.2;      // a construct's work, over the baseline's: below, two runs differ anyway
constexpr double kLeastMatched = 0.8;  // of its execution
constexpr double kLeastKnown = 0.8;    // of its bytes

}  // namespace

// Inflation: what a construct's grains take beyond what they took in the baseline. With it gone each thread is shorter
// by its part: inflation / threads, and work / threads is no bound, as it is work that goes. Grains that were not
// matched are taken to be inflated like the rest.
void find_inflation(const Evidence& e, std::vector<Finding>& out) {
  const auto& deviation = e.m.of_grains[size_t(Metric::work_deviation)];
  if (deviation.empty()) return;
  struct Sum {
    double exec = 0, before = 0, all = 0;
    uint64_t grains = 0;
    GrainKind kind{};
  };
  std::vector<Sum> sums(e.p.sources.size());
  for (size_t i = 0; i < e.p.grains.size(); ++i) {
    const Grain& g = e.p.grains[i];
    if (g.source >= sums.size()) continue;
    Sum& s = sums[g.source];
    s.all += double(g.exec);
    if (!(deviation[i] > 0)) continue;
    s.kind = g.kind;
    s.exec += double(g.exec);
    s.before += double(g.exec) / double(deviation[i]);
    ++s.grains;
  }
  for (uint32_t i = 0; i < sums.size(); ++i) {
    const Sum& s = sums[i];
    if (s.before <= 0 || s.exec < kLeastMatched * s.all || s.exec < kInflated * s.before) continue;
    Finding f;
    f.kind = ProblemKind::work_inflation;
    f.gain_ns = e.b.spread(int64_t((s.exec - s.before) * s.all / s.exec));
    f.grains = s.grains;
    f.source = i;
    f.sources = {i};
    f.about = {{i}, profile::kOfAll, 0, false};
    f.what = fmt::format("the same work takes {} times as long as in the baseline", significant(s.exec / s.before, 2));
    f.advice =
        "The threads hinder each other in the memory system: let the inner loop go along memory (loop interchange), "
        "work in blocks that fit the cache, spread the initialisation over the threads that use the data, or use "
        "fewer threads.";
    f.evidence = {fmt::format("{} matched, {} of execution here, {} in the baseline", plural(s.grains, "grain"),
                              duration(int64_t(s.exec), 2), duration(int64_t(s.before), 2))};
    out.push_back(std::move(f));
  }
}

// Remote data: tasks whose data is on other nodes. An access over distance d takes d / 10 of a local one
// (machine.distance is measured so), hence with all of it local a task is shorter by at most its remote share x (1 - 10
// / d), if it did nothing else than access memory. Without valid times: by bytes.
void find_remote_data(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  if (p.footprints.empty()) return;
  const std::vector<SourceBytes> bytes = bytes_by_source(p);
  uint64_t all_known = 0, on_nodes = 0, most_on_one = 0;
  uint32_t node = 0;
  for (const SourceBytes& b : bytes) all_known += b.known;
  for (uint32_t n = 0; n < p.footprint_on.size(); ++n) {
    on_nodes += p.footprint_on[n];
    if (p.footprint_on[n] > most_on_one) most_on_one = p.footprint_on[n], node = n;
  }
  const bool one_node = double(most_on_one) >= kOneNode * double(on_nodes) && on_nodes > 0;
  for (uint32_t i = 0; i < p.sources.size(); ++i) {
    const SourceBytes& b = bytes[i];
    if (b.known == 0 || double(b.known) < kLeastKnown * double(b.bytes)) continue;
    const double remote = double(b.remote) / double(b.known);
    if (!e.m.is_problem(Metric::remote_share, remote)) continue;
    Finding f;
    f.kind = ProblemKind::remote_data;
    f.bytes = b.remote;
    f.share = remote * double(b.known) / double(all_known);
    int64_t exec = 0;
    for (const Grain& g : p.grains)
      if (g.source == i && g.footprint < p.footprints.size() && p.footprints[g.footprint].remote > 0)
        ++f.grains, exec += g.exec;
    const double factor = e.m.remote_distance > 10 ? 1 - 10 / e.m.remote_distance : 1;
    if (p.times_valid) f.gain_ns = e.b.spread(int64_t(double(exec) * remote * factor));
    f.source = i;
    f.sources = {i};
    f.about = {{i}, profile::kOfTasks, 0, true};
    f.what = fmt::format("{} of what its tasks touch is on other nodes than they run on ({} MB)",
                         percent(double(b.remote), double(b.known)), significant(double(b.remote) * 1e-6, 3));
    f.evidence = {fmt::format("{} of {} MB known to be on a node", percent(double(b.known), double(b.bytes)),
                              significant(double(b.bytes) * 1e-6, 3))};
    if (one_node) {
      f.what += fmt::format(", nearly all of it on node {}", node);
      f.evidence.push_back(
          fmt::format("{} of all data on node {}", percent(double(most_on_one), double(on_nodes)), node));
      f.advice =
          "One thread initialised the data, so that it lies on its node: initialise it in parallel, with the "
          "distribution "
          "that the work has, or allocate it spread over the nodes (ompx_alloc_interleaved, ompx_alloc_block_cyclic).";
    } else {
      f.advice =
          "Run tasks where their data is: the affinity clause, ompx_child_task_affinity, or a schedule that places by "
          "data (xkaapi, deal); or distribute the data as the tasks are.";
    }
    out.push_back(std::move(f));
  }
}

}  // namespace einkorn::report
