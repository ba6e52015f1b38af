// `einkorn compare --html`: one page with two recordings side by side, linked grain by grain. The page is the ordinary
// one (page/page.h) of the second recording, with the first one's data, and what matches what, in further elements.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "profile/types.h"
#include "report/compare.h"
#include "report/page/page.h"

namespace einkorn::report {

// Grains in each half of the page; more are aggregated. Together what an ordinary page holds.
inline constexpr uint32_t kPairGrains = 500'000;

// A recording in the page, which stays when its profile is freed.
struct PairPart {
  PagePart part;
  // Those that profile::compare leaves out, with their names: initial and implicit tasks carry the others.
  struct Carrier {
    uint64_t id_high, id_low;
    uint32_t grain;
  };
  std::vector<Carrier> carriers;
};
bool make_pair_part(const profile::Profile& profile, const HtmlOptions& options, PairPart& out, std::string& error);

// tuning: as HtmlOptions::tuning.
bool make_pair_html(const Compared& compared, const PairPart& before, const PairPart& after,
                    const nlohmann::json* tuning, std::string& page, std::string& error);

}  // namespace einkorn::report
