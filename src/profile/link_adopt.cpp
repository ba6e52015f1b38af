// What hangs off nothing: tasks and regions whose parent was lost, each below the task that is nearest to it.
#include <algorithm>
#include "profile/link_parts.h"

namespace einkorn::profile::link_parts {

// The implicit task that this context is a stay of; the initial task where that is not known.
uint32_t Linker::host_grain(uint32_t host) const {
  const uint32_t raw_region = host == kNone ? kNone : rec_.contexts[host].region;
  if (raw_region == kNone || rec_.regions[raw_region].region == kNone) return 0;
  // Members and their grains stand in the same order.
  const RawRegion& r = rec_.regions[raw_region];
  auto first = rec_.members.begin() + r.first_member, last = first + r.members;
  auto at = std::lower_bound(first, last, rec_.contexts[host].member,
                             [&](uint32_t c, uint32_t number) { return rec_.contexts[c].member < number; });
  return infos_[raw_region].first_implicit + uint32_t(at - first);
}

void Linker::adopt_task(uint32_t index) {
  RawTask& task = rec_.tasks[index];
  Orphan orphan;
  orphan.context = task.first_stay;
  const uint32_t host = rec_.contexts[task.first_stay].host, parent = host_grain(host);
  if (parent != 0) orphan.region = rec_.contexts[host].region;
  rec_.orphans.push_back(orphan);
  GrainId id = derive(id_of(parent), IdKind::orphan, rec_.contexts[task.first_stay].key);
  uint32_t grain = enter_task(index, parent, out_.grains[parent].children, id, orphan.region);
  out_.grains[grain].flags |= kEstimated;
  walk_all();
}

void Linker::adopt_region(uint32_t index) {
  Orphan orphan;
  orphan.own_region = index;
  rec_.orphans.push_back(orphan);
  enter_region(index, 0, root_regions_++, derive(id_of(0), IdKind::orphan, rec_.regions[index].id));
  walk_all();
}

// First what is known to have lost its parent, then what only a damaged file leaves: parents that form a ring.
void Linker::adopt() {
  for (const RawThread& t : rec_.threads) {
    if (t.base == kNone || t.base == rec_.initial) continue;
    rec_.orphans.push_back({kNone, t.base, kNone});
    push_context(t.base, 0, kNone);
    walk_all();
  }
  for (bool begun : {false, true}) {
    for (uint32_t r = 0; r < rec_.regions.size(); ++r)
      if (rec_.regions[r].region == kNone && rec_.regions[r].begun == begun) adopt_region(r);
    for (uint32_t t = 0; t < rec_.tasks.size(); ++t) {
      const RawTask& task = rec_.tasks[t];
      if (task.grain == kNone && task.first_stay != kNone && (task.creator != kNone) == begun) adopt_task(t);
    }
  }
  std::stable_sort(rec_.orphans.begin(), rec_.orphans.end(),
                   [](const Orphan& a, const Orphan& b) { return a.region < b.region; });
}

}  // namespace einkorn::profile::link_parts
