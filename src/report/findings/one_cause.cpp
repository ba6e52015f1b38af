// One cause is one problem, told at the line where it can be mended.
#include <algorithm>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {

using profile::kNone;
using profile::Profile;

// A member that meets an inner region is in it while the others wait at their barrier. What runs then is in the inner
// region's grains, and none of the outer one's. With the inner region's time divided among all, the wall time falls by
// that idle time's part, as in idle.cpp.
bool blame_inner(const Evidence& e, const std::map<uint32_t, InnerRegions>& inner, int64_t idle,
                 std::vector<Finding>& out) {
  const auto most =
      std::max_element(inner.begin(), inner.end(), [](auto& a, auto& b) { return a.second.wall < b.second.wall; });
  if (most == inner.end() || 2 * most->second.wall < e.b.spread(idle)) return false;
  const auto& [source, use] = *most;
  const bool alone = use.threads == use.regions;
  Finding f;
  f.kind = ProblemKind::little_parallelism;
  f.gain_ns = std::min(e.b.spread(idle), e.b.split_room);
  f.source = source;
  f.sources = {source};
  f.about.sources = {source};
  f.about.kinds = profile::kOfAll;
  f.what = fmt::format("{} inside another region {}, while the others of the outer team wait ({} in {})",
                       use.regions == 1 ? "a region" : "regions",
                       alone              ? fmt::format("run{} on one thread", use.regions == 1 ? "s" : "")
                       : use.regions == 1 ? "is met by one thread"
                                          : "are met by one thread",
                       duration(use.wall, 2), plural(use.regions, "region"));
  f.advice =
      alone ? "An inner region has one thread where no more levels are allowed (OMP_MAX_ACTIVE_LEVELS, which is 1 "
              "by default) or no thread is left: let the whole outer team do its work (a work-sharing loop outside "
              "of the single or masked construct, taskloop)."
            : "Let the outer team do the inner region's work, too: a work-sharing loop outside of the single or "
              "masked construct, or taskloop.";
  f.evidence = {fmt::format("{} of thread time idle in the outer regions", duration(idle, 2))};
  out.push_back(std::move(f));
  return true;
}

namespace {

// The taskwait, or end of a taskgroup, at which most was waited for; nullptr: none.
const profile::WaitUse* where_tasks_are_awaited(const Profile& p) {
  const profile::WaitUse* found = nullptr;
  for (const profile::WaitUse& w : p.waits) {
    if (w.source >= p.sources.size() || (w.tasks == 0 && w.idle == 0)) continue;
    const std::string& construct = p.sources[w.source].construct;
    if (construct != "taskwait" && construct != "taskgroup") continue;
    if (!found || std::pair(w.tasks, w.idle) > std::pair(found->tasks, found->idle)) found = &w;
  }
  return found;
}

}  // namespace

// Tasks that run while their creator waits, and a creator that works while no task is there: each leaves the other
// threads idle, and both do because the two take turns. Where they overlap, all of that idle time is gone.
void join_one_cause(const Evidence& e, size_t from, std::vector<Finding>& out) {
  std::vector<size_t> series;
  for (size_t i = from; i < out.size(); ++i)
    if (out[i].kind == ProblemKind::little_parallelism) series.push_back(i);
  const auto has = [&](unsigned kinds) {
    return std::any_of(series.begin(), series.end(), [&](size_t i) { return (out[i].about.kinds & kinds) != 0; });
  };
  if (series.size() < 2 || !has(profile::kOfTasks) || !has(profile::kOfShares | profile::kOfChunks)) return;
  std::stable_sort(series.begin(), series.end(), [&](size_t a, size_t b) { return out[a].gain_ns > out[b].gain_ns; });
  Finding f;
  f.kind = ProblemKind::little_parallelism;
  f.gain_ns = 0;
  for (const size_t i : series) {
    const Finding& one = out[i];
    f.gain_ns += one.gain_ns;
    f.sources.insert(f.sources.end(), one.sources.begin(), one.sources.end());
    f.about.sources.insert(f.about.sources.end(), one.about.sources.begin(), one.about.sources.end());
    f.about.kinds |= one.about.kinds;
    f.evidence.insert(f.evidence.end(), one.evidence.begin(), one.evidence.end());
  }
  f.gain_ns = std::min(f.gain_ns, e.b.split_room);
  const profile::WaitUse* wait = where_tasks_are_awaited(e.p);
  f.source = wait ? wait->source : out[series[0]].source;
  if (wait) f.sources.insert(f.sources.begin(), wait->source);
  f.what = wait ? fmt::format(
                      "tasks and their creator take turns: it waits for them here ({}) and creates the next "
                      "only then",
                      plural(wait->waits, "wait"))
                : std::string(
                      "tasks and their creator take turns: while it works there is no task, and while they run "
                      "it waits");
  f.advice =
      "Wait later, or for less: create the next tasks, or do what does not need their results, before the wait "
      "(taskgroup and depend wait for some only).";
  std::sort(series.begin(), series.end(), std::greater<>());
  for (const size_t i : series) out.erase(out.begin() + long(i));
  out.push_back(std::move(f));
}

}  // namespace einkorn::report
