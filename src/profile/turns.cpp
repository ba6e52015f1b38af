#include "profile/turns.h"
#include <algorithm>

namespace einkorn::profile {

std::vector<Edge> edges_of_turns(std::vector<Turn> turns, const Profile& p) {
  auto of = [&](const Turn& t) -> const Grain& { return p.grains[t.grain]; };
  std::erase_if(turns,
                [&](const Turn& t) { return t.grain >= p.grains.size() || of(t).loop == kNone || t.last == kNone; });
  std::stable_sort(turns.begin(), turns.end(), [&](const Turn& a, const Turn& b) {
    return std::pair(of(a).loop, of(a).first_iteration) < std::pair(of(b).loop, of(b).first_iteration);
  });
  std::vector<Edge> out;
  for (size_t i = 1; i < turns.size(); ++i)
    if (of(turns[i - 1]).loop == of(turns[i]).loop)
      out.push_back({turns[i - 1].last, turns[i].first, EdgeKind::dependence});
  return out;
}

}  // namespace einkorn::profile
