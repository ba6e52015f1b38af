// `einkorn report --html`: one self-contained page that draws the grain graph. It opens from file://, needs no network
// and carries its data inside: numbers as compressed columns (page/data.h), names as JSON (page/meta.h).
#pragma once
#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>
#include "profile/compare.h"
#include "profile/metrics.h"
#include "profile/types.h"
#include "report/page/find.h"
#include "report/page/source_files.h"

namespace einkorn::report {

// A second recording of the program, which the page sets beside this one.
struct PageBaseline {
  std::string file;  // as the user named it
  const profile::Side& side;
  const profile::Comparison& comparison;  // of it to the page's recording
};

struct HtmlOptions {
  std::string out;       // path of the page
  SourceOptions source;  // which files' lines are in it
  // A page with more grains than this is cut (layout/cut.h) and says so. Settable for the tests.
  uint32_t max_grains = 1000000;
  // From a server (`einkorn view`): aggregates can be opened, each as a page of its own, of the nodes [first, first +
  // count) of the graph; and whole source files can be had. count 0: all nodes.
  bool served = false;
  const profile::Metrics* metrics = nullptr;  // of the profile, where they are known; else they are computed
  const nlohmann::json* common = nullptr;     // page_common() of it, where several pages are made; else likewise
  const PageBaseline* baseline = nullptr;     // `metrics` have to be made with it
  uint32_t first = 0, count = 0;
  const nlohmann::json* tuning = nullptr;  // what `einkorn tune` tried, as it prints it with --json
};

// One recording as the page's script reads it, and which of its grains are in it.
struct PagePart {
  std::string meta, data, metrics;  // texts of the page's elements
  std::vector<uint32_t> place;      // the profile's grain -> the page's; kNone: inside of an aggregate
  uint32_t grains = 0;              // in the page
  bool served = false;
  PageNodes nodes;  // served
};
// What does not depend on which grains are in the page.
nlohmann::json page_common(const profile::Profile& profile, const profile::Metrics& metrics,
                           const SourceOptions& source);
bool make_part(const profile::Profile& profile, const HtmlOptions& options, PagePart& out, std::string& error);
// An element of the page; empty where there is none.
std::string tuning_element(const nlohmann::json* tuning);
// The page around it. `second`: elements of a page that shows two recordings (page/pair.h).
bool fill_page(const PagePart& part, const std::string& second, std::string& page, std::string& error);

// The page itself.
bool make_html(const profile::Profile& profile, const HtmlOptions& options, std::string& page, std::string& error);
// Writes it to options.out.
bool write_html(const profile::Profile& profile, const HtmlOptions& options, std::string& error);

}  // namespace einkorn::report
