#include "profile/hand_names.h"
#include <algorithm>
#include <tuple>
#include "profile/link_ids.h"

namespace einkorn::profile {

namespace {

// The region, in raw.regions, in which a task is created: that of the implicit task that it goes back to.
class RegionOfTask {
 public:
  explicit RegionOfTask(const Recording& raw)
      : raw_(raw),
        task_of_(raw.contexts.size(), kNone),
        creator_(raw.tasks.size(), kNone),
        region_(raw.tasks.size(), kUnknown) {
    for (uint32_t t = 0; t < raw.tasks.size(); ++t)
      for (uint32_t c = raw.tasks[t].first_stay; c != kNone; c = raw.contexts[c].next_stay) task_of_[c] = t;
    for (uint32_t c = 0; c < raw.contexts.size(); ++c)
      for (uint32_t s = raw.contexts[c].first_step; s != kNone; s = raw.steps[s].next)
        if (raw.steps[s].action == Action::fork && raw.steps[s].ref < creator_.size()) creator_[raw.steps[s].ref] = c;
  }
  uint32_t operator()(uint32_t task) {
    std::vector<uint32_t> way;
    uint32_t region = kNone;
    for (uint32_t t = task; t != kNone;) {
      if (region_[t] != kUnknown) {
        region = region_[t];
        break;
      }
      region_[t] = kNone;  // so a ring, in a damaged file, ends
      way.push_back(t);
      const uint32_t c = creator_[t];
      if (c == kNone) break;
      if (raw_.contexts[c].kind == ContextKind::implicit) region = raw_.contexts[c].region;
      t = task_of_[c];
    }
    for (const uint32_t t : way) region_[t] = region;
    return region;
  }

 private:
  static constexpr uint32_t kUnknown = kNone - 1;
  const Recording& raw_;
  std::vector<uint32_t> task_of_, creator_;  // by context; the context, by task
  std::vector<uint32_t> region_;
};

}  // namespace

HandNames::HandNames(const Recording& raw) {
  struct Fired {
    uint32_t region;
    uint64_t as, codelet;
    int64_t at;
    uint32_t name;
  };
  const bool any = std::any_of(raw.signals.begin(), raw.signals.end(), [](auto& s) { return s.task != kNone; });
  if (!any && raw.names_by_hand.empty()) return;
  of_task_.assign(raw.tasks.size(), kNone);
  RegionOfTask region_of(raw);
  std::vector<Fired> fired;
  for (const RawSignal& s : raw.signals) {
    if (s.task == kNone || of_task_[s.task] != kNone) continue;  // only a damaged file fires a task twice
    of_task_[s.task] = uint32_t(names_.size());
    names_.push_back({s.as, region_of(s.task), kNone});
    if (s.as) fired.push_back({names_.back().region, s.as, s.codelet, s.at, of_task_[s.task]});
  }
  const auto line = [](const Fired& f) { return std::pair(f.region, f.as >> 32); };
  std::sort(fired.begin(), fired.end(), [](const Fired& a, const Fired& b) {
    return std::tie(a.region, a.as, a.codelet, a.at, a.name) < std::tie(b.region, b.as, b.codelet, b.at, b.name);
  });
  bool numbered = false;  // by line: are there others than 0?
  for (size_t i = 0, end; i < fired.size(); i = end) {
    if (i == 0 || line(fired[i - 1]) != line(fired[i])) {
      size_t last = i;
      while (last + 1 < fired.size() && line(fired[last + 1]) == line(fired[i])) ++last;
      numbered = uint32_t(fired[last].as) != 0;
    }
    end = i;
    while (end < fired.size() && fired[end].region == fired[i].region && fired[end].as == fired[i].as) ++end;
    if (fired[end - 1].codelet != fired[i].codelet || (end - i > 1 && !numbered)) continue;
    for (size_t k = i; k < end; ++k) names_[fired[k].name].nth = uint32_t(k - i);
  }
  for (const RawName& n : raw.names_by_hand) {
    const uint32_t t = find_task(raw, n.id);
    if (t == kNone) continue;
    if (of_task_[t] == kNone) {
      of_task_[t] = uint32_t(names_.size());
      names_.emplace_back();
    }
    names_[of_task_[t]] = {n.as, region_of(t), n.nth};
  }
  if (!raw.names_by_hand.empty()) keep_unique();
}

// Only a damaged file gives two firings one name.
void HandNames::keep_unique() {
  std::vector<uint32_t> named;
  for (uint32_t i = 0; i < names_.size(); ++i)
    if (names_[i].nth != kNone) named.push_back(i);
  const auto key = [this](uint32_t i) { return std::tuple(names_[i].region, names_[i].as, names_[i].nth); };
  std::stable_sort(named.begin(), named.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  std::vector<uint32_t> again;
  for (size_t i = 1; i < named.size(); ++i)
    if (key(named[i - 1]) == key(named[i])) again.push_back(named[i]);
  for (const uint32_t i : again) names_[i].nth = kNone;
}

}  // namespace einkorn::profile
