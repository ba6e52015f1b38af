#include "cli/describe.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "schedule/types.h"

namespace einkorn::cli {

namespace {

using Json = nlohmann::ordered_json;

// CLI11 keeps the words of IsMember only in the text that it shows: {one,two,three}.
Json choices_of(const std::string& value) {
  Json out = Json::array();
  const size_t open = value.find('{'), close = value.find('}');
  if (open == std::string::npos || close == std::string::npos) return out;
  std::string word;
  for (size_t i = open + 1; i <= close; ++i) {
    if (value[i] != ',' && i != close) {
      word += value[i];
      continue;
    }
    out.push_back(word);
    word.clear();
  }
  return out;
}

Json described(const CLI::Option& o) {
  Json names = Json::array();
  for (const std::string& name : o.get_snames()) names.push_back("-" + name);
  for (const std::string& name : o.get_lnames()) names.push_back("--" + name);
  const bool flag = o.get_items_expected_max() == 0;
  const std::string value = flag ? "" : o.get_positional() ? o.get_name(true) : o.get_type_name();
  return {{"names", names},
          {"value", value},
          {"about", o.get_description()},
          {"repeats", o.get_items_expected_max() > 1},
          {"needed", o.get_required()},
          {"choices", choices_of(o.get_type_name())}};
}

}  // namespace

std::string describe(const CLI::App& app) {
  Json out = {{"version", app.version()}, {"about", app.get_description()}, {"footer", app.get_footer()}};
  int count;
  const schedule::Schedule* const* presets = schedule::presets(&count);
  for (int i = 0; i < count; ++i) out["schedules"].push_back(presets[i]->name);
  out["verbs"] = Json::array();
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    Json v = {{"name", verb->get_name()}, {"about", verb->get_description()}, {"footer", verb->get_footer()}};
    v["options"] = Json::array(), v["arguments"] = Json::array();
    for (const CLI::Option* o : verb->get_options())
      if (!o->get_group().empty()) v[o->get_positional() ? "arguments" : "options"].push_back(described(*o));
    out["verbs"].push_back(std::move(v));
  }
  return out.dump(1) + "\n";
}

}  // namespace einkorn::cli
