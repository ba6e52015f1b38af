#include "runtime/places/hw_subset.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include "base/platform.h"
#include "machine/load.h"
#include "machine/text.h"
#include "runtime/settings/config.h"

namespace einkorn::runtime {

namespace {

using machine::Pu;

// From the outermost to the innermost.
enum Level : uint8_t { socket, node, cache, core, thread, kLevels };
constexpr const char* kShown[] = {"socket", "NUMA node", "L3 cache", "core", "thread"};

struct Item {
  bool named = false;
  int count = -1;  // -1: all
  int skip = 0;
};

constexpr struct {
  const char* name;
  Level level;
} kNames[] = {
    {"sockets", socket},    {"socket", socket},    {"s", socket},        {"packages", socket}, {"package", socket},
    {"numa_domains", node}, {"numa_domain", node}, {"numas", node},      {"numa", node},       {"n", node},
    {"ll_caches", cache},   {"ll_cache", cache},   {"l3_caches", cache}, {"l3_cache", cache},  {"l3", cache},
    {"cores", core},        {"core", core},        {"c", core},          {"threads", thread},  {"thread", thread},
    {"t", thread}};

int unit_of(const Pu& p, int index, Level level) {
  switch (level) {
    case socket: return p.socket;
    case node: return p.node;
    case cache: return p.llc;
    case core: return p.core;
    default: return index;
  }
}

bool whole(const std::string& s, int least, int* out) {
  if (s.empty() || s.size() > 6 || s.find_first_not_of("0123456789") != std::string::npos) return false;
  *out = atoi(s.c_str());
  return *out >= least;
}

// 4c@2, *c, c: into its level's item.
bool read_item(const std::string& word, Item (&items)[kLevels], std::string* why) {
  const size_t letters = std::min(word.find_first_not_of("0123456789*"), word.size());
  const size_t at = std::min(word.find('@'), word.size());
  const std::string number = word.substr(0, letters);
  std::string name = at > letters ? word.substr(letters, at - letters) : "";
  if (name.find(':') != std::string::npos) {
    *why = machine::text("\"%s\": kinds of cores are not served", word.c_str());
    return false;
  }
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const auto& n) { return strcasecmp(n.name, name.c_str()) == 0; });
  if (found == std::end(kNames)) {
    *why = machine::text("\"%s\": levels are s (sockets), n (NUMA nodes), l3, c (cores) and t (threads)", word.c_str());
    return false;
  }
  Item& item = items[found->level];
  const bool all = number.empty() || number == "*";
  if (item.named || (!all && !whole(number, 1, &item.count)) ||
      (at < word.size() && !whole(word.substr(at + 1), 0, &item.skip))) {
    *why = item.named ? machine::text("\"%s\": that level is there already", word.c_str())
                      : machine::text("\"%s\" is not a number from 1 on, a level, and @number", word.c_str());
    return false;
  }
  item.named = true;
  return true;
}

}  // namespace

bool hw_subset(const char* text, const machine::Machine& m, base::CpuSet* out, std::string* why) {
  Item items[kLevels];
  std::string word;
  bool first = true;
  for (const char* c = text;; ++c) {
    if (*c && *c != ',') {
      const bool leading = first && word.empty() && *c == ':';  // "as written": no level is added there
      if (!isspace(static_cast<unsigned char>(*c)) && !leading) word += *c;
      continue;
    }
    if (!read_item(word, items, why)) return false;
    word.clear();
    first = false;
    if (!*c) break;
  }
  base::CpuSet kept;
  std::vector<bool> in(m.pus.size(), true);
  Level outer = socket;
  for (int l = socket; l < kLevels; ++l) {
    const auto level = Level(l);
    const Item& item = items[l];
    if (!item.named) continue;
    // [unit of `outer`]: the units of this level in it, as they are met.
    std::map<int, std::vector<int>> units;
    for (size_t i = 0; i < m.pus.size(); ++i) {
      if (!in[i]) continue;
      std::vector<int>& here = units[level == socket ? 0 : unit_of(m.pus[i], int(i), outer)];
      const int unit = unit_of(m.pus[i], int(i), level);
      auto at = std::find(here.begin(), here.end(), unit);
      const int number = int(at - here.begin());
      if (at == here.end()) here.push_back(unit);
      in[i] = number >= item.skip && (item.count < 0 || number < item.skip + item.count);
    }
    size_t most = 0;
    for (const auto& [parent, here] : units) most = std::max(most, here.size());
    if (size_t(item.skip) + size_t(std::max(item.count, 1)) > most) {
      *why = machine::text("it asks for %s %d, and there are %zu%s", kShown[l], item.skip + std::max(item.count, 1) - 1,
                           most, level == socket ? "" : machine::text(" in a %s", kShown[outer]).c_str());
      return false;
    }
    outer = level;
  }
  for (size_t i = 0; i < m.pus.size(); ++i)
    if (in[i]) kept.add(m.pus[i].os);
  if (kept.empty()) {
    *why = "it leaves no CPU that this process may use";
    return false;
  }
  *out = kept;
  return true;
}

void hw_subset_init() {
  const char* text = g_config.hw_subset;
  if (!text) return;
  if (g_config.machine) return warn("KMP_HW_SUBSET has no effect: EINKORN_MACHINE says which CPUs there are");
  base::CpuSet mine, subset;
  std::string why;
  if (!base::affinity(0, &mine)) return warn("KMP_HW_SUBSET is ignored: %s", strerror(errno));
  if (!hw_subset(text, machine::load_real(mine), &subset, &why))
    return warn("KMP_HW_SUBSET=\"%s\" is not valid and is ignored: %s", text, why.c_str());
  if (!base::set_affinity(subset)) return warn("KMP_HW_SUBSET is ignored: %s", strerror(errno));
  // Fewer CPUs than the machine has are easily forgotten in a script.
  warn("KMP_HW_SUBSET=\"%s\": the program uses %d of the %d CPUs", text, subset.count(), mine.count());
}

}  // namespace einkorn::runtime
