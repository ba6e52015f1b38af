// The page of two recordings side by side: `einkorn compare --html` writes it, `einkorn view` serves it.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>

#include "cli/progress.h"
#include "profile/symbol_options.h"
#include "report/page/source_files.h"

namespace einkorn::cli {

struct PairFiles {
  std::string before, after;
  report::SourceOptions source;
  profile::SymbolOptions symbols;
  size_t lines = 12;                                     // rows of each table
  std::string before_name = before, after_name = after;  // as the page calls them
  const nlohmann::json* tuning = nullptr;                // HtmlOptions::tuning
};

// False: `error` says why not.
bool make_pair_page(const PairFiles& files, Progress& progress, std::string& page, std::string& error);

}  // namespace einkorn::cli
