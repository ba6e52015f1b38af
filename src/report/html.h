// `einkorn report --html`: one self-contained page that draws the grain graph. It opens from file://, needs no network
// and carries its data inside: numbers as compressed columns (html_data.h), names as JSON (html_meta.h).
#pragma once
#include <string>
#include "profile/types.h"

namespace einkorn::report {

struct HtmlOptions {
  std::string out;         // path of the page
  bool no_source = false;  // leave the cited source lines out
  // A page with more grains than this is cut (layout_cut.h) and says so. Settable for the tests.
  uint32_t max_grains = 1000000;
};

bool write_html(const profile::Profile& profile, const HtmlOptions& options, std::string& error);

}  // namespace einkorn::report
