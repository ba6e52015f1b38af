// Accesses of one recording for the grains of another: a program that counts its accesses is slow, and only one that
// does not has valid times.
#include <map>
#include <tuple>
#include <unordered_map>
#include "profile/accesses.h"

namespace einkorn::profile {
namespace {

struct Key {
  uint64_t high, low;
  GrainKind kind;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& k) const { return size_t(k.high ^ k.low * 3 ^ uint64_t(k.kind)); }
};

// The name of a grain says where in the tree it is, not what it is: if both have a line, it must be the same.
bool may_be_same(const Profile& a, uint32_t source, const Profile& b, uint32_t other) {
  if (source >= a.sources.size() || other >= b.sources.size()) return true;
  const Source &one = a.sources[source], &two = b.sources[other];
  return one.line == 0 || two.line == 0 || (one.line == two.line && one.construct == two.construct);
}

// By construct and line. Not by function: compilers clone them, with hooks differently than without.
std::vector<uint32_t> same_sources(const Profile& from, Profile& to) {
  std::map<std::tuple<std::string, std::string, uint32_t>, uint32_t> known;
  for (uint32_t i = 0; i < to.sources.size(); ++i)
    if (const Source& s = to.sources[i]; s.line) known.try_emplace({s.construct, s.file, s.line}, i);
  std::vector<uint32_t> out(from.sources.size(), kNone);
  for (const AccessUse& u : from.access_uses)
    for (uint32_t i : {u.source, u.place}) {
      if (i >= from.sources.size() || out[i] != kNone || from.sources[i].line == 0) continue;
      const Source& s = from.sources[i];
      if (auto at = known.find({s.construct, s.file, s.line}); at != known.end()) {
        out[i] = at->second;
      } else if (i == u.place) {
        known[{s.construct, s.file, s.line}] = out[i] = uint32_t(to.sources.size());
        to.sources.push_back(s);
      }
    }
  return out;
}

}  // namespace

double borrow_accesses(const Profile& from, Profile& to) {
  constexpr double kEnough = 0.95;
  std::unordered_map<Key, uint32_t, KeyHash> counted;
  double all = 0, found = 0;
  auto size = [](const Accesses& a) { return double(a.loads + a.stores + a.stack_loads + a.stack_stores); };
  for (uint32_t i = 0; i < from.accesses.size(); ++i) {
    const Grain& g = from.grains[i];
    all += size(from.accesses[i]);
    counted.try_emplace({g.id_high, g.id_low, g.kind}, i);
  }
  std::vector<Accesses> accesses(to.grains.size());
  for (size_t i = 0; i < to.grains.size(); ++i) {
    const Grain& g = to.grains[i];
    auto at = counted.find({g.id_high, g.id_low, g.kind});
    if (at == counted.end() || !may_be_same(from, from.grains[at->second].source, to, g.source)) continue;
    accesses[i] = from.accesses[at->second];
    found += size(accesses[i]);
  }
  const double share = all > 0 ? found / all : 1;
  if (share < kEnough) return share;
  const std::vector<uint32_t> source = same_sources(from, to);
  to.accesses = std::move(accesses);
  to.cache_bytes = from.cache_bytes;
  for (AccessUse u : from.access_uses) {
    if (u.source >= source.size() || u.place >= source.size() || source[u.source] == kNone || source[u.place] == kNone)
      continue;
    u.source = source[u.source];
    u.place = source[u.place];
    to.access_uses.push_back(u);
  }
  for (profile::SharedLine line : from.shared_lines) {
    for (uint32_t& place : line.place) {
      if (place >= from.sources.size()) continue;
      to.sources.push_back(from.sources[place]);
      place = uint32_t(to.sources.size() - 1);
    }
    to.shared_lines.push_back(std::move(line));
  }
  return share;
}

}  // namespace einkorn::profile
