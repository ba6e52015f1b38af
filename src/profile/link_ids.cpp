#include "profile/link_ids.h"
#include <algorithm>
#include <tuple>

namespace einkorn::profile {

uint32_t find_task(const Recording& rec, uint64_t id) {
  uint32_t thread = record::id_thread(id);
  uint64_t serial = record::id_serial(id);
  if (thread >= rec.threads.size()) return kNone;
  const auto& runs = rec.threads[thread].created;
  auto it =
      std::upper_bound(runs.begin(), runs.end(), serial, [](uint64_t s, const SerialRun& r) { return s < r.first; });
  if (it == runs.begin()) return kNone;
  --it;
  return serial - it->first < it->count ? it->task + uint32_t(serial - it->first) : kNone;
}

namespace {

int64_t begin_of(const Recording& rec, uint32_t context) {
  uint32_t step = rec.contexts[context].first_step;
  return step == kNone ? rec.contexts[context].end : rec.steps[step].begin;
}

void resolve_tasks(Recording& rec) {
  std::vector<std::pair<uint64_t, uint32_t>> unknown;            // task id, context
  std::vector<std::tuple<uint32_t, int64_t, uint32_t>> further;  // task, begin, context: of tasks with several stays
  auto add_stay = [&](uint32_t task, uint32_t context) {
    if (rec.tasks[task].first_stay == kNone) rec.tasks[task].first_stay = context;
    else further.emplace_back(task, begin_of(rec, context), context);
  };
  for (uint32_t c = 0; c < rec.contexts.size(); ++c) {
    if (rec.contexts[c].kind != ContextKind::task) continue;
    const uint64_t key = rec.contexts[c].key, firing = key & ~kFiringKey;
    const bool fired = key & kFiringKey && firing < rec.firings.size() && rec.firings[firing].context == c;
    uint32_t task = fired ? rec.firings[firing].task : find_task(rec, key);
    if (task == kNone) unknown.emplace_back(rec.contexts[c].key, c);
    else add_stay(task, c);
  }
  std::sort(unknown.begin(), unknown.end());
  uint32_t task = kNone;
  for (size_t i = 0; i < unknown.size(); ++i) {
    if (i == 0 || unknown[i].first != unknown[i - 1].first) task = rec.tasks.push(RawTask{});
    add_stay(task, unknown[i].second);
  }

  size_t n = further.size();
  for (size_t i = 0; i < n; ++i) {
    uint32_t t = std::get<0>(further[i]);
    if (uint32_t first = rec.tasks[t].first_stay; first != kNone) {
      further.emplace_back(t, begin_of(rec, first), first);
      rec.tasks[t].first_stay = kNone;
    }
  }
  std::sort(further.begin(), further.end());
  for (size_t i = 0; i < further.size(); ++i) {
    auto [t, begin, context] = further[i];
    if (i == 0 || std::get<0>(further[i - 1]) != t) rec.tasks[t].first_stay = context;
    else rec.contexts[std::get<2>(further[i - 1])].next_stay = context;
  }
}

void resolve_regions(Recording& rec) {
  std::vector<std::pair<uint64_t, uint32_t>> by_id;
  for (uint32_t r = 0; r < rec.regions.size(); ++r) by_id.emplace_back(rec.regions[r].id, r);
  std::sort(by_id.begin(), by_id.end());

  std::vector<std::tuple<uint64_t, uint32_t, int64_t, uint32_t>> members;  // region id, thread number, begin, context
  for (uint32_t c = 0; c < rec.contexts.size(); ++c) {
    const Context& context = rec.contexts[c];
    if (context.kind == ContextKind::implicit) members.emplace_back(context.key, context.member, begin_of(rec, c), c);
  }
  std::sort(members.begin(), members.end());

  uint32_t region = kNone;
  for (size_t i = 0; i < members.size(); ++i) {
    auto [id, number, begin, context] = members[i];
    if (i == 0 || std::get<0>(members[i - 1]) != id) {
      auto it = std::lower_bound(by_id.begin(), by_id.end(), std::pair<uint64_t, uint32_t>(id, 0));
      if (it != by_id.end() && it->first == id) {
        region = it->second;
      } else {
        RawRegion unknown;  // the stream of its primary thread is missing
        unknown.id = id;
        unknown.begin = begin;
        region = rec.regions.push(unknown);
      }
      rec.regions[region].first_member = uint32_t(rec.members.size());
    }
    rec.contexts[context].region = region;
    if (i > 0 && std::get<0>(members[i - 1]) == id && std::get<1>(members[i - 1]) == number) {
      rec.contexts[std::get<3>(members[i - 1])].next_stay = context;
      continue;
    }
    rec.members.push_back(context);
    ++rec.regions[region].members;
  }
}

}  // namespace

void resolve_ids(Recording& rec) {
  for (auto& t : rec.threads)
    std::stable_sort(t.created.begin(), t.created.end(),
                     [](const SerialRun& a, const SerialRun& b) { return a.first < b.first; });
  resolve_tasks(rec);
  resolve_regions(rec);
  for (RawSignal& s : rec.signals)
    if (s.left == 0) s.task = find_task(rec, s.id);
  for (RawFulfill& f : rec.fulfills) f.task = find_task(rec, f.id);
}

}  // namespace einkorn::profile
