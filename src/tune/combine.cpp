#include "tune/combine.h"

#include <algorithm>

namespace einkorn::tune {

uint32_t object_in(hints::File& file, const hints::Object& object) {
  std::vector<hints::Object>& all = file.objects;
  auto at = std::find_if(all.begin(), all.end(), [&](const hints::Object& o) {
    return o.name == object.name && o.build_id == object.build_id;
  });
  if (at == all.end()) at = all.insert(at, object);
  return uint32_t(at - all.begin());
}

// Both with their number of the object in the same file.
static bool is_about_the_same(const hints::Hint& a, const hints::Hint& b) {
  if (a.construct == hints::Construct::set || b.construct == hints::Construct::set)
    return a.construct == b.construct && a.place == b.place;
  return a.construct == b.construct && a.object == b.object && !a.code.empty() && !b.code.empty() &&
         a.code[0].begin == b.code[0].begin;
}

hints::File with(const hints::File& file, const Candidate& candidate) {
  hints::File out = file;
  for (const hints::Hint& h : candidate.hints.hints) {
    hints::Hint mine = h;
    if (h.construct != hints::Construct::set) mine.object = object_in(out, candidate.hints.objects[h.object]);
    std::erase_if(out.hints, [&](const hints::Hint& o) {
      if (!is_about_the_same(o, mine)) return false;
      // How many threads a region has, and where they are, are two things; so are when a task runs and how.
      if (mine.cutoff < 0) mine.cutoff = o.cutoff;
      if (mine.priority == 0) mine.priority = o.priority;
      if (mine.threads == 0) mine.threads = o.threads;
      if (mine.bind == hints::Bind::unchanged) mine.bind = o.bind;
      return true;
    });
    out.hints.push_back(std::move(mine));
  }
  return out;
}

bool takes_fewer_threads(const hints::File& than, const Candidate& candidate) {
  hints::File objects = than;
  bool fewer = false;
  for (hints::Hint mine : candidate.hints.hints) {
    if (mine.construct == hints::Construct::set || mine.threads == 0) continue;
    mine.object = object_in(objects, candidate.hints.objects[mine.object]);
    const auto accepted =
        std::ranges::find_if(than.hints, [&](const hints::Hint& o) { return is_about_the_same(o, mine); });
    if (accepted == than.hints.end() || accepted->threads == 0 || mine.threads < accepted->threads) fewer = true;
    else if (mine.threads > accepted->threads) return false;
  }
  return fewer;
}

}  // namespace einkorn::tune
