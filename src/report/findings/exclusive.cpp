// Tasks of a mutexinoutset set: they run one after the other, and threads idle meanwhile, as none of them may begin.
#include <algorithm>
#include <fmt/format.h>
#include "report/findings/parts.h"
#include "report/wording.h"

namespace einkorn::report {

void find_exclusive(const Evidence& e, std::vector<Finding>& out) {
  const profile::ExclusiveSet* longest = nullptr;
  for (const profile::ExclusiveSet& s : e.p.exclusive)
    if (!longest || s.held > longest->held) longest = &s;
  if (!longest || longest->source >= e.p.sources.size() || longest->held <= e.b.spread(e.b.work)) return;
  Finding f;
  f.kind = ProblemKind::lock;
  f.gain_ns = std::min(e.b.spread(e.b.idle), e.b.open_room);
  f.source = longest->source;
  f.sources = {longest->source};
  f.about.sources = {longest->source};
  f.about.kinds = 1u << unsigned(profile::GrainKind::task);
  f.grains = longest->grains.size();
  f.what = fmt::format("tasks exclude each other (mutexinoutset): {} that take {} run one after the other",
                       plural(longest->grains.size(), "task"), duration(longest->held, 2));
  f.advice =
      "Let each do more before it joins the set, in a task of its own; divide what they exclude each other from; or give "
      "each its own copy and combine them (task_reduction).";
  f.evidence = {fmt::format("{} of {} in regions", duration(longest->held, 2), duration(e.b.wall, 2))};
  out.push_back(std::move(f));
}

}  // namespace einkorn::report
