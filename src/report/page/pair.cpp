#include "report/page/pair.h"
#include <map>
#include <utility>
#include <fmt/format.h>
#include "report/page/data.h"
#include "report/page/meta.h"

namespace einkorn::report {
namespace {

using nlohmann::json;
using profile::Counted;
using profile::kNone;
using profile::LineChange;
using profile::Side;

// A grain's counterpart exists, but is inside of an aggregate of the other picture. viewer/src/state/pair/pair.ts knows
// it.
constexpr uint32_t kNotDrawn = kNone - 1;

// By the page's grains of each side: the other side's. kNone: the grain is in one recording only.
struct Matches {
  std::vector<uint32_t> before, after;
};

Matches matches(const Compared& c, const PairPart& before, const PairPart& after) {
  Matches m{std::vector<uint32_t>(before.part.grains, kNone), std::vector<uint32_t>(after.part.grains, kNone)};
  auto put = [&](uint32_t b, uint32_t a) {  // of the profiles
    const uint32_t in_before = before.part.place[b], in_after = after.part.place[a];
    if (in_before != kNone) m.before[in_before] = in_after == kNone ? kNotDrawn : in_after;
    if (in_after != kNone) m.after[in_after] = in_before == kNone ? kNotDrawn : in_before;
  };
  for (size_t i = 0; i < c.result.match.size(); ++i)
    if (c.result.match[i] != kNone) put(c.before.grains[c.result.match[i]].grain, c.after.grains[i].grain);
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> carriers;
  for (const PairPart::Carrier& g : before.carriers) carriers.try_emplace({g.id_high, g.id_low}, g.grain);
  for (const PairPart::Carrier& g : after.carriers)
    if (const auto it = carriers.find({g.id_high, g.id_low}); it != carriers.end()) {
      put(it->second, g.grain);
      carriers.erase(it);  // only a damaged file has one name twice
    }
  return m;
}

json counted(const Counted& c) { return {{"grains", c.grains}, {"exec", c.exec}}; }

json side(const Side& s, const std::string& file) {
  json j = {{"file", file}, {"grains", s.grains.size()}};
  if (!s.predicted.empty()) j["predicted"] = s.predicted;
  return j;
}

json line(const LineChange& l, bool ratios) {
  json j = {{"kind", profile::kGrainKindNames[size_t(l.kind)]},
            {"before", counted(l.before)},
            {"after", counted(l.after)},
            {"matched", l.matched},
            {"only_before", counted(l.only_before)},
            {"only_after", counted(l.only_after)}};
  if (l.before_source != kNone) j["before_source"] = l.before_source;
  if (l.after_source != kNone) j["after_source"] = l.after_source;
  if (ratios && l.median_ratio >= 0) j["median"] = l.median_ratio, j["worst"] = l.worst_ratio;
  return j;
}

}  // namespace

bool make_pair_part(const profile::Profile& p, const HtmlOptions& options, PairPart& out, std::string& error) {
  for (uint32_t g = 0; g < p.grains.size(); ++g)
    if (p.grains[g].kind < profile::GrainKind::share)
      out.carriers.push_back({p.grains[g].id_high, p.grains[g].id_low, g});
  return make_part(p, options, out.part, error);
}

bool make_pair_html(const Compared& c, const PairPart& before, const PairPart& after, const nlohmann::json* tuning,
                    std::string& page, std::string& error) {
  const Matches match = matches(c, before, after);
  Columns columns;
  columns.add<uint32_t>("before.match", match.before.size(), true, [&](size_t i) { return match.before[i]; });
  columns.add<uint32_t>("after.match", match.after.size(), true, [&](size_t i) { return match.after[i]; });
  const std::string data = columns.pack(error);
  if (data.empty()) return false;
  const bool times = why_not_comparable(c).empty();
  json lines = json::array();
  for (const LineChange& l : c.result.lines) lines.push_back(line(l, times && c.result.per_grain()));
  const json pair = {{"before", side(c.before, c.before_file)},
                     {"after", side(c.after, c.after_file)},
                     {"remarks", remarks(c)},
                     {"times", times},
                     {"per_grain", times && c.result.per_grain()},
                     {"matched", c.result.matched},
                     {"share", c.result.share},
                     {"only_before", counted(c.result.only_before)},
                     {"only_after", counted(c.result.only_after)},
                     {"lines", std::move(lines)},
                     {"columns", columns.description()},
                     {"raw_bytes", columns.raw_bytes()}};
  std::string second;
  auto element = [&](const char* id, const char* type, const std::string& text) {
    second += fmt::format("<script type=\"application/{}\" id=\"einkorn-{}\">{}</script>\n", type, id, text);
  };
  element("pair", "json", script_safe(pair));
  element("pair-data", "octet-stream", data);
  element("before-meta", "json", before.part.meta);
  element("before-data", "octet-stream", before.part.data);
  element("before-metrics", "octet-stream", before.part.metrics);
  return fill_page(after.part, second + tuning_element(tuning), page, error);
}

}  // namespace einkorn::report
