#include "report/json/counters.h"
#include "report/counters.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

using json = nlohmann::ordered_json;
using profile::CountedEvents;
using profile::Profile;
using record::kUncounted;

void put(json& to, const CountedEvents& counted, const profile::Counts& c) {
  json counts = json::object();
  json estimated = json::array();
  for (size_t i = 0; i < counted.counters.size(); ++i) {
    const char* key = record::counter_info(counted.counters[i]).key;
    if (c.values[i] == kUncounted) continue;
    counts[key] = c.values[i];
    if (c.estimated >> i & 1) estimated.push_back(key);
  }
  to["counts"] = std::move(counts);
  if (!estimated.empty()) to["estimated"] = std::move(estimated);
}

json of_source(const Profile& p, const SourceCounts& c) {
  json j = json::object();
  j["grains"] = c.grains;
  json unknown = json::object();
  for (size_t i = 0; i < p.counted.counters.size(); ++i)
    if (c.known[i] < c.grains) unknown[record::counter_info(p.counted.counters[i]).key] = c.grains - c.known[i];
  if (!unknown.empty()) j["grains_not_counted"] = std::move(unknown);
  put(j, p.counted, c.sum);
  return j;
}

}  // namespace

json counters_of(const Profile& p) {
  const CountedEvents& counted = p.counted;
  json out = json::object();
  if (counted.counters.empty() && counted.absent.empty()) return out;
  out["counted"] = json::array();
  for (const record::Counter c : counted.counters) out["counted"].push_back(record::counter_info(c).key);
  if (!counted.absent.empty()) {
    json absent = json::array();
    for (const CountedEvents::Absent& a : counted.absent)
      absent.push_back({{"counter", record::counter_info(a.counter).key},
                        {"reason", record::kAbsenceNames[size_t(a.why)]},
                        {"advice", absent_counters({a})[0]}});
    out["absent"] = std::move(absent);
  }
  if (!counted.any()) return out;
  out["grains"] = of_source(p, all_counts(p));
  json elsewhere = json::object();
  put(elsewhere, counted, counted.elsewhere);
  out["elsewhere"] = std::move(elsewhere);
  const Places places(p);
  json sources = json::array();
  for (const SourceCounts& c : counts_by_source(p)) {
    json j = json::object();
    if (c.source < p.sources.size()) {
      if (!p.sources[c.source].file.empty()) j["file"] = p.sources[c.source].file;
      if (p.sources[c.source].line > 0) j["line"] = p.sources[c.source].line;
      j["place"] = places(c.source);
      j["construct"] = p.sources[c.source].construct;
    }
    j["kind"] = profile::kGrainKindNames[size_t(c.kind)];
    j.update(of_source(p, c));
    sources.push_back(std::move(j));
  }
  out["sources"] = std::move(sources);
  return out;
}

}  // namespace einkorn::report
