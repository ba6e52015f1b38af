#include "cli/files.h"

#include <utility>
#include <vector>

namespace einkorn::cli {

namespace {
std::vector<std::pair<std::string, report::Content>> g_outputs;
}

CLI::Option* reads(CLI::Option* option) { return option->each(report::keep); }

CLI::Option* writes(CLI::Option* option, report::Content content) {
  return option->each([content](const std::string& path) { g_outputs.emplace_back(path, content); });
}

void choose_sources(CLI::App& verb, report::SourceOptions& options, CLI::Option* page) {
  CLI::Option* none = verb.add_flag("--no-source", options.none, "No source lines and files in the page");
  CLI::Option* root = verb.add_option("--source-root", options.roots,
                                      "Source files of this folder may be read, too; may be given several times");
  root->type_name("FOLDER")->allow_extra_args(false)->check(CLI::ExistingDirectory)->excludes(none);
  if (page) none->needs(page), root->needs(page);
}

void choose_symbols(CLI::App& verb, profile::SymbolOptions& options) {
  options.servers = true;
  verb.add_option("--symbols", options.folders,
                  "A folder with debug information of stripped files (by build-id, or named as they are); may be given "
                  "several times")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->check(CLI::ExistingDirectory)
      ->check([](const std::string& folder) {
        return folder.find(':') == std::string::npos ? "" : "a folder whose name has a colon cannot be searched";
      });
}

std::string wrong_output() {
  for (const auto& [path, content] : g_outputs)
    if (std::string why = report::why_not(path, content); !why.empty()) return why;
  return "";
}

}  // namespace einkorn::cli
