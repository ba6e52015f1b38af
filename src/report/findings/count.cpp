// What can be said where times mean nothing: by counts, by the structure of the graph, and by medians.
#include <algorithm>
#include <cmath>
#include <map>
#include <fmt/format.h>
#include "record/format.h"
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Metric;
using profile::Profile;

constexpr double kEnough = 10;  // tasks a thread: fewer tell nothing

// The part of all grains' execution that is of one kind; as sums mean nothing it only ranks.
double part_of(const Profile& p, GrainKind kind, uint32_t source = kNone) {
  int64_t own = 0, all = 0;
  for (const Grain& g : p.grains) {
    if (g.kind < GrainKind::share) continue;
    all += g.exec;
    if (g.kind == kind && (source == kNone || g.source == source)) own += g.exec;
  }
  return all > 0 ? double(own) / double(all) : 0;
}

// With more threads than CPUs the clock lies about sums, but not about the middle: most tasks, and most stretches
// between two creations, see no interruption. The medians say whether one creator can feed the others.
void one_creator(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  std::vector<uint64_t> created;
  std::vector<int64_t> lengths;
  for (const Grain& g : p.grains) {
    if (g.kind != GrainKind::task) continue;
    if (g.fragments > 0) lengths.push_back(g.exec);
    if (g.creator == kNone) continue;
    if (g.creator >= created.size()) created.resize(g.creator + 1u, 0);
    ++created[g.creator];
  }
  if (created.empty() || lengths.empty() || double(lengths.size()) < kEnough * e.b.threads) return;
  const auto busiest = std::max_element(created.begin(), created.end());
  if (10 * *busiest < 9 * lengths.size()) return;
  std::vector<int64_t> at, steps;
  uint32_t source = kNone;
  uint64_t grains = 0;
  for (const Grain& g : p.grains)
    if (g.kind == GrainKind::task && g.creator == uint32_t(busiest - created.begin()) && g.create_begin >= 0) {
      at.push_back(g.create_begin);
      source = g.source;
      ++grains;
    }
  std::sort(at.begin(), at.end());
  for (size_t i = 1; i < at.size(); ++i) steps.push_back(at[i] - at[i - 1]);
  if (steps.empty()) return;
  auto middle = [](std::vector<int64_t>& v) {
    std::nth_element(v.begin(), v.begin() + long(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  const int64_t step = middle(steps), length = std::max<int64_t>(1, middle(lengths));
  const double ratio = double(step) * (e.b.threads - 1) / double(length);
  if (!e.m.is_problem(Metric::creation_bottleneck, ratio)) return;
  Finding f;
  f.kind = ProblemKind::one_creator;
  f.share = 1 - 1 / ratio;
  f.grains = grains;
  f.source = source;
  f.sources = {source};
  f.about = {{source}, profile::kOfTasks, 0, false};
  f.what = fmt::format(
      "one thread creates all tasks; {:.0f} others, each as fast as the median task, run them {} times as fast",
      e.b.threads - 1, significant(ratio, 2));
  f.advice =
      "The others run out of tasks: let several threads create them (a parallel loop over the creators, taskloop, "
      "tasks that create tasks), or make the tasks larger.";
  f.evidence = {fmt::format("{} of {} created by one thread", percent(double(*busiest), double(lengths.size())),
                            plural(lengths.size(), "task")),
                "medians: sums of time mean nothing in this recording"};
  out.push_back(std::move(f));
}

// So few chunks that threads have none while others execute their last: were all as long, n chunks on P threads would
// take ceil(n / P) rounds, in which there is room for more than n.
void few_chunks(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  std::vector<uint64_t> chunks(p.loops.size(), 0);
  for (const Grain& g : p.grains)
    if (g.kind == GrainKind::chunk && g.loop < chunks.size()) ++chunks[g.loop];
  struct Line {
    uint64_t loops = 0, chunks = 0, threads = 0;
    double lost = 0;
  };
  std::map<uint32_t, Line> lines;
  for (size_t i = 0; i < p.loops.size(); ++i) {
    const profile::LoopInstance& loop = p.loops[i];
    const bool alike =
        loop.schedule != uint8_t(record::Schedule::guided);  // else by design they are not as long as each other
    if (chunks[i] == 0 || !alike || loop.region >= p.regions.size() || p.regions[loop.region].team < 2) continue;
    const double n = double(chunks[i]), team = p.regions[loop.region].team;
    Line& line = lines[loop.source];
    ++line.loops;
    line.chunks += chunks[i];
    line.threads += p.regions[loop.region].team;
    line.lost += 1 - n / (team * std::ceil(n / team));
  }
  for (const auto& [source, line] : lines) {
    const double lost = line.lost / double(line.loops);
    if (lost < kWorthTelling) continue;
    Finding f;
    f.kind = ProblemKind::too_coarse;
    f.share = lost * part_of(p, GrainKind::chunk, source);
    f.source = source;
    f.about = {{source}, profile::kOfChunks, 0, false};
    f.what =
        fmt::format("too few chunks ({} a loop for {} threads): were all as long, threads had none for {} of the loop",
                    significant(double(line.chunks) / double(line.loops), 2),
                    significant(double(line.threads) / double(line.loops), 2), percent(lost, 1));
    f.advice = "Smaller chunks, so that there are some ten for each thread: a smaller chunk size, or schedule(guided).";
    f.evidence = {fmt::format("{} in {}", plural(line.chunks, "chunk"), plural(line.loops, "loop"))};
    out.push_back(std::move(f));
  }
}

// Tasks that wait for one another: were all as long, no more could run at a time than there are for each on the longest
// chain.
void long_chain(const Evidence& e, std::vector<Finding>& out) {
  const Profile& p = e.p;
  if (p.chained_tasks == 0 || double(p.chained_tasks) < kEnough * e.b.threads) return;
  const double at_a_time = double(p.chained_tasks) / double(p.longest_chain);
  if (at_a_time >= e.b.threads) return;
  std::map<uint32_t, uint64_t> lines;
  for (const Grain& g : p.grains)
    if (g.kind == GrainKind::task) ++lines[g.source];
  Finding f;
  f.kind = ProblemKind::little_parallelism;
  f.share = (1 - at_a_time / e.b.threads) * part_of(p, GrainKind::task);
  f.source = std::max_element(lines.begin(), lines.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
  for (const auto& [source, tasks] : lines) f.about.sources.push_back(source);
  f.sources = f.about.sources;
  f.about.kinds = profile::kOfTasks;
  f.what = fmt::format(
      "too little parallelism: {} of {} wait for one another in a row, so that {} could run at a time if all were as long",
      count(p.longest_chain), plural(p.chained_tasks, "task"), significant(at_a_time, 2));
  f.advice = "Wait later or for less (taskgroup, depend), or create more tasks that do not wait for others.";
  f.evidence = {fmt::format("{} threads", significant(e.b.threads, 2))};
  out.push_back(std::move(f));
}

}  // namespace

void find_by_count(const Evidence& e, std::vector<Finding>& out) {
  one_creator(e, out);
  few_chunks(e, out);
  long_chain(e, out);
}

}  // namespace einkorn::report
